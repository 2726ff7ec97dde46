// Messages beside the page's content.

let wait;

/** For screen readers only; not visible. */
export function announce(text) {
  const node = document.getElementById("announcer");
  // Emptied first, so that screen readers also announce a repeated text.
  node.textContent = "";
  clearTimeout(wait);
  wait = setTimeout(() => { node.textContent = text; }, 60);
}

/** A visible message, for a few seconds. */
export function toast(text, kind = "good") {
  const box = document.getElementById("toasts");
  const note = document.createElement("p");
  note.className = `toast ${kind}`;
  note.textContent = text;
  box.append(note);
  while (box.children.length > 3) box.firstElementChild.remove();
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
