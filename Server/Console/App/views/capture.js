import { toast } from "../lib/announce.js";
import { call } from "../lib/api.js";
import { clockTime, dayKey, fullDay, momentTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { formDialog, text } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { here } from "../lib/links.js";
import { peaks } from "../media/files.js";
import { gallery } from "../media/gallery.js";
import { voicePlayer } from "../media/player.js";
import { button, tabs } from "./parts.js";

// One capture: in the list of captures, on its own page, on the timeline and in search results. And what the views of captures share.

const pages = { "/captures": "Latest", "/captures/day": "Day", "/captures/people": "Mentioned", "/ask": "Ask" };

export const captureTabs = (here) => tabs("Captures", pages, here);
export const eventTypes = /^(capture|contact|summary)\./;

const states = { received: "Received", processing: "Being processed", failed: "Not analysed" };
const writers = { client: "Words from the app", user: "Corrected by you" };
/** Characters of a name. */
const longestName = 90;

export const captureLink = (id) => `#/captures?id=${encodeURIComponent(id)}`;
const pathOf = (capture) => `/captures/${encodeURIComponent(capture.id)}`;

/** Its key sentence, or what it consists of. */
export function captureName(capture) {
  const said = capture.analysis?.keyMoment ?? capture.transcription;
  if (said) {
    const letters = Array.from(said.trim().replace(/\s+/g, " "));
    return letters.length > longestName ? `${letters.slice(0, longestName - 1).join("").trimEnd()}…` : letters.join("");
  }
  if (capture.photoURL) return capture.audioURL ? "A photo and a recording" : "A photo";
  return capture.audioURL ? "A recording" : "A capture without words";
}

/** An article with all that the server knows of a capture. `done(isGone)` is called after the user has changed or deleted it. */
export function captureEntry(capture, { done, title = "h3", isAlone = false }) {
  const name = captureName(capture);
  const when = isAlone ? `${fullDay(dayKey(capture.timestamp))}, ${clockTime(capture.timestamp)}` : clockTime(capture.timestamp);
  const themes = capture.analysis?.themes ?? [];
  return el("article", { class: "entry capture", "aria-label": `Capture: ${name}` },
    el("span", { class: "face sign", "aria-hidden": "true" }, icon("captures")),
    el("header", {},
      el(title, {}, isAlone ? name : el("a", { href: captureLink(capture.id) }, name)),
      el("p", { class: "when" }, state(capture), el("time", { datetime: capture.timestamp, title: momentTitle(capture.timestamp) }, when))),
    captureParts(capture),
    el("footer", {},
      themes.length > 0 && el("ul", { class: "topics", "aria-label": "Themes" }, themes.map((theme) => el("li", {}, theme))),
      el("div", { class: "actions" },
        button("Correct", () => correct(capture, done), { name }),
        el("button", { type: "button", class: "small", "aria-label": `Delete Capture: ${name}`, title: "Delete", on: { click: () => remove(capture, name, done) } }, icon("bin")))));
}

/** A processed capture has no badge. */
const state = ({ status }) => states[status] && el("span", { class: `badge ${status === "failed" ? "bad" : "waiting"}` }, states[status]);

/** Its words, what the engine found, its recording and its photo. The short form is for the timeline; search shows words of its own. */
export function captureParts(capture, { isShort = false, hasWords = true } = {}) {
  const { analysis } = capture;
  const name = captureName(capture);
  const found = isShort ? [] : [
    ["People", analysis?.mentionedNames.join(", ")], ["Mood", analysis?.mood], ["Picture", analysis?.imageSummary], ["Text in the picture", analysis?.imageText],
    ["Faces", analysis?.detectedFaces.map((one) => (one.possibleName ? `${one.possibleName}: ${one.description}` : one.description)).join("; ")],
  ].filter(([, value]) => value);
  const engines = [capture.transcription && (writers[capture.transcriptionEngine] ?? (capture.transcriptionEngine && `Transcribed by ${capture.transcriptionEngine}`)),
    analysis && engineWords(analysis.engine)].filter(Boolean);
  return [
    isShort && state(capture) && el("p", {}, state(capture)),
    hasWords && capture.transcription && capture.transcription.trim() !== name && el("p", { class: "text" }, capture.transcription),
    analysis?.location && hasWords && el("p", { class: "place" }, icon("place"), analysis.location),
    found.length > 0 && el("dl", { class: "facts" }, found.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value)))),
    recording(capture.audioURL),
    picture(capture.photoURL, name),
    !isShort && capture.error && el("p", { class: "problem" }, `The capture could not be analysed: ${capture.error}`),
    !isShort && analysis?.error && el("p", { class: "hint" }, `This server's own engine made the analysis, because the other engine failed: ${analysis.error}`),
    !isShort && engines.length > 0 && el("p", { class: "hint" }, engines.join(" · ")),
  ];
}

export const engineWords = (engine) => (engine === "local" ? "Analysed on this server" : `Analysed by ${engine}`);

/** Only this server's links are signed. Any other address is what the app sent, and no page of the console loads it. */
const isOurs = (link) => URL.canParse(link, location.href) && new URL(link, location.href).searchParams.has("signature");

function recording(link) {
  if (!link) return null;
  if (!isOurs(link)) return el("p", { class: "hint" }, `Recording on another server: ${link}`);
  // Only files of the library have a waveform.
  const shape = new URL(link, location.href).pathname.includes("/multimedia/") ? peaks(link) : [];
  return voicePlayer({ source: here(link), peaks: shape, name: "recording" }).node;
}

function picture(link, name) {
  if (!link) return null;
  if (!isOurs(link)) return el("p", { class: "hint" }, `Photo on another server: ${link}`);
  const node = gallery([link], name);
  // Few browsers can show HEIC.
  node.querySelector("img").addEventListener("error", () => node.replaceWith(el("p", { class: "hint" }, "This browser cannot show the photo. ", el("a", { href: here(link), download: "" }, "Download it"))));
  return node;
}

async function correct(capture, done) {
  const changed = await formDialog({
    title: "Correct the words", about: "The server analyses the capture again with your words, and then updates the summaries.", action: "Save",
    content: text("transcription", "What was said", { value: capture.transcription ?? "", rows: 7, maxlength: 100_000, hint: "If empty, the capture has no words." }),
    send: ({ transcription }) => call("PATCH", pathOf(capture), { body: { transcription: transcription || null } }),
  });
  if (!changed) return;
  toast("Saved. The server analyses the capture again.");
  await done();
}

async function remove(capture, name, done) {
  if (!(await confirm("Delete this capture?", `“${name}” will be deleted permanently, also from summaries, people, search and the library.`, "Delete"))) return;
  try {
    await call("DELETE", pathOf(capture));
  } catch (error) {
    // 404 means that it is already deleted, which is the goal.
    if (error.status !== 404) {
      toast(error.message, "bad");
      return;
    }
  }
  toast("Deleted.");
  await done(true);
}
