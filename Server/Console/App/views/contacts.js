import { toast } from "../lib/announce.js";
import { call, query } from "../lib/api.js";
import { dateTitle, momentTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, freshID } from "../lib/dom.js";
import { choice, formDialog, line, text } from "../lib/forms.js";
import { emptiness, pagedList } from "../lib/list.js";
import { captureName, captureTabs, eventTypes } from "./capture.js";
import { avatar, button } from "./parts.js";

/** The server's largest page, and how many of them the console reads to list all contacts. */
const [pageSize, mostPages] = [100, 20];
const pathOf = (contact) => `/contacts/known/${encodeURIComponent(contact.id)}`;

/** The people whom captures mention, the last seen first. */
export function contacts() {
  const list = pagedList("/contacts/known", {}, (answer) => answer.items, {
    label: "People whom captures mention", id: (contact) => contact.id, draw: row,
    empty: () => emptiness("people", "Nobody yet", "The people whom your captures mention appear here, with how often and when they were last mentioned.", { to: "#/captures", words: "Captures" }),
  });

  function row(contact) {
    const { name } = contact;
    const times = contact.mentionCount === 1 ? "one capture" : `${contact.mentionCount} captures`;
    return el("div", { class: "person" },
      avatar(name, contact.bestFacePhotoURL),
      el("div", {},
        el("p", { class: "title" }, el("a", { href: `#/captures${query({ contact: contact.id })}` }, name), contact.relationship && el("span", { class: "badge" }, contact.relationship)),
        el("p", { class: "hint" }, `In ${times}, last ${dateTitle(contact.lastSeen)}`),
        contact.notes && el("p", { class: "words" }, contact.notes)),
      el("div", { class: "actions" },
        button("Edit", () => edit(contact), { name }), button("Merge", () => merge(contact), { name }),
        button("Split", () => split(contact), { name }), button("Remove", () => remove(contact), { name })));
  }

  async function edit(contact) {
    const isSaved = await formDialog({
      title: `Edit ${contact.name}`, about: "What you enter here overrides what an engine finds.", action: "Save",
      content: [
        line("name", "Name", { required: true, maxlength: 200, value: contact.name, problem: "Enter a name." }),
        line("relationship", "Relationship", { maxlength: 200, value: contact.relationship ?? "", hint: "For example: sister, colleague" }),
        text("notes", "Notes", { value: contact.notes ?? "" }),
      ],
      send: ({ name, relationship, notes }) => call("PATCH", pathOf(contact), { body: { name, relationship: relationship || null, notes: notes || null } }),
    });
    if (isSaved) await list.refresh();
  }

  async function merge(contact) {
    const others = (await allContacts()).filter((one) => one.id !== contact.id).sort((a, b) => a.name.localeCompare(b.name));
    if (others.length === 0) {
      toast("There is nobody else to merge with.", "bad");
      return;
    }
    const kept = await formDialog({
      title: `Merge ${contact.name}`, action: "Merge",
      about: `“${contact.name}” becomes another name of the person that you choose. All its captures move to that person.`,
      content: choice("into", "Is the same person as", Object.fromEntries(others.map((one) => [one.id, one.relationship ? `${one.name}, ${one.relationship}` : one.name]))),
      send: ({ into }) => call("POST", `${pathOf(contact)}/merge`, { body: { into } }),
    });
    if (!kept) return;
    toast(`${contact.name} is now another name of ${kept.name}.`);
    await list.refresh();
  }

  async function split(contact) {
    const { items, nextCursor } = await call("GET", `/captures${query({ contact: contact.id, limit: pageSize })}`);
    const heading = freshID("split");
    const boxes = items.map((capture) => {
      const id = freshID("capture");
      return { id: capture.id, box: el("input", { type: "checkbox", id }), label: el("label", { for: id }, captureName(capture), el("span", { class: "hint" }, momentTitle(capture.timestamp))) };
    });
    const made = await formDialog({
      title: `Split ${contact.name}`, about: `The captures that you choose move from ${contact.name} to another person.`, action: "Split",
      content: [
        line("name", "Who is it?", { required: true, maxlength: 200, problem: "Enter who it is." }),
        el("fieldset", { class: "checks" }, el("legend", { id: heading }, nextCursor ? `The latest ${items.length} captures` : "Captures"),
          boxes.map(({ box, label }) => el("div", { class: "check" }, box, label))),
      ],
      async send({ name }, key) {
        const captureIds = boxes.filter(({ box }) => box.checked).map(({ id }) => id);
        if (captureIds.length === 0) throw new Error("Choose at least one capture.");
        return call("POST", `${pathOf(contact)}/split`, { body: { captureIds, name }, key });
      },
    });
    if (!made) return;
    toast(`The captures now belong to ${made.name}.`);
    await list.refresh();
  }

  async function remove(contact) {
    const words = "The captures stay. Captures that mention this name do not add the person again.";
    if (!(await confirm(`Remove ${contact.name}?`, words, "Remove", "Cancel"))) return;
    await call("DELETE", pathOf(contact));
    toast(`${contact.name} is removed.`);
    await list.refresh();
  }

  return {
    title: "People in captures",
    node: el("div", { class: "view people known" }, el("div", { class: "heading" }, el("h1", {}, "People in captures"), captureTabs("/captures/people")), list.node),
    eventTypes, refresh: list.refresh, leave: list.stop,
  };
}

async function allContacts(signal, isFound = () => false) {
  const all = [];
  let cursor = null;
  for (let count = 0; count < mostPages; count += 1) {
    const answer = await call("GET", `/contacts/known${query({ cursor, limit: pageSize })}`, { signal });
    all.push(...answer.items);
    cursor = answer.nextCursor;
    if (cursor === null || answer.items.some(isFound)) break;
  }
  return all;
}

/** No route reads one contact, so this searches the list. */
export async function findContact(id, signal) {
  const isWanted = (contact) => contact.id === id;
  return (await allContacts(signal, isWanted)).find(isWanted) ?? null;
}
