import { mine } from "../lib/api.js";
import { byteSize, clockTime, momentTitle } from "../lib/dates.js";
import { add, el, fillOn } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { smaller } from "../lib/links.js";
import { markdown } from "../lib/markdown.js";
import { released } from "../lib/press.js";
import { view } from "../media/viewer.js";
import { kind } from "../media/files.js";

// One message of a conversation, and the answer that is being written.

/** Milliseconds between two drawings of an answer that is being written, for short ones and for each 1,000 characters. */
const [pause, pauseOfLength] = [60, 8];

/** The address of a file of a message. Its `filepath` is percent-encoded. */
const fileAddress = (file) => `/api/chat/files/serve${file.filepath}`;
/** The same file in the library, which makes smaller copies of pictures and films. */
const libraryAddress = (file) => mine(`/multimedia/files/${encodeURIComponent(file.file_id)}`);

/** Who answers, in words. `model` is a row of the list of models. */
export const modelWords = ({ model, provider, isLocal }) => (isLocal ? "This server, with quotes from your entries" : `${model} · ${provider}`);

/** `retry` is called for another attempt at the answer; `null` when no other attempt is possible. */
export function messageEntry(message, { retry = null } = {}) {
  const isOwn = message.isCreatedByUser;
  const isLocal = !isOwn && message.model === "local";
  const who = isOwn ? "You" : message.sender || "Answer";
  const body = el("div", { class: "body" });
  // The user's words and quotes are shown as they were written, without Markdown.
  if (message.text.trim() !== "") add(body, isOwn || isLocal ? el("p", { class: "plain-text" }, message.text) : markdown(message.text));
  return el("article", { class: `message ${isOwn ? "own" : "answer"}`, id: `message-${message.messageId}`, "aria-label": `${who}, ${clockTime(message.createdAt)}`, tabindex: -1 },
    el("p", { class: "from" }, el("b", {}, who), el("time", { datetime: message.createdAt, title: momentTitle(message.createdAt) }, clockTime(message.createdAt))),
    attached(message), body,
    message.error ? el("p", { class: "hint" }, el("span", { class: "badge bad" }, "Failed"))
      : message.unfinished && el("p", { class: "hint" }, el("span", { class: "badge waiting" }, "Not finished"), " The answer was stopped or interrupted, or reached its maximum length."),
    el("footer", {},
      !isOwn && el("p", { class: "hint" }, isLocal ? "Quoted on this server, without a model" : `Answered by ${[message.sender, message.model].filter(Boolean).join(" · ")}`),
      retry && el("button", { type: "button", class: "quiet", on: { click: retry } }, icon("again"), "Try again")));
}

/** The article of an answer that is being written. `write(text)` adds to it; `drawn` is called after each drawing. */
export function growingAnswer(drawn) {
  const body = el("div", { class: "body" });
  const dots = el("p", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  const note = el("p", { class: "hint" }, "The answer is being written.");
  const node = el("article", { class: "message answer growing", "aria-label": "The answer, which is being written" }, body, dots, note);
  let text = "";
  let timer = 0;
  let isStopped = false;

  async function draw() {
    await released();
    timer = 0;
    if (isStopped) return;
    fillOn(body, markdown(text));
    drawn();
  }

  function write(more) {
    text += more;
    // Drawing takes time in proportion to the text.
    timer ||= setTimeout(draw, pause + pauseOfLength * text.length / 1000);
  }

  return {
    node, write,
    get text() { return text; },
    note: (words) => { note.textContent = words; },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function attached({ files, createdAt }) {
  const known = (files ?? []).filter((file) => /^\/(images|uploads)\//.test(file.filepath ?? ""));
  if (known.length === 0) return null;
  const shown = known.filter((file) => /^(image|video)\//.test(file.type))
    .map((file) => ({ id: file.file_id, url: libraryAddress(file), name: file.filename, type: file.type, size: file.size, width: file.width, height: file.height, createdAt }));
  // Looked up when the viewer closes: the message may have been drawn again meanwhile.
  const back = (file) => document.querySelector(`button[data-file="${CSS.escape(file?.id ?? "")}"]`);
  const buttons = shown.map((file, at) => el(
    "button", { type: "button", "data-file": file.id, "aria-label": `Enlarge ${file.name}`, on: { click: () => view(shown, at, { back }) } },
    el("img", { src: smaller(file.url, 512, 512), alt: "", loading: "lazy", decoding: "async" }),
    kind(file.type) === "film" && el("span", { class: "badge film", "aria-hidden": "true" }, icon("film"))));
  return el("div", { class: "attached" },
    shown.length > 0 && el("div", { class: `pictures count-${Math.min(shown.length, 4)}` }, buttons),
    el("ul", { class: "downloads", "aria-label": "Files" }, known.map((file) => el("li", {},
      el("a", { href: fileAddress(file), download: file.filename }, icon("document"), el("span", {}, file.filename)), el("span", { class: "hint" }, byteSize(file.size))))));
}
