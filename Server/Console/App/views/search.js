import { announce } from "../lib/announce.js";
import { call, mine, query } from "../lib/api.js";
import { el, fill, freshID, keepFocus } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { emptiness, pager } from "../lib/list.js";
import { entry, identity, isKnown } from "./entries.js";
import { marked } from "./marked.js";

const kinds = { "": "Everything", mood: "Moods", memory: "Memories", event: "Events", capsule: "Capsules", capture: "Captures", file: "Photos and films" };
const fieldNames = { title: "Title", note: "Note", reason: "Because", description: "Description", location: "Place", tags: "Tags", transcript: "Said", summary: "Said", topics: "Topics", mood: "Mood", name: "Name" };
const captureFieldNames = { ...fieldNames, description: "In the picture", tags: "Themes", name: "People" };

/** Searches while the user types. The query is part of the page's address. */
export function search(values) {
  const [id, kindID] = [freshID("q"), freshID("kind")];
  const box = el("input", { id, type: "search", name: "q", value: values.get("q") ?? "", maxlength: 200, autocomplete: "off", spellcheck: "false", on: { input: soon } });
  const kind = el("select", { id: kindID, name: "kind", on: { change: run } },
    Object.entries(kinds).map(([value, words]) => el("option", { value, selected: value === (values.get("kind") ?? "") }, words)));
  const list = el("ol", { class: "entries found", "aria-label": "Results", "aria-busy": "true" });
  const heading = el("h2", { class: "count" });
  const note = el("div", {});
  const pages = pager("Show more", more);
  let cursor = null;
  let timer = 0;
  let stopper = new AbortController();
  const shown = new Map();

  const page = (after) => call("GET", mine(`/search${query({ q: box.value.trim(), kind: kind.value, cursor: after, limit: 20 })}`), { signal: stopper.signal });

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(run, 250);
  }

  async function run() {
    clearTimeout(timer);
    stopper.abort();
    stopper = new AbortController();
    pages.stop();
    const words = box.value.trim();
    // Replaces the history entry, and keeps the focus in the field.
    history.replaceState(history.state, "", `#/search${query({ q: words, kind: kind.value })}`);
    shown.clear();
    heading.textContent = "";
    list.setAttribute("aria-busy", String(words !== ""));
    if (!words) {
      fill(list);
      pages.start(false);
      fill(note, emptiness("search", "Search for words", "You can search titles, notes, reasons, places, tags and what was said in capsules and captures. Accents and capital letters do not matter, and the last word may be incomplete."));
      return;
    }
    try {
      const answer = await page();
      fill(list);
      list.setAttribute("aria-busy", "false");
      take(answer);
      pages.start(cursor !== null);
      announce(say());
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(list);
      list.setAttribute("aria-busy", "false");
      fill(note, el("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  /** Shows how many entries were found, and returns that in words. */
  function say() {
    const isNothing = shown.size === 0 && cursor === null;
    heading.textContent = shown.size === 0 ? "" : `${shown.size}${cursor === null ? "" : " or more"} found`;
    fill(note, isNothing && emptiness("search", "Nothing found", "Try fewer words, or only the beginning of a word."));
    return heading.textContent || "Nothing found";
  }

  /** Removes an entry that the user has deleted. */
  function takeAway(key) {
    keepFocus(list, () => [...list.children], () => box, () => {
      shown.get(key)?.remove();
      shown.delete(key);
    });
    say();
  }

  async function more() {
    const answer = await page(cursor);
    take(answer);
    say();
    return cursor !== null;
  }

  function take(answer) {
    cursor = answer.pagination.nextCursor;
    for (const item of answer.items.filter(isKnown)) {
      const key = identity(item);
      if (shown.has(key)) continue;
      const node = el("li", {}, entry(item, {
        withDay: true, extra: snippets(item), gone: () => takeAway(key),
        // The changed entry may no longer match, so the search runs again.
        async changed() {
          await run();
          return shown.get(key);
        },
      }));
      shown.set(key, node);
      list.append(node);
    }
  }

  run();
  return {
    title: "Search",
    focus: () => box,
    node: el("div", { class: "view search" }, el("div", { class: "heading" }, el("h1", {}, "Search"), el("a", { class: "button quiet", href: "#/ask" }, icon("ask"), "Ask a question")),
      el("form", { class: "searching", role: "search", on: { submit: (event) => { event.preventDefault(); run(); } } },
        el("div", { class: "field" }, el("label", { for: id }, "Words"), box),
        el("div", { class: "field" }, el("label", { for: kindID }, "In"), kind)),
      heading, list, note, pages.node),
    leave() {
      clearTimeout(timer);
      stopper.abort();
      pages.stop();
      for (const audio of list.querySelectorAll("audio")) audio.pause();
    },
  };
}

function snippets({ kind, snippets: found }) {
  const names = kind === "capture" ? captureFieldNames : fieldNames;
  return el("dl", { class: "snippets" }, (found ?? []).map((snippet) => el("div", {}, el("dt", {}, names[snippet.field] ?? snippet.field), el("dd", {}, marked(snippet)))));
}
