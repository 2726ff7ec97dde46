import { announce } from "../lib/announce.js";
import { length } from "../lib/dates.js";
import { el, fill, freshID } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { voicePlayer } from "./player.js";
import { toWAV } from "./wav.js";

/** Seconds. As WAV this is 24 MB; the server accepts 25. */
const longestNote = 8 * 60;

/** Seconds. A shorter recording may contain nothing that can be decoded. */
const shortest = 0.4;

const refusals = {
  NotAllowedError: "The microphone is blocked for this page. Allow it in the browser's address bar or its settings, then try again.",
  NotFoundError: "No microphone was found.",
  NotReadableError: "The microphone cannot be opened. Another program may be using it.",
};

/**
 * The part of a form that records a voice note: record, stop, play, discard.
 * `longest` is in seconds; then recording stops. `name` names the recording in the texts. `onChange` is called when there is a new
 * recording or none. `file()` returns the recording, `busy()` whether it is under way; `clear()` discards it and releases the microphone;
 * `rest()` releases the microphone and keeps what was recorded.
 */
export function voiceField({ name = "voice note", longest = longestNote, onChange = () => {} } = {}) {
  const label = freshID("voice");
  const stage = el("div", { class: "voice-stage" });
  const node = el("div", { class: "field voice", role: "group", "aria-labelledby": label }, el("span", { class: "label", id: label }, name[0].toUpperCase() + name.slice(1)), stage);
  let take = null;
  let recording = null;
  let player = null;
  let isWaiting = false;
  // Counts starts and stops, so that an outdated `record()` notices that it must stop.
  let turn = 0;

  function idle(problem) {
    const button = el("button", { type: "button", class: "quiet", on: { click: record } }, icon("microphone"), `Record a ${name}`);
    fill(stage, button, problem && el("p", { class: "problem", role: "alert" }, problem));
    return button;
  }

  async function record() {
    const mine = (turn += 1);
    if (!navigator.mediaDevices?.getUserMedia) {
      idle("Browsers can record only on https pages, or on the server's own machine.");
      return;
    }
    fill(stage, el("p", { class: "hint", role: "status" }, "Waiting for the microphone…"));
    let stream;
    isWaiting = true;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, noiseSuppression: true } });
    } catch (error) {
      if (mine === turn) idle(refusals[error.name] ?? `Recording did not start: ${error.message}`).focus();
      return;
    } finally {
      if (mine === turn) isWaiting = false;
    }
    if (mine !== turn) {
      for (const track of stream.getTracks()) track.stop();
      return;
    }
    begin(stream);
  }

  function begin(stream) {
    const recorder = new MediaRecorder(stream);
    const chunks = [];
    const started = performance.now();
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 1024 });
    context.createMediaStreamSource(stream).connect(analyser);
    const level = el("span", { class: "share", role: "meter", "aria-label": "Level", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 0 });
    const limit = longest === longestNote ? "" : ` / ${length(longest)}`;
    const time = el("span", { class: "time" }, length(0) + limit);
    const bars = [...Array(24)].map(() => el("i"));
    const samples = new Float32Array(analyser.fftSize);
    const clock = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const loudness = Math.min(1, Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) * 4);
      level.setAttribute("aria-valuenow", Math.round(loudness * 100));
      level.style.setProperty("--share", loudness.toFixed(3));
      for (let at = 0; at < bars.length - 1; at += 1) bars[at].style.setProperty("--level", bars[at + 1].style.getPropertyValue("--level"));
      bars.at(-1).style.setProperty("--level", loudness.toFixed(3));
      const seconds = (performance.now() - started) / 1000;
      time.textContent = length(seconds) + limit;
      if (seconds >= longest) stop();
    }, 80);
    const stop = () => { if (recorder.state !== "inactive") recorder.stop(); };
    const release = () => {
      clearInterval(clock);
      for (const track of stream.getTracks()) track.stop();
      context.close();
      recording = null;
    };
    recorder.addEventListener("dataavailable", (event) => chunks.push(event.data));
    recorder.addEventListener("stop", async () => {
      const dropped = recording?.dropped;
      const seconds = (performance.now() - started) / 1000;
      release();
      if (dropped) return;
      if (seconds < shortest) {
        idle("The recording is too short. Record again.").focus();
        return;
      }
      const mine = turn;
      fill(stage, el("p", { class: "hint", role: "status" }, "Preparing…"));
      try {
        const wav = await toWAV(new Blob(chunks, { type: recorder.mimeType }));
        if (mine === turn) keep(wav);
      } catch {
        if (mine === turn) idle("The browser could not read its own recording. Try again.").focus();
      }
    });
    recording = { stop, dropped: false };
    recorder.start(1000);
    const button = el("button", { type: "button", class: "danger", on: { click: stop } }, icon("stop"), "Stop recording");
    fill(stage, el("div", { class: "recording" }, button, el("span", { class: "levels", "aria-hidden": "true" }, bars), time, level));
    button.focus();
    announce("Recording.");
  }

  function keep(wav) {
    take = new File([wav], "voice.wav", { type: "audio/wav" });
    const link = URL.createObjectURL(wav);
    player = { link, ...voicePlayer({ source: link, peaks: peaksOf(wav), name }) };
    const drop = el("button", { type: "button", class: "quiet", on: { click: () => { clear().focus(); announce("Recording discarded."); } } }, icon("bin"), "Discard");
    fill(stage, player.node, drop);
    // The button that stopped the recording is gone. If the focus is on the body, the user has not moved it to another element meanwhile.
    if (document.activeElement === document.body) player.node.querySelector("button").focus();
    announce("Recorded. You can play it, discard it, or keep it.");
    onChange();
  }

  function clear() {
    turn += 1;
    if (recording) {
      recording.dropped = true;
      recording.stop();
    }
    if (player) {
      player.stop();
      URL.revokeObjectURL(player.link);
    }
    take = null;
    player = null;
    onChange();
    return idle();
  }

  function rest() {
    if (isWaiting) {
      isWaiting = false;
      turn += 1;
      idle();
    }
    recording?.stop();
    player?.stop();
  }

  idle();
  return { node, rest, file: () => take, busy: () => recording !== null, clear };
}

/** As the server computes them: 200 values of 0…1, the loudest of them 1. */
async function peaksOf(wav) {
  const samples = new Int16Array(await wav.slice(44).arrayBuffer());
  const peaks = [...Array(200)].map((_, index) => {
    let most = 0;
    const end = Math.floor(((index + 1) * samples.length) / 200);
    for (let at = Math.floor((index * samples.length) / 200); at < end; at += 1) most = Math.max(most, Math.abs(samples[at]));
    return most;
  });
  const loudest = Math.max(...peaks, 1);
  return peaks.map((peak) => peak / loudest);
}
