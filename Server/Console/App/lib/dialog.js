import { el, freshID } from "./dom.js";

const reachable = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, audio[controls], video[controls], [tabindex='0']";

/** Opens a dialog that keeps the focus until it closes, and gives it back to where it was, or to `back()`. */
export function open(dialog, { back = () => null, onClose = () => {} } = {}) {
  const before = document.activeElement;
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const stops = [...dialog.querySelectorAll(reachable)].filter((node) => node.checkVisibility());
    if (stops.length === 0) return;
    const [first, last] = [stops[0], stops.at(-1)];
    // The browser's own trap lets the focus out into its window; who leafs through with Tab means this dialog.
    if (event.shiftKey && (document.activeElement === first || !stops.includes(document.activeElement))) {
      event.preventDefault();
      last.focus();
    } else if (!event.shiftKey && document.activeElement === last) {
      event.preventDefault();
      first.focus();
    }
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
    const place = back() ?? before;
    if (place?.isConnected) place.focus();
  }, { once: true });
  document.body.append(dialog);
  dialog.showModal();
}

/** Asks before something cannot be undone. */
export function confirm(title, text, action) {
  return new Promise((resolve) => {
    const [heading, words] = [freshID("confirm"), freshID("confirm")];
    let answer = false;
    const close = (value) => { answer = value; dialog.close(); };
    const dialog = el(
      "dialog", { class: "confirm", role: "alertdialog", "aria-labelledby": heading, "aria-describedby": words },
      el("h2", { id: heading }, title), el("p", { id: words }, text),
      el("div", { class: "actions" },
        el("button", { type: "button", class: "quiet", autofocus: true, on: { click: () => close(false) } }, "Keep it"),
        el("button", { type: "button", class: "danger", on: { click: () => close(true) } }, action)));
    open(dialog, { onClose: () => resolve(answer) });
  });
}
