import { announce, toast } from "../lib/announce.js";
import { call, mine, query } from "../lib/api.js";
import { length, momentIn } from "../lib/dates.js";
import { el, fill, fillAs } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { smaller } from "../lib/links.js";
import { emptiness, oneAtATime, pager } from "../lib/list.js";
import { accepted, accountZone, kind, largestText, limits, peaks, title } from "../media/files.js";
import { form } from "../media/player.js";
import { tiles } from "../media/tiles.js";
import { Uploads } from "../media/uploads.js";
import { view } from "../media/viewer.js";
import { edit } from "./edit.js";
import { edges, monthOf, months, periodOf, titleOf } from "./months.js";
import { selection } from "./selection.js";

/** Changed files that a refresh reads one by one. If there are more, it begins again with the first page. */
const mostRead = 40;

/** Uploads continue while other views are open. */
let uploads = null;
/** Receives uploaded files while the view is open. */
let current = null;

/** Files that belong to a moment's voice note or a capsule. They are shown there, and are not photos. */
const isOwnSound = (file) => kind(file.type) === "sound" && ["voice", "capsule"].includes(file.category);

const names = { photo: "Photo", film: "Film", sound: "Sound" };

/** When it was taken or, if that is not known, added. */
const moment = (file) => file.takenAt ?? file.createdAt;

/** Whether `a` stands before `b`: later ones come first. */
const isBefore = (a, b) => moment(a) > moment(b) || (moment(a) === moment(b) && a.fileId > b.fileId);

/**
 * A place to drop photos and films, and thumbnails of all of them by the month in which they were taken; updated live. With `to=2026-12` or
 * `to=2026` it begins with that month or year.
 */
