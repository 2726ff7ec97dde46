import { announce, toast } from "../lib/announce.js";
import { freshKey, mine, send, session } from "../lib/api.js";
import { confirm } from "../lib/dialog.js";
import { el, freshID } from "../lib/dom.js";
import { firstWrong, line, text } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { face, suggestions } from "../lib/moods.js";
import { picturesField } from "../media/pictures.js";
import { voiceField } from "../media/recorder.js";

const kinds = {
  mood: { words: "Mood", path: "/moods/swift", kept: "Your mood is kept." },
  memory: { words: "Memory", path: "/memories/swift", kept: "Your memory is kept." },
  event: { words: "Event", path: "/events/swift", kept: "Your event is kept." },
};

/**
 * What the user has written and not sent. It stays when the user opens another view or another kind of moment, when sending fails, and when
 * the session ends and the same user signs in again. It is gone when the page closes, since the console stores nothing in the browser.
 */
let draft = null;

/** The texts by the names of their fields, the photos, the voice note, and the idempotency key of the request that sends them. */
function draftOfUser() {
  if (draft?.owner === session.user.id) return draft;
  forgetDraft();
  const own = { owner: session.user.id, key: freshKey(), texts: {}, changed: () => {} };
  own.pictures = picturesField({ onChange: () => own.changed() });
  own.voice = voiceField({ onChange: () => own.changed() });
  // The intensity always has a value.
  own.isEmpty = () => Object.entries(own.texts).every(([name, text]) => text === "" || name === "moodIntensity")
    && own.pictures.files().length === 0 && !own.voice.file();
  draft = own;
  return own;
}

export function forgetDraft() {
  const old = draft;
  draft = null;
  if (!old) return;
  old.changed = () => {};
  old.voice.clear();
  old.pictures.clear();
}

window.addEventListener("beforeunload", (event) => { if (draft && !draft.isEmpty()) event.preventDefault(); });

/** The text of a mood's note is that of a memory or an event when the user switches the kind. */
const draftName = (name) => (name === "note" ? "description" : name);

/** The form of a moment with its photos and a voice note. It sends one request, which stores all of it or nothing. */
export function keep(kind, go) {
  const about = kinds[kind];
  const own = draftOfUser();
  const { pictures, voice } = own;
  const written = (name) => own.texts[draftName(name)];
  const problem = el("p", { class: "problem", role: "alert", tabindex: -1 });
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Sending", hidden: true });
  const submit = el("button", { type: "submit", class: "main" }, `Keep this ${kind}`);
  const over = el("button", { type: "button", class: "quiet", hidden: own.isEmpty(), on: { click: startOver } }, "Start over");
  const form = el("form", { class: "keep", novalidate: true, on: { submit: keepIt, input: write } },
    fields[kind](written), pictures.node, voice.node,
    kind !== "event" && when(written), problem, bar, el("div", { class: "actions" }, submit, over));
  let stopper = null;
  own.changed = changed;

  function write() {
    for (const [name, value] of new FormData(form)) own.texts[draftName(name)] = value;
    changed();
  }

  function changed() {
    over.hidden = own.isEmpty();
    // Changed content needs a new idempotency key.
    if (!stopper) own.key = freshKey();
  }

  async function startOver() {
    if (!(await confirm("Start over?", "This discards what you wrote, with its photos and its recording.", "Start over"))) return;
    stopper?.abort();
    forgetDraft();
    go(`#/keep/${kind}`);
  }

  async function keepIt(event) {
    event.preventDefault();
    if (stopper) return;
    problem.textContent = "";
    if (voice.busy()) return say("Stop the recording first, or discard it.");
    const wrong = firstWrong(form);
    if (wrong) return say(wrong.words, wrong.input);
    const body = read(form);
    for (const file of pictures.files()) body.append("file", file, file.name);
    if (voice.file()) body.append("voiceNote", voice.file(), "voice.wav");
    stopper = new AbortController();
    const { signal } = stopper;
    submit.disabled = true;
    bar.hidden = false;
    try {
      await send(mine(about.path), body, { key: own.key, signal, onProgress: (share) => { bar.value = share; } });
      forgetDraft();
      toast(about.kept);
      announce(about.kept);
      // If `signal` is aborted, the user has opened another view meanwhile.
      if (!signal.aborted) go("#/timeline");
    } catch (error) {
      if (error.name !== "AbortError") say(error.message);
      // A refused request stored nothing, so it needs a new key. After a lost response, the same key returns the stored result.
      if (error.status > 0) own.key = freshKey();
    } finally {
      stopper = null;
      submit.disabled = false;
      bar.hidden = true;
    }
  }

  function say(words, field) {
    problem.textContent = words;
    (field ?? problem).focus();
  }

  return {
    title: `Keep: ${about.words}`,
    node: el("div", { class: "view keeping" },
      el("div", { class: "heading" }, el("h1", {}, headings[kind])),
      el("nav", { class: "kinds", "aria-label": "What to keep" }, Object.entries(kinds).map(([name, { words }]) => el(
        "a", { href: `#/keep/${name}`, "aria-current": name === kind ? "page" : null }, icon(name), words))),
      form),
    leave() {
      stopper?.abort();
      voice.rest();
    },
  };
}

