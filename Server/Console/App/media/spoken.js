import { el } from "../lib/dom.js";
import { here } from "../lib/links.js";
import { voicePlayer } from "./player.js";

/** Longer transcripts are expanded on request, or when playback starts. */
const fewWords = 80;

/**
 * A capsule's player with its transcript: it marks the current word, and a click on a word plays from there.
 * The words are one Tab stop; the arrow keys move between them.
 */
export function spoken(capsule, { isShort = false } = {}) {
  const words = capsule.metadata?.words ?? [];
  let buttons = [];
  let marked = null;
  let chosen = null;
  let following = false;
  let rest = null;
  const text = capsule.transcription && (words.length > 0 ? transcript() : el("p", { class: "said" }, capsule.transcription));
  const player = capsule.audio_url && voicePlayer({
    source: here(capsule.audio_url), duration: capsule.duration, peaks: capsule.metadata?.waveform ?? [], name: "capsule", onMove: follow,
  });

  function transcript() {
    const pieces = align(capsule.transcription, words);
    const node = el("p", { class: "said", role: "group", "aria-label": "Transcript; select a word to play from there", on: { keydown, click, focusin } });
    const few = Math.min(words.length, isShort ? fewWords / 2 : fewWords);
    show(pieces.slice(0, few));
    if (few < words.length) {
      rest = () => {
        rest = null;
        more.remove();
        show(pieces.slice(few));
      };
      const more = el("button", { type: "button", class: "link", on: { click: (event) => {
        event.stopPropagation();
        rest();
        step(few, true);
      } } }, `All ${words.length} words`);
      node.append(" ", more);
    }
    return node;

    function show(some) {
      for (const { before, text, after } of some) {
        const button = el("button", { type: "button", class: "word", tabindex: buttons.length === 0 ? 0 : -1 }, text);
        buttons.push(button);
        node.append(before, button, after);
      }
      chosen ??= buttons[0];
    }
  }

  function follow(seconds) {
    if (!following && seconds === 0) return;
    following = true;
    rest?.();
    const at = wordAt(seconds);
    const next = at < 0 ? null : buttons[at];
    if (next === marked) return;
    marked?.classList.remove("now");
    marked?.removeAttribute("aria-current");
    marked = next;
    marked?.classList.add("now");
    marked?.setAttribute("aria-current", "true");
  }

  /** The index of the current word; -1 before the first word, and in a longer pause after one. */
  function wordAt(seconds) {
    let [low, high] = [0, words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      // A seek often ends slightly before the requested time.
      if (words[middle].start <= seconds + 0.02) low = middle + 1;
      else high = middle;
    }
    return low > 0 && low <= buttons.length && seconds < words[low - 1].end + 0.4 ? low - 1 : -1;
  }

  function click(event) {
    const at = buttons.indexOf(event.target);
    if (at >= 0) player?.playFrom(words[at].start);
  }

  function focusin(event) {
    if (!buttons.includes(event.target)) return;
    chosen.tabIndex = -1;
    chosen = event.target;
    chosen.tabIndex = 0;
  }

  function keydown(event) {
    const at = buttons.indexOf(event.target);
    if (at < 0) return;
    const wanted = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    step(wanted);
  }

  function step(at) {
    buttons[at]?.focus();
  }

  return { nodes: [player?.node, text], stop: () => player?.stop() };
}

/** Each word with the punctuation around it in the text: engines omit full stops and commas from their words. */
function align(text, words) {
  const plain = text.toLowerCase();
  // Lower-casing can change the length; positions in the two texts then differ.
  const isAligned = plain.length === text.length;
  const pieces = [];
  let end = 0;
  for (const word of words) {
    const own = word.text.trim();
    const at = isAligned && own ? plain.indexOf(own.toLowerCase(), end) : -1;
    // A match far away is probably another occurrence of the same word. Then show the engine's word as it is.
    if (at >= 0 && at - end <= 24) {
      pieces.push({ before: text.slice(end, at), text: text.slice(at, at + own.length), after: "" });
      end = at + own.length;
    } else {
      pieces.push({ before: pieces.length === 0 ? "" : " ", text: own, after: "" });
    }
  }
  if (pieces.length > 0 && isAligned && text.length - end <= 24) pieces.at(-1).after = text.slice(end);
  return pieces;
}
