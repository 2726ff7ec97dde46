import { toast } from "../lib/announce.js";
import { call, session } from "../lib/api.js";
import { byteSize } from "../lib/dates.js";
import { el } from "../lib/dom.js";
import { formDialog, line } from "../lib/forms.js";
import { part } from "./parts.js";

// The account's e-mail address and password, and how much of its quota it uses.

const password = (name, label, attributes) => line(name, label, { type: "password", required: true, ...attributes });
const current = () => password("current", "Current password", { autocomplete: "current-password", problem: "Enter your current password." });

/** The value as it was written: a password may begin or end with a space. */
const valueOf = (field) => field.querySelector("input").value;

/** Calls `changed` after the password was changed, which ends the account's other sessions. */
export function credentials(changed) {
  const address = el("b", {}, session.user.email ?? "no e-mail address");
  const code = el("button", { type: "button", class: "quiet", on: { click: confirm } }, "I have a code");

  async function changePassword() {
    const [old, fresh] = [current(), password("fresh", "New password", { autocomplete: "new-password", minlength: 8, hint: "At least 8 characters", problem: "Enter a password of at least 8 characters." })];
    const answer = await formDialog({
      title: "Change the password", action: "Change it", content: [old, fresh], about: "All other devices are signed out.",
      send: () => call("POST", "/auth/password/change", { body: { old_password: valueOf(old), new_password: valueOf(fresh) } }),
    });
    if (!answer) return;
    toast("Your password is changed.");
    await changed();
  }

  async function changeEmail() {
    const email = line("email", "New e-mail address", {
      type: "email", required: true, autocomplete: "email", inputmode: "email", autocapitalize: "none", spellcheck: "false", problem: "Enter the new address.",
    });
    const secret = current();
    const isSent = await formDialog({
      title: "Change the e-mail address", action: "Send me a code", content: [email, secret], about: "The server sends a code to the new address.",
      send: (values) => call("POST", "/auth/email/change", { body: { email: values.email, password: valueOf(secret) } }),
    });
    if (isSent) await confirm();
  }

  async function confirm() {
    const user = await formDialog({
      title: "Confirm the new address", action: "Confirm it", about: "Enter the code from the mail to the new address. Until then, nothing changes.",
      content: line("code", "Code", { required: true, maxlength: 100, autocapitalize: "characters", spellcheck: "false", problem: "Enter the code." }),
      send: (values) => call("POST", "/auth/email/confirm", { body: { code: values.code } }),
    });
    if (!user) return;
    session.user = user;
    address.textContent = user.email;
    toast("Your e-mail address is changed.");
  }

  return part("credentials", "E-mail and password",
    el("p", {}, "You sign in as ", address, "."),
    el("div", { class: "actions" },
      el("button", { type: "button", class: "quiet", on: { click: changePassword } }, "Change the password"),
      el("button", { type: "button", class: "quiet", on: { click: changeEmail } }, "Change the e-mail address"), code));
}

/** What `GET /user/me` says about the account's storage. */
export function usage({ files, bytes, quota }) {
  const words = `${byteSize(bytes)} of ${byteSize(quota)}, with ${files === 1 ? "one file" : `${files} files`}`;
  return part("usage", "Storage",
    el("progress", { max: Math.max(1, quota), value: Math.min(bytes, quota), "aria-label": "Used storage" }), el("p", {}, words));
}
