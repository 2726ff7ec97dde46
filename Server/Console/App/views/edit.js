import { toast } from "../lib/announce.js";
import { call, mine } from "../lib/api.js";
import { formDialog, line, localTime, parts, text } from "../lib/forms.js";

// The form that changes an entry. It sends only what the user changed.

const paths = { mood: "moods", memory: "memories", event: "events", file: "multimedia" };

/** Whether the API can change entries of that kind. */
export const isEditable = (kind) => kind in paths;

const title = (data) => line("title", "Title", { required: true, maxlength: 200, value: data.title, problem: "Enter a title." });
const place = (data) => line("location", "Where", { maxlength: 200, value: data.location });
const tags = (data) => line("tags", "Tags", { hint: "Separated by commas", value: data.tags.join(", ") });
const time = (name, moment) => line(name, "When", { type: "datetime-local", required: true, value: localTime(moment), problem: "Enter a date and a time." });
const words = (name, label, value, maxlength = 10_000) => text(name, label, { maxlength, value });

const forms = {
  mood: (data) => [
    line("mood", "Mood", { required: true, maxlength: 64, value: data.mood, problem: "Enter a mood." }),
    line("moodIntensity", "Intensity", { type: "number", min: 1, max: 10, step: 1, value: data.moodIntensity, hint: "1 is faint, 10 is strong", problem: "The intensity is a whole number from 1 to 10." }),
    words("note", "Note", data.note), line("reason", "Because", { maxlength: 2000, value: data.reason }), tags(data), time("createdAt", data.createdAt),
  ],
  memory: (data) => [title(data), words("description", "What happened", data.description), place(data), tags(data), time("createdAt", data.createdAt)],
  event: (data) => [title(data), time("date", data.date), place(data), words("description", "About it", data.description), tags(data)],
  file: (data) => [
    line("title", "Title", { maxlength: 200, value: data.title, hint: `If empty: ${data.name}` }), words("description", "Description", data.description, 5000), tags(data),
    line("takenAt", "Taken", { type: "datetime-local", value: localTime(data.takenAt ?? data.createdAt), hint: "If empty: when it was added" }),
  ],
};

/** The value that the API takes. `null` clears a field. */
function wire(name, value) {
  if (name === "tags") return parts(value);
  if (value === "") return null;
  if (name === "moodIntensity") return Number(value);
  if (name === "createdAt") return new Date(value).getTime();
  // The time is sent in seconds: milliseconds of a day before 1973 would count as seconds.
  if (name === "takenAt") return new Date(value).getTime() / 1000;
  if (name === "date") return new Date(value).toISOString();
  return value;
}

/**
 * Opens the form for an entry. `name` is what the user calls it. Resolves to the changed data as the API returns it, or to `undefined` when
 * nothing changed.
 */
export async function edit(kind, data, name) {
  const content = forms[kind](data);
  const before = valuesOf(content);
  const answer = await formDialog({
    title: `Change “${name}”`, action: "Save", content,
    async send(values) {
      const changed = Object.entries(values).filter(([field, value]) => value !== before[field]);
      if (changed.length === 0) return null;
      const body = Object.fromEntries(changed.map(([field, value]) => [field, wire(field, value)]));
      return call("PATCH", mine(`/${paths[kind]}/${encodeURIComponent(data.id ?? data.fileId)}`), { body });
    },
  });
  const result = answer?.[kind];
  if (result) toast("Saved.");
  return result;
}

/** The texts of the fields before the user changes them, as `texts` in forms.js reads them. */
function valuesOf(nodes) {
  const inputs = nodes.flatMap((node) => [...node.querySelectorAll("input, textarea")]);
  return Object.fromEntries(inputs.map((input) => [input.name, input.value.trim()]));
}
