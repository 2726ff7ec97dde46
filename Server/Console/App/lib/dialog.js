import { moveMessages } from "./announce.js";
import { el, freshID } from "./dom.js";

const reachable = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, audio[controls], video[controls], [tabindex='0']";

/** Opens a modal dialog that traps the focus. When it closes, the focus returns to `back()`, or to the element that had it before. */
export function open(dialog, { back = () => null, onClose = () => {} } = {}) {
  const before = document.activeElement;
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const stops = [...dialog.querySelectorAll(reachable)].filter((node) => node.checkVisibility());
    if (stops.length === 0) return;
    const [first, last] = [stops[0], stops.at(-1)];
    // The browser's own trap lets Tab leave the page for the browser's toolbar; here Tab cycles within the dialog.
    if (event.shiftKey && (document.activeElement === first || !stops.includes(document.activeElement))) {
      event.preventDefault();
      last.focus();
    } else if (!event.shiftKey && document.activeElement === last) {
      event.preventDefault();
      first.focus();
    }
  });
  dialog.addEventListener("close", () => {
    moveMessages();
    dialog.remove();
    onClose();
    const place = back() ?? before;
    if (place?.isConnected) place.focus();
    // The list has drawn the row with the button again, so that button no longer exists.
    else if (document.activeElement === document.body) document.getElementById("main").focus();
  }, { once: true });
  document.body.append(dialog);
  dialog.showModal();
  moveMessages();
}

/** Asks the user to confirm an action. `refusal` names the button that does nothing. Resolves to whether they confirmed. */
export function confirm(title, text, action, refusal = "Keep it") {
  return new Promise((resolve) => {
    const [heading, words] = [freshID("confirm"), freshID("confirm")];
    let answer = false;
    const close = (value) => { answer = value; dialog.close(); };
    const dialog = el(
      "dialog", { class: "confirm", role: "alertdialog", "aria-labelledby": heading, "aria-describedby": words },
      el("h2", { id: heading }, title), el("p", { id: words }, text),
      el("div", { class: "actions" },
        el("button", { type: "button", class: "quiet", autofocus: true, on: { click: () => close(false) } }, refusal),
        el("button", { type: "button", class: "danger", on: { click: () => close(true) } }, action)));
    open(dialog, { onClose: () => resolve(answer) });
  });
}
