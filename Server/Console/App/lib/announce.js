// What is said beside what is shown.

let wait;

/** For who listens: shown to nobody. */
export function announce(text) {
  const node = document.getElementById("announcer");
  // Emptied first, so that the same words are said again.
  node.textContent = "";
  clearTimeout(wait);
  wait = setTimeout(() => { node.textContent = text; }, 60);
}

/** For everybody, for some seconds. */
export function toast(text, kind = "good") {
  const box = document.getElementById("toasts");
  const note = document.createElement("p");
  note.className = `toast ${kind}`;
  note.textContent = text;
  box.append(note);
  while (box.children.length > 3) box.firstElementChild.remove();
  setTimeout(() => note.remove(), 6000);
}
