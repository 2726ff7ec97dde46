// Messages beside the page's content.

const announcer = document.getElementById("announcer");
const toasts = document.getElementById("toasts");
let wait;

/**
 * Moves the messages into the topmost open dialog, or back to the page. A modal dialog covers everything outside it, and screen readers
 * ignore what it covers.
 */
export function moveMessages() {
  const place = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  for (const node of [announcer, toasts]) if (node.parentElement !== place) place.append(node);
}

/** Removes all messages, which may quote what the user keeps. */
export function clearMessages() {
  clearTimeout(wait);
  announcer.textContent = "";
  toasts.replaceChildren();
}

/** For screen readers only; not visible. */
export function announce(text) {
  // Emptied first, so that screen readers also announce a repeated text.
  announcer.textContent = "";
  clearTimeout(wait);
  wait = setTimeout(() => { announcer.textContent = text; }, 60);
}

/** A visible message, for a few seconds. */
export function toast(text, kind = "good") {
  const note = document.createElement("p");
  note.className = `toast ${kind}`;
  note.textContent = text;
  toasts.append(note);
  while (toasts.children.length > 3) toasts.firstElementChild.remove();
  setTimeout(() => note.remove(), 6000);
}

/** Runs `work` and shows its error, if any. */
export async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message, "bad");
  }
}
