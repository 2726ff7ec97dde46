import { el, fill, freshID, svg } from "../lib/dom.js";
import { register, signIn } from "../lib/session.js";

/** Calls `done` after signing in. `words` explain why the user has to. */
export function signInView(done, words) {
  let isNew = false;
  const box = el("div", { class: "door" });

  function draw() {
    const ids = Object.fromEntries(["name", "email", "password", "hint"].map((name) => [name, freshID(name)]));
    const problem = el("p", { class: "problem", role: "alert" });
    const button = el("button", { type: "submit", class: "main" }, isNew ? "Create the account" : "Sign in");
    const form = el("form", { novalidate: true, on: { submit } },
      isNew && field("Name", { id: ids.name, name: "name", type: "text", autocomplete: "name", maxlength: 200 }),
      field("E-mail", { id: ids.email, name: "email", type: "email", autocomplete: "username", required: true, inputmode: "email", autocapitalize: "none", spellcheck: "false" }),
      field("Password", { id: ids.password, name: "password", type: "password", autocomplete: isNew ? "new-password" : "current-password", required: true, "aria-describedby": isNew ? ids.hint : null }),
      isNew && el("p", { class: "hint", id: ids.hint }, "At least 8 characters"),
      problem, el("div", { class: "actions" }, button));

    async function submit(event) {
      event.preventDefault();
      const data = Object.fromEntries(new FormData(form));
      const [email, password] = [data.email.trim(), data.password];
      if (!email || !password) {
        problem.textContent = "Write your e-mail address and your password.";
        form.elements[email ? "password" : "email"].focus();
        return;
      }
      button.disabled = true;
      problem.textContent = "";
      try {
        await (isNew ? register(email, password, data.name.trim()) : signIn(email, password));
        done();
      } catch (error) {
        problem.textContent = error.message;
        button.disabled = false;
        form.elements.password.focus();
      }
    }

    fill(box,
      el("div", { class: "mark" }, svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" },
        svg("path", { class: "ribbon", d: "M7 28V5.5A2.5 2.5 0 0 1 9.500 3h13A2.5 2.5 0 0 1 25 5.5V28l-9-6z" }), svg("circle", { class: "sun", cx: 16, cy: 11, r: 3.6 }))),
      el("h1", {}, isNew ? "Create an account" : "Keepsake"),
      el("p", { class: "lead" }, words ?? (isNew ? "Your moments stay on this server, and are yours alone." : "Photos, voices, moods and memories, kept where only you can see them.")),
      form,
      el("p", { class: "switch" }, isNew ? "You have one already? " : "New here? ",
        el("button", { type: "button", class: "link", on: { click: () => { isNew = !isNew; words = undefined; draw(); box.querySelector("input").focus(); } } }, isNew ? "Sign in" : "Create an account")));
  }

  draw();
  return { title: "Sign in", node: el("div", { class: "view signing" }, box), focus: () => box.querySelector("input") };
}

function field(label, attributes) {
  return el("div", { class: "field" }, el("label", { for: attributes.id }, label), el("input", attributes));
}
