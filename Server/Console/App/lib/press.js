// A press that has begun. The browser reports a click only if the element under the pointer is the same at the beginning and at the end of
// the press. If the page puts another element there in between, because an event or a response arrives, the click is lost. So what changes
// the page without the user waits for `released()`: the responses to requests (api.js, stream.js), the live events (app.js) and timers.

/** Milliseconds after which the page no longer waits. Browsers do not report the end of some presses, such as those that open a native menu. */
const longest = 5_000;
/** Milliseconds, at most, between the end of a touch and its click. A mouse clicks at once. */
const touchToClick = 100;

/** `{ over, done, timer }`, or `null` while nothing is pressed. */
let press = null;

function begin() {
  end();
  let done;
  const over = new Promise((resolve) => { done = resolve; });
  press = { over, done, timer: setTimeout(end, longest) };
}

/** The click follows the events that end a press, so the page waits for a further task. */
function endAfter(milliseconds) {
  if (!press) return;
  clearTimeout(press.timer);
  press.timer = setTimeout(end, milliseconds);
}

function end() {
  if (!press) return;
  const { done, timer } = press;
  clearTimeout(timer);
  press = null;
  done();
}

function listen(name, listener) {
  // Before the listeners of the page, which may stop the event.
  window.addEventListener(name, listener, { capture: true, passive: true });
}

const lifted = (event) => endAfter(event.pointerType === "mouse" ? 0 : touchToClick);
listen("pointerdown", (event) => { if (event.isPrimary && event.button === 0) begin(); });
listen("pointerup", lifted);
listen("pointercancel", lifted);
// The pointer was lifted where the page did not notice it.
listen("pointermove", (event) => { if (press && event.buttons === 0 && event.pointerType === "mouse") endAfter(0); });
// The space bar clicks a button when it is released.
listen("keydown", (event) => { if (event.key === " " && !event.repeat && event.target.closest?.("button, summary")) begin(); });
listen("keyup", () => endAfter(0));
window.addEventListener("blur", end);

/** Resolves when no pointer is pressed on the page: at once, or after the click. */
export async function released() {
  await press?.over;
}
