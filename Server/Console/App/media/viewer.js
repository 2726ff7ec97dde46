import { announce, attempt } from "../lib/announce.js";
import { el, fill } from "../lib/dom.js";
import * as dialogs from "../lib/dialog.js";
import { icon } from "../lib/icons.js";
import { here, playable, smaller } from "../lib/links.js";
import { facts, kind, peaks, title, typeBehind } from "./files.js";
import { voicePlayer } from "./player.js";

/**
 * Shows one file of a list of library items or links in large. `more()` returns the files after the last one, `remove(file)` whether it
 * deleted the file, `change(file)` the file as the user changed it, and `back(file)` the element that gets the focus when the viewer closes.
 */
export function view(list, start, { more, remove, change, back = () => null } = {}) {
  // A copy, so that new files do not shift the position.
  const files = [...list];
  let index = start;
  let stop = () => {};
  // Counts changes of the shown file, so that the response for an earlier one is ignored.
  let turn = 0;
  let isReading = false;

  const stage = el("div", { class: "stage" });
  const heading = el("h2", { class: "name" });
  const details = el("p", { class: "facts" });
  const previous = button("back", "Previous", () => go(-1));
  const next = button("forward", "Next", () => go(1));
  const save = el("a", { class: "round", download: "" }, icon("save"), el("span", { class: "unseen" }, "Download the original"));
  const pen = change && button("edit", "Change the title and tags", alter);
  const bin = remove && button("bin", "Delete", drop);
  const dialog = el(
    "dialog", { class: "viewer", "aria-label": "Viewer", on: { keydown } },
    el("header", {}, el("div", { class: "title" }, heading, details), el("div", { class: "tools" }, save, pen, bin, button("close", "Close", () => dialog.close()))),
    previous, stage, next);

  function button(picture, words, action) {
    return el("button", { type: "button", class: "round", "aria-label": words, title: words, on: { click: action } }, icon(picture));
  }

  function keydown(event) {
    // The player's own arrow keys seek.
    if (event.target.closest("video, audio, [role=slider]")) return;
    if (event.key === "ArrowLeft") go(-1);
    else if (event.key === "ArrowRight") go(1);
    else if (event.key === "Home") go(-index);
    else if (event.key === "End") go(files.length - 1 - index);
    else if (event.key === "Delete" && bin) drop();
    else return;
    event.preventDefault();
  }

  async function go(step) {
    const wanted = index + step;
    if (wanted >= files.length && more) {
      // A second press of the key would add the same files twice.
      if (isReading) return;
      isReading = true;
      await attempt(async () => files.push(...(await more(files.at(-1)))));
      isReading = false;
      // The user went back, or deleted a file, meanwhile.
      if (index + step !== wanted) return;
    }
    if (wanted < 0 || wanted >= files.length) return;
    index = wanted;
    await show();
  }

  async function drop() {
    const file = files[index];
    if (!(await dialogs.confirm("Delete this?", `“${title(file)}” will be deleted permanently, here and in every moment that shows it.`, "Delete"))) return;
    if (!(await remove(file))) return;
    files.splice(files.indexOf(file), 1);
    if (files.length === 0) dialog.close();
    else {
      index = Math.min(index, files.length - 1);
      await show();
    }
  }

  async function alter() {
    const at = index;
    const changed = await change(files[at]);
    if (!changed) return;
    files[at] = changed;
    if (at === index) name();
  }

  /** Shows the name of the file and what is known about it. */
  function name() {
    const file = files[index];
    const place = `${index + 1} of ${files.length}`;
    heading.textContent = file.name ? title(file) : place;
    details.textContent = file.name ? `${place} · ${facts(file)}` : "";
  }

  async function show() {
    const mine = (turn += 1);
    stop();
    stop = () => {};
    const file = typeof files[index] === "string" ? { url: files[index] } : files[index];
    const link = here(file.url);
    const place = `${index + 1} of ${files.length}`;
    name();
    save.href = link;
    save.download = file.name ?? "";
    const held = [previous, next].find((one) => one === document.activeElement);
    previous.disabled = index === 0;
    next.disabled = index === files.length - 1 && !more;
    // A disabled button loses the focus, and the dialog would get no more keys.
    if (held?.disabled) [previous, next, save].find((one) => !one.disabled).focus();
    fill(stage);
    let what;
    try {
      what = kind(file.type ?? (await typeBehind(file.url)));
    } catch {
      if (mine === turn) fill(stage, el("p", { class: "problem", role: "alert" }, "The server cannot be reached. Check your connection."));
      return;
    }
    if (mine !== turn) return;
    const words = file.name ? title(file) : `${what} ${place}`;
    if (what === "film") {
      showFilm(file.url, words, mine);
    } else if (what === "sound") {
      const player = voicePlayer({ source: link, duration: file.duration, peaks: peaks(file.url), name: words });
      stop = player.stop;
      fill(stage, player.node);
    } else {
      const picture = el("img", { src: smaller(file.url, 2048, 2048, "contain"), alt: file.description || words, decoding: "async" });
      picture.addEventListener("error", () => fill(stage, el("p", { class: "problem" }, "This picture is no longer available.")));
      fill(stage, picture);
    }
    if (dialog.open) announce(`${words}, ${place}`);
  }

  function showFilm(link, words, mine) {
    const source = playable(link);
    const film = el("video", { src: source, controls: true, playsinline: true, poster: smaller(link, 1024, 1024, "contain"), "aria-label": words });
    const refuse = async () => {
      // A player does not tell why it failed, so a HEAD request asks.
      let seconds = await conversion(source);
      if (mine === turn && seconds > 0) fill(stage, instead(link, "The film is being converted so that browsers can play it. This takes some minutes."));
      const waited = seconds > 0;
      while (mine === turn && seconds > 0) {
        await new Promise((done) => { setTimeout(done, seconds * 1000); });
        if (mine === turn) seconds = await conversion(source);
      }
      if (mine !== turn) return;
      if (waited && seconds === 0) showFilm(link, words, mine);
      else fill(stage, instead(link, "This browser cannot play this film. Download the original to watch it with another program."));
    };
    film.addEventListener("error", refuse);
    // A browser that knows only the sound's codec would play the sound without a picture.
    film.addEventListener("loadedmetadata", () => { if (film.videoWidth === 0) refuse(); });
    stop = () => film.pause();
    fill(stage, film);
  }

  /** Shows the film's first frame and a sentence. */
  function instead(link, sentence) {
    return el("div", { class: "unplayable", role: "alert" }, el("img", { src: smaller(link, 1024, 1024, "contain"), alt: "" }), el("p", {}, sentence));
  }

  /**
   * Asks the server whether the film can be played. 0: yes. -1: no, or the request failed. Otherwise the server is converting the film, and
   * this is the number of seconds until the page asks again.
   */
  async function conversion(source) {
    try {
      const answer = await fetch(source, { method: "HEAD", credentials: "same-origin" });
      if (answer.status === 409) return Number(answer.headers.get("Retry-After")) || 5;
      return answer.ok ? 0 : -1;
    } catch {
      return -1;
    }
  }

  show();
  dialogs.open(dialog, { back: () => back(files[index]), onClose: () => { turn += 1; stop(); } });
}
