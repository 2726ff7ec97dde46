// Formats dates. The console's texts are English, so dates are in the reader's variant of English.

const locale = navigator.languages.find((language) => language.toLowerCase().startsWith("en")) ?? "en-GB";
const format = (options) => new Intl.DateTimeFormat(locale, options);
const formats = {
  time: format({ timeStyle: "short" }),
  day: format({ weekday: "long", day: "numeric", month: "long" }),
  dayOfYear: format({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
  month: format({ month: "long", year: "numeric" }),
  monthOnly: format({ month: "long" }),
  moment: format({ dateStyle: "medium", timeStyle: "short" }),
  date: format({ dateStyle: "medium" }),
  birthday: format({ dateStyle: "long", timeZone: "UTC" }),
  shortMonth: format({ month: "short" }),
  weekday: format({ weekday: "short" }),
  longWeekday: format({ weekday: "long" }),
};

export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
export const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const sizes = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

const two = (number) => String(number).padStart(2, "0");

/** `2026-12-31`, in the reader's time zone. */
export function dayKey(moment) {
  const date = new Date(moment);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** By time zone: what formats its days and moments, or `null`. Making a format takes longer than formatting a hundred dates. */
const zones = new Map();

function zoned(zone) {
  if (!zones.has(zone)) {
    try {
      zones.set(zone, {
        day: new Intl.DateTimeFormat("en", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }),
        moment: format({ dateStyle: "medium", timeStyle: "short", timeZone: zone }),
        time: format({ timeStyle: "short", timeZone: zone }),
      });
    } catch {
      zones.set(zone, null);
    }
  }
  return zones.get(zone);
}

/** The same in a time zone by its IANA name; in the reader's if the browser does not know the name. */
export function dayIn(zone, moment) {
  const known = zoned(zone);
  if (!known) return dayKey(moment);
  const parts = Object.fromEntries(known.day.formatToParts(new Date(moment)).map(({ type, value }) => [type, value]));
  return `${parts.year.padStart(4, "0")}-${parts.month}-${parts.day}`;
}

/** A date with its time, in a time zone as `dayIn`. */
export const momentIn = (zone, moment) => (zoned(zone)?.moment ?? formats.moment).format(new Date(moment));

/** `2026-12`, in a time zone as `dayIn`. */
export const monthIn = (zone, moment) => dayIn(zone, moment).slice(0, 7);

/** A time of the day, in a time zone as `dayIn`. */
export const clockIn = (zone, moment) => (zoned(zone)?.time ?? formats.time).format(new Date(moment));

/** The start of a day, plus `count` days. */
export function startOfDay(key, count = 0) {
  const [year, month, day] = key.split("-").map(Number);
  return new Date(year, month - 1, day + count);
}

export function isDay(text) {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayKey(startOfDay(text)) === text;
}

/** `today` is the current day where `key` is one. */
export function dayTitle(key, today = dayKey(Date.now())) {
  if (key === today) return "Today";
  if (key === dayKey(startOfDay(today, -1))) return "Yesterday";
  if (key === dayKey(startOfDay(today, 1))) return "Tomorrow";
  return fullDay(key);
}

export function fullDay(key) {
  const date = startOfDay(key);
  return (date.getFullYear() === new Date().getFullYear() ? formats.day : formats.dayOfYear).format(date);
}

export const clockTime = (moment) => formats.time.format(new Date(moment));
export const momentTitle = (moment) => formats.moment.format(new Date(moment));
export const dateTitle = (moment) => formats.date.format(new Date(moment));
export const shortMonth = (moment) => formats.shortMonth.format(new Date(moment));
/** A birth date has no time: it is a day in UTC. */
export const birthday = (moment) => formats.birthday.format(new Date(moment));
export const monthTitle = (year, month) => formats.month.format(new Date(year, month, 1));
/** The name of a month by its number, which begins at 0. */
export const monthName = (month) => formats.monthOnly.format(new Date(2024, month, 1));

/** 1 is Monday, 7 Sunday. */
export const firstWeekday = (() => {
  const known = new Intl.Locale(locale);
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1;
})();

/** In the order of the reader's locale. */
export const weekdays = [...Array(7).keys()].map((index) => {
  // 1 January 2024 was a Monday.
  const date = new Date(2024, 0, firstWeekday + index);
  return { short: formats.weekday.format(date), long: formats.longWeekday.format(date) };
});

/** Seconds as `0:07`. */
export function length(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

/** A duration in words. */
export function spokenLength(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  const rest = `${whole % 60} second${whole % 60 === 1 ? "" : "s"}`;
  return minutes === 0 ? rest : `${minutes} minute${minutes === 1 ? "" : "s"} ${rest}`;
}

/** In powers of 1,024, as all limits and the server's settings are. */
export function byteSize(bytes) {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  if (bytes < 1024 ** 2) return `${sizes.format(bytes / 1024)} KB`;
  if (bytes < 1024 ** 3) return `${sizes.format(bytes / 1024 ** 2)} MB`;
  return `${sizes.format(bytes / 1024 ** 3)} GB`;
}
