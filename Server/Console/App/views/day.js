import { toast } from "../lib/announce.js";
import { call, query, session } from "../lib/api.js";
import { clockTime, dayIn, dayKey, fullDay, isDay, startOfDay, timeZone } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, freshID } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { emptiness, pagedList } from "../lib/list.js";
import { accountZone } from "../media/files.js";
import { captureLink, captureTabs, engineWords, eventTypes } from "./capture.js";
import { badge, button, detail, part } from "./parts.js";

const dayLink = (date) => `#/captures/day${query({ date })}`;
const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The summary of a day and of its hours. Each sentence opens the capture that it is from. Days are those of the account's time zone. */
export function day(values) {
  const today = dayIn(accountZone(), Date.now());
  const date = isDay(values.get("date") ?? "") ? values.get("date") : today;
  const about = detail({ read, draw });
  const others = pagedList("/summaries/daily", {}, (answer) => answer.items, {
    label: "Days with a summary", id: (row) => row.date,
    draw: (row) => el("div", {},
      el("h3", {}, el("a", { href: dayLink(row.date), "aria-current": row.date === date ? "true" : null }, fullDay(row.date))),
      el("p", { class: "hint" }, [many(row.totalCaptures, "capture"), row.themes.join(", "), row.people.join(", ")].filter(Boolean).join(" · "))),
    empty: () => el("p", { class: "hint" }, "None yet. The server summarises a day when one of its hours has ended."),
  });

  async function read(signal) {
    const nothing = (error) => {
      if (error.status !== 404) throw error;
      return null;
    };
    const [whole, hours] = await Promise.all([
      call("GET", `/memories/${encodeURIComponent(session.user.id)}/${date}`, { signal }).catch(nothing),
      readHours(signal),
    ]);
    return { whole: whole?.data ?? null, hours };
  }

  async function readHours(signal) {
    const hours = [];
    let cursor = null;
    do {
      const page = await call("GET", `/summaries/hourly${query({ date, cursor })}`, { signal });
      hours.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor);
    return hours;
  }

  function draw({ whole, hours }) {
    if (!whole) return emptiness("captures", "No captures on this day", "Choose another day, or see the latest captures.", { to: "#/captures", words: "Latest captures" });
    const summarised = new Set(hours.flatMap((hour) => hour.captureIds));
    // The day lists at most 1,000 captures.
    const waiting = whole.captureIds.filter((id) => !summarised.has(id)).length;
    return [
      part("whole-day", "The day",
        whole.summary ? lines(whole) : el("p", {}, "There is no summary of this day yet. The server summarises an hour when it has ended, and then the day."),
        people(whole), themes(whole),
        el("p", { class: "hint" }, [many(whole.totalCaptures, "capture"), whole.engine && engineWords(whole.engine).replace("Analysed", "Summarised")].filter(Boolean).join(" · ")),
        el("div", { class: "actions" },
          el("a", { class: "button quiet", href: `#/captures${query({ date })}` }, "All captures of this day"),
          button("Delete this day…", () => forget(whole.totalCaptures)))),
      hours.map((hour, index) => hourPart(hour, hours[index - 1]?.hour === hour.hour)),
      waiting > 0 && hours.length > 0 && el("p", { class: "hint" }, `${many(waiting, "capture")} of this day ${waiting === 1 ? "is" : "are"} not in a summary yet.`),
    ];
  }

  function hourPart(hour, isAgain) {
    const id = freshID("hour");
    const start = `${String(hour.hour).padStart(2, "0")}:00`;
    return el("section", { class: "part hour", "aria-labelledby": id },
      // When daylight saving ends, an hour comes twice.
      el("h2", { id }, el("time", { datetime: hour.start }, start), isAgain && " again"),
      lines(hour), people(hour), themes(hour), el("p", { class: "hint" }, many(hour.captureCount, "capture")));
  }

  async function forget(count) {
    const words = `${count === 1 ? "Its capture" : `Its ${count} captures`}, their photos and recordings, and everything about them in summaries, people and search will be deleted permanently.`;
    if (!(await confirm(`Delete ${fullDay(date)}?`, words, "Delete"))) return;
    const { deleted } = await call("DELETE", `/captures${query({ from: date, to: date })}`);
    toast(`${many(deleted, "capture")} deleted.`);
    await Promise.all([about.load(), others.refresh()]);
  }

  const step = (count, words, picture) => {
    const key = dayKey(startOfDay(date, count));
    return el("a", { class: "round", href: dayLink(key), "aria-label": `${words}: ${fullDay(key)}`, title: words }, icon(picture));
  };
  const zone = session.user.time_zone;
  return {
    title: `Captures of ${fullDay(date)}`,
    node: el("div", { class: "view captures day-view" },
      el("div", { class: "heading" },
        el("h1", {}, fullDay(date), date === today && badge("Today")),
        el("nav", { class: "steps", "aria-label": "Days" }, step(-1, "Previous day", "back"), el("a", { class: "button quiet", href: "#/captures/day" }, "Today"), step(1, "Next day", "forward"))),
      captureTabs("/captures/day"),
      zone !== timeZone && el("p", { class: "hint" },
        zone ? `Days and hours are those of ${zone}, your account's time zone. ` : "Days and hours are those of the server's time zone. ", el("a", { href: "#/account" }, zone ? "Change it" : "Set yours")),
      about.node, part("days", "Days with a summary", others.node)),
    eventTypes,
    refresh: () => Promise.all([about.load(), others.refresh()]),
    leave() {
      about.stop();
      others.stop();
    },
  };
}

const plain = (words) => words.trim().replace(/\s+/g, " ");

/** The sentences with their times; each is a link to its capture. Lines that quote no capture, for example of pictures without words, follow as text. */
function lines(summary) {
  const rest = summary.summary.split("\n").map(plain).filter(Boolean);
  const quotes = summary.highlights.map((highlight) => {
    const at = rest.findIndex((line) => line.endsWith(plain(highlight.text)));
    // The summary's line has the time in the zone that counted when the capture came.
    const line = at < 0 ? "" : rest.splice(at, 1)[0];
    const clock = /\b\d\d:\d\d\b/.exec(line.slice(0, Math.max(0, line.length - plain(highlight.text).length)))?.[0] ?? clockTime(highlight.time);
    return el("li", {}, el("time", { datetime: highlight.time }, clock), el("a", { href: captureLink(highlight.captureId) }, highlight.text));
  });
  return [
    quotes.length > 0 && el("ol", { class: "quotes" }, quotes),
    rest.length > 0 && el("p", { class: "words" }, rest.join("\n")),
  ];
}

const people = (summary) => summary.people.length > 0 && el("p", { class: "place" }, icon("people"), `With ${summary.people.join(", ")}`);
const themes = (summary) => summary.themes.length > 0 && el("ul", { class: "topics", "aria-label": "Themes" }, summary.themes.map((theme) => el("li", {}, theme)));
