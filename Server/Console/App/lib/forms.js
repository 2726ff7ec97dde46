import { freshKey } from "./api.js";
import { open } from "./dialog.js";
import { el, freshID } from "./dom.js";

// Fields, and forms in dialogs.

/** `hint` explains the field below it. */
function field(label, control, { hint, isNeeded } = {}) {
  const about = hint && freshID("hint");
  if (about) control.setAttribute("aria-describedby", about);
  return el("div", { class: "field" },
    el("label", { for: control.id }, label, isNeeded && el("span", { class: "needed" }, " (needed)")), control, hint && el("p", { class: "hint", id: about }, hint));
}

/** A field of one line. `problem` is what the user reads when its value is missing or wrong; other options are the input's attributes. */
export function line(name, label, { problem, hint, ...attributes } = {}) {
  const input = el("input", {
    id: freshID(name), name, type: "text", autocomplete: "off", "data-problem": problem, ...attributes, on: { input: () => input.removeAttribute("aria-invalid") },
  });
  return field(label, input, { hint, isNeeded: attributes.required });
}

export function text(name, label, { problem, hint, ...attributes } = {}) {
  const input = el("textarea", { id: freshID(name), name, rows: 3, maxlength: 5000, "data-problem": problem, ...attributes, on: { input: () => input.removeAttribute("aria-invalid") } });
  return field(label, input, { hint, isNeeded: attributes.required });
}

/** `options` are the texts by value: a `Map` where the order matters, since an object sorts numbers. */
export function choice(name, label, options, value) {
  return field(label, el("select", { id: freshID(name), name },
    [...(options instanceof Map ? options : Object.entries(options))].map(([key, words]) => el("option", { value: key, selected: key === value }, words))));
}

/** Marks the first field with a missing or wrong value, and returns it with a text about it. */
export function firstWrong(form) {
  const input = [...form.elements].find((one) => one.willValidate && !one.checkValidity());
  if (!input) return null;
  input.setAttribute("aria-invalid", "true");
  return { input, words: input.dataset.problem ?? input.validationMessage };
}

/** The texts of a form by the names of its fields, without spaces around them. */
export function texts(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === "string").map(([name, value]) => [name, value.trim()]));
}

/** A list that the user wrote in one field, separated by commas or lines. */
export const parts = (words) => words.split(/[,;\n]/).map((one) => one.trim()).filter(Boolean);

/** The value of a `datetime-local` input for a moment, in the reader's time zone. */
export function localTime(moment) {
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Opens a form in a dialog. `send(values, key)` sends its texts; when it throws, the dialog shows the error and stays open. `key` is the same
 * for a retry after a lost response. Resolves to what `send` returned after the dialog has closed, or to `undefined` when the user cancelled.
 */
export function formDialog({ title, about, content, action, send }) {
  return new Promise((resolve) => {
    const heading = freshID("form");
    let key = freshKey();
    let result;
    let isSending = false;
    const problem = el("p", { class: "problem", role: "alert", tabindex: -1 });
    const submit = el("button", { type: "submit", class: "main" }, action);
    const form = el("form", { novalidate: true, on: { submit: go, input: () => { key = freshKey(); } } },
      about && el("p", {}, about), content, problem,
      el("div", { class: "actions" }, el("button", { type: "button", class: "quiet", on: { click: () => dialog.close() } }, "Cancel"), submit));
    const dialog = el("dialog", { class: "confirm form", "aria-labelledby": heading }, el("h2", { id: heading }, title), form);

    async function go(event) {
      event.preventDefault();
      if (isSending) return;
      problem.textContent = "";
      const wrong = firstWrong(form);
      if (wrong) {
        problem.textContent = wrong.words;
        wrong.input.focus();
        return;
      }
      isSending = true;
      submit.setAttribute("aria-disabled", "true");
      try {
        result = (await send(texts(form), key)) ?? true;
        dialog.close();
      } catch (error) {
        problem.textContent = error.message;
        problem.focus();
        // A refused request stored nothing, so it needs a new key. After a lost response, the same key returns the stored result.
        if (error.status > 0) key = freshKey();
      } finally {
        isSending = false;
        submit.removeAttribute("aria-disabled");
      }
    }

    open(dialog, { onClose: () => resolve(result) });
  });
}
