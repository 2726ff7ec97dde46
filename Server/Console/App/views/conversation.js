import { announce, attempt, toast } from "../lib/announce.js";
import { Refused, call, freshUUID, query } from "../lib/api.js";
import { arrange, el, fill, fillAs, freshID } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { readEvents } from "../lib/stream.js";
import { Attachments, attachable } from "../media/attachments.js";
import { growingAnswer, messageEntry, modelWords } from "./message.js";
import { button } from "./parts.js";

const base = "/api/chat";
/** Parents of messages; the server threads by order. */
const noParent = "00000000-0000-0000-0000-000000000000";
/** Characters of a message, at most. */
const longest = 100_000;
/** Messages of a page. Earlier ones are read by a button. */
const pageLength = 60;
/** Attempts to take up an answer after the connection broke, with growing pauses: about a minute. */
const attempts = 8;
/** How often the page asks whether an attempt at an answer is being written for another device. */
const questions = 3;
/** Characters of an answer that screen readers are told at once. */
const longestSaid = 600;

/**
 * One conversation: its messages, the answer that is being written, and the form for the next message. `id` is `null` for a new one; then
 * `began(id)` is called as soon as the server has made it. `changed` is called after each answer, and `gone` when the conversation is no
 * longer there.
 */
export function conversation(id, { began, changed, gone }) {
  const list = el("ol", { class: "messages", "aria-label": "Messages", "aria-busy": String(id !== null) });
  const note = el("div", {});
  const earlier = el("div", { class: "pager", hidden: true }, button("Earlier messages", loadEarlier));
  const stopper = new AbortController();
  const { signal } = stopper;
  let messages = [];
  let models = [];
  let isChosen = false;
  const items = new Map();
  /** The answer that the page reads as it is written, or asks for. */
  let running = null;
  /** A message that the server has not acknowledged, so that its list does not have it. */
  let unsent = null;
  /** How often the page asked for the stream of an attempt at an answer. */
  const asked = new Map();
  let turn = 0;

  // The form.
  const [boxID, modelID, pickID] = [freshID("text"), freshID("model"), freshID("files")];
  const problem = el("p", { class: "problem", role: "alert" });
  const box = el("textarea", { id: boxID, name: "text", rows: 2, maxlength: longest, autocomplete: "off", "aria-describedby": `${boxID}-hint`, on: { keydown, paste } });
  const model = el("select", { id: modelID, name: "model", on: { change: () => { isChosen = true; showModelHint(); } } });
  const modelHint = el("p", { class: "hint" });
  const attachments = new Attachments(draw, () => box);
  const picker = el("input", { type: "file", multiple: true, accept: attachable, class: "unseen", id: pickID, on: { change: pick } });
  const submit = el("button", { type: "submit", class: "main" }, icon("send"), "Send");
  const stop = el("button", { type: "button", class: "danger", hidden: true, on: { click: halt } }, icon("stop"), "Stop");
  const form = el("form", { class: "composer", novalidate: true, on: { submit: sent, dragenter: dragged, dragover: dragged, drop: dropped } },
    attachments.node,
    el("div", { class: "field" }, el("label", { for: boxID }, "Your message"), box, el("p", { class: "hint", id: `${boxID}-hint` }, "Press Enter to send, or Shift and Enter for a new line.")),
    problem,
    el("div", { class: "actions" },
      el("span", {}, picker, el("label", { class: "button quiet", for: pickID }, icon("attach"), "Attach files")),
      el("div", { class: "field model" }, el("label", { for: modelID, class: "unseen" }, "Who answers"), model), submit, stop),
    modelHint);

  async function load() {
    try {
      // Earlier answers are of no use after a later one.
      const mine = (turn += 1);
      const latest = id === null ? [] : await page();
      if (mine !== turn) return;
      // Earlier pages stay, if the latest one still follows them.
      const at = messages.findIndex((one) => one.messageId === latest[0]?.messageId);
      if (at < 1) earlier.hidden = latest.length < pageLength;
      const isFirst = messages.length === 0;
      if (latest.some((one) => one.messageId === unsent?.messageId)) unsent = null;
      messages = [...messages.slice(0, Math.max(0, at)), ...latest, ...(unsent ? [unsent] : [])];
      show();
      if (isFirst && id !== null) toEnd();
      resume();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 404) gone(error.message);
      else if (messages.length === 0) fill(note, el("p", { class: "problem", role: "alert" }, error.message));
    } finally {
      list.setAttribute("aria-busy", "false");
    }
  }

  const page = (before) => call("GET", `${base}/messages${query({ conversationId: id, before, limit: pageLength })}`, { signal });

  async function loadEarlier() {
    const first = messages[0];
    const more = await page(first.messageId);
    // A refresh has dropped the earlier pages meanwhile.
    if (messages[0] !== first) return;
    const height = document.documentElement.scrollHeight;
    messages = [...more, ...messages];
    earlier.hidden = more.length < pageLength;
    show();
    // What was in view stays there.
    window.scrollBy(0, document.documentElement.scrollHeight - height);
    announce(`${messages.length} messages shown`);
  }

  /** Follows an answer that is being written for another device, or was when the page was closed. Until it ends, its text is empty. */
  function resume() {
    const last = messages.at(-1);
    const message = messages.findLast((one) => one.isCreatedByUser);
    if (running || !message || last === message || !last.unfinished || last.error || last.text !== "") return;
    const attempt = `${last.messageId} ${last.updatedAt}`;
    if ((asked.get(attempt) ?? 0) >= questions) return;
    asked.set(attempt, (asked.get(attempt) ?? 0) + 1);
    follow(message, { isKnown: true });
  }

  function show() {
    const growing = running?.isShown ? running.answer.node : null;
    const last = messages.at(-1);
    const known = new Set(messages.map((one) => one.messageId));
    for (const key of items.keys()) if (!known.has(key)) items.delete(key);
    const rows = messages
      // Leaves out the unfinished answer: `running` shows its words as they arrive.
      .filter((one) => !(running && one === last && !one.isCreatedByUser && one.unfinished && (growing || one.text === "")))
      .map((one) => {
        const canRetry = !running && one === last && (one.isCreatedByUser || one.unfinished || one.error);
        const text = JSON.stringify([one, canRetry]);
        if (items.get(one.messageId)?.text !== text) {
          items.set(one.messageId, { text, item: el("li", {}, messageEntry(one, { retry: canRetry ? again : null })) });
        }
        return items.get(one.messageId).item;
      });
    const wasLow = isLow();
    const before = pageHeight();
    arrange(list, growing ? [...rows, growing.parentElement ?? el("li", {}, growing)] : rows);
    list.hidden = list.childElementCount === 0;
    if (list.hidden && id === null) {
      fillAs(note, "empty", () => el("div", { class: "empty" }, icon("chat"), el("p", {}, "Ask about what you keep, or about files that you attach. Without a model, this server answers with quotes from your own entries.")));
    } else {
      fillAs(note, "", () => null);
    }
    // The page stays where the user scrolled it if a refresh brings nothing new.
    if (wasLow && pageHeight() !== before) toEnd();
    draw();
  }

  /** The state of the form. */
  function draw() {
    const isWriting = running?.isShown ?? false;
    submit.hidden = isWriting;
    stop.hidden = !isWriting;
    stop.disabled = id === null || (running?.isStopping ?? false);
  }

  const pageHeight = () => document.documentElement.scrollHeight;
  const isLow = () => window.innerHeight + window.scrollY > pageHeight() - 160;
  const toEnd = () => window.scrollTo({ top: pageHeight() });

  function sent(event) {
    event.preventDefault();
    if (running?.isShown) return;
    problem.textContent = "";
    const text = box.value;
    const { files } = attachments;
    const wrong = attachments.isBusy ? "Wait until all files are uploaded, or remove those that are not."
      : attachments.hasFailed ? "Remove the files that could not be uploaded."
      : text.trim() === "" && files.length === 0 ? "Write a message, or attach a file." : "";
    if (wrong) {
      problem.textContent = wrong;
      box.focus();
      return;
    }
    const message = { messageId: freshUUID(), text: text.trim() === "" ? " " : text, files, isCreatedByUser: true, sender: "User", createdAt: new Date().toISOString() };
    // An earlier message that the server refused is dropped.
    messages = [...messages.filter((one) => one !== unsent), message];
    unsent = message;
    box.value = "";
    attachments.clear();
    follow(message);
    toEnd();
    box.focus();
  }

  function again() {
    const message = messages.findLast((one) => one.isCreatedByUser);
    if (!message || running?.isShown) return;
    problem.textContent = "";
    // The new attempt takes the place of the answer that failed.
    messages = messages.slice(0, messages.indexOf(message) + 1);
    follow(message);
    box.focus();
  }

  /** The body of the request for an answer. */
  function body(message) {
    const chosen = models[model.selectedIndex];
    return {
      text: message.text, sender: "User", clientTimestamp: message.createdAt, isCreatedByUser: true, parentMessageId: noParent,
      messageId: message.messageId, error: false, endpoint: chosen?.endpoint ?? "default", model: chosen?.model, conversationId: id,
      files: (message.files ?? []).map(({ file_id, filename, filepath, type, size, width, height }) => ({ file_id, filename, filepath, type, size, width, height })),
    };
  }

  /**
   * Asks for the answer to a message and shows it as it is written. When the connection breaks, resumes after the last event that came.
   * With `isKnown`, the server has the message already, and may be writing the answer for another device.
   */
  async function follow(message, { isKnown = false } = {}) {
    // A new message ends a request that only asks whether an answer is being written.
    running?.stop();
    const answer = growingAnswer(() => { if (isLow()) toEnd(); });
    const own = new AbortController();
    const mine = { message, answer, isKnown, isShown: !isKnown, isBegun: isKnown, isStopping: false, last: null, stop: () => own.abort() };
    running = mine;
    if (!isKnown) {
      // A list that is on its way does not know of this attempt.
      turn += 1;
      show();
      announce("The answer is being written.");
    }
    signal.addEventListener("abort", mine.stop, { once: true });
    let result = null;
    let refusal = null;
    let failures = 0;
    while (!result && !refusal && !own.signal.aborted) {
      const before = mine.last;
      try {
        const [path, options] = request(mine);
        await readEvents(path, { ...options, onEvent: (frame) => { result ??= take(mine, frame); }, signal: own.signal });
        if (!result) throw new Refused(0, "The answer ended too early.");
      } catch (error) {
        if (result || error.name === "AbortError") break;
        failures = mine.last === before ? failures + 1 : 1;
        if (error.status !== 0 || failures > attempts) {
          refusal = error;
        } else {
          answer.note("The connection broke. Trying again…");
          await quiet(Math.min(10_000, 300 * 2 ** failures) * (0.5 + Math.random()), own.signal);
        }
      }
    }
    signal.removeEventListener("abort", mine.stop);
    answer.stop();
    if (running !== mine || signal.aborted) return;
    running = null;
    finish(mine, result, refusal);
  }

  /** The request for the answer, or for the rest of it. */
  function request(mine) {
    if (!mine.isBegun) return [`${base}/agents/chat/${encodeURIComponent(body(mine.message).endpoint)}`, { method: "POST", body: body(mine.message) }];
    return [`${base}/agents/chat/stream/${encodeURIComponent(id)}?resume=true`, { lastEventID: mine.last }];
  }

  /** Handles one event of the stream. Returns the end of the answer, or `null` before. */
  function take(mine, { id: number, event, data }) {
    const frame = parsed(data);
    if (number !== null) mine.last = number;
    if (event === "error") throw new Refused(502, frame.message ?? "The model did not answer.");
    if (frame.final) return frame;
    if (frame.created) {
      mine.isBegun = true;
      unsent = null;
      if (id === null) {
        id = frame.message.conversationId;
        began(id);
        draw();
      }
    } else if (frame.event === "on_message_delta") {
      if (!mine.isShown) {
        mine.isShown = true;
        show();
      }
      mine.answer.note("The answer is being written.");
      for (const part of frame.data?.delta?.content ?? []) if (part.type === "text") mine.answer.write(part.text);
    }
    return null;
  }

  function finish({ message, isKnown, isShown, isBegun }, result, refusal) {
    const at = messages.findIndex((one) => one.messageId === message.messageId);
    // With `isKnown`, the stream may be that of an earlier message.
    if (result && at >= 0 && (!isKnown || result.requestMessage.messageId === message.messageId)) {
      const isNew = JSON.stringify(messages.at(-1)) !== JSON.stringify(result.responseMessage);
      messages = [...messages.slice(0, at), result.requestMessage, result.responseMessage];
      if (isNew) announce(said(result.responseMessage));
    } else if (refusal && isShown) {
      problem.textContent = refusal.message;
    }
    show();
    changed();
    // Reads what the server has of an answer that failed or was stopped: the words that were written, and why it failed.
    if (id !== null && !result && isBegun && refusal?.status !== 404) load();
  }

  async function halt() {
    if (!running || id === null) return;
    const mine = running;
    mine.isStopping = true;
    draw();
    try {
      await call("POST", `${base}/agents/chat/abort`, { body: { conversationId: id } });
      announce("Stopped.");
      box.focus();
      // The stream ends with what was written. If it does not, the list of messages has it.
      await quiet(5_000, signal);
      mine.stop();
    } catch (error) {
      mine.isStopping = false;
      draw();
      toast(error.message, "bad");
    }
  }

  function keydown(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  }

  function attach(files) {
    problem.textContent = attachments.add(files);
  }

  function pick() {
    attach([...picker.files]);
    // This lets the user pick the same file again.
    picker.value = "";
  }

  function paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    attach(files);
  }

  function dragged(event) {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  }

  function dropped(event) {
    event.preventDefault();
    attach([...event.dataTransfer.files]);
  }

  async function loadModels() {
    const answer = await call("GET", `${base}/models`, { signal });
    models = answer.models;
    fill(model, models.map((one, at) => el("option", { value: at, selected: at === 0 }, modelWords(one))));
    choose();
    showModelHint();
  }

  /** The model of the conversation's last answer stays chosen, unless the user has chosen one. */
  function choose() {
    if (isChosen) return;
    const last = messages.findLast((one) => !one.isCreatedByUser);
    const at = models.findIndex((one) => one.model === last?.model);
    if (at >= 0) model.selectedIndex = at;
  }

  function showModelHint() {
    const chosen = models[model.selectedIndex];
    fillAs(modelHint, !chosen ? "" : `${chosen.isLocal} ${chosen.provider}`, () => (!chosen ? "" : chosen.isLocal ? "Nothing leaves this server."
      : [`Your messages and files of this conversation are sent to ${chosen.provider}. `, el("a", { href: "#/chat/sent" }, "What was sent")]));
  }

  attempt(() => loadModels());
  load().then(() => { choose(); showModelHint(); });
  show();
  return {
    node: el("div", { class: "talk" }, note, earlier, list, form),
    box,
    get hasEarlier() { return !earlier.hidden; },
    loadEarlier,
    /** After a live event. */
    async refresh() { if (!running?.isShown && id !== null) await load(); },
    stop() {
      stopper.abort();
      attachments.discard();
    },
  };
}

function parsed(data) {
  try {
    return JSON.parse(data);
  } catch {
    throw new Refused(502, "The server sent an answer that cannot be read.");
  }
}

/** What screen readers are told of an answer. */
function said({ text }) {
  return text.length > longestSaid ? `${text.slice(0, longestSaid)}… The rest is in the last message.` : text;
}

/** Waits, at most until `signal` aborts or the browser is online again. */
function quiet(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener("online", end, { once: true });
    signal.addEventListener("abort", end, { once: true });
  });
}
