import { arrange, el, freshID } from "../lib/dom.js";

/** Pixels above and below the visible part of the page in which tiles exist, so that they are there when the user scrolls. */
const margin = 800;
/** Pixels in a millisecond. While the page scrolls faster, nobody sees the pictures that pass, so they are not loaded. */
const fast = 3;
/** Milliseconds after which pictures are loaded that the page scrolled to fast. */
const rest = 120;

/**
 * Square tiles in sections with headings. Only the tiles near the visible part of the page exist, so a page of thousands of files scrolls and
 * changes as fast as one of dozens. Each section has the height of all its rows, so the page has its full length.
 *
 * `make(item)` returns the button of a tile, and `name(item)` a text that changes whenever the button does. `drawn(id, button)` is called for a
 * tile that was made, and `load(item, button)` to load its picture.
 */
export function tiles({ make, name, drawn, load }) {
  const node = el("div", { class: "months", tabindex: -1, "aria-busy": "true", on: { keydown } });
  /** By key: what is shown, and which of its rows. */
  const sections = new Map();
  /** By id: the item, its name and the list item, of the tiles that exist. */
  const made = new Map();
  /** By id: the section of the item and its position there. */
  let places = new Map();
  /** The sections in order. */
  let order = [];
  let fresh = new Set();
  let [columns, step, gap] = [1, 0, 0];
  let frame = 0;
  /** Where the page was scrolled to at the last update, and when. */
  let [scrolled, since] = [0, 0];
  let timer = 0;
  /** The item that had the focus when its tile went out of sight. */
  let left = null;

  const resized = new ResizeObserver(() => { if (measure()) resize(); });
  resized.observe(node);
  window.addEventListener("scroll", soon, { passive: true });
  window.addEventListener("resize", soon);

  function soon() {
    frame ||= requestAnimationFrame(update);
  }

  /** Shows `groups` of `{ key, title, items }`, in order. Marks the tiles of the ids in `news`. */
  function set(groups, news = []) {
    for (const id of news) fresh.add(id);
    const keys = new Set(groups.map(({ key }) => key));
    for (const [key, section] of sections) {
      if (!keys.has(key)) {
        drop(section, 0, 0);
        sections.delete(key);
      }
    }
    places = new Map();
    order = groups.map(({ key, title, items }) => {
      if (!sections.has(key)) sections.set(key, newSection(title));
      const one = sections.get(key);
      items.forEach((item, at) => places.set(item.fileId, { section: one, at }));
      return Object.assign(one, { items, isChanged: true });
    });
    arrange(node, order.map((one) => one.node));
    measure();
    resize();
  }

  function loadPictures() {
    clearTimeout(timer);
    timer = 0;
    for (const one of made.values()) {
      if (!one.isLoaded) load(one.item, one.button);
      one.isLoaded = true;
    }
  }

  function newSection(title) {
    const id = freshID("month");
    const grid = el("ul", { class: "grid", "aria-labelledby": id });
    return { grid, node: el("section", { class: "month-of-photos", "aria-labelledby": id }, el("h2", { id }, title), grid), items: [], shown: [], from: 0, to: 0 };
  }

  /** Reads from the style sheet how many tiles a row has, and how high it is. Returns whether that changed. */
  function measure() {
    if (order.length === 0 || !node.isConnected) return false;
    const style = getComputedStyle(order[0].grid);
    const tracks = style.gridTemplateColumns.split(" ");
    const before = `${columns} ${step}`;
    gap = Number.parseFloat(style.rowGap) || 0;
    columns = tracks.length;
    step = (Number.parseFloat(tracks[0]) || 0) + gap;
    return `${columns} ${step}` !== before;
  }

  const rows = (one) => Math.ceil(one.items.length / columns);

  function resize() {
    for (const one of order) {
      one.isChanged = true;
      one.grid.style.height = `${Math.max(0, rows(one) * step - gap)}px`;
    }
    soon();
  }

  /** Makes the tiles near the visible part of the page, and removes the others. */
  function update() {
    cancelAnimationFrame(frame);
    frame = 0;
    if (!node.isConnected || step === 0) return;
    const [top, bottom] = [-margin, window.innerHeight + margin];
    // Reads all positions before it changes anything, so that the page is laid out once.
    const spans = order.map((one) => {
      const start = one.grid.getBoundingClientRect().top;
      const [from, to] = [Math.floor((top - start) / step), Math.ceil((bottom - start) / step)];
      return [Math.min(Math.max(from, 0), rows(one)), Math.min(Math.max(to, 0), rows(one))];
    });
    order.forEach((one, at) => show(one, ...spans[at]));
    const now = performance.now();
    const isFast = Math.abs(window.scrollY - scrolled) > fast * (now - since);
    [scrolled, since] = [window.scrollY, now];
    if (isFast) timer ||= setTimeout(() => { timer = 0; soon(); }, rest);
    else loadPictures();
  }

  function show(one, from, to) {
    if (from >= to) [from, to] = [0, 0];
    if (!one.isChanged && one.from === from && one.to === to) return;
    const focused = one.grid.contains(document.activeElement) ? document.activeElement.closest("li").dataset.id : null;
    const items = one.items.slice(from * columns, to * columns);
    const nodes = items.map((item, at) => tile(item, from * columns + at + 1, one.items.length));
    drop(one, from * columns, to * columns);
    one.grid.style.paddingTop = `${from * step}px`;
    arrange(one.grid, nodes);
    Object.assign(one, { from, to, isChanged: false, shown: items.map((item) => item.fileId) });
    // The tile with the focus was made again.
    if (focused && document.activeElement === document.body) made.get(focused)?.button.focus({ preventScroll: true });
  }

  /** Forgets the tiles of the section that are no longer among its items from `from` to before `to`. */
  function drop(one, from, to) {
    for (const id of one.shown) {
      const place = places.get(id);
      if (place?.section === one && place.at >= from && place.at < to) continue;
      const old = made.get(id);
      if (old && old.node.parentNode === one.grid) {
        // The page keeps the focus, and the arrow keys go on from there.
        if (old.node.contains(document.activeElement)) {
          left = id;
          node.focus({ preventScroll: true });
        }
        made.delete(id);
        old.node.remove();
      }
    }
  }

  function tile(item, position, count) {
    const id = item.fileId;
    let one = made.get(id);
    const words = name(item);
    if (!one || one.words !== words) {
      const button = make(item);
      one = { item, words, button, node: el("li", { "data-id": id }, button), isLoaded: false };
      made.set(id, one);
      drawn(id, button);
    }
    if (fresh.delete(id)) one.node.classList.add("fresh");
    // The list contains only some of its items.
    one.node.setAttribute("aria-setsize", count);
    one.node.setAttribute("aria-posinset", position);
    return one.node;
  }

  /** The button of an item, made if it was out of sight. The page then scrolls to it. */
  function reveal(id) {
    const place = places.get(id);
    if (!place) return null;
    if (!made.has(id)) {
      const top = place.section.grid.getBoundingClientRect().top + Math.floor(place.at / columns) * step;
      window.scrollBy(0, top - (window.innerHeight - step) / 2);
      update();
    }
    return made.get(id)?.button ?? null;
  }

  /** The arrow keys move through the tiles by row and column; Tab works too. */
  function keydown(event) {
    const id = event.target === node ? left : event.target.closest("li")?.dataset.id;
    const place = places.get(id);
    if (!place) return;
    const wanted = {
      ArrowLeft: () => beside(place, -1), ArrowRight: () => beside(place, 1), ArrowUp: () => inNextRow(place, -1), ArrowDown: () => inNextRow(place, 1),
      Home: () => order[0].items[0], End: () => order.at(-1).items.at(-1),
    }[event.key]?.();
    if (!wanted) return;
    event.preventDefault();
    reveal(wanted.fileId)?.focus();
  }

  function beside({ section: one, at }, by) {
    const next = order[order.indexOf(one) + by];
    return one.items[at + by] ?? (by > 0 ? next?.items[0] : next?.items.at(-1));
  }

  /** The item in the same column of the next row, downwards with `by` 1 and upwards with -1; the last one of a shorter row. */
  function inNextRow({ section: one, at }, by) {
    const column = at % columns;
    const row = Math.floor(at / columns) + by;
    const within = (other, line) => other.items[Math.min(line * columns + column, other.items.length - 1)];
    if (row >= 0 && row < rows(one)) return within(one, row);
    const next = order[order.indexOf(one) + by];
    return next && within(next, by > 0 ? 0 : rows(next) - 1);
  }

  return {
    node, set, reveal,
    /** Calls `work(id, button)` for each tile that exists. */
    each: (work) => made.forEach(({ button }, id) => work(id, button)),
    stop() {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      resized.disconnect();
      window.removeEventListener("scroll", soon);
      window.removeEventListener("resize", soon);
    },
  };
}
