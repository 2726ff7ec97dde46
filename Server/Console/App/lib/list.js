import { announce } from "./announce.js";
import { call, query } from "./api.js";
import { arrange, el, fill, fillAs, keepFocus } from "./dom.js";
import { icon } from "./icons.js";

/** Changed rows of later pages that a refresh reads one by one. If there are more, it drops those pages, which paging reads again. */
const mostRenewed = 20;

/** What an empty list shows. */
export function emptiness(picture, title, text, link) {
  return el("div", { class: "empty" }, icon(picture), el("h2", {}, title), el("p", {}, text), link && el("a", { class: "button", href: link.to }, link.words));
}

/** Calls `more` when it scrolls into view, or by a button, for the keyboard. `more` returns whether there are further items. */
export function pager(words, more) {
  const button = el("button", { type: "button", class: "quiet", on: { click: run } }, words);
  const node = el("div", { class: "pager" }, button);
  let isRunning = false;
  let isSeen = false;
  /** After an error, only the button reads on, until it succeeds. */
  let hasFailed = false;
  const watch = new IntersectionObserver((seen) => {
    isSeen = seen.at(-1).isIntersecting;
    if (isSeen) run();
  }, { rootMargin: "600px" });

  async function run() {
    if (isRunning || node.hidden) return;
    isRunning = true;
    try {
      node.hidden = !(await more());
      if (hasFailed) {
        hasFailed = false;
        button.textContent = words;
        watch.observe(node);
      }
    } catch (error) {
      if (error.name !== "AbortError") {
        hasFailed = true;
        button.textContent = `${error.message} Try again`;
        announce(error.message);
        watch.disconnect();
        // The observer no longer reports when the button leaves the screen. Without this, a retry would read all pages.
        isSeen = false;
      }
      return;
    } finally {
      isRunning = false;
    }
    // If the node is still in view, load the next page: the observer does not report that again.
    if (isSeen && !node.hidden) requestAnimationFrame(() => { if (isSeen) run(); });
  }

  node.hidden = true;
  return {
    node,
    start(hasMore) {
      node.hidden = !hasMore;
      hasFailed = false;
      button.textContent = words;
      if (hasMore) watch.observe(node);
    },
    stop: () => watch.disconnect(),
  };
}

/**
 * Returns a function that runs `work` one at a time, so that a late response does not replace a newer one. All calls during a run share a
 * single further run after it, so that runs do not queue up when events come faster than responses.
 */
export function oneAtATime(work) {
  let running = null;
  let next = null;
  return function run() {
    if (running) {
      next ??= running.catch(() => {}).then(() => {
        next = null;
        return run();
      });
      return next;
    }
    running = work().finally(() => { running = null; });
    return running;
  };
}

/**
 * A list that is read page by page and refreshed in place. `page(cursor, signal)` resolves to `{ rows, next }`, where `next` is the next
 * cursor or `null`. `id(row)` identifies a row; `draw(row)` returns the content of its list item, and is called again only when the row
 * changed. A row with another `heading(row)` than the one before gets that heading. `empty()` returns what an empty list shows, and
 * `changed(rows, hasMore)` is called after each change. `one(id, signal)` reads one row, or resolves to `null` when it is gone; it is needed
 * for `renew(id)`, after which the next refresh reads that row again even if it is on a later page.
 */
