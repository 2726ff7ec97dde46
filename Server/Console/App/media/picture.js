import { el, freshID } from "../lib/dom.js";

/** The types of a picture that others see. The server decides by the content. */
const acceptedPictures = "image/jpeg,image/png,image/webp,image/heic,image/heif,.heic,.heif";

/** Bytes of one picture, at most. */
const largest = 10 * 1024 * 1024;

/** The bytes of a picture in Base64, as JSON carries them. */
export function base64(file) {
  if (file.size > largest) return Promise.reject(new Error(`${file.name} is larger than 10 MB.`));
  if (file.size === 0) return Promise.reject(new Error(`${file.name} is empty.`));
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
}

/** A field for one picture. `data()` resolves to its bytes in Base64, or to `undefined` when none was picked. */
export function pictureField(label) {
  const id = freshID("picture");
  const name = el("p", { class: "hint" }, "JPEG, PNG, WebP or HEIC, up to 10 MB");
  const input = el("input", { type: "file", id, accept: acceptedPictures, class: "unseen", on: { change: () => { if (input.files[0]) name.textContent = input.files[0].name; } } });
  return {
    node: el("div", { class: "field" }, input, el("label", { class: "button quiet", for: id }, label), name),
    data: async () => (input.files[0] ? base64(input.files[0]) : undefined),
  };
}

/** A button that lets the user pick a picture, and calls `take(file)` with it. */
export function pictureButton(label, take, { name } = {}) {
  const id = freshID("picture");
  const input = el("input", { type: "file", id, accept: acceptedPictures, class: "unseen", "aria-label": name, on: { change: pick } });

  function pick() {
    const file = input.files[0];
    // This lets the user pick the same file again.
    input.value = "";
    if (file) take(file);
  }

  return [input, el("label", { class: "button quiet", for: id, "aria-hidden": name ? "true" : null }, label)];
}
