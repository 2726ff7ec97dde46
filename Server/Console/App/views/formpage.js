import { el, fill, freshID, svg } from "../lib/dom.js";
import { firstWrong } from "../lib/forms.js";

// Parts that the pages for people without a session share.

/**
 * A page with one form. `fields` are nodes, `action` is the text of the button, and `send(form)` does the work: when it throws, the page
 * shows the error. `below` stands under the form.
 */
export function formPage({ title, lead, fields, action, send, below }) {
  const problem = el("p", { class: "problem", role: "alert" });
  const button = el("button", { type: "submit", class: "main" }, action);
  const form = el("form", { novalidate: true, on: { submit } }, fields, problem, el("div", { class: "actions" }, button));

  async function submit(event) {
    event.preventDefault();
    if (button.disabled) return;
    problem.textContent = "";
    const wrong = firstWrong(form);
    if (wrong) {
      problem.textContent = wrong.words;
      wrong.input.focus();
      return;
    }
    button.disabled = true;
    try {
      await send(form);
    } catch (error) {
      problem.textContent = error.message;
      (form.querySelector("input[type=password]") ?? form.elements[0]).focus();
    }
    button.disabled = false;
  }

  return el("div", { class: "formpage" },
    el("div", { class: "mark" }, svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" },
      svg("path", { class: "ribbon", d: "M7 28V5.5A2.5 2.5 0 0 1 9.5 3h13A2.5 2.5 0 0 1 25 5.5V28l-9-6z" }), svg("circle", { class: "sun", cx: 16, cy: 11, r: 3.6 }))),
    el("h1", {}, title), el("p", { class: "lead" }, lead), form, below);
}

/** A view that shows such pages. `page` draws the first one; `turn` replaces it with another one, whose first field gets the focus. */
export function formPageView(title, page) {
  const box = el("div", { class: "view signing" });
  const focus = () => box.querySelector("input");

  function turn(node) {
    fill(box, node);
    focus()?.focus();
  }

  fill(box, page(turn));
  return { title, node: box, focus };
}

/** A field. `problem` is what the user reads when its value is missing or wrong; `hint` explains it. */
export function field(label, { problem, hint, ...attributes }) {
  const [id, about] = [freshID(attributes.name), hint && freshID("hint")];
  return [
    el("div", { class: "field" }, el("label", { for: id }, label), el("input", { id, "aria-describedby": about, "data-problem": problem, ...attributes })),
    hint && el("p", { class: "hint", id: about }, hint),
  ];
}

export const emailField = (value) => field("E-mail", {
  name: "email", type: "email", autocomplete: "username", required: true, inputmode: "email", autocapitalize: "none", spellcheck: "false", value,
  problem: "Enter your e-mail address.",
});

/** A field for a new password, with the server's rule. */
export const newPasswordField = (label) => field(label, {
  name: "password", type: "password", autocomplete: "new-password", required: true, minlength: 8, hint: "At least 8 characters",
  problem: "Enter a password of at least 8 characters.",
});

/** A field for a code that a mail or the operator gave the user. */
export const codeField = (label, name, value, options = {}) => field(label, {
  name, type: "text", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 100, value, ...options,
});
