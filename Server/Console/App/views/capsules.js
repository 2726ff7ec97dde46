import { announce, toast } from "../lib/announce.js";
import { call, freshKey, query, send } from "../lib/api.js";
import { dayKey, fullDay, clockTime, length, momentTitle, spokenLength } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { arrange, el, fill, fillAs } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { emptiness, oneAtATime, pager } from "../lib/list.js";
import { voiceField } from "../media/recorder.js";
import { spoken } from "../media/spoken.js";
import { hertz } from "../media/wav.js";

/** Seconds. Browsers hold the recording in memory, at four times the size of the upload. */
const longest = 30 * 60;

/** Milliseconds between two requests for unfinished capsules while no events arrive. */
const pollPause = 3000;

const last = new Set(["completed", "failed"]);
const states = {
  uploading: "Waiting for the recording",
  processing: "Being processed",
  transcribing: "Being transcribed",
  failed: "The recording could not be transcribed. You can still play it.",
};

/** Voice recordings with their transcripts, newest first, updated live. `isLive` returns whether events arrive. */
export function capsules(values, isLive) {
  const only = values.get("id");
  const list = el("ol", { class: "entries", "aria-label": "Capsules", "aria-busy": "true" });
  const note = el("div", {});
  /** Newest first. */
  let shown = [];
  /** By id: the capsule's JSON text when it was drawn, and its row. */
  const rows = new Map();
  /** By id: how much of the recording is transcribed, 0…1. */
  const progress = new Map();
  let cursor = null;
  let isLoaded = false;
  const stopper = new AbortController();
  const pages = pager("Show earlier", more);
  // If the first page could not be read, for example without a connection, a refresh reads it.
  const refresh = oneAtATime(() => (isLoaded ? again() : load()));
  const recorder = only ? null : recording(refresh);

  const page = async (after) => (only
    ? { capsules: [await call("GET", `/v0/capsules/${encodeURIComponent(only)}`, { signal: stopper.signal })], next_cursor: null }
    : call("GET", `/v0/capsules${query({ cursor: after, limit: 20 })}`, { signal: stopper.signal }));

  async function load() {
    try {
      const answer = await page();
      shown = answer.capsules;
      cursor = answer.next_cursor;
      isLoaded = true;
      draw();
      pages.start(cursor !== null);
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(note, el("p", { class: "problem", role: "alert" }, error.message));
    }
    list.setAttribute("aria-busy", "false");
  }

  async function more() {
    if (cursor === null) return false;
    const after = cursor;
    const answer = await page(after);
    // The list began again meanwhile.
    if (cursor !== after) return cursor !== null;
    cursor = answer.next_cursor;
    const known = new Set(shown.map((capsule) => capsule.id));
    shown.push(...answer.capsules.filter((capsule) => !known.has(capsule.id)));
    draw();
    announce(`${shown.length} shown`);
    return cursor !== null;
  }

  async function again() {
    const answer = await page();
    const before = new Map(shown.map((capsule) => [capsule.id, capsule.status]));
    const end = answer.capsules.at(-1);
    const covered = answer.next_cursor === null ? shown.length : shown.findIndex((capsule) => capsule.id === end?.id) + 1;
    // No shown capsule is in the page, so more than a page was added. Drop the older rows; paging loads them again.
    if (covered === 0) {
      cursor = answer.next_cursor;
      pages.start(cursor !== null);
    }
    shown = [...answer.capsules, ...(covered === 0 ? [] : shown.slice(covered))];
    draw();
    for (const capsule of answer.capsules) {
      if (!before.has(capsule.id)) {
        rows.get(capsule.id).node.classList.add("fresh");
        announce("New capsule");
      } else if (before.get(capsule.id) !== capsule.status && last.has(capsule.status)) {
        announce(capsule.status === "failed" ? states.failed : capsule.transcription ? "A capsule was transcribed." : "A capsule is ready.");
      }
    }
  }

  /** An event contains the progress of the transcription; the capsule itself does not. */
  function onEvent(event) {
    const data = event.payload ?? event.data;
    if (event.type !== "capsule.updated" || !data) return;
    if (typeof data.progress === "number") progress.set(data.id, data.progress);
    rows.get(data.id)?.show(progress.get(data.id));
  }

  function draw() {
    const ids = new Set(shown.map((capsule) => capsule.id));
    for (const [id, row] of rows) {
      if (ids.has(id)) continue;
      row.stop();
      rows.delete(id);
    }
    arrange(list, shown.map((capsule) => {
      // A link's signature changes daily. That alone must not redraw the row, which would stop its player.
      const text = JSON.stringify({ ...capsule, audio_url: Boolean(capsule.audio_url), updated_at: null });
      const old = rows.get(capsule.id);
      if (old?.text === text) return old.node;
      const held = old?.node.contains(document.activeElement);
      old?.stop();
      const row = capsuleRow(capsule, progress.get(capsule.id), remove);
      rows.set(capsule.id, { ...row, text });
      if (held) requestAnimationFrame(() => row.node.querySelector("button")?.focus());
      return row.node;
    }));
    list.hidden = shown.length === 0;
    fillAs(note, shown.length > 0 ? "" : "empty", () => shown.length === 0
      && emptiness("capsules", "No capsules yet", "Record what you want to say to yourself later. If the server has a transcriber, it writes down what you say."));
  }

  async function remove(capsule) {
    if (!(await confirm("Delete this capsule?", `The recording of ${spokenLength(capsule.duration)}, ${momentTitle(capsule.created_at)}, and its transcript will be deleted permanently.`, "Delete"))) return;
    try {
      await call("DELETE", `/v0/capsules/${encodeURIComponent(capsule.id)}`);
    } catch (error) {
      if (error.status !== 404) {
        toast(error.message, "bad");
        return;
      }
    }
    const at = shown.findIndex((other) => other.id === capsule.id);
    shown = shown.filter((other) => other.id !== capsule.id);
    draw();
    (rows.get(shown[Math.min(at, shown.length - 1)]?.id)?.node ?? node).querySelector("button, a")?.focus();
    toast("Deleted.");
  }

  const watch = setInterval(() => {
    if (!isLive() && shown.some((capsule) => !last.has(capsule.status))) refresh().catch(() => {});
  }, pollPause);

  const node = el("div", { class: "view capsules" },
    el("div", { class: "heading" }, el("h1", {}, only ? "Capsule" : "Capsules"), only && el("a", { class: "button quiet", href: "#/capsules" }, "All capsules")),
    recorder?.node, list, note, pages.node);
  refresh();
  return {
    title: "Capsules", node, refresh, onEvent,
    leave() {
      clearInterval(watch);
      stopper.abort();
      pages.stop();
      recorder?.leave();
      for (const row of rows.values()) row.stop();
    },
  };
}