const headings = { mood: "How are you?", memory: "What do you want to remember?", event: "What happened, or will happen?" };

function read(form) {
  const body = new FormData();
  for (const [name, value] of new FormData(form)) {
    const text = typeof value === "string" ? value.trim() : "";
    if (!text) continue;
    if (name === "createdAt") body.append(name, String(new Date(text).getTime()));
    else if (name === "date") body.append(name, new Date(text).toISOString());
    else body.append(name, text);
  }
  return body;
}

/** The fields of each kind. `draft(name)` returns what the user wrote into that field before. */
const fields = {
  mood(draft) {
    const input = line("mood", "Mood", { required: true, maxlength: 64, value: draft("mood"), placeholder: "or in your own words", problem: "Pick a mood or enter one." });
    const free = input.querySelector("input");
    const buttons = suggestions.map((name) => el(
      "button", { type: "button", class: "chip", "aria-pressed": "false", on: { click: () => choose(name) } }, face(name), name));
    const mark = () => buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(free.value.trim().toLowerCase() === suggestions[at])));
    const choose = (name) => {
      free.value = free.value === name ? "" : name;
      free.dispatchEvent(new Event("input", { bubbles: true }));
    };
    free.addEventListener("input", mark);
    mark();
    const id = freshID("intensity");
    const output = el("output", { for: id }, draft("moodIntensity") ?? "5");
    const range = el("input", { type: "range", id, name: "moodIntensity", min: 1, max: 10, step: 1, value: draft("moodIntensity") ?? 5, on: { input: () => { output.textContent = range.value; } } });
    return [
      el("div", { class: "field moods", role: "group", "aria-label": "Suggestions" }, buttons),
      input,
      el("div", { class: "field" }, el("label", { for: id }, "Intensity"), el("div", { class: "range" }, el("span", { "aria-hidden": "true" }, "faint"), range, el("span", { "aria-hidden": "true" }, "strong"), output)),
      text("note", "Note", { value: draft("note") }), line("reason", "Because", { maxlength: 1000, value: draft("reason") }), tags(draft),
    ];
  },
  memory: (draft) => [title(draft), text("description", "What happened", { value: draft("description") }), place(draft), tags(draft)],
  event: (draft) => [
    title(draft), line("date", "When", { type: "datetime-local", required: true, value: draft("date"), problem: "Enter when the event takes place." }),
    place(draft), text("description", "About it", { value: draft("description") }), tags(draft),
  ],
};

const title = (draft) => line("title", "Title", { required: true, maxlength: 200, value: draft("title"), problem: "Enter a title." });
const place = (draft) => line("location", "Where", { maxlength: 200, value: draft("location") });
const tags = (draft) => line("tags", "Tags", { hint: "Separated by commas", value: draft("tags") });
const when = (draft) => line("createdAt", "When", { type: "datetime-local", hint: "If empty: now", value: draft("createdAt") });
