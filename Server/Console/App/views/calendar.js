import { call, mine, query } from "../lib/api.js";
import { dayIn, dayKey, firstWeekday, fullDay, monthIn, monthTitle, numbers, weekdays } from "../lib/dates.js";
import { el, fillAs, freshID, unseen } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { emptiness } from "../lib/list.js";
import { face } from "../lib/moods.js";
import { accountZone, limits } from "../media/files.js";

/** The moods of a month, one cell a day: the face and colour of the most frequent mood, and how many others there were. */
export function calendar(values) {
  const [year, month] = monthOf(values.get("month"));
  const title = freshID("month");
  const stage = el("div", { class: "month", "aria-busy": "true" });
  const summary = el("div", { class: "summary" });
  const stopper = new AbortController();
  const last = new Date(year, month + 1, 0).getDate();
  const key = (day) => dayKey(new Date(year, month, day));

  async function load() {
    try {
      // The days of the answer are those of the account's time zone.
      const [answer] = await Promise.all([call("GET", mine(`/moods/stats${query({ from: key(1), to: key(last) })}`), { signal: stopper.signal }), limits]);
      // Other events than those of moods change nothing here, but the day may be another one.
      const text = JSON.stringify([answer, dayIn(accountZone(), Date.now())]);
      fillAs(stage, text, () => table(new Map(answer.days.map((day) => [day.date, day]))));
      fillAs(summary, text, () => tallies(answer));
    } catch (error) {
      if (error.name !== "AbortError") fillAs(summary, error.message, () => el("p", { class: "problem", role: "alert" }, error.message));
    }
    stage.setAttribute("aria-busy", "false");
  }

  function table(days) {
    // Empty cells for the days of the previous month in the first week.
    const before = (new Date(year, month, 1).getDay() + 7 - (firstWeekday % 7)) % 7;
    const rows = [];
    for (let first = 1 - before; first <= last; first += 7) {
      rows.push(el("tr", {}, [...Array(7).keys()].map((index) => cell(first + index, days))));
    }
    return el("table", { "aria-labelledby": title },
      el("thead", {}, el("tr", {}, weekdays.map(({ short, long }) => el("th", { scope: "col" }, el("abbr", { title: long }, short))))),
      el("tbody", {}, rows));
  }

  function cell(day, days) {
    if (day < 1 || day > last) return el("td", { class: "outside" });
    const about = days.get(key(day));
    const isToday = key(day) === dayIn(accountZone(), Date.now());
    const number = el("span", { class: "number", "aria-hidden": "true" }, day);
    if (!about) {
      return el("td", { class: isToday ? "today" : "" }, el("span", { class: "unseen" }, `${day}${isToday ? ", today" : ""}`), number);
    }
    const words = [
      `${fullDay(key(day))}${isToday ? ", today" : ""}`,
      about.moods.map((mood) => (mood.count > 1 ? `${mood.mood} ${mood.count} times` : mood.mood)).join(", "),
      about.meanIntensity ? `intensity ${numbers.format(about.meanIntensity)} of 10` : null,
    ].filter(Boolean).join(": ");
    return el("td", { class: isToday ? "today" : "" }, el(
      "a", { href: `#/timeline${query({ from: key(day), to: key(day) })}`, "aria-label": words, title: words },
      number, face(about.moods[0].mood), about.moods.length > 1 && el("span", { class: "more", "aria-hidden": "true" }, `+${about.moods.length - 1}`)));
  }

  function tallies(answer) {
    if (answer.count === 0) {
      return emptiness("mood", "No moods this month", "How are you today?", { to: "#/keep/mood", words: "Keep a mood" });
    }
    const most = answer.moods[0].count;
    return [
      el("h2", {}, "This month"),
      el("p", { class: "hint" }, `${answer.count} mood${answer.count === 1 ? "" : "s"} on ${answer.days.length} day${answer.days.length === 1 ? "" : "s"}`,
        answer.meanIntensity ? `, intensity ${numbers.format(answer.meanIntensity)} on average` : ""),
      el("ul", { class: "tallies" }, answer.moods.map((mood) => el("li", {},
        face(mood.mood), el("span", { class: "name" }, mood.mood),
        bar(mood.count / most), el("span", { class: "count" }, mood.count, unseen(mood.count === 1 ? " time" : " times"))))),
    ];
  }

  function bar(share) {
    const node = el("span", { class: "share", "aria-hidden": "true" });
    node.style.setProperty("--share", share);
    return node;
  }

  const step = (count, words, picture) => {
    const date = new Date(year, month + count, 1);
    return el("a", { class: "round", href: `#/calendar?month=${dayKey(date).slice(0, 7)}`, "aria-label": `${words}: ${monthTitle(date.getFullYear(), date.getMonth())}`, title: words }, icon(picture));
  };

  load();
  return {
    title: `Moods, ${monthTitle(year, month)}`,
    node: el("div", { class: "view calendar" },
      el("div", { class: "heading" }, el("h1", { id: title }, monthTitle(year, month)),
        el("nav", { class: "steps", "aria-label": "Months" }, step(-1, "Previous month", "back"), el("a", { class: "button quiet", href: "#/calendar" }, "Today"), step(1, "Next month", "forward"))),
      stage, summary),
    refresh: load,
    leave: () => stopper.abort(),
  };
}

function monthOf(text) {
  const found = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? "");
  if (found) return [Number(found[1]), Number(found[2]) - 1];
  const now = monthIn(accountZone(), Date.now());
  return [Number(now.slice(0, 4)), Number(now.slice(5)) - 1];
}
