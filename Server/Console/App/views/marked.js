import { el } from "../lib/dom.js";

/** A text with its matching words marked. The server's marks count Unicode scalars; JavaScript strings count UTF-16 code units. */
export function marked({ text, marks }) {
  const scalars = Array.from(text);
  const parts = [];
  let end = 0;
  for (const [offset, count] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (offset < end || count < 1) continue;
    parts.push(scalars.slice(end, offset).join(""), el("mark", {}, scalars.slice(offset, offset + count).join("")));
    end = offset + count;
  }
  parts.push(scalars.slice(end).join(""));
  return parts;
}
