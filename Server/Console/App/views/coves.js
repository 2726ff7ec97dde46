import { call } from "../lib/api.js";
import { dateTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { formDialog, line, text } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { smaller } from "../lib/links.js";
import { emptiness, liveList } from "../lib/list.js";
import { pictureField } from "../media/picture.js";
import { avatar, badge, button, nameOf, part, tabs } from "./parts.js";

export const coveLink = (id) => `#/cove?id=${encodeURIComponent(id)}`;
export const places = (here) => tabs("Coves and their events", { "/coves": "Coves", "/events": "Calendar" }, here);

/** The user's coves and invitations. */
export function coves(go) {
  const list = liveList({
    label: "Your coves", look: "cards", id: (cove) => cove.id, draw: card,
    page: async (_, signal) => ({ rows: (await call("GET", "/user-coves", { signal })).coves, next: null }),
    empty: () => emptiness("coves", "No coves yet", "A cove is a group of people with events. Create one, or join one whose id you know."),
  });
  const invitations = liveList({
    label: "Invitations", id: (invite) => invite.id, draw: invitation,
    page: async (_, signal) => ({ rows: (await call("GET", "/invites", { signal })).invites, next: null }),
    empty: () => null,
    changed: (rows) => { section.hidden = rows.length === 0; },
  });
  const section = part("invitations", "Invitations", invitations.node);
  section.hidden = true;

  function card(cove) {
    return el("article", { class: "card" },
      cove.coverPhoto
        ? el("img", { src: smaller(cove.coverPhoto.url, 640, 400), alt: "", loading: "lazy", decoding: "async" })
        : el("span", { class: "blank", "aria-hidden": "true" }, icon("coves")),
      el("h2", {}, el("a", { href: coveLink(cove.id) }, cove.name)));
  }

  function invitation(invite) {
    return el("div", { class: "person" },
      avatar(invite.cove.name, invite.cove.coverPhotoUrl),
      el("div", {},
        el("p", { class: "title" }, invite.cove.name, !invite.isOpened && badge("New")),
        el("p", { class: "hint" }, `${nameOf(invite.sentBy)} invited you, ${dateTitle(invite.createdAt)}`),
        invite.message && el("p", {}, invite.message)),
      el("div", { class: "actions" },
        button("Open", () => openInvite(invite), { name: invite.cove.name }),
        button("Decline", () => decline(invite), { name: invite.cove.name })));
  }

  async function openInvite(invite) {
    if (!invite.isOpened) await call("PUT", "/open-invite", { body: { inviteId: invite.id } });
    const { cove, message } = invite;
    const member = await formDialog({
      title: cove.name, about: `${nameOf(invite.sentBy)} invited you.`, action: "Join",
      content: [
        cove.coverPhotoUrl && el("img", { class: "banner", src: smaller(cove.coverPhotoUrl, 1024, 512), alt: "" }),
        message && el("blockquote", {}, message), place(cove.location), cove.description && el("p", { class: "words" }, cove.description),
      ],
      send: (_, key) => join(cove.id, key),
    });
    if (member) go(coveLink(cove.id));
    else await invitations.refresh();
  }

  async function decline(invite) {
    if (!(await confirm(`Decline ${invite.cove.name}?`, "The invitation is deleted.", "Decline"))) return;
    await call("DELETE", "/reject-invite", { body: { inviteId: invite.id } });
    await invitations.refresh();
  }

  async function add() {
    const cover = pictureField("Add a cover picture");
    const made = await formDialog({
      title: "New cove", action: "Create the cove", content: [coveFields(), cover.node],
      send: async ({ name, location, description }, key) => (await call("POST", "/create-cove", {
        body: { name, location, ...(description ? { description } : {}), coverPhoto: await cover.data() }, key,
      })).cove,
    });
    if (made) go(coveLink(made.id));
  }

  async function joinByID() {
    const member = await formDialog({
      title: "Join a cove", action: "Join", about: "Its members find its id on the cove's page.",
      content: line("coveId", "The cove's id", { required: true, maxlength: 128, autocapitalize: "none", spellcheck: "false", problem: "Enter the id of the cove." }),
      send: ({ coveId }, key) => join(coveId, key),
    });
    if (member) go(coveLink(member.coveId));
  }

  return {
    title: "Coves",
    node: el("div", { class: "view coves" },
      el("div", { class: "heading" }, el("h1", {}, "Coves"), places("/coves")),
      section, list.node,
      el("div", { class: "actions" }, button("New cove", add, { look: "main" }), button("Join by id", joinByID))),
    eventTypes: /^cove\./,
    refresh: () => Promise.all([list.refresh(), invitations.refresh()]),
    leave() {
      list.stop();
      invitations.stop();
    },
  };
}

/** Resolves to the new membership. */
export const join = async (coveId, key) => (await call("POST", "/join-cove", { body: { coveId }, key })).member;

export const place = (words) => words && el("p", { class: "place" }, icon("place"), words);

export function coveFields(cove = {}) {
  return [
    line("name", "Name", { required: true, maxlength: 100, value: cove.name, problem: "Enter a name." }),
    line("location", "Where", { required: true, maxlength: 200, value: cove.location, problem: "Enter where the cove is." }),
    text("description", "About it", { value: cove.description }),
  ];
}
