// The scroll position of the views in the browser's history. A view is made again when the user goes back to it, and reads its rows page by
// page, so the browser cannot restore the position by itself.

/** Milliseconds after which a view that is opened again, and has not reached its former height, must have grown further. */
const patience = 10_000;

/** By the key of a history entry: the scroll position when the user left it. */
const positions = new Map();
let here = null;
let stop = () => {};

/**
 * Calls `open` when the address changes to that of another view. If the user went back or forward, the page then scrolls to where the user
 * left that view, as soon as it is high enough. Returns a function that scrolls to the top, for a view that is opened for the first time.
 */
export function onBack(open) {
  history.scrollRestoration = "manual";
  here = keyOf();
  window.addEventListener("hashchange", () => {
    // The address is new, but the page still shows the old view.
    positions.set(here, window.scrollY);
    const isKnown = history.state?.place !== undefined;
    here = keyOf();
    open();
    if (isKnown && positions.has(here)) restore(positions.get(here));
  });
  function toTop() {
    stop();
    window.scrollTo(0, 0);
  }

  // A link to the open view would replace its history entry with one that has no key.
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.target.closest?.("a[href]")?.href !== location.href) return;
    event.preventDefault();
    toTop();
  });
  return toTop;
}

/** The key of the current history entry. An entry without one is new. */
function keyOf() {
  if (history.state?.place === undefined) history.replaceState({ place: Math.random() }, "");
  return history.state.place;
}

/** Scrolls to `top` while the page grows, until it is reached or the user scrolls. */
function restore(top) {
  const signals = ["wheel", "touchstart", "pointerdown", "keydown"];
  let timer = setTimeout(() => stop(), patience);
  const growth = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => stop(), patience);
    window.scrollTo(0, top);
    if (Math.abs(window.scrollY - top) <= 1) stop();
  });
  stop = () => {
    stop = () => {};
    growth.disconnect();
    clearTimeout(timer);
    for (const name of signals) window.removeEventListener(name, stopNow);
  };
  const stopNow = () => stop();
  for (const name of signals) window.addEventListener(name, stopNow, { passive: true });
  growth.observe(document.getElementById("main"));
}
