import { toast } from "../lib/announce.js";
import { call, query, session } from "../lib/api.js";
import { dateTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, fill } from "../lib/dom.js";
import { choice, formDialog, parts, text } from "../lib/forms.js";
import { smaller } from "../lib/links.js";
import { emptiness, pagedList } from "../lib/list.js";
import { pictureField } from "../media/picture.js";
import { coveFields, join, place } from "./coves.js";
import { addEvent, eventRow } from "./event.js";
import { button, copyField, detail, nameOf, part, personLink, personRow, report, setTitle } from "./parts.js";

/** Why a phone number got no invitation. */
const wordsOf = ({ phoneNumber, error }) => `${phoneNumber}: ${error}`;

/** One cove: its events, its members, and what its administrators do. */
export function cove(values, go) {
  const id = values.get("id") ?? "";
  const title = el("h1", {}, "Cove");
  const rest = el("div", { class: "stack" });
  let lists = [];
  /** The user's rights when the lists were drawn. */
  let rights = "";
  const about = detail({
    read: async (signal) => (await call("GET", `/cove${query({ coveId: id })}`, { signal })).cove,
    draw(cove) {
      setTitle(title, cove.name);
      const now = `${cove.role} ${cove.isCreator}`;
      if (now !== rights) drawLists(cove);
      rights = now;
      return facts(cove);
    },
    refused(error) {
      stopLists();
      rights = "";
      fill(rest);
      // Somebody who followed a link and is not a member.
      return error.status === 403 && el("div", { class: "actions" }, button("Join this cove", async () => {
        await join(id);
        await about.load();
      }, { look: "main" }));
    },
  });

  function facts(cove) {
    const { memberCount, eventCount } = cove.stats;
    return [
      cove.coverPhoto && el("img", { class: "banner", src: smaller(cove.coverPhoto.url, 1408, 560), alt: "" }),
      place(cove.location),
      cove.description && el("p", { class: "words" }, cove.description),
      el("p", { class: "hint" }, `${memberCount} member${memberCount === 1 ? "" : "s"} · ${eventCount} event${eventCount === 1 ? "" : "s"} · since ${dateTitle(cove.createdAt)}`,
        cove.creator.name && [" · created by ", el("a", { href: personLink(cove.creator.id) }, cove.creator.name)]),
      el("div", { class: "actions" },
        cove.role === "ADMIN" && [
          button("New event", () => addEvent(id, go), { look: "main" }), button("Invite", invite), button("Edit", () => edit(cove)),
        ],
        button("Leave", () => leave(cove)),
        cove.isCreator ? button("End this cove", () => end(cove), { look: "danger" }) : button("Report", () => report("cove", id, cove.name))),
      cove.joining === "id"
        ? el("div", { class: "field" }, el("span", { class: "label" }, "Its id: everybody who has it can join"), copyField("Id of the cove", id))
        : el("p", { class: "hint" }, "Only people with an invitation can join."),
    ];
  }

  function drawLists(cove) {
    stopLists();
    const isAdmin = cove.role === "ADMIN";
    const events = pagedList("/cove-events", { coveId: id }, (answer) => answer.events, {
      label: "Events", look: "entries", id: (event) => event.id, draw: (event) => eventRow(event),
      empty: () => emptiness("event", "No events yet", isAdmin ? "Plan the first one." : "The cove's administrators plan them."),
    });
    const members = pagedList("/cove-members", { coveId: id }, (answer) => answer.members, {
      label: "Members", id: (member) => member.id, draw: (member) => memberRow(member, cove), empty: () => null,
    });
    const sent = isAdmin && pagedList("/sent-invites", { coveId: id }, (answer) => answer.invites, {
      label: "Invitations you sent", id: (invite) => invite.id, draw: sentRow, empty: () => el("p", { class: "hint" }, "No invitation is waiting for an answer."),
    });
    lists = [events, members, sent].filter(Boolean);
    fill(rest,
      part("events", "Events", events.node), part("members", "Members", members.node), sent && part("sent", "Invitations you sent", sent.node));
  }

  function memberRow(member, cove) {
    const isOneself = member.id === session.user.id;
    const isOwner = member.id === cove.creator.id;
    const name = nameOf(member);
    const other = member.role === "ADMIN" ? "MEMBER" : "ADMIN";
    return personRow(member, {
      hint: `Since ${dateTitle(member.joinedAt)}`,
      badge: [isOneself && "You", isOwner ? "Creator" : member.role === "ADMIN" && "Admin"].filter(Boolean).join(" · "),
      actions: [
        cove.isCreator && !isOneself && button(other === "ADMIN" ? "Make admin" : "Make member", () => setRole(member, other), { name }),
        cove.role === "ADMIN" && !isOneself && !isOwner && button("Remove", () => remove(member), { name }),
      ].filter(Boolean),
    });
  }

  function sentRow(invite) {
    return el("div", { class: "person" },
      el("div", {}, el("p", { class: "title" }, invite.phone), el("p", { class: "hint" }, `${dateTitle(invite.createdAt)} · ${invite.isOpened ? "opened" : "not opened yet"}`)),
      el("div", { class: "actions" }, button("Cancel", () => cancel(invite), { name: invite.phone })));
  }

  function stopLists() {
    for (const list of lists) list.stop();
    lists = [];
  }

  async function refresh() {
    await about.load();
    await Promise.all(lists.map((list) => list.refresh()));
  }

  async function setRole(member, role) {
    await call("POST", "/cove-role", { body: { coveId: id, userId: member.id, role } });
    toast(`${nameOf(member)} is ${role === "ADMIN" ? "an administrator" : "a member"} now.`);
    await refresh();
  }

  async function remove(member) {
    if (!(await confirm(`Remove ${nameOf(member)}?`, "To come back, they need a new invitation.", "Remove", "Cancel"))) return;
    await call("POST", "/remove-member", { body: { coveId: id, userId: member.id } });
    toast(`${nameOf(member)} is removed.`);
    await refresh();
  }

  async function cancel(invite) {
    await call("DELETE", "/cancel-invite", { body: { inviteId: invite.id } });
    toast("The invitation is cancelled.");
    await refresh();
  }

  async function invite() {
    const answer = await formDialog({
      title: "Invite people", action: "Send the invitations",
      about: "An invitation is for a phone number. It is valid for 90 days, also for a person who registers with that number later.",
      content: [
        text("numbers", "Phone numbers", { required: true, hint: "With the country, such as +49 170 1234567; separated by commas or lines", problem: "Enter at least one phone number." }),
        text("message", "A message to them", { maxlength: 500 }),
      ],
      send: async ({ numbers, message }, key) => {
        const answer = await call("POST", "/send-invite", { body: { coveId: id, phoneNumbers: parts(numbers), ...(message ? { message } : {}) }, key });
        if (answer.invites.length === 0 && answer.errors.length > 0) throw new Error(answer.errors.map(wordsOf).join(" "));
        return answer;
      },
    });
    if (!answer) return;
    const count = answer.invites.length;
    toast([count === 1 ? "One invitation is sent." : `${count} invitations are sent.`, ...answer.errors.map(wordsOf)].join(" "), answer.errors.length > 0 ? "bad" : "good");
    await refresh();
  }

  async function edit(cove) {
    const cover = pictureField(cove.coverPhoto ? "Change the cover picture" : "Add a cover picture");
    const isEdited = await formDialog({
      title: "Edit the cove", action: "Save",
      content: [
        coveFields(cove),
        choice("joining", "Who may join", { id: "Everybody who has its id", invite: "Only people with an invitation" }, cove.joining),
        cover.node,
      ],
      send: async ({ description, ...fields }) => call("POST", "/edit-cove", {
        body: { coveId: id, ...fields, description: description || null, coverPhoto: await cover.data() },
      }),
    });
    if (isEdited) await refresh();
  }

  async function leave(cove) {
    if (!(await confirm(`Leave ${cove.name}?`, "You no longer see its events and members. The cove ends when its last member leaves.", "Leave", "Stay"))) return;
    await call("POST", "/leave-cove", { body: { coveId: id } });
    toast(`You have left ${cove.name}.`);
    go("#/coves");
  }

  async function end(cove) {
    if (!(await confirm(`End ${cove.name}?`, "The cove and all its events end for all members. This cannot be undone.", "End it"))) return;
    await call("POST", "/delete-cove", { body: { coveId: id } });
    toast(`${cove.name} has ended.`);
    go("#/coves");
  }

  return {
    title: "Cove",
    node: el("div", { class: "view cove" }, el("div", { class: "heading" }, title, el("a", { class: "button quiet", href: "#/coves" }, "All coves")), about.node, rest),
    eventTypes: /^cove\./,
    refresh,
    leave() {
      about.stop();
      stopLists();
    },
  };
}
