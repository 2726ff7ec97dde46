import { attempt, toast } from "../lib/announce.js";
import { call } from "../lib/api.js";
import { confirm } from "../lib/dialog.js";
import { el, refill } from "../lib/dom.js";
import { formDialog, text } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { smaller } from "../lib/links.js";

// What the views of people and coves share: a person in a list, buttons, tabs, and the actions against somebody.

/** People have no name before they have made a profile. */
export const nameOf = (person) => person.name || "Somebody without a name yet";
export const personLink = (id) => `#/person?id=${encodeURIComponent(id)}`;

/** A round picture; without one, the first letter of the name. Decorative: the name stands beside it. */
export function avatar(name, link) {
  if (link) return el("img", { class: "avatar", src: smaller(link, 192, 192), alt: "", loading: "lazy", decoding: "async", width: 48, height: 48 });
  return el("span", { class: "avatar", "aria-hidden": "true" }, name ? Array.from(name)[0].toUpperCase() : icon("person"));
}

/** One row of a list of people. `person` is `{ id, name, profilePhotoUrl }`. */
export function personRow(person, { hint, badge, actions = [] } = {}) {
  return el("div", { class: "person" },
    avatar(person.name, person.profilePhotoUrl),
    el("div", {},
      el("p", { class: "title" }, el("a", { href: personLink(person.id) }, nameOf(person)), badge && el("span", { class: "badge" }, badge)),
      hint && el("p", { class: "hint" }, hint)),
    actions.length > 0 && el("div", { class: "actions" }, actions));
}

/** Runs `action` and shows its error. `name` tells screen readers what the button of a row acts on; `isPressed` is for one of several choices. */
export function button(words, action, { name, look = "quiet", isPressed } = {}) {
  let isRunning = false;
  async function run() {
    if (isRunning) return;
    isRunning = true;
    await attempt(action);
    isRunning = false;
  }
  return el("button", { type: "button", class: look, "aria-label": name && `${words}: ${name}`, "aria-pressed": isPressed === undefined ? null : String(isPressed), on: { click: run } }, words);
}

/**
 * The content of a view that shows one thing. `read(signal)` resolves to its data, and `draw(data)` returns nodes; `draw` is called again
 * only when the data changed. `refused(error)` returns nodes to show beside an error. `load` reads the data again. If that fails and the
 * page keeps showing the older data, it resolves to the error. Call `stop` at the end.
 */
export function detail({ read, draw, refused = () => null }) {
  const stopper = new AbortController();
  const node = el("div", { class: "stack", "aria-busy": "true" });
  let shown = "";
  /** The number of the last request, and of the one whose response is shown. */
  let [asked, answered] = [0, 0];

  async function load() {
    const mine = (asked += 1);
    try {
      const answer = await read(stopper.signal);
      // A response that is late is older than what is shown.
      if (mine < answered) return null;
      answered = mine;
      const text = JSON.stringify(answer);
      if (text !== shown) refill(node, draw(answer));
      shown = text;
    } catch (error) {
      if (error.name === "AbortError" || mine < answered) return null;
      // When only the connection is lost, what is shown stays.
      if (shown && ![403, 404].includes(error.status)) return error;
      if ([403, 404].includes(error.status)) answered = mine;
      shown = "";
      refill(node, el("p", { class: "problem", role: "alert" }, error.message), refused(error));
    } finally {
      node.setAttribute("aria-busy", "false");
    }
    return null;
  }

  load();
  return { node, load, stop: () => stopper.abort() };
}

/** Names the view after what it shows, once that is known. */
export function setTitle(heading, words) {
  heading.textContent = words;
  document.title = `${words} · Keepsake`;
}

/** Links to the views of one place. `tabs` are their words by address. */
export function tabs(label, tabs, here) {
  return el("nav", { class: "kinds", "aria-label": label },
    Object.entries(tabs).map(([path, words]) => el("a", { href: `#${path}`, "aria-current": path === here ? "page" : null }, words)));
}

export function badge(words) {
  return el("span", { class: "badge" }, words);
}

/** A section of a view with a heading, whose id is `id`. */
export function part(id, title, ...content) {
  return el("section", { class: "part", "aria-labelledby": id }, el("h2", { id }, title), content);
}

/** Tells the server's operator about a person, a cove or an event. */
export async function report(kind, id, name) {
  const isSent = await formDialog({
    title: `Report ${name}?`, about: "The operator of this server reads your report. Nobody else is notified.", action: "Send the report",
    content: text("reason", "What is wrong?", { required: true, maxlength: 1000, problem: "Describe what is wrong." }),
    send: (values, key) => call("POST", "/report", { body: { kind, id, reason: values.reason }, key }),
  });
  if (isSent) toast("Your report is sent. Thank you.");
}

/** Returns whether the person is blocked now. */
export async function block(person) {
  const words = "You no longer see each other in lists, as friends or in coves. The other person is not notified. You can end the block under People, Blocked, but that does not restore a friendship.";
  if (!(await confirm(`Block ${nameOf(person)}?`, words, "Block", "Cancel"))) return false;
  await call("POST", "/block", { body: { userId: person.id } });
  toast(`${nameOf(person)} is blocked.`);
  return true;
}

/** A value to copy. */
export function copyField(label, value) {
  const input = el("input", { type: "text", readonly: true, value, "aria-label": label, on: { focus: () => input.select() } });

  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      toast("Copied.");
    } catch {
      // Browsers allow it only on https pages and on the same machine.
      input.focus();
      toast("The text is selected. Copy it with your keyboard.");
    }
  }

  return el("div", { class: "copy" }, input, el("button", { type: "button", class: "quiet", on: { click: copy } }, "Copy"));
}
