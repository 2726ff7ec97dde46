import { toast } from "../lib/announce.js";
import { call, mine, query } from "../lib/api.js";
import { clockIn, dayIn, fullDay, momentIn, spokenLength } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { face } from "../lib/moods.js";
import { accountZone, kind as fileKind, title as fileTitle } from "../media/files.js";
import { gallery, voice } from "../media/gallery.js";
import { spoken } from "../media/spoken.js";
import { captureLink, captureName, captureParts } from "./capture.js";
import { edit, isEditable } from "./edit.js";

// An entry of the timeline or of the search results.

/** Below the user's address, or from the root. */
const paths = { mood: "moods", memory: "memories", event: "events", file: "multimedia", capsule: "/v0/capsules", capture: "/captures" };
const kinds = { mood: "Mood", memory: "Memory", event: "Event", capsule: "Capsule", capture: "Capture", file: "File" };
const files = { photo: "Photo", film: "Film", sound: "Sound" };

const pathOf = (kind, id) => (paths[kind].startsWith("/") ? `${paths[kind]}/${encodeURIComponent(id)}` : mine(`/${paths[kind]}/${encodeURIComponent(id)}`));

export const isKind = (kind) => kind in kinds;
export const kindWords = (kind) => kinds[kind] ?? "Entry";

/** The page of one entry. */
export function entryLink(kind, id) {
  if (kind === "capture") return captureLink(id);
  if (kind === "capsule") return `#/capsules?id=${encodeURIComponent(id)}`;
  return `#/entry${query({ kind, id })}`;
}

/** Whether this console can show the item; a newer server may have more kinds. */
export const isKnown = (item) => item.kind in kinds;
export const content = (item) => item[item.kind];
export const words = (item) => (item.kind === "file" ? files[fileKind(content(item).type)] : kinds[item.kind]);
export const identity = (item) => `${item.kind}/${content(item).id ?? content(item).fileId}`;

/** Reads one entry, as the timeline contains it. */
export async function readEntry(kind, id, signal) {
  const answer = await call("GET", pathOf(kind, id), { signal });
  const data = answer[kind] ?? answer.file ?? answer;
  return itemOf(kind, data);
}

/** An entry's data as the timeline contains it. */
function itemOf(kind, data) {
  return { kind, at: new Date((kind === "event" ? data.date : kind === "file" ? data.takenAt : null) ?? data.timestamp ?? data.createdAt ?? data.created_at).getTime(), [kind]: data };
}

/**
 * Calls `gone` after the item was deleted. With `changed`, the user can change it; `changed(item)` gets the new item and returns the node
 * that shows it, which gets the focus. `extra` replaces the text.
 */
export function entry(item, { gone = () => {}, changed, extra, withDay = false } = {}) {
  const data = content(item);
  const kind = item.kind;
  const zone = accountZone();
  // `at` is the time of an event, the time at which a file was taken, and the time of creation of everything else.
  const when = withDay ? `${fullDay(dayIn(zone, item.at))}, ${clockIn(zone, item.at)}` : clockIn(zone, item.at);
  const name = kind === "mood" ? data.mood : kind === "file" ? fileTitle(data)
    : kind === "capsule" ? `A recording of ${spokenLength(data.duration)}` : kind === "capture" ? captureName(data) : data.title;
  const isSound = kind === "file" && fileKind(data.type) === "sound";
  const sound = isSound ? voice(data.url, data.duration) : data.voiceNote && voice(data.voiceNote, data.voiceNoteDuration);
  const pictures = kind === "file" ? (isSound ? [] : [data]) : data.imageUrls ?? [];
  return el(
    "article", { class: `entry ${kind}`, "aria-label": `${words(item)}: ${name}` },
    kind === "mood" ? face(data.mood) : el("span", { class: "face sign", "aria-hidden": "true" }, icon(isSound ? "microphone" : { file: "photos", capsule: "capsules", capture: "captures" }[kind] ?? kind)),
    el("header", {},
      el("h3", {}, name),
      el("p", { class: "when" }, el("span", { class: "kind" }, words(item)), el("time", { datetime: new Date(item.at).toISOString(), title: momentIn(zone, item.at) }, when))),
    kind === "mood" && data.moodIntensity && intensity(data.moodIntensity),
    data.location && el("p", { class: "place" }, icon("place"), data.location),
    !extra && [data.note, data.description].filter(Boolean).map((text) => el("p", { class: "text" }, text)),
    !extra && data.reason && el("p", { class: "text reason" }, el("b", {}, "Because "), data.reason),
    kind === "capsule" && spoken(data, { isShort: true }).nodes,
    extra,
    kind === "capture" && captureParts(data, { isShort: true, hasWords: !extra }),
    sound,
    pictures.length > 0 && gallery(pictures, name),
    el("footer", {},
      kind === "capsule" && el("a", { href: entryLink(kind, data.id) }, data.status === "completed" || data.status === "failed" ? "Open" : "Not ready yet"),
      kind === "capture" && el("a", { href: captureLink(data.id) }, "Open"),
      data.tags?.length > 0 && el("ul", { class: "tags", "aria-label": "Tags" },
        data.tags.map((tag) => el("li", {}, el("a", { href: `#/timeline?tag=${encodeURIComponent(tag)}` }, tag)))),
      changed && isEditable(kind) && el("button", {
        type: "button", class: "small edit", "aria-label": `Change ${words(item)}: ${name}`, title: "Change", on: { click: () => change(item, name, changed) },
      }, icon("edit")),
      el("button", {
        type: "button", class: "small", "aria-label": `Delete ${words(item)}: ${name}`, title: "Delete", on: { click: () => remove(item, name, gone) },
      }, icon("bin"))));
}

function intensity(value) {
  return el("p", { class: "intensity" },
    el("span", { class: "unseen" }, `Intensity ${value} of 10`),
    el("span", { class: "dots", "aria-hidden": "true" }, [...Array(10).keys()].map((at) => el("i", { class: at < value ? "on" : "" }))));
}

async function change(item, name, changed) {
  const data = await edit(item.kind, content(item), name);
  if (data) (await changed(itemOf(item.kind, data)))?.querySelector("button.edit")?.focus();
}

async function remove(item, name, gone) {
  const kind = words(item).toLowerCase();
  if (!(await confirm(`Delete this ${kind}?`, `“${name}” and everything that belongs to it will be deleted permanently.`, "Delete"))) return;
  try {
    await call("DELETE", pathOf(item.kind, content(item).id ?? content(item).fileId));
    gone(item);
    toast("Deleted.");
  } catch (error) {
    toast(error.message, "bad");
  }
}
