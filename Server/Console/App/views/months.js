import { call, mine, query, session } from "../lib/api.js";
import { monthIn, monthName, monthTitle } from "../lib/dates.js";
import { el, fill, freshID } from "../lib/dom.js";
import { choice } from "../lib/forms.js";
import { accountZone } from "../media/files.js";

// The months of the gallery, in the account's time zone, and how to get to one of them without loading all that are later.

/** The month in which a file was taken or, if that is not known, added: `2026-12`. */
export const monthOf = (file) => monthIn(accountZone(), file.takenAt ?? file.createdAt);

export const titleOf = (key) => monthTitle(Number(key.slice(0, 4)), Number(key.slice(5, 7)) - 1);

/** A year, or a month of one, from an address; `null` for everything else. */
export const periodOf = (text) => (/^\d{4}(-(0[1-9]|1[0-2]))?$/.test(text ?? "") && Number(text.slice(0, 4)) > 0 ? text : null);

/** The last day of a period, and the first one after it. */
export function edges(period) {
  const [year, month] = period.split("-").map(Number);
  const next = new Date(Date.UTC(0, month ?? 12, 1));
  next.setUTCFullYear(month === undefined || month === 12 ? year + 1 : year);
  const key = (date) => date.toISOString().slice(0, 10).padStart(10, "0");
  return { last: key(new Date(next.getTime() - 86_400_000)), next: key(next) };
}

/** The form that goes to a year or a month, and what the page shows when it went to one. `to` is that period or `null`. */
export function months(to, go) {
  const node = el("div", { class: "jump" });
  const stopper = new AbortController();

  const first = async (values) => {
    const { files } = await call("GET", mine(`/multimedia${query({ sort: "takenAt", limit: 1, ...values })}`), { signal: stopper.signal });
    return files[0];
  };

  async function load() {
    const [oldest, newest, later] = await Promise.all([first({ order: "asc" }), first({}), to && first({ order: "asc", from: edges(to).next })]);
    if (!oldest) return;
    const [start, end] = [monthOf(oldest), monthOf(newest)];
    fill(node, start !== end && form(start, end), to && way(later && monthOf(later)));
  }

  /** Says where the page begins, and links to later months. */
  function way(later) {
    return el("p", {},
      `${to.length === 4 ? to : titleOf(to)} and before. `,
      later && el("a", { href: `#/photos?to=${later}` }, `Later: ${titleOf(later)}`), later && " · ",
      el("a", { href: "#/photos" }, "Newest"));
  }

  function form(start, end) {
    const years = [];
    for (let year = Number(end.slice(0, 4)); year >= Number(start.slice(0, 4)); year -= 1) years.push(String(year));
    const year = choice("year", "Year", new Map(years.map((one) => [one, one])), to?.slice(0, 4));
    const month = choice("month", "Month", new Map([["", "Any"], ...[...Array(12).keys()].map((at) => [String(at + 1).padStart(2, "0"), monthName(at)])]), to?.slice(5, 7) ?? "");
    return el("form", { "aria-label": "Go to a month", on: { submit } }, year, month, el("button", { type: "submit", class: "quiet" }, "Go"));
  }

  function submit(event) {
    event.preventDefault();
    const values = new FormData(event.target);
    go(`#/photos?to=${[values.get("year"), values.get("month")].filter(Boolean).join("-")}`);
  }

  // Without the form, the page shows everything anyway.
  load().catch(() => {});
  return { node, stop: () => stopper.abort() };
}
