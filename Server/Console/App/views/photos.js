import { announce, toast } from "../lib/announce.js";
import { call, mine, query } from "../lib/api.js";
import { dayKey, dayTitle, length, momentTitle } from "../lib/dates.js";
import { arrange, el, fill, freshID } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { smaller } from "../lib/links.js";
import { emptiness, pager } from "../lib/list.js";
import { accepted, kind, largestText, limits, peaks, title } from "../media/files.js";
import { form } from "../media/player.js";
import { Uploads } from "../media/uploads.js";
import { view } from "../media/viewer.js";
import { edit } from "./edit.js";
import { selection } from "./selection.js";

/** Uploads continue while other views are open. */
let uploads = null;
/** Receives uploaded files while the view is open. */
let current = null;

/** Files that belong to a moment's voice note or a capsule. They are shown there, and are no photos. */
const isOwnSound = (file) => kind(file.type) === "sound" && ["voice", "capsule"].includes(file.category);

const names = { photo: "Photo", film: "Film", sound: "Sound" };

/** A place to drop photos and films, and thumbnails of all of them by the day they were added; updated live. */
export function photos() {
  const list = el("div", { class: "days", "aria-busy": "true", on: { keydown } });
  const note = el("div", {});
  const count = el("p", { class: "hint" });
  /** Newest first. */
  let files = [];
  /** By id: the file, its name when its tile was drawn, and the tile. */
  const tiles = new Map();
  const days = new Map();
  let cursor = null;
  let isLoaded = false;
  const stopper = new AbortController();
  const pages = pager("Show more", more);
  uploads ??= new Uploads((kept) => current?.(kept));
  const shown = () => files.filter((file) => !isOwnSound(file));
  const chosen = selection({ all: shown, changed: mark, replaced: replace, gone: takeAway });

  const page = (after) => call("GET", mine(`/multimedia${query({ cursor: after, limit: 40 })}`), { signal: stopper.signal });

  async function load() {
    try {
      const answer = await page();
      files = answer.files;
      cursor = answer.pagination.nextCursor;
      isLoaded = true;
      draw();
      pages.start(cursor !== null);
    } catch (error) {
      if (error.name !== "AbortError") fill(note, el("p", { class: "problem", role: "alert" }, error.message));
    }
    list.setAttribute("aria-busy", "false");
  }

  async function more() {
    if (cursor === null) return false;
    const answer = await page(cursor);
    cursor = answer.pagination.nextCursor;
    const known = new Set(files.map((file) => file.fileId));
    files.push(...answer.files.filter((file) => !known.has(file.fileId)));
    draw();
    announce(`${shown().length} shown`);
    return cursor !== null;
  }

  async function refresh() {
    if (!isLoaded) return;
    const answer = await page();
    const known = new Set(files.map((file) => file.fileId));
    const end = answer.files.at(-1);
    const last = answer.pagination.nextCursor === null ? files.length : files.findIndex((file) => file.fileId === end.fileId) + 1;
    // No shown file is in the page, so more than a page was added. Drop the older tiles; paging loads them again.
    const isOther = last === 0;
    if (isOther) {
      cursor = answer.pagination.nextCursor;
      pages.start(cursor !== null);
    }
    files = [...answer.files, ...(isOther ? [] : files.slice(last))];
    draw();
    const fresh = answer.files.filter((file) => !known.has(file.fileId) && !isOwnSound(file));
    for (const file of fresh) tiles.get(file.fileId).node.classList.add("fresh");
    if (fresh.length > 0) announce(fresh.length === 1 ? `One new ${kind(fresh[0].type)}` : `${fresh.length} new files`);
  }

  function draw() {
    const now = shown();
    const ids = new Set(now.map((file) => file.fileId));
    for (const id of tiles.keys()) {
      if (!ids.has(id)) {
        tiles.delete(id);
        chosen.drop(id);
      }
    }
    const groups = new Map();
    for (const file of now) {
      keepTile(file);
      const key = dayKey(file.createdAt);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(tiles.get(file.fileId).node);
    }
    for (const key of days.keys()) if (!groups.has(key)) days.delete(key);
    for (const [key, nodes] of groups) {
      if (!days.has(key)) {
        const id = freshID("added");
        const grid = el("ul", { class: "grid", "aria-labelledby": id });
        days.set(key, { grid, node: el("section", { class: "day", "aria-labelledby": id }, el("h2", { id }, addedTitle(key)), grid) });
      }
      arrange(days.get(key).grid, nodes);
    }
    arrange(list, [...groups.keys()].map((key) => days.get(key).node));
    count.textContent = tally(now, cursor !== null);
    if (now.length > 0 || cursor !== null) fill(note);
    else fill(note, emptiness("photos", "No photos yet", "Drop some above, or pick them. They stay private until you hand out a link."));
    chosen.show();
  }

  /** Makes the tile of a file that is new or has another name. With thousands of files, making all names again would take long. */
  function keepTile(file) {
    const old = tiles.get(file.fileId);
    if (old?.file === file) return;
    const name = `${names[kind(file.type)]}: ${title(file)}, ${momentTitle(file.takenAt ?? file.createdAt)}`;
    tiles.set(file.fileId, { file, name, node: old?.name === name ? old.node : tile(file, name) });
  }

  function tile(file, name) {
    const what = kind(file.type);
    return el("li", {}, el(
      "button", { type: "button", "aria-label": name, on: { click: (event) => (chosen.isOn() ? chosen.toggle(file.fileId, event.shiftKey) : show(file.fileId)) } },
      what === "sound"
        ? el("span", { class: "sound" }, form(peaks(file.url), 25))
        : el("img", { src: smaller(file.url, 256, 256), alt: "", loading: "lazy", decoding: "async", width: 256, height: 256 }),
      what !== "photo" && el("span", { class: "badge", "aria-hidden": "true" }, icon(what === "film" ? "film" : "microphone"), file.duration ? length(file.duration) : ""),
      el("span", { class: "tick", "aria-hidden": "true" }, icon("check"))));
  }

  /** Shows on the tiles which are selected. */
  function mark() {
    for (const [id, { node }] of tiles) {
      if (chosen.isOn()) node.firstElementChild.setAttribute("aria-pressed", String(chosen.has(id)));
      else node.firstElementChild.removeAttribute("aria-pressed");
    }
  }

  function show(id) {
    const now = shown();
    view(now, now.findIndex((file) => file.fileId === id), {
      async more(last) {
        const after = () => shown().slice(shown().findIndex((file) => file.fileId === last.fileId) + 1);
        while (after().length === 0 && cursor !== null) await more();
        return after();
      },
      remove,
      async change(file) {
        const changed = await edit("file", file, title(file));
        if (changed) replace(changed);
        return changed;
      },
      back: (file) => (tiles.get(file?.fileId)?.node ?? list).querySelector("button"),
    });
  }

  async function remove(file) {
    try {
      await call("DELETE", mine(`/multimedia/${encodeURIComponent(file.fileId)}`));
    } catch (error) {
      if (error.status !== 404) {
        toast(error.message, "bad");
        return false;
      }
    }
    takeAway(file.fileId);
    toast("Deleted.");
    return true;
  }

  function takeAway(id) {
    files = files.filter((file) => file.fileId !== id);
    draw();
  }

  function replace(file) {
    files = files.map((other) => (other.fileId === file.fileId ? file : other));
    draw();
  }

  /** The arrow keys move through the tiles by row and column; Tab works too. */
  function keydown(event) {
    const buttons = [...list.querySelectorAll(".grid button")];
    const at = buttons.indexOf(event.target);
    if (at < 0) return;
    const wanted = {
      ArrowLeft: () => buttons[at - 1], ArrowRight: () => buttons[at + 1], ArrowUp: () => inNextRow(buttons, at, -1), ArrowDown: () => inNextRow(buttons, at, 1),
      Home: () => buttons[0], End: () => buttons.at(-1),
    }[event.key]?.();
    if (!wanted) return;
    event.preventDefault();
    wanted.focus();
  }

  const input = el("input", { type: "file", multiple: true, accept: accepted, class: "unseen", id: "pick", on: { change } });
  const types = el("p", { class: "hint" });
  limits.then(() => { types.textContent = `JPEG, PNG, WebP, GIF, HEIC, MP4 and MOV, up to ${largestText()} each`; });
  const zone = el(
    "div", { class: "drop", on: { dragenter, dragover: dragenter, dragleave, drop } },
    icon("upload"), el("p", {}, el("b", {}, "Drop photos or films here"), " or"), input, el("label", { class: "button", for: "pick" }, "pick them"),
    types);

  function change() {
    uploads.add([...input.files]);
    // So that the same file can be picked again.
    input.value = "";
  }

  function dragenter(event) {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    zone.classList.add("over");
  }

  function dragleave(event) {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
  }

  function drop(event) {
    event.preventDefault();
    zone.classList.remove("over");
    uploads.add([...event.dataTransfer.files]);
  }

  current = () => refresh().catch(() => {});
  load();
  return {
    title: "Photos",
    node: el("div", { class: "view photos" }, el("div", { class: "heading" }, el("h1", {}, "Photos"), count, chosen.start), zone, uploads.node, chosen.node, list, note, pages.node),
    refresh,
    leave() {
      current = null;
      stopper.abort();
      pages.stop();
    },
  };
}

