import { el, svg } from "./dom.js";

// Each suggested mood has a colour (style/tokens.css, by its name) and a face, so that either is enough to recognise it.
const faces = {
  happy: ["M8.5 9.5v.6", "M15.5 9.5v.6", "M7.5 14c1.1 1.9 2.6 2.8 4.5 2.8s3.4-.9 4.5-2.8"],
  calm: ["M6.8 10c.8.9 2.2.9 3 0", "M14.2 10c.8.9 2.2.9 3 0", "M9 15c2 .9 4 .9 6 0"],
  grateful: ["M12 18.2c-4.2-2.8-6.2-5-6.2-7.4A3.2 3.2 0 0 1 12 9.4a3.2 3.2 0 0 1 6.2 1.4c0 2.4-2 4.6-6.2 7.4z"],
  excited: ["M7 10.2L8.5 8.6 10 10.2", "M14 10.2l1.5-1.6 1.5 1.6", "M7.8 13.5h8.4c-.3 2.6-1.9 4-4.2 4s-3.9-1.4-4.2-4z"],
  tired: ["M6.8 10.5h3.2", "M14 10.5h3.2", "M12 17.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z"],
  sad: ["M8.5 9.5v.6", "M15.5 9.5v.6", "M8 16.8c1-1.6 2.3-2.4 4-2.4s3 .8 4 2.4"],
  anxious: ["M8.5 9.5v.6", "M15.5 9.5v.6", "M7.5 15.6l1.5-1.3 1.5 1.3 1.5-1.3 1.5 1.3 1.5-1.3 1.5 1.3"],
  angry: ["M6.8 8.5l3.2 1.6", "M17.2 8.5L14 10.1", "M8.5 11.5v.2", "M15.5 11.5v.2", "M8.5 16.5h7"],
};

export const suggestions = Object.keys(faces);

/** `other` for a mood that the user named freely. */
export function tone(mood) {
  const name = mood.trim().toLowerCase();
  return name in faces ? name : "other";
}

/** A mood's face, or the first letter of a freely named one. */
export function face(mood) {
  const kind = tone(mood);
  const node = el("span", { class: "face", "data-mood": kind, "aria-hidden": "true" });
  if (kind === "other") node.append(el("span", { class: "letter" }, (Array.from(mood.trim())[0] ?? "?").toUpperCase()));
  else node.append(svg("svg", { viewBox: "4 5 16 16", class: "icon", focusable: "false" }, faces[kind].map((path) => svg("path", { d: path }))));
  return node;
}
