import { announce } from "../lib/announce.js";
import { call, freshKey, send } from "../lib/api.js";
import { byteSize } from "../lib/dates.js";
import { el, fill, freshID } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

/** By extension, in lower case. The server decides by the content, which must agree. */
const kinds = ["jpg", "jpeg", "png", "gif", "mp4", "mov", "md", "txt", "pdf", "docx", "doc", "usdz"];
const pictures = new Set(["jpg", "jpeg", "png", "gif"]);
/** Bytes of one file, at most. */
const largest = 100 * 1024 * 1024;
/** Files of one message, at most. */
const most = 20;
/** Concurrent uploads. More would only share the same bandwidth. */
const atOnce = 3;

export const attachable = kinds.map((kind) => `.${kind}`).join(",");
const extension = (name) => name.split(".").at(-1).toLowerCase();

/** The files of a message that is being written: each uploads at once, and can be removed until the message is sent. */
export class Attachments {
  #chips = [];
  #list = el("ul", { class: "attachments", "aria-label": "Files of the message", hidden: true });
  node = this.#list;

  /** Calls `changed` when a file was added, uploaded or removed. `back()` gets the focus when the last file is removed. */
  constructor(changed, back) {
    this.changed = changed;
    this.back = back;
  }

  /** Those that are uploaded, as the server described them. */
  get files() { return this.#chips.map((chip) => chip.file).filter(Boolean); }
  get isBusy() { return this.#chips.some((chip) => chip.state === "waiting" || chip.state === "sending"); }
  get hasFailed() { return this.#chips.some((chip) => chip.state === "failed"); }

  /** Starts to upload the files. Returns what to tell the user about those that were left out. */
  add(files) {
    const left = files.slice(Math.max(0, most - this.#chips.length));
    for (const file of files.slice(0, Math.max(0, most - this.#chips.length))) {
      const chip = new Chip(file, { again: () => { this.#queue(chip); chip.focus(); }, gone: () => this.#remove(chip) });
      this.#chips.push(chip);
      this.#list.append(chip.node);
      const fault = faultOf(file);
      if (fault) chip.fail(fault, false);
      else this.#queue(chip);
    }
    this.#changed();
    return left.length > 0 ? `A message has at most ${most} files; ${left.length} were left out.` : "";
  }

  /** Forgets the files, after the message with them was sent. */
  clear() {
    for (const chip of this.#chips) chip.end();
    this.#chips = [];
    fill(this.#list);
    this.#changed();
  }

  /** Stops the uploads and deletes what was uploaded, since no message has it. */
  discard() {
    for (const chip of this.#chips) chip.discard();
    this.clear();
  }

  #changed() {
    this.#list.hidden = this.#chips.length === 0;
    this.changed();
  }

  #queue(chip) {
    chip.wait();
    this.#next();
  }

  #next() {
    const running = this.#chips.filter((chip) => chip.state === "sending").length;
    for (const chip of this.#chips.filter((one) => one.state === "waiting").slice(0, Math.max(0, atOnce - running))) {
      chip.upload().finally(() => {
        this.#next();
        this.#changed();
      });
    }
    this.#changed();
  }

  #remove(chip) {
    const at = this.#chips.indexOf(chip);
    const hadFocus = chip.node.contains(document.activeElement);
    chip.discard();
    this.#chips.splice(at, 1);
    chip.node.remove();
    announce(`${chip.name} is removed.`);
    if (hadFocus) (this.#chips[Math.min(at, this.#chips.length - 1)] ?? this.back()).focus();
    this.#next();
  }
}

function faultOf(file) {
  if (file.size > largest) return "This file is larger than 100 MB.";
  if (file.size === 0) return "This file is empty.";
  if (!kinds.includes(extension(file.name))) return `Send files of these kinds: ${kinds.join(", ")}.`;
  return null;
}

class Chip {
  /** waiting, sending, failed or done */
  state = "waiting";
  file = null;
  // The same key for every attempt, so that a file whose response was lost is not stored twice.
  #key = freshKey();
  #stopper = null;
  #preview = null;

  constructor(source, actions) {
    this.source = source;
    this.actions = actions;
    this.name = source.name;
    const id = freshID("file");
    this.face = el("span", { class: "face sign", "aria-hidden": "true" }, icon("document"));
    this.bar = el("progress", { max: 1, value: 0, "aria-labelledby": id });
    this.words = el("span", { class: "words" });
    this.buttons = el("span", { class: "buttons" });
    this.node = el("li", {}, this.face, el("span", { class: "name", id }, source.name), this.words, this.bar, this.buttons);
    if (pictures.has(extension(source.name)) && source.size <= largest) {
      this.#preview = URL.createObjectURL(source);
      fill(this.face, el("img", { src: this.#preview, alt: "", on: { error: () => fill(this.face, icon("photos")) } }));
    }
  }

  focus() { this.buttons.lastElementChild?.focus(); }

  wait() {
    this.state = "waiting";
    this.#setStatus("Waiting");
  }

  async upload() {
    this.state = "sending";
    this.#stopper = new AbortController();
    const { signal } = this.#stopper;
    try {
      const form = new FormData();
      // The size of a picture comes before the file, so that the server knows it when the file arrives.
      if (this.#preview) {
        const { width, height } = await this.#measure();
        form.append("width", width);
        form.append("height", height);
      }
      form.append("file", this.source, this.name);
      signal.throwIfAborted();
      this.#setStatus("0 %");
      const file = await send("/api/chat/files/upload", form, { key: this.#key, signal, onProgress: (share) => this.#progress(share) });
      if (signal.aborted) return drop(file);
      this.file = file;
      this.state = "done";
      this.bar.value = 1;
      this.node.classList.add("done");
      this.#setStatus(byteSize(this.source.size));
      announce(`${this.name} is uploaded.`);
    } catch (error) {
      // The server would refuse the same file again, so these errors offer no retry.
      if (error.name !== "AbortError") this.fail(error.message, ![400, 413, 422].includes(error.status));
    }
    return undefined;
  }

  fail(words, mayHelp) {
    this.state = "failed";
    this.node.classList.add("failed");
    this.words.textContent = words;
    this.words.setAttribute("role", "alert");
    fill(this.buttons, mayHelp && this.#button("again", "Try again", this.actions.again), this.#button("close", "Remove", this.actions.gone));
  }

  /** Stops the upload, or deletes the uploaded file. */
  discard() {
    this.#stopper?.abort();
    if (this.file) drop(this.file);
    this.end();
  }

  end() {
    this.state = "ended";
    if (this.#preview) URL.revokeObjectURL(this.#preview);
  }

  async #measure() {
    const image = new Image();
    image.src = this.#preview;
    try {
      await image.decode();
    } catch {
      throw Object.assign(new Error("This picture cannot be read."), { status: 400 });
    }
    return { width: image.naturalWidth, height: image.naturalHeight };
  }

  #progress(share) {
    this.bar.value = share;
    this.words.textContent = share < 1 ? `${Math.floor(share * 100)} %` : "Being checked…";
  }

  #setStatus(words) {
    this.node.classList.remove("failed");
    this.words.textContent = words;
    this.words.removeAttribute("role");
    if (this.buttons.childElementCount !== 1) fill(this.buttons, this.#button("close", "Remove", this.actions.gone));
  }

  #button(picture, words, action) {
    return el("button", { type: "button", class: "small", "aria-label": `${words}: ${this.name}`, title: words, on: { click: action } }, icon(picture));
  }
}

/** Deletes an uploaded file that no message has. If that fails, the server deletes it after a week. */
function drop(file) {
  call("DELETE", `/api/chat/files/${encodeURIComponent(file.file_id)}`).catch(() => {});
}
