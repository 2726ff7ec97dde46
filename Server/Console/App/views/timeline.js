import { announce, toast } from "../lib/announce.js";
import { call, mine, query } from "../lib/api.js";
import { dayIn, dayTitle, isDay } from "../lib/dates.js";
import { arrange, el, fill, fillAs, freshID, keepFocus } from "../lib/dom.js";
import { emptiness, headingOf, oneAtATime, pager } from "../lib/list.js";
import { accountZone, limits } from "../media/files.js";
import { content, entry, identity, isKnown, readEntry, words } from "./entries.js";

/** Changed moments of later pages that a refresh reads one by one. If there are more, it drops those pages, which paging reads again. */
const mostRenewed = 20;

/** All kinds of entries, latest first, grouped by day and updated live. */
export function timeline(values, go) {
  const filter = { tag: values.get("tag") ?? "", from: day(values.get("from")), to: day(values.get("to")) };
  const isFiltered = Boolean(filter.tag || filter.from || filter.to);
  const list = el("div", { class: "days", "aria-busy": "true" });
  const note = el("div", {});
  /** What is shown, by id: the item, its JSON text to detect changes, and its element. */
  const shown = new Map();
  /** Ids of shown moments that have changed, for the next refresh. */
  let due = new Set();
  const days = new Map();
  let cursor = null;
  let covered = -Infinity;
  let isLoaded = false;
  const stopper = new AbortController();
  const pages = pager("Show earlier", more);

  const page = (after) => call("GET", mine(`/timeline${query({
    // The server takes days as those of the account's time zone, and includes the last one.
    tag: filter.tag, cursor: after, limit: 20, from: filter.from, to: filter.to,
  })}`), { signal: stopper.signal });

  async function load() {
    try {
      const [answer] = await Promise.all([page(), limits]);
      take(answer, false);
      pages.start(cursor !== null);
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(note, el("p", { class: "problem", role: "alert" }, error.message));
    }
    list.setAttribute("aria-busy", "false");
  }

  async function more() {
    const after = cursor;
    const answer = await page(after);
    // The list began again meanwhile.
    if (cursor !== after) return cursor !== null;
    cursor = answer.pagination.nextCursor;
    covered = reach(answer);
    for (const item of answer.items) keep(item);
    draw();
    announce(`${answer.items.length} earlier moments`);
    return cursor !== null;
  }

  /**
   * Applies a first page, initially or after a refresh: removes shown items that the page covers but no longer contains. With `isOther`, it
   * also removes all items after the page, which paging reads again.
   */
  function take(answer, isAgain, isOther = false) {
    const from = reach(answer);
    const ids = new Set(answer.items.filter(isKnown).map(identity));
    for (const [id, { item }] of shown) if ((isOther || item.at > from) && !ids.has(id)) shown.delete(id);
    if (!isAgain || isOther || covered === -Infinity || shown.size === 0) {
      cursor = answer.pagination.nextCursor;
      covered = from;
    }
    const fresh = answer.items.filter((item) => keep(item));
    isLoaded = true;
    draw();
    return fresh;
  }

  const reach = (answer) => (answer.pagination.nextCursor === null ? -Infinity : answer.items.at(-1).at);

  /** Whether items may be missing between the page and those that are shown: its last item is new, so more than a page may be new. */
  function isApart({ items, pagination }) {
    const last = items.findLast(isKnown);
    return pagination.nextCursor !== null && last !== undefined && !shown.has(identity(last));
  }

  /** Reads a shown item again; removes it if it is gone. */
  async function renew(id) {
    const { kind, [kind]: data } = shown.get(id).item;
    try {
      const item = await readEntry(kind, data.id ?? data.fileId, stopper.signal);
      // It may have been deleted meanwhile.
      if (shown.has(id)) keep(item);
    } catch (error) {
      if (error.status !== 404) throw error;
      shown.delete(id);
    }
  }

  /** Returns whether the item is new. */
  function keep(item) {
    if (!isKnown(item)) return false;
    const id = identity(item);
    const text = JSON.stringify(content(item));
    const old = shown.get(id);
    if (old?.text === text) return false;
    old?.node.querySelector("audio")?.pause();
    shown.set(id, { item, text, node: el("li", {}, entry(item, { gone: () => { shown.delete(id); draw(); }, changed })) });
    return !old;
  }

  /** Shows the item as the user has changed it, on the day where it belongs now. */
  function changed(item) {
    keep(item);
    draw();
    return shown.get(identity(item)).node;
  }

  function draw() {
    keepFocus(list, () => [...list.querySelectorAll("ol.entries > li")], () => headingOf(list), drawDays);
  }

  function drawDays() {
    const zone = accountZone();
    const groups = new Map();
    for (const { item, node } of [...shown.values()].sort((a, b) => b.item.at - a.item.at)) {
      const key = dayIn(zone, item.at);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(node);
    }
    for (const key of days.keys()) if (!groups.has(key)) days.delete(key);
    for (const [key, nodes] of groups) {
      if (!days.has(key)) days.set(key, newDay());
      const { title, list: entries } = days.get(key);
      // A page that stays open overnight has another today.
      title.textContent = dayTitle(key, dayIn(zone, Date.now()));
      arrange(entries, nodes);
    }
    arrange(list, [...groups.keys()].map((key) => days.get(key).node));
    if (!isLoaded || shown.size > 0) fillAs(note, "", () => null);
    else if (isFiltered) fillAs(note, "none", () => emptiness("search", "Nothing found", "No moment matches these filters.", { to: "#/timeline", words: "Show everything" }));
    else fillAs(note, "empty", () => emptiness("timeline", "Your moments will be here", "The moods, memories and events that you keep appear here, in the order in which they happened.", { to: "#/keep/mood", words: "Keep a first mood" }));
  }

  function newDay() {
    const id = freshID("day");
    const title = el("h2", { id });
    const entries = el("ol", { class: "entries" });
    return { title, list: entries, node: el("section", { class: "day", "aria-labelledby": id }, title, entries) };
  }

  // If the first page could not be read, for example without a connection, a refresh reads it.
  const refresh = oneAtATime(() => (isLoaded ? again() : load()));

  async function again() {
    const changed = due;
    due = new Set();
    const before = cursor;
    let fresh;
    try {
      const answer = await page();
      const inPage = new Set(answer.items.filter(isKnown).map(identity));
      const later = [...changed].filter((id) => shown.has(id) && !inPage.has(id));
      const isOther = isApart(answer) || later.length > mostRenewed;
      if (!isOther) await Promise.all(later.map(renew));
      fresh = take(answer, true, isOther);
    } catch (error) {
      for (const id of changed) due.add(id);
      throw error;
    }
    // The timeline was empty, or shorter than a page.
    if (cursor !== before) pages.start(cursor !== null);
    if (fresh.length === 1) announce(`New: ${words(fresh[0])}`);
    else if (fresh.length > 1) announce(`${fresh.length} new moments`);
    for (const item of fresh) shown.get(identity(item))?.node.classList.add("fresh");
  }

  function onEvent({ type, data }) {
    const [feature, verb] = type.split(".");
    const id = `${feature === "media" ? "file" : feature}/${data?.id}`;
    if (!shown.has(id)) return;
    if (verb === "deleted") {
      shown.delete(id);
      draw();
    } else {
      due.add(id);
    }
  }

  function filters() {
    const [tag, from, to] = ["tag", "from", "to"].map((name) => freshID(name));
    const form = el("form", { class: "filters", role: "search", "aria-label": "Filter the timeline", on: { submit } },
      el("div", { class: "field" }, el("label", { for: tag }, "Tag"), el("input", { id: tag, name: "tag", value: filter.tag, maxlength: 64, autocomplete: "off" })),
      el("div", { class: "field" }, el("label", { for: from }, "From"), el("input", { id: from, name: "from", type: "date", value: filter.from })),
      el("div", { class: "field" }, el("label", { for: to }, "To"), el("input", { id: to, name: "to", type: "date", value: filter.to })),
      el("div", { class: "actions" }, el("button", { type: "submit", class: "quiet" }, "Show"), isFiltered && el("a", { class: "button quiet", href: "#/timeline" }, "Everything")));
    // Initially closed on a phone, where it would push the moments off the screen.
    return el("details", { class: "fold", open: isFiltered }, el("summary", {}, isFiltered ? "Filtered" : "Filter"), form);
  }

  function submit(event) {
    event.preventDefault();
    const data = new FormData(event.target);
    if (data.get("from") && data.get("to") && data.get("from") > data.get("to")) {
      toast("The first day comes after the last one.", "bad");
      return;
    }
    go(`#/timeline${query({ tag: data.get("tag").trim(), from: data.get("from"), to: data.get("to") })}`);
  }

  refresh();
  return {
    title: "Timeline",
    node: el("div", { class: "view timeline" }, el("div", { class: "heading" }, el("h1", {}, "Timeline"), filters()), list, note, pages.node),
    refresh, onEvent,
    leave() {
      stopper.abort();
      pages.stop();
      for (const audio of list.querySelectorAll("audio")) audio.pause();
    },
  };
}

const day = (text) => (text && isDay(text) ? text : "");