function capsuleRow(capsule, share, remove) {
  const when = `${fullDay(dayKey(capsule.created_at))}, ${clockTime(capsule.created_at)}`;
  const { nodes, stop } = spoken(capsule);
  const words = el("span", {});
  const bar = el("progress", { max: 1, "aria-label": "Transcribed", hidden: true });
  const state = states[capsule.status] && el("div", { class: `walk ${capsule.status}` }, words, bar);
  const topics = capsule.metadata?.topics ?? [];

  /** Shows the progress of the transcription, 0…1, if it is known. */
  function show(part) {
    if (!state) return;
    const isKnown = capsule.status === "transcribing" && part !== undefined;
    words.textContent = states[capsule.status] + (isKnown ? `, ${Math.round(part * 100)} %` : last.has(capsule.status) ? "" : "…");
    bar.hidden = !isKnown;
    if (isKnown) bar.value = part;
  }

  show(share);
  return {
    show, stop,
    node: el("li", {}, el("article", { class: "entry capsule", "aria-label": `Capsule: ${when}` },
      el("span", { class: "face sign", "aria-hidden": "true" }, icon("capsules")),
      el("header", {}, el("h2", {}, el("time", { datetime: capsule.created_at }, when)), el("p", { class: "when" }, length(capsule.duration))),
      nodes, state,
      capsule.status === "completed" && !capsule.transcription && el("p", { class: "hint" }, silence(capsule.metadata?.engine)),
      el("footer", {},
        topics.length > 0 && el("ul", { class: "topics", "aria-label": "Topics" }, topics.slice(0, 5).map((topic) => el("li", {}, topic))),
        capsule.transcription && capsule.metadata?.engine && el("p", { class: "hint" }, `Transcribed by ${capsule.metadata.engine}`),
        el("button", { type: "button", class: "small", "aria-label": `Delete the capsule of ${when}`, title: "Delete", on: { click: () => remove(capsule) } }, icon("bin"))))),
  };
}

const silence = (engine) => (engine && engine !== "off" ? "No words were recognised." : "This server does not transcribe recordings.");

/** Records, then uploads in three steps. A retry continues with the step that failed. */
function recording(onKept) {
  const voice = voiceField({ name: "capsule", longest, onChange: changed });
  const problem = el("p", { class: "problem", role: "alert", tabindex: -1 });
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Sending", hidden: true });
  const submit = el("button", { type: "submit", class: "main" }, "Keep this capsule");
  const actions = el("div", { class: "actions", hidden: true }, submit);
  const node = el("form", { class: "keep", on: { submit: keep } }, voice.node,
    el("p", { class: "hint" }, `At most ${longest / 60} minutes. It stays private.`), problem, bar, actions);
  let keys = null;
  let capsule = null;
  let isSent = false;
  let stopped = null;

  function changed() {
    actions.hidden = voice.file() === null;
    problem.textContent = "";
    // A new recording is a new capsule.
    keys = { create: freshKey(), sound: freshKey() };
    capsule = null;
    isSent = false;
  }

  async function keep(event) {
    event.preventDefault();
    const file = voice.file();
    if (!file || stopped) return;
    stopped = new AbortController();
    const { signal } = stopped;
    problem.textContent = "";
    submit.disabled = true;
    bar.hidden = false;
    bar.value = 0;
    try {
      capsule ??= (await call("POST", "/v0/capsules", {
        body: { duration: (file.size - 44) / (hertz * 2), file_size: file.size }, key: keys.create, signal,
      })).capsule;
      const path = `/v0/capsules/${encodeURIComponent(capsule.id)}`;
      if (!isSent) {
        const form = new FormData();
        form.append("capsule_id", capsule.id);
        form.append("audio", file, file.name);
        await send(`${path}/audio`, form, { key: keys.sound, signal, onProgress: (share) => { bar.value = share; } });
        isSent = true;
      }
      await call("POST", `${path}/complete`, { body: {}, signal });
      voice.clear().focus();
      toast("Your capsule is kept.");
      await onKept().catch(() => {});
    } catch (error) {
      if (error.name !== "AbortError") {
        problem.textContent = error.message;
        problem.focus();
        // A refused request stored nothing, so it needs a new key. After a lost response, the same key returns the stored result.
        if (error.status > 0) keys = { create: freshKey(), sound: freshKey() };
      }
    } finally {
      stopped = null;
      submit.disabled = false;
      bar.hidden = true;
    }
  }

  return {
    node,
    leave() {
      stopped?.abort();
      voice.clear();
    },
  };
}