export function liveList({ label, page, one, id, draw, empty, heading = () => "", changed = () => {}, words = "Show more", look = "rows" }) {
  const stopper = new AbortController();
  const box = el("ol", { class: look, "aria-label": label, "aria-busy": "true" });
  const note = el("div", {});
  const pages = pager(words, () => inTurn(more));
  const node = el("div", { class: "listing" }, box, note, pages.node);
  /** By id: the text of the row and its heading when it was drawn, and its list item. */
  const items = new Map();
  /** Ids of changed rows, for the next refresh. */
  let stale = new Set();
  let rows = [];
  let cursor = null;
  let isLoaded = false;
  // A refresh while a page is being read would mix up their rows.
  let turn = Promise.resolve();
  const inTurn = (work) => (turn = turn.then(work, work));

  async function more() {
    if (cursor === null) return false;
    const answer = await page(cursor, stopper.signal);
    cursor = answer.next;
    const known = new Set(rows.map(id));
    rows.push(...answer.rows.filter((row) => !known.has(id(row))));
    show();
    announce(`${rows.length} shown`);
    return cursor !== null;
  }

  /** Reads the first page again. Rows of later pages stay as they are, except changed ones. */
  async function first() {
    const due = stale;
    stale = new Set();
    try {
      const answer = await page(null, stopper.signal);
      const end = answer.rows.at(-1);
      const covered = answer.next === null ? rows.length : rows.findIndex((row) => id(row) === id(end)) + 1;
      // No row of the page was shown, so more than a page is new. Drop the others; paging reads them again.
      const isOther = covered === 0;
      const known = new Set(answer.rows.map(id));
      const later = isOther ? [] : rows.slice(covered).filter((row) => !known.has(id(row)));
      const isMany = later.filter((row) => due.has(id(row))).length > mostRenewed;
      rows = [...answer.rows, ...(isMany ? [] : await renewed(later, due))];
      if (!isLoaded || isOther || isMany || answer.next === null) {
        cursor = answer.next;
        pages.start(cursor !== null);
      }
      isLoaded = true;
      show();
    } catch (error) {
      if (error.name === "AbortError") return;
      for (const key of due) stale.add(key);
      if (!isLoaded) fill(note, el("p", { class: "problem", role: "alert" }, error.message));
      throw error;
    } finally {
      box.setAttribute("aria-busy", "false");
    }
  }

  /** Reads the rows again whose ids are in `due`. Returns all rows without those that are gone. */
  async function renewed(later, due) {
    const answers = await Promise.all(later.map((row) => (due.has(id(row)) ? one(id(row), stopper.signal) : row)));
    return answers.filter((row) => row !== null);
  }

  function show() {
    keepFocus(box, () => [...box.children], () => headingOf(node), arrangeRows);
  }

  function arrangeRows() {
    const ids = new Set(rows.map(id));
    for (const key of items.keys()) if (!ids.has(key)) items.delete(key);
    let title = "";
    arrange(box, rows.map((row) => {
      const own = heading(row);
      const text = JSON.stringify([row, own === title ? "" : own]);
      if (items.get(id(row))?.text !== text) {
        items.set(id(row), { text, item: el("li", {}, own !== title && el("h2", { class: "group" }, own), draw(row)) });
      }
      title = own;
      return items.get(id(row)).item;
    }));
    box.hidden = rows.length === 0;
    fillAs(note, rows.length === 0 ? "empty" : "", () => rows.length === 0 && empty());
    changed(rows, cursor !== null);
  }

  inTurn(first).catch(() => {});
  return {
    node,
    refresh: oneAtATime(() => inTurn(first)),
    renew: (key) => stale.add(key),
    stop() {
      stopper.abort();
      pages.stop();
    },
  };
}

/** A `liveList` of a route that takes `cursor` and `limit` beside `values`. `rows(answer)` returns the rows of its answer. */
export function pagedList(path, values, rows, options) {
  return liveList({
    ...options,
    async page(cursor, signal) {
      const answer = await call("GET", `${path}${query({ ...values, cursor, limit: 20 })}`, { signal });
      return { rows: rows(answer), next: (answer.pagination ?? answer).nextCursor ?? answer.next_cursor ?? null };
    },
  });
}

/** The heading of the part or view that contains the node, made focusable. */
export function headingOf(node) {
  const title = node.closest("section, .view")?.querySelector("h1, h2");
  if (title) title.tabIndex = -1;
  return title;
}
