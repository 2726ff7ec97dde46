import { svg } from "./dom.js";

// Drawn on 24 × 24, in the colour of the text.
const paths = {
  timeline: ["M5 4v16", "M9.5 6.5h9", "M9.5 12h6", "M9.5 17.5h8"],
  keep: ["M12 5v14", "M5 12h14"],
  photos: ["M4 6.5A1.5 1.5 0 0 1 5.5 5h13A1.5 1.5 0 0 1 20 6.5v11a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5z", "M4.5 16.5l4.5-4.5 4 4 2.5-2.5 4 4", "M15.5 9.3h.01"],
  calendar: ["M5 7.5A1.5 1.5 0 0 1 6.5 6h11A1.5 1.5 0 0 1 19 7.5v10a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 17.5z", "M5 10.5h14", "M9 4v3.5", "M15 4v3.5"],
  search: ["M11 17a6 6 0 1 0 0-12 6 6 0 0 0 0 12z", "M15.5 15.5L20 20"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  back: ["M14.5 5.5L8 12l6.5 6.5"],
  forward: ["M9.5 5.5L16 12l-6.5 6.5"],
  bin: ["M5 7h14", "M9.5 7V5h5v2", "M7 7l.8 12h8.4L17 7", "M10.3 10.5v5", "M13.7 10.5v5"],
  play: ["M8 5.5v13l10.5-6.5z"],
  pause: ["M8.5 6v12", "M15.5 6v12"],
  stop: ["M7 7h10v10H7z"],
  microphone: ["M12 14.5a3 3 0 0 0 3-3v-5a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3z", "M6.5 11.5a5.5 5.5 0 0 0 11 0", "M12 17v3"],
  upload: ["M12 15.5V5", "M7.5 9.5L12 5l4.5 4.5", "M5 15.5v2A1.5 1.5 0 0 0 6.5 19h11a1.5 1.5 0 0 0 1.5-1.5v-2"],
  save: ["M12 5v10.5", "M7.5 11L12 15.5 16.5 11", "M5 15.5v2A1.5 1.5 0 0 0 6.5 19h11a1.5 1.5 0 0 0 1.5-1.5v-2"],
  leave: ["M10 5H6.5A1.5 1.5 0 0 0 5 6.5v11A1.5 1.5 0 0 0 6.5 19H10", "M14 8l4 4-4 4", "M18 12H9.5"],
  place: ["M12 20c4-4.3 6-7.3 6-10a6 6 0 0 0-12 0c0 2.7 2 5.7 6 10z", "M12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"],
  film: ["M5 6.5h14v11H5z", "M10.5 9.5v5l4-2.5z"],
  memory: ["M7 20V5.5A1.5 1.5 0 0 1 8.5 4h7A1.5 1.5 0 0 1 17 5.5V20l-5-3.5z"],
  event: ["M12 4l2.3 5 5.2.6-3.9 3.6 1.1 5.3L12 15.8l-4.7 2.7 1.1-5.3L4.5 9.6 9.7 9z"],
  mood: ["M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16z", "M9 10h.01", "M15 10h.01", "M8.5 14c1 1.3 2.2 2 3.5 2s2.5-.7 3.5-2"],
  capsules: ["M5 10v4", "M8.5 7v10", "M12 4.5v15", "M15.5 8v8", "M19 10.5v3"],
  person: ["M12 12a3.7 3.7 0 1 0 0-7.4 3.7 3.7 0 0 0 0 7.4z", "M5 19.5c.7-3.3 3.4-5 7-5s6.3 1.7 7 5"],
  again: ["M18.5 12a6.5 6.5 0 1 1-2-4.7", "M18.5 4.5v4h-4"],
};

const solid = new Set(["play", "stop"]);

/** An icon. It is hidden from screen readers: the text beside it, or its button's label, names it. */
export function icon(name) {
  return svg(
    "svg", { viewBox: "0 0 24 24", class: solid.has(name) ? "icon solid" : "icon", "aria-hidden": "true", focusable: "false" },
    paths[name].map((path) => svg("path", { d: path })));
}