export function photos(values, go) {
  const to = periodOf(values.get("to"));
  const note = el("div", {});
  const count = el("p", { class: "hint" });
  /** Latest first. */
  let files = [];
  let cursor = null;
  let isLoaded = false;
  /** Ids of files that were added or changed, for the next refresh, and those that this page has uploaded. */
  let due = new Set();
  let own = new Set();
  /** Ids of deleted files. The response to a request that was sent before a deletion still has them. */
  const deleted = new Set();
  const stopper = new AbortController();
  const pages = pager("Show more", more);
  uploads ??= new Uploads((kept) => current?.(kept), () => document.getElementById("pick"));
  const shown = () => files.filter((file) => !isOwnSound(file));
  const jump = months(to, go);
  const grid = tiles({ make: tile, name: nameOf, drawn: mark, load });
  const list = grid.node;
  const chosen = selection({ all: shown, changed: () => grid.each(mark), replaced: replace, gone: takeAway });

  const page = (after) => call("GET", mine(`/multimedia${query({ sort: "takenAt", to: to && edges(to).last, cursor: after, limit: 100 })}`), { signal: stopper.signal });
  const present = (list) => list.filter((file) => !deleted.has(file.fileId));

  async function open() {
    try {
      // Waits for `limits` too, because the account's time zone decides to which month a file belongs.
      const [answer] = await Promise.all([page(), limits]);
      begin(answer);
      isLoaded = true;
    } catch (error) {
      if (error.name !== "AbortError") fill(note, el("p", { class: "problem", role: "alert" }, error.message));
    }
    list.setAttribute("aria-busy", "false");
  }

  /** Shows a first page, and nothing else. */
  function begin(answer) {
    files = present(answer.files);
    cursor = answer.pagination.nextCursor;
    draw();
    pages.start(cursor !== null);
  }

  async function more() {
    if (cursor === null) return false;
    const after = cursor;
    const answer = await page(after);
    // The list began again meanwhile.
    if (cursor !== after) return cursor !== null;
    cursor = answer.pagination.nextCursor;
    const known = new Set(files.map((file) => file.fileId));
    files.push(...present(answer.files).filter((file) => !known.has(file.fileId)));
    draw();
    announce(`${shown().length} shown`);
    return cursor !== null;
  }

  // If the first page could not be read, for example without a connection, a refresh reads it.
  const refresh = oneAtATime(() => (isLoaded ? again() : open()));

  /** Reads the first page again, and the files that were added or changed, wherever they belong. */
  async function again() {
    const [changed, uploaded] = [due, own];
    [due, own] = [new Set(), new Set()];
    try {
      const answer = await page();
      const inPage = new Set(answer.files.map((file) => file.fileId));
      const read = changed.size > mostRead ? [] : (await Promise.all([...changed].filter((id) => !inPage.has(id)).map(one))).filter(Boolean);
      const known = new Set(files.map((file) => file.fileId));
      // No shown file is in the page, so more than a page was added. Drop the others; paging loads them again.
      const isOther = files.length > 0 && answer.pagination.nextCursor !== null && !answer.files.some((file) => known.has(file.fileId));
      if (changed.size > mostRead || isOther) {
        begin(answer);
        return;
      }
      const end = answer.files.at(-1);
      const later = answer.pagination.nextCursor === null ? [] : files.filter((file) => !inPage.has(file.fileId) && !changed.has(file.fileId) && isBefore(end, file));
      if (answer.pagination.nextCursor === null && cursor !== null) {
        cursor = null;
        pages.start(false);
      }
      const last = later.at(-1) ?? end;
      const inRange = read.filter((file) => (!to || monthOf(file).slice(0, to.length) <= to) && (cursor === null || isBefore(file, last)));
      files = present([...answer.files, ...later, ...inRange]).sort((a, b) => (isBefore(a, b) ? -1 : 1));
      const fresh = shown().filter((file) => !known.has(file.fileId));
      draw(fresh.map((file) => file.fileId));
      if (fresh.length > 0) announce(fresh.length === 1 ? `One new ${kind(fresh[0].type)}` : `${fresh.length} new files`);
      const elsewhere = read.filter((file) => uploaded.has(file.fileId) && !inRange.includes(file));
      if (elsewhere.length === 1) toast(`“${title(elsewhere[0])}” is under ${titleOf(monthOf(elsewhere[0]))}, the month in which it was taken.`);
      else if (elsewhere.length > 1) toast(`${elsewhere.length} of the files are under other months, in which they were taken.`);
    } catch (error) {
      for (const id of changed) due.add(id);
      for (const id of uploaded) own.add(id);
      throw error;
    }
  }

  /** Reads one file; `null` if it is gone. */
  async function one(id) {
    try {
      return (await call("GET", pathOf(id), { signal: stopper.signal })).file;
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  /** Marks the tiles of the ids in `fresh` as new. */
  function draw(fresh) {
    const now = shown();
    const ids = new Set(now.map((file) => file.fileId));
    chosen.keep(ids);
    const groups = new Map();
    for (const file of now) {
      const key = month(file);
      if (!groups.has(key)) groups.set(key, { key, title: titleOf(key), items: [] });
      groups.get(key).items.push(file);
    }
    grid.set([...groups.values()], fresh);
    count.textContent = tally(now, cursor !== null);
    if (now.length > 0 || cursor !== null) fillAs(note, "", () => null);
    else if (to) fillAs(note, "none", () => emptiness("photos", "No photos", "You have no photos from that time or earlier.", { to: "#/photos", words: "Show the newest" }));
    else fillAs(note, "empty", () => emptiness("photos", "No photos yet", "Drop photos above, or pick them. They stay private until you give somebody a link."));
    chosen.show();
  }

  function tile(file) {
    const what = kind(file.type);
    return el(
      "button", { type: "button", "aria-label": nameOf(file), on: { click: (event) => (chosen.isOn() ? chosen.toggle(file.fileId, event.shiftKey) : show(file.fileId)) } },
      what === "sound"
        ? el("span", { class: "sound" }, form(peaks(file.url), 25))
        : el("img", { alt: "", decoding: "async", width: 256, height: 256 }),
      what !== "photo" && el("span", { class: "badge", "aria-hidden": "true" }, icon(what === "film" ? "film" : "microphone"), file.duration ? length(file.duration) : ""));
  }

  /** Loads the picture of a tile. */
  function load(file, button) {
    const picture = button.querySelector("img");
    if (picture) picture.src = smaller(file.url, 256, 256);
  }

  /** Shows on a tile whether it is selected. */
  function mark(id, button) {
    if (!chosen.isOn()) {
      button.removeAttribute("aria-pressed");
      return;
    }
    // Most tiles never need one.
    if (!button.querySelector(".tick")) button.append(el("span", { class: "tick", "aria-hidden": "true" }, icon("check")));
    button.setAttribute("aria-pressed", String(chosen.has(id)));
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
      back: (file) => (file && grid.reveal(file.fileId)) ?? list.querySelector("button"),
    });
  }

  async function remove(file) {
    try {
      await call("DELETE", pathOf(file.fileId));
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
    due.delete(id);
    deleted.add(id);
    if (!files.some((file) => file.fileId === id)) return;
    files = files.filter((file) => file.fileId !== id);
    draw();
  }

  function replace(file) {
    files = files.map((other) => (other.fileId === file.fileId ? file : other));
    draw();
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
    // This lets the user pick the same file again.
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

  const take = (kept) => {
    for (const { fileId } of kept) {
      due.add(fileId);
      own.add(fileId);
    }
    refresh().catch(() => {});
  };
  current = take;
  refresh();
  return {
    title: "Photos",
    node: el("div", { class: "view photos" }, el("div", { class: "heading" }, el("h1", {}, "Photos"), count, chosen.start), zone, uploads.node, jump.node, chosen.node, list, note, pages.node),
    refresh,
    eventTypes: /^media\./,
    onEvent(event) {
      if (event.type === "media.deleted") takeAway(event.data.id);
      else if (event.type.startsWith("media.")) due.add(event.data.id);
    },
    leave() {
      // When the user goes to another month, the view of that month is made before this one is left.
      if (current === take) current = null;
      stopper.abort();
      pages.stop();
      jump.stop();
      grid.stop();
    },
  };
}

/** "12 photos, 2 films", with a word for what is not loaded yet. */
function tally(files, hasMore) {
  const counts = Object.keys(names).map((what) => [what, files.filter((file) => kind(file.type) === what).length]).filter(([, number]) => number > 0);
  return counts.map(([what, number]) => `${number} ${what}${number === 1 ? "" : "s"}`).join(", ") + (hasMore ? " and more" : "");
}

const pathOf = (id) => mine(`/multimedia/${encodeURIComponent(id)}`);

/** By file: its month and its name. With thousands of files, making all of them again would take long. */
const described = new WeakMap();

function about(file) {
  if (!described.has(file)) {
    described.set(file, { month: monthOf(file), name: `${names[kind(file.type)]}: ${title(file)}, ${momentIn(accountZone(), moment(file))}` });
  }
  return described.get(file);
}

const month = (file) => about(file).month;
const nameOf = (file) => about(file).name;

/** Stops and removes the uploads at sign-out, so that the next user neither sees nor gets them. */
export function forgetUploads() {
  uploads?.stop();
  uploads = null;
}
