import { length, spokenLength } from "../lib/dates.js";
import { el, fill, svg } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

let playing = null;

/** A waveform of `count` bars on 400 × 40. It is scaled to the loudest value, so that quiet speech is visible; silence stays flat. */
function outline(values, count) {
  const width = 400 / count;
  const loudest = Math.max(0.05, ...values);
  let shape = "";
  for (let index = 0; index < count; index += 1) {
    const from = Math.floor((index * values.length) / count);
    const peak = Math.max(...values.slice(from, Math.max(from + 1, Math.floor(((index + 1) * values.length) / count))));
    const half = Math.max(1, (18 * peak) / loudest);
    shape += `M${index * width + width * 0.175} ${20 - half}h${width * 0.65}v${half * 2}h-${width * 0.65}z`;
  }
  return shape;
}

/** A waveform without a player. `peaks` is a promise of its values. */
export function form(peaks, count) {
  const path = svg("path", { class: "rest", d: outline([0], count) });
  Promise.resolve(peaks).then((values) => { if (values?.length > 0) path.setAttribute("d", outline(values, count)); }).catch(() => {});
  return svg("svg", { class: "wave", viewBox: "0 0 400 40", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, path);
}

/**
 * A player with a waveform that shows the position.
 * `peaks` is a promise of values of 0…1; without them the waveform is flat. `duration` is in seconds, if known. Calls `onMove` with the
 * position in seconds as it changes. Returns `playFrom(seconds)` and `stop()`.
 */
export function voicePlayer({ source, peaks, duration = 0, name = "voice note", onMove = () => {} }) {
  const audio = el("audio", { src: source, preload: "none" });
  const button = el("button", { type: "button", class: "round", on: { click: toggle } });
  const time = el("span", { class: "time" }, length(duration));
  const played = svg("rect", { x: 0, y: 0, width: 0, height: 40 });
  const clip = `played-${Math.random().toString(36).slice(2)}`;
  const drawing = svg(
    "svg", { class: "wave", viewBox: "0 0 400 40", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    svg("defs", {}, svg("clipPath", { id: clip }, played)), svg("path", { class: "rest" }), svg("path", { class: "played", "clip-path": `url(#${clip})` }));
  const slider = el("div", {
    class: "seek", role: "slider", tabindex: 0, "aria-label": `Position in the ${name}`, "aria-valuemin": 0, on: { keydown, pointerdown, pointermove },
  }, drawing);
  const problem = el("p", { class: "problem", role: "alert" });
  const node = el("div", { class: "player" }, audio, button, slider, time, problem);
  let frame = 0;

  const total = () => (Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration : duration);

  function draw(values) {
    for (const path of drawing.querySelectorAll("path")) path.setAttribute("d", outline(values, 100));
  }

  function show() {
    const isOn = !audio.paused && !audio.ended;
    fill(button, icon(isOn ? "pause" : "play"));
    button.setAttribute("aria-label", isOn ? `Pause the ${name}` : `Play the ${name}`);
    move();
  }

  function move() {
    const [at, end] = [audio.currentTime, total()];
    played.setAttribute("width", end > 0 ? (400 * at) / end : 0);
    time.textContent = at > 0 ? `${length(at)} / ${length(end)}` : length(end);
    slider.setAttribute("aria-valuemax", Math.round(end));
    slider.setAttribute("aria-valuenow", Math.round(at));
    slider.setAttribute("aria-valuetext", `${spokenLength(at)} of ${spokenLength(end)}`);
    onMove(at);
    cancelAnimationFrame(frame);
    if (!audio.paused) frame = requestAnimationFrame(move);
  }

  async function toggle() {
    problem.textContent = "";
    if (!audio.paused) {
      audio.pause();
      return;
    }
    // Only one player plays at a time.
    if (playing && playing !== audio) playing.pause();
    playing = audio;
    try {
      await audio.play();
    } catch (error) {
      if (error.name !== "AbortError") problem.textContent = "This browser cannot play the recording.";
    }
  }

  function seek(seconds) {
    audio.currentTime = Math.max(0, Math.min(total(), seconds));
    move();
  }

  /** Plays from a position. Nothing is loaded before the first play, and seeking needs the metadata. */
  function playFrom(seconds) {
    if (audio.readyState > 0) seek(seconds);
    else audio.addEventListener("loadedmetadata", () => seek(seconds), { once: true });
    if (audio.paused) toggle();
  }

  function keydown(event) {
    const steps = { ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2, PageDown: -10, PageUp: 10 };
    if (event.key in steps) seek(audio.currentTime + steps[event.key]);
    else if (event.key === "Home") seek(0);
    else if (event.key === "End") seek(total());
    else if (event.key === " " || event.key === "Enter") toggle();
    else return;
    event.preventDefault();
  }

  function pointerdown(event) {
    slider.setPointerCapture(event.pointerId);
    seekTo(event);
  }

  function pointermove(event) {
    if (slider.hasPointerCapture(event.pointerId)) seekTo(event);
  }

  function seekTo(event) {
    const box = slider.getBoundingClientRect();
    seek(((event.clientX - box.left) / box.width) * total());
  }

  for (const event of ["play", "pause", "ended", "loadedmetadata", "durationchange"]) audio.addEventListener(event, show);
  draw([0]);
  show();
  // If the peaks cannot be loaded, the player works without them.
  Promise.resolve(peaks).then((values) => { if (values?.length > 0) draw(values); }).catch(() => {});
  return { node, playFrom, stop: () => audio.pause() };
}
