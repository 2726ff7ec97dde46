import { el } from "../lib/dom.js";
import { here, smaller } from "../lib/links.js";
import { peaks } from "./files.js";
import { voicePlayer } from "./player.js";
import { view } from "./viewer.js";

// The sound and the pictures of an entry.

export function voice(link, duration = 0) {
  return voicePlayer({ source: here(link), duration, peaks: peaks(link) }).node;
}

/** `pictures` contains links or library files. */
export function gallery(pictures, name) {
  const buttons = pictures.map((picture, index) => {
    const link = picture.url ?? picture;
    return el(
      "button", { type: "button", "aria-label": `Open ${index + 1} of ${pictures.length} of ${name}`, on: { click: () => view(pictures, index, { back: (one) => buttons[pictures.indexOf(one)] }) } },
      el("img", { src: pictures.length === 1 ? smaller(link, 1024, 1024, "contain") : smaller(link, 512, 512), alt: "", loading: "lazy", decoding: "async" }));
  });
  return el("div", { class: `pictures count-${Math.min(pictures.length, 4)}` }, buttons);
}
