import { announce } from "../lib/announce.js";
import { call, mine } from "../lib/api.js";
import { clockTime, dayKey, fullDay } from "../lib/dates.js";
import { add, el, freshID } from "../lib/dom.js";
import { firstWrong, line, texts } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { smaller } from "../lib/links.js";
import { emptiness } from "../lib/list.js";
import { captureTabs } from "./capture.js";
import { entryLink, kindWords } from "./entries.js";
import { marked } from "./marked.js";

const kinds = { "": "Everything", capture: "Captures", mood: "Moods", memory: "Memories", event: "Events", capsule: "Capsules", file: "Photos and films" };
const engines = { local: "Quoted from your entries on this server", gemini: "Written by Gemini from these sources", openai: "Written by an OpenAI-compatible engine from these sources" };

/** Questions about the user's entries. Each answer names its sources, which open the entry. Answers are gone when the view is left. */
export function ask(values) {
  const stopper = new AbortController();
  const kindID = freshID("kind");
  const kind = el("select", { id: kindID, name: "kind" }, Object.entries(kinds).map(([value, words]) => el("option", { value }, words)));
  const problem = el("p", { class: "problem", role: "alert" });
  const submit = el("button", { type: "submit", class: "main" }, "Ask");
  const form = el("form", { class: "keep asking", novalidate: true, on: { submit: send } },
    line("text", "Your question", {
      required: true, maxlength: 1000, autocomplete: "off", value: values.get("q") ?? "", problem: "Enter a question.",
      hint: "For example: When did I meet John? What did I do on Tuesday?",
    }),
    el("details", { class: "fold" }, el("summary", {}, "Filter the entries"),
      el("div", { class: "choices" },
        line("from", "From", { type: "date" }), line("to", "To", { type: "date" }),
        el("div", { class: "field" }, el("label", { for: kindID }, "Kind"), kind))),
    problem, el("div", { class: "actions" }, submit));
  const box = form.elements.text;
  const log = el("ol", { class: "entries asked", "aria-label": "Answers, the latest first" });
  const note = el("div", {}, emptiness("ask", "Ask about what you keep", "Answers are sentences of your own entries, with links to them. The server answers only what your entries say, and does not store questions."));
  let isAsking = false;

  async function send(event) {
    event.preventDefault();
    if (isAsking) return;
    problem.textContent = "";
    const wrong = firstWrong(form);
    const { text, from, to } = texts(form);
    if (wrong || (from && to && from > to)) {
      problem.textContent = wrong?.words ?? "The first day comes after the last one.";
      (wrong?.input ?? form.elements.from).focus();
      return;
    }
    isAsking = true;
    // The button keeps the focus.
    submit.setAttribute("aria-disabled", "true");
    submit.textContent = "Searching…";
    log.setAttribute("aria-busy", "true");
    announce("Searching…");
    try {
      const answer = await call("POST", mine("/ask"), {
        body: { text, ...(from ? { from } : {}), ...(to ? { to } : {}), ...(kind.value ? { kind: kind.value } : {}) }, signal: stopper.signal,
      });
      note.hidden = true;
      log.prepend(el("li", {}, exchange(text, answer)));
      announce(answer.sources.length === 0 ? answer.answer : `${answer.answer} ${answer.sources.length} sources`);
      box.select();
    } catch (error) {
      if (error.name !== "AbortError") problem.textContent = error.message;
    } finally {
      isAsking = false;
      submit.removeAttribute("aria-disabled");
      submit.textContent = "Ask";
      log.setAttribute("aria-busy", "false");
    }
  }

  return {
    title: "Ask",
    focus: () => box,
    node: el("div", { class: "view ask" }, el("div", { class: "heading" }, el("h1", {}, "Ask"), captureTabs("/ask")), form, note, log),
    // An answer does not change when entries do.
    eventTypes: /^$/,
    leave: () => stopper.abort(),
  };
}

function exchange(question, { answer, sources, contacts, engine, confidence }) {
  const heading = freshID("question");
  const node = el("article", { class: "entry answer", "aria-labelledby": heading },
    el("span", { class: "face sign", "aria-hidden": "true" }, icon("ask")),
    el("header", {}, el("h2", { id: heading }, question)));
  // The local engine's answer consists of sentences of the sources. The sources below show these sentences, so the answer is not shown a
  // second time.
  if (sources.length === 0 || engine !== "local") add(node, el("p", { class: "words" }, answer));
  if (sources.length === 0) return node;
  add(node, [
    el("ol", { class: "sources", "aria-label": "Sources" }, sources.map((source) => el("li", {},
      el("blockquote", {}, marked(source)),
      el("a", { href: entryLink(source.kind, source.id) }, `${kindWords(source.kind)} of ${fullDay(dayKey(source.at))}, ${clockTime(source.at)}`)))),
    contacts.length > 0 && el("ul", { class: "topics", "aria-label": "People" }, contacts.map((one) => el("li", {},
      one.faceImageURL && el("img", { class: "avatar", src: smaller(one.faceImageURL, 96, 96), alt: "" }), one.relationship ? `${one.name}, ${one.relationship}` : one.name))),
    el("p", { class: "hint" }, `${engines[engine] ?? `Answered by ${engine}`} · confidence ${Math.round(confidence * 100)} %`),
  ]);
  return node;
}
