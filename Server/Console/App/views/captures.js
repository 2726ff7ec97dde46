import { announce } from "../lib/announce.js";
import { call, query } from "../lib/api.js";
import { dayKey, dayTitle, fullDay, isDay } from "../lib/dates.js";
import { el } from "../lib/dom.js";
import { emptiness, pagedList } from "../lib/list.js";
import { captureEntry, captureTabs, eventTypes } from "./capture.js";
import { findContact } from "./contacts.js";
import { detail } from "./parts.js";

/** Captures as they arrive, with their status: all, those of a day, or those that mention a contact. With an id, one capture. */
export function captures(values, go) {
  if (values.get("id")) return oneCapture(values.get("id"), go);
  const date = isDay(values.get("date") ?? "") ? values.get("date") : "";
  const contact = values.get("contact") ?? "";
  const title = el("h1", {}, contact ? "Captures with somebody" : date ? fullDay(date) : "Captures");
  const stopper = new AbortController();
  /** By id. */
  let known = null;
  const nodes = new Map();

  const list = pagedList("/captures", { date, contact }, (answer) => answer.items, {
    label: "Captures", look: "entries", id: (capture) => capture.id,
    heading: (capture) => (date ? "" : dayTitle(dayKey(capture.timestamp))),
    draw(capture) {
      nodes.set(capture.id, captureEntry(capture, { title: date ? "h2" : "h3", done: () => list.refresh() }));
      return nodes.get(capture.id);
    },
    one: async (id, signal) => {
      try {
        return await call("GET", `/captures/${encodeURIComponent(id)}`, { signal });
      } catch (error) {
        if (error.status === 404) return null;
        throw error;
      }
    },
    changed: markNew,
    empty: () => (date || contact
      ? emptiness("captures", "No captures here", date ? "There are no captures of this day." : "No capture mentions this person any more.", { to: "#/captures", words: "All captures" })
      : emptiness("captures", "No captures yet", "An app that is connected to this server sends moments as they happen: words, a photo, a recording. They appear here at once.")),
  });

  /** Announces and marks what is new since the list was drawn before. */
  function markNew(rows, hasMore) {
    const before = known;
    known = new Map(rows.map((capture) => [capture.id, capture.status]));
    for (const id of nodes.keys()) if (!known.has(id)) nodes.delete(id);
    if (!before) return;
    // Rows of a further page are older than those before them.
    const last = rows.findLastIndex((capture) => before.has(capture.id));
    const fresh = rows.slice(0, last < 0 && hasMore ? rows.length : last + 1).filter((capture) => !before.has(capture.id));
    for (const capture of fresh) nodes.get(capture.id)?.parentElement?.classList.add("fresh");
    if (fresh.length > 0) announce(fresh.length === 1 ? "New capture" : `${fresh.length} new captures`);
    else if (rows.some((capture) => before.has(capture.id) && before.get(capture.id) !== capture.status && capture.status === "processed")) announce("A capture was processed.");
  }

  function onEvent(event) {
    const id = (event.payload ?? event.data)?.id;
    if (event.type.startsWith("capture.") && id) list.renew(id);
  }

  if (contact) {
    findContact(contact, stopper.signal).then((one) => {
      if (!one) return;
      title.textContent = `Captures with ${one.name}`;
      document.title = `${title.textContent} · Keepsake`;
    }, () => {});
  }
  return {
    title: date ? `Captures of ${fullDay(date)}` : "Captures",
    node: el("div", { class: "view captures" },
      el("div", { class: "heading" }, title, captureTabs(date || contact ? "" : "/captures")),
      (date || contact) && el("div", { class: "actions" },
        date && el("a", { class: "button quiet", href: `#/captures/day${query({ date })}` }, "Summary of the day"),
        el("a", { class: "button quiet", href: "#/captures" }, "All captures")),
      list.node),
    eventTypes, onEvent, refresh: list.refresh,
    leave() {
      stopper.abort();
      list.stop();
      for (const audio of list.node.querySelectorAll("audio")) audio.pause();
    },
  };
}

function oneCapture(id, go) {
  const about = detail({
    read: (signal) => call("GET", `/captures/${encodeURIComponent(id)}`, { signal }),
    draw: (capture) => captureEntry(capture, { title: "h2", isAlone: true, done: (isGone) => (isGone ? go("#/captures") : about.load()) }),
  });
  return {
    title: "Capture",
    node: el("div", { class: "view captures" }, el("div", { class: "heading" }, el("h1", {}, "Capture"), el("a", { class: "button quiet", href: "#/captures" }, "All captures")), about.node),
    eventTypes: /^capture\./,
    refresh: about.load,
    leave() {
      about.stop();
      for (const audio of about.node.querySelectorAll("audio")) audio.pause();
    },
  };
}
