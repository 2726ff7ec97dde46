import { toast } from "../lib/announce.js";
import { call, mine } from "../lib/api.js";
import { clockTime, dayKey, fullDay, momentTitle, spokenLength } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { here, smaller } from "../lib/links.js";
import { face } from "../lib/moods.js";
import { kind as fileKind, peaks, title as fileTitle } from "../media/files.js";
import { voicePlayer } from "../media/player.js";
import { spoken } from "../media/spoken.js";
import { view } from "../media/viewer.js";

// An entry of the timeline or of the search results.

const paths = { mood: "moods", memory: "memories", event: "events", file: "multimedia" };
const kinds = { mood: "Mood", memory: "Memory", event: "Event", capsule: "Capsule", file: "File" };
const files = { photo: "Photo", film: "Film", sound: "Sound" };

/** Whether this console can show the item; a newer server may have more kinds. */
export const isKnown = (item) => item.kind in kinds;
export const content = (item) => item[item.kind];
export const words = (item) => (item.kind === "file" ? files[fileKind(content(item).type)] : kinds[item.kind]);
export const identity = (item) => `${item.kind}/${content(item).id ?? content(item).fileId}`;

/** Calls `gone` after the item was deleted. `extra` replaces the text. */
export function entry(item, { gone = () => {}, extra, withDay = false } = {}) {
  const data = content(item);
  const kind = item.kind;
  // `at` is the time of an event, and the time of creation of everything else.
  const when = withDay ? `${fullDay(dayKey(item.at))}, ${clockTime(item.at)}` : clockTime(item.at);
  const name = kind === "mood" ? data.mood : kind === "file" ? fileTitle(data) : kind === "capsule" ? `A voice of ${spokenLength(data.duration)}` : data.title;
  const isSound = kind === "file" && fileKind(data.type) === "sound";
  const sound = isSound ? voice(data.url, data.duration) : data.voiceNote && voice(data.voiceNote, data.voiceNoteDuration);
  const pictures = kind === "file" ? (isSound ? [] : [data]) : data.imageUrls ?? [];
  return el(
    "article", { class: `entry ${kind}`, "aria-label": `${words(item)}: ${name}` },
    kind === "mood" ? face(data.mood) : el("span", { class: "face sign", "aria-hidden": "true" }, icon(isSound ? "microphone" : { file: "photos", capsule: "capsules" }[kind] ?? kind)),
    el("header", {},
      el("h3", {}, name),
      el("p", { class: "when" }, el("span", { class: "kind" }, words(item)), el("time", { datetime: new Date(item.at).toISOString(), title: momentTitle(item.at) }, when))),
    kind === "mood" && data.moodIntensity && intensity(data.moodIntensity),
    data.location && el("p", { class: "place" }, icon("place"), data.location),
    !extra && [data.note, data.description].filter(Boolean).map((text) => el("p", { class: "text" }, text)),
    !extra && data.reason && el("p", { class: "text reason" }, el("b", {}, "Because "), data.reason),
    kind === "capsule" && spoken(data, { isShort: true }).nodes,
    extra,
    sound,
    pictures.length > 0 && gallery(pictures, name),
    el("footer", {},
      kind === "capsule" && el("a", { href: `#/capsules?id=${encodeURIComponent(data.id)}` }, data.status === "completed" || data.status === "failed" ? "Open" : "Not ready yet"),
      data.tags?.length > 0 && el("ul", { class: "tags", "aria-label": "Tags" },
        data.tags.map((tag) => el("li", {}, el("a", { href: `#/timeline?tag=${encodeURIComponent(tag)}` }, tag)))),
      el("button", {
        type: "button", class: "small", "aria-label": `Delete ${words(item)}: ${name}`, title: "Delete", on: { click: () => remove(item, name, gone) },
      }, icon("bin"))));
}

function intensity(value) {
  return el("p", { class: "intensity" },
    el("span", { class: "unseen" }, `Intensity ${value} of 10`),
    el("span", { class: "dots", "aria-hidden": "true" }, [...Array(10).keys()].map((at) => el("i", { class: at < value ? "on" : "" }))));
}

function voice(link, duration = 0) {
  return voicePlayer({ source: here(link), duration, peaks: peaks(link) }).node;
}

/** `pictures` contains links or library files. */
function gallery(pictures, name) {
  const buttons = pictures.map((picture, index) => {
    const link = picture.url ?? picture;
    return el(
      "button", { type: "button", "aria-label": `Open ${index + 1} of ${pictures.length} of ${name}`, on: { click: () => view(pictures, index, { back: (one) => buttons[pictures.indexOf(one)] }) } },
      el("img", { src: pictures.length === 1 ? smaller(link, 1024, 1024, "contain") : smaller(link, 512, 512), alt: "", loading: "lazy", decoding: "async" }));
  });
  return el("div", { class: `pictures count-${Math.min(pictures.length, 4)}` }, buttons);
}

async function remove(item, name, gone) {
  const kind = words(item).toLowerCase();
  if (!(await confirm(`Delete this ${kind}?`, `“${name}” and what belongs to it will be gone for good.`, "Delete"))) return;
  try {
    const id = encodeURIComponent(content(item).id ?? content(item).fileId);
    await call("DELETE", item.kind === "capsule" ? `/v0/capsules/${id}` : mine(`/${paths[item.kind]}/${id}`));
    gone(item);
    toast("Deleted.");
  } catch (error) {
    toast(error.message, "bad");
  }
}
