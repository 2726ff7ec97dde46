import { announce, toast } from "../lib/announce.js";
import { call, mine } from "../lib/api.js";
import { byteSize } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { formDialog, line, parts } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { here } from "../lib/links.js";
import { headingOf } from "../lib/list.js";

/** Concurrent requests for the selected files. */
const atOnce = 3;
/** Files in one archive, at most. */
const mostInArchive = 1000;
/** How often a request is repeated after the server said that there were too many. */
const mostRepeats = 5;

const fileCount = (number) => `${number} ${number === 1 ? "file" : "files"}`;

/**
 * The selected files of the gallery, and what can be done with all of them at once. `all()` returns the files that are shown, in order. Calls
 * `changed()` when the selection changes, `replaced(file)` with each file that has new tags, and `gone(id)` with each that is deleted.
 */
export function selection({ all, changed, replaced, gone }) {
  let chosen = new Set();
  let isOn = false;
  let isBusy = false;
  /** The file from which Shift selects. */
  let anchor = null;
  const count = el("p", { role: "status" });
  const tag = el("button", { type: "button", class: "quiet", on: { click: addTags } }, icon("tag"), "Add tags");
  const save = el("button", { type: "button", class: "quiet", on: { click: download } }, icon("save"), "Download");
  const bin = el("button", { type: "button", class: "danger", on: { click: remove } }, icon("bin"), "Delete");
  const every = el("button", { type: "button", class: "quiet", on: { click: () => choose(all().map((file) => file.fileId)) } }, "All");
  const start = el("button", { type: "button", class: "quiet", hidden: true, on: { click: () => turn(true) } }, icon("check"), "Select");
  const node = el("div", { class: "selection", role: "group", "aria-label": "Selected files", hidden: true, on: { keydown } },
    count, el("div", { class: "actions" }, every, save, tag, bin, el("button", { type: "button", class: "quiet", on: { click: () => turn(false) } }, "Done")));

  function turn(on) {
    const held = document.activeElement;
    isOn = on;
    chosen = new Set();
    anchor = null;
    show();
    // The focus may be outside the selection when another device deletes the last file.
    if (held === document.body || held === start || node.contains(held)) (on ? every : start.hidden ? headingOf(node) : start)?.focus();
  }

  function keydown(event) {
    if (event.key === "Escape") turn(false);
  }

  function choose(ids) {
    chosen = new Set(ids);
    show();
  }

  function show() {
    // The last file was deleted, on this page or by another client.
    if (isOn && !isBusy && all().length === 0) {
      turn(false);
      return;
    }
    node.hidden = !isOn;
    start.hidden = isOn || all().length === 0;
    count.textContent = chosen.size === 0 ? "Select photos or films." : `${chosen.size} selected`;
    for (const button of [save, tag, bin]) button.disabled = isBusy || chosen.size === 0;
    changed();
  }

  /** Adds the file to the selection or takes it out. With Shift, adds all files from the one before. */
  function toggle(id, hasShift) {
    const ids = all().map((file) => file.fileId);
    const [from, to] = [ids.indexOf(anchor), ids.indexOf(id)];
    if (hasShift && from >= 0) for (const one of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) chosen.add(one);
    else if (!chosen.delete(id)) chosen.add(id);
    anchor = id;
    show();
  }

  /** Calls `work` with each selected file. Those for which it failed stay selected. */
  async function each(work, done) {
    const waiting = all().filter((file) => chosen.has(file.fileId));
    const total = waiting.length;
    let problem = null;
    async function next() {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        try {
          await patiently(() => work(file));
          chosen.delete(file.fileId);
        } catch (error) {
          problem ??= error;
        }
      }
    }
    isBusy = true;
    show();
    await Promise.all([...Array(atOnce)].map(next));
    isBusy = false;
    show();
    const failed = chosen.size;
    if (problem) toast(`${total - failed} of ${fileCount(total)} ${done}. ${problem.message}`, "bad");
    else toast(`${fileCount(total)} ${done}.`);
    announce(`${chosen.size} selected`);
    if (isOn) every.focus();
  }

  /** Downloads the selected files as one archive. The browser follows a link, so the page holds none of the bytes. */
  async function download() {
    const ids = all().map((file) => file.fileId).filter((id) => chosen.has(id));
    if (ids.length > mostInArchive) {
      toast(`An archive has at most ${mostInArchive} files. Select fewer, or download everything under Account.`, "bad");
      return;
    }
    isBusy = true;
    show();
    try {
      const archive = await call("POST", mine("/multimedia/archives"), { body: { fileIds: ids } });
      el("a", { href: here(archive.url), download: "" }).click();
      toast(`The download of ${fileCount(archive.count)} begins: ${byteSize(archive.size)}.`);
    } catch (error) {
      toast(error.status === 429 ? "Another archive of yours is being downloaded. Wait until it is complete." : error.message, "bad");
    }
    isBusy = false;
    show();
    save.focus();
  }

  async function remove() {
    const words = chosen.size === 1 ? "The file will be deleted permanently, here and in every moment that shows it." : "The files will be deleted permanently, here and in every moment that shows them.";
    if (!(await confirm(`Delete ${fileCount(chosen.size)}?`, words, "Delete", chosen.size === 1 ? "Keep it" : "Keep them"))) return;
    await each(async (file) => {
      await call("DELETE", path(file)).catch((error) => { if (error.status !== 404) throw error; });
      gone(file.fileId);
    }, "deleted");
  }

  async function addTags() {
    const added = await formDialog({
      title: `Tag ${fileCount(chosen.size)}`, action: "Add the tags",
      content: line("tags", "Tags to add", { required: true, hint: "Separated by commas", problem: "Enter at least one tag." }),
      send: (values) => parts(values.tags),
    });
    if (!added) return;
    await each(async (file) => {
      const tags = [...new Set([...file.tags, ...added])];
      replaced((await call("PATCH", path(file), { body: { tags } })).file);
    }, "tagged");
  }

  return {
    node, start, show, toggle,
    isOn: () => isOn,
    has: (id) => chosen.has(id),
    /** Only the files with these ids are still there. */
    keep: (ids) => { for (const id of chosen) if (!ids.has(id)) chosen.delete(id); },
  };
}

const path = (file) => mine(`/multimedia/${encodeURIComponent(file.fileId)}`);

/** Waits and tries again when the server had too many requests. */
async function patiently(work) {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await work();
    } catch (error) {
      if (error.status !== 429 || repeats === mostRepeats) throw error;
      await new Promise((resolve) => { setTimeout(resolve, error.seconds * 1000); });
    }
  }
}
