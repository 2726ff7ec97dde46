import { announce, toast } from "../lib/announce.js";
import { freshKey, mine, send } from "../lib/api.js";
import { byteSize } from "../lib/dates.js";
import { el, fill, freshID } from "../lib/dom.js";
import { firstWrong, line, text } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { face, suggestions } from "../lib/moods.js";
import { accepted, largest, largestText } from "../media/files.js";
import { voiceField } from "../media/recorder.js";

const kinds = {
  mood: { words: "Mood", path: "/moods/swift", kept: "Your mood is kept." },
  memory: { words: "Memory", path: "/memories/swift", kept: "Your memory is kept." },
  event: { words: "Event", path: "/events/swift", kept: "Your event is kept." },
};

/** The form of a moment with its photos and a voice note. It sends one request, which stores all of it or nothing. */
export function keep(kind, go) {
  const about = kinds[kind];
  const voice = voiceField();
  const pictures = pictureField();
  const problem = el("p", { class: "problem", role: "alert", tabindex: -1 });
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Sending", hidden: true });
  const submit = el("button", { type: "submit", class: "main" }, `Keep this ${kind}`);
  const form = el("form", { class: "keep", novalidate: true, on: { submit: keepIt, input: changed } },
    fields[kind](), pictures.node, voice.node,
    kind !== "event" && when(), problem, bar, el("div", { class: "actions" }, submit));
  let key = freshKey();
  let stopper = null;

  function changed() {
    // Changed content needs a new idempotency key.
    if (!stopper) key = freshKey();
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
    submit.disabled = true;
    bar.hidden = false;
    try {
      await send(mine(about.path), body, { key, signal: stopper.signal, onProgress: (share) => { bar.value = share; } });
      toast(about.kept);
      announce(about.kept);
      go("#/timeline");
    } catch (error) {
      if (error.name !== "AbortError") say(error.message);
      // A refused request stored nothing, so it needs a new key. After a lost response, the same key returns the stored result.
      if (error.status > 0) key = freshKey();
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
      voice.clear();
      pictures.clear();
    },
  };
}

const headings = { mood: "How are you?", memory: "What do you want to remember?", event: "What is coming, or was?" };

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

const fields = {
  mood() {
    const input = line("mood", "Mood", { required: true, maxlength: 64, placeholder: "or in your own words", problem: "Say how you are: pick a mood or write one." });
    const free = input.querySelector("input");
    const buttons = suggestions.map((name) => el(
      "button", { type: "button", class: "chip", "aria-pressed": "false", on: { click: () => choose(name) } }, face(name), name));
    const mark = () => buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(free.value.trim().toLowerCase() === suggestions[at])));
    const choose = (name) => {
      free.value = free.value === name ? "" : name;
      free.dispatchEvent(new Event("input", { bubbles: true }));
    };
    free.addEventListener("input", mark);
    const id = freshID("intensity");
    const output = el("output", { for: id }, "5");
    const range = el("input", { type: "range", id, name: "moodIntensity", min: 1, max: 10, step: 1, value: 5, on: { input: () => { output.textContent = range.value; } } });
    return [
      el("div", { class: "field moods", role: "group", "aria-label": "Suggestions" }, buttons),
      input,
      el("div", { class: "field" }, el("label", { for: id }, "Intensity"), el("div", { class: "range" }, el("span", { "aria-hidden": "true" }, "faint"), range, el("span", { "aria-hidden": "true" }, "strong"), output)),
      text("note", "Note"), line("reason", "Because", { maxlength: 1000 }), tags(),
    ];
  },
  memory: () => [
    line("title", "Title", { required: true, maxlength: 200, problem: "Give it a title." }),
    text("description", "What happened"), line("location", "Where", { maxlength: 200 }), tags(),
  ],
  event: () => [
    line("title", "Title", { required: true, maxlength: 200, problem: "Give it a title." }),
    line("date", "When", { type: "datetime-local", required: true, problem: "Say when it takes place." }),
    line("location", "Where", { maxlength: 200 }), text("description", "About it"), tags(),
  ],
};

const tags = () => line("tags", "Tags", { hint: "Separated by commas" });
const when = () => line("createdAt", "When", { type: "datetime-local", hint: "If empty: now" });

/** The photos and films of the moment, with previews. At most ten. */
function pictureField() {
  const most = 10;
  let picked = [];
  const id = freshID("pictures");
  const list = el("ul", { class: "picked", "aria-label": "Photos and films to keep with it" });
  const problem = el("p", { class: "problem", role: "alert" });
  const input = el("input", { type: "file", id, multiple: true, accept: accepted, class: "unseen", on: { change } });
  const node = el("div", { class: "field pick", on: { dragover, drop } },
    el("span", { class: "label" }, "Photos and films"), list, input, el("label", { class: "button quiet", for: id }, icon("photos"), "Add photos"), problem);

  function take(files) {
    problem.textContent = "";
    for (const file of files) {
      if (picked.length >= most) problem.textContent = `A moment can have at most ${most} photos and films.`;
      else if (file.size > largest) problem.textContent = `${file.name} is larger than ${largestText()}.`;
      else if (file.size > 0) picked.push(row(file));
    }
    fill(list, picked.map((one) => one.node));
  }

  function row(file) {
    const link = URL.createObjectURL(file);
    const isFilm = file.type.startsWith("video/");
    const preview = isFilm ? el("span", { class: "sound" }, icon("film")) : el("img", { src: link, alt: "" });
    // Few browsers can show HEIC.
    preview.addEventListener("error", () => preview.replaceWith(el("span", { class: "sound" }, icon("photos"))));
    const one = { file, link, node: null };
    one.node = el("li", {}, preview, el("span", { class: "unseen" }, `${file.name}, ${byteSize(file.size)}`),
      el("button", { type: "button", class: "small", "aria-label": `Take away ${file.name}`, on: { click: () => drop(one) } }, icon("close")));
    return one;
  }

  function drop(one) {
    if (one instanceof Event) {
      one.preventDefault();
      take([...one.dataTransfer.files]);
      return;
    }
    URL.revokeObjectURL(one.link);
    picked = picked.filter((other) => other !== one);
    one.node.remove();
    announce(`${one.file.name} taken away`);
    (list.querySelector("button") ?? input).focus();
  }

  function dragover(event) {
    if ([...event.dataTransfer.types].includes("Files")) event.preventDefault();
  }

  function change() {
    take([...input.files]);
    input.value = "";
  }

  return {
    node, files: () => picked.map((one) => one.file),
    clear() { for (const one of picked) URL.revokeObjectURL(one.link); },
  };
}
