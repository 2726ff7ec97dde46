import { announce, toast } from "../lib/announce.js";
import { call, mine, query } from "../lib/api.js";
import { length, momentTitle } from "../lib/dates.js";
import { arrange, el, fill } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { smaller } from "../lib/links.js";
import { emptiness, pager } from "../lib/list.js";
import { accepted, kind, largestText, limits, peaks, title } from "../media/files.js";
import { form } from "../media/player.js";
import { Uploads } from "../media/uploads.js";
import { view } from "../media/viewer.js";

/** Uploads continue while other views are open. */
let uploads = null;
/** Receives uploaded files while the view is open. */
let current = null;

/** A place to drop photos and films, and thumbnails of all of them; updated live. */
export function photos() {
  const grid = el("ul", { class: "grid", "aria-label": "Photos and films", "aria-busy": "true", on: { keydown } });
  const note = el("div", {});
  const count = el("p", { class: "hint" });
  /** Newest first. */
  let files = [];
  const tiles = new Map();
  let cursor = null;
  let isLoaded = false;
  const stopper = new AbortController();
  const pages = pager("Show more", more);
  uploads ??= new Uploads((kept) => current?.(kept));

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
    grid.setAttribute("aria-busy", "false");
  }

  async function more() {
    if (cursor === null) return false;
    const answer = await page(cursor);
    cursor = answer.pagination.nextCursor;
    const known = new Set(files.map((file) => file.fileId));
    files.push(...answer.files.filter((file) => !known.has(file.fileId)));
    draw();
    announce(`${files.length} shown`);
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
    if (isOther) cursor = answer.pagination.nextCursor;
    files = [...answer.files, ...(isOther ? [] : files.slice(last))];
    draw();
    const fresh = answer.files.filter((file) => !known.has(file.fileId));
    for (const file of fresh) tiles.get(file.fileId).classList.add("fresh");
    if (fresh.length > 0) announce(fresh.length === 1 ? "One new photo" : `${fresh.length} new photos`);
  }

  function draw() {
    const ids = new Set(files.map((file) => file.fileId));
    for (const id of tiles.keys()) if (!ids.has(id)) tiles.delete(id);
    arrange(grid, files.map((file) => {
      if (!tiles.has(file.fileId)) tiles.set(file.fileId, tile(file));
      return tiles.get(file.fileId);
    }));
    grid.hidden = files.length === 0;
    count.textContent = files.length === 0 ? "" : `${files.length}${cursor === null ? "" : "+"} kept`;
    if (files.length > 0) fill(note);
    else fill(note, emptiness("photos", "No photos yet", "Drop some above, or pick them. They stay private until you hand out a link."));
  }

  function tile(file) {
    const what = kind(file.type);
    const name = `${what === "photo" ? "Photo" : what === "film" ? "Film" : "Sound"}: ${title(file)}, ${momentTitle(file.takenAt ?? file.createdAt)}`;
    return el("li", {}, el(
      "button", { type: "button", "aria-label": name, on: { click: () => show(file.fileId) } },
      what === "sound"
        ? el("span", { class: "sound" }, form(peaks(file.url), 25))
        : el("img", { src: smaller(file.url, 256, 256), alt: "", loading: "lazy", decoding: "async", width: 256, height: 256 }),
      what !== "photo" && el("span", { class: "badge", "aria-hidden": "true" }, icon(what === "film" ? "film" : "microphone"), file.duration ? length(file.duration) : "")));
  }

  function show(id) {
    view(files, files.findIndex((file) => file.fileId === id), {
      async more(last) {
        await more();
        return files.slice(files.findIndex((file) => file.fileId === last.fileId) + 1);
      },
      remove,
      back: (file) => (tiles.get(file?.fileId) ?? grid)?.querySelector("button"),
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
    const at = files.findIndex((other) => other.fileId === file.fileId);
    if (at >= 0) files.splice(at, 1);
    draw();
    toast("Deleted.");
    return true;
  }

  /** The arrow keys move through the grid by row and column; Tab works too. */
  function keydown(event) {
    const buttons = [...grid.querySelectorAll("button")];
    const at = buttons.indexOf(event.target);
    if (at < 0) return;
    const columns = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -at, End: buttons.length - 1 - at }[event.key];
    const wanted = buttons[at + step];
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
    node: el("div", { class: "view photos" }, el("div", { class: "heading" }, el("h1", {}, "Photos"), count), zone, uploads.node, grid, note, pages.node),
    refresh,
    leave() {
      current = null;
      stopper.abort();
      pages.stop();
    },
  };
}

/** Removes the uploads at sign-out, so that the next user does not see them. */
export function forgetUploads() {
  uploads = null;
}
