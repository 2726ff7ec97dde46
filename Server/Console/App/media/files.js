import { call, session } from "../lib/api.js";
import { byteSize, length, momentIn, timeZone } from "../lib/dates.js";
import { here, waveform } from "../lib/links.js";

/** The types that the file picker offers. The server decides by the content. */
export const accepted = "image/jpeg,image/png,image/webp,image/gif,image/heic,image/heif,.heic,.heif,video/mp4,video/quicktime";

/** Bytes of one file, at most. The operator may have set another limit, see `limits`. */
export let largest = 50 * 1024 * 1024;

/** The time zone of accounts that have set none. */
let serverZone = timeZone;

/** The time zone in which the account's days begin. */
export const accountZone = () => session.user?.time_zone ?? serverZone;

/** Fulfilled once `largest` and `accountZone` are those of this server. */
export const limits = fetch("/console/limits.json")
  .then((answer) => answer.json())
  .then((answer) => {
    largest = answer.fileByteCount;
    serverZone = answer.timeZone ?? serverZone;
  })
  // The server refuses larger files in any case.
  .catch(() => {});

/** For people. */
export const largestText = () => `${Math.round(largest / 1048576)} MB`;

export const kind = (type) => (type.startsWith("video/") ? "film" : type.startsWith("audio/") ? "sound" : "photo");

/** The display name of a file. */
export function title(file) {
  return file.title || file.name || kind(file.type);
}

export function facts(file) {
  return [
    momentIn(accountZone(), file.takenAt ?? file.createdAt),
    file.width && file.height ? `${file.width} × ${file.height}` : null,
    file.duration ? length(file.duration) : null,
    byteSize(file.size),
  ].filter(Boolean).join(" · ");
}

/** The waveform of a sound: 200 values of 0…1. */
export const peaks = (link) => call("GET", waveform(link)).then((answer) => answer.peaks);

/** The Content-Type of a link. The link alone does not show it, so a HEAD request asks. */
export async function typeBehind(link) {
  const answer = await fetch(here(link), { method: "HEAD", credentials: "same-origin" });
  return answer.ok ? answer.headers.get("Content-Type") ?? "" : "";
}