/** "12 photos, 2 films", with a word for what is not loaded yet. */
function tally(files, hasMore) {
  const counts = Object.keys(names).map((what) => [what, files.filter((file) => kind(file.type) === what).length]).filter(([, number]) => number > 0);
  return counts.map(([what, number]) => `${number} ${what}${number === 1 ? "" : "s"}`).join(", ") + (hasMore ? " and more" : "");
}

function addedTitle(key) {
  const words = dayTitle(key);
  return `Added ${["Today", "Yesterday"].includes(words) ? words.toLowerCase() : `on ${words}`}`;
}

/** The nearest tile of the next row, downwards with `step` 1 and upwards with -1. */
function inNextRow(buttons, at, step) {
  const from = buttons[at].getBoundingClientRect();
  let best = null;
  let row = null;
  for (let next = at + step; buttons[next]; next += step) {
    const { left, top } = buttons[next].getBoundingClientRect();
    if (Math.abs(top - from.top) < 1) continue;
    row ??= top;
    if (Math.abs(top - row) >= 1) break;
    if (!best || Math.abs(left - from.left) < Math.abs(best.left - from.left)) best = { left, button: buttons[next] };
  }
  return best?.button;
}

/** Removes the uploads at sign-out, so that the next user does not see them. */
export function forgetUploads() {
  uploads = null;
}
