import { announce } from "../lib/announce.js";
import { byteSize } from "../lib/dates.js";
import { el, fill, freshID } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { accepted, largest, largestText } from "./files.js";

/** The field for the photos and films of a moment, with previews. At most ten. `onChange` is called after one was added or removed. */
export function picturesField({ onChange = () => {} } = {}) {
  const most = 10;
  let picked = [];
  const id = freshID("pictures");
  const list = el("ul", { class: "picked", "aria-label": "Photos and films of this moment" });
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
    onChange();
  }

  function row(file) {
    const link = URL.createObjectURL(file);
    const isFilm = file.type.startsWith("video/");
    const preview = isFilm ? el("span", { class: "sound" }, icon("film")) : el("img", { src: link, alt: "" });
    // Few browsers can show HEIC.
    preview.addEventListener("error", () => preview.replaceWith(el("span", { class: "sound" }, icon("photos"))));
    const one = { file, link, node: null };
    one.node = el("li", {}, preview, el("span", { class: "unseen" }, `${file.name}, ${byteSize(file.size)}`),
      el("button", { type: "button", class: "small", "aria-label": `Remove ${file.name}`, on: { click: () => drop(one) } }, icon("close")));
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
    announce(`${one.file.name} removed`);
    (list.querySelector("button") ?? input).focus();
    onChange();
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
