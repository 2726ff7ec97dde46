import { announce } from "../lib/announce.js";
import { freshKey, mine, send } from "../lib/api.js";
import { byteSize } from "../lib/dates.js";
import { el, fill, freshID, keepFocus } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { released } from "../lib/press.js";
import { largest, largestText } from "./files.js";

/** Concurrent uploads. More would only share the same bandwidth. */
const atOnce = 3;

/** Uploads files, some of them concurrently, with a progress bar each. */
export class Uploads {
  #waiting = [];
  #running = 0;
  #rows = new Set();
  #isStopped = false;
  #list = el("ul", { class: "uploads", "aria-label": "Uploads" });
  node = this.#list;

  /** Calls `onKept` with the files that the server stored. `back()` gets the focus when the last row is removed. */
  constructor(onKept, back) {
    this.onKept = onKept;
    this.back = back;
    window.addEventListener("beforeunload", this.#warn);
  }

  #warn = (event) => { if (this.#running > 0) event.preventDefault(); };

  /** Stops all uploads. Without this, those that wait would be sent for the user who signs in next. */
  stop() {
    this.#isStopped = true;
    this.#waiting = [];
    for (const row of this.#rows) row.stop();
    window.removeEventListener("beforeunload", this.#warn);
  }

  add(files) {
    for (const file of files) {
      const row = new Row(file, { again: () => { this.#queue(row); row.focus(); }, gone: () => this.#remove(row), stopped: () => this.#stopRow(row) });
      this.#list.append(row.node);
      if (file.size > largest) row.fail(`This file is larger than ${largestText()}.`, false);
      else if (file.size === 0) row.fail("This file is empty.", false);
      else this.#queue(row);
    }
  }

  #queue(row) {
    row.wait();
    this.#waiting.push(row);
    this.#next();
  }

  #stopRow(row) {
    this.#waiting = this.#waiting.filter((other) => other !== row);
    row.stop();
    this.#remove(row);
  }

  /** Removes the row. If it had the focus, the row in its place gets it. */
  #remove(row) {
    keepFocus(this.#list, () => [...this.#list.children], this.back, () => row.node.remove());
  }

  #next() {
    while (this.#running < atOnce && this.#waiting.length > 0) {
      const row = this.#waiting.shift();
      this.#running += 1;
      this.#rows.add(row);
      this.#send(row).finally(() => {
        this.#running -= 1;
        this.#rows.delete(row);
        if (this.#isStopped) return;
        this.#next();
        if (this.#running === 0) this.#announceEnd();
      });
    }
  }

  async #send(row) {
    const form = new FormData();
    form.append("file", row.file, row.file.name);
    try {
      const answer = await send(mine("/multimedia/swift"), form, {
        key: row.key, signal: row.start(), onProgress: (share) => row.progress(share),
      });
      row.done();
      this.onKept(answer.files.map((file) => file.data));
    } catch (error) {
      if (error.name === "AbortError") this.#remove(row);
      // The server would refuse the same file again, so these errors offer no retry.
      else row.fail(error.message, ![400, 413, 422].includes(error.status));
    }
  }

  #announceEnd() {
    const failed = this.#list.querySelectorAll(".failed").length;
    announce(failed > 0 ? `Uploads finished; ${failed} failed.` : "All uploads are done.");
  }
}

class Row {
  // The same key for every attempt, so that a file whose response was lost is not stored twice.
  key = freshKey();
  #stopper = null;

  constructor(file, actions) {
    this.file = file;
    this.actions = actions;
    const name = freshID("upload");
    this.bar = el("progress", { max: 1, value: 0, "aria-labelledby": name });
    this.words = el("span", { class: "words" });
    this.buttons = el("span", { class: "buttons" });
    this.node = el("li", { class: "upload" },
      el("span", { class: "name", id: name }, file.name), el("span", { class: "size" }, byteSize(file.size)), this.bar, this.words, this.buttons);
  }

  wait() {
    this.node.classList.remove("failed");
    this.bar.value = 0;
    this.words.textContent = "Waiting";
    this.words.removeAttribute("role");
    fill(this.buttons, this.#button("close", "Stop", this.actions.stopped));
  }

  focus() { this.buttons.firstElementChild?.focus(); }

  start() {
    this.#stopper = new AbortController();
    this.words.textContent = "Sending";
    return this.#stopper.signal;
  }

  progress(share) {
    this.bar.value = share;
    this.words.textContent = share < 1 ? `${Math.floor(share * 100)} %` : "Being checked…";
  }

  done() {
    this.bar.value = 1;
    this.node.classList.add("done");
    this.words.textContent = "Kept";
    fill(this.buttons);
    setTimeout(async () => {
      // What stands below moves up.
      await released();
      this.node.remove();
    }, 4000);
  }

  fail(words, mayHelp) {
    this.node.classList.add("failed");
    this.words.textContent = words;
    this.words.setAttribute("role", "alert");
    fill(this.buttons,
      mayHelp && this.#button("again", "Try again", this.actions.again), this.#button("close", "Dismiss", this.actions.gone));
  }

  stop() { this.#stopper?.abort(); }

  #button(picture, words, action) {
    return el("button", { type: "button", class: "small", "aria-label": `${words}: ${this.file.name}`, title: words, on: { click: action } }, icon(picture));
  }
}
