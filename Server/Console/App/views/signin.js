import { toast } from "../lib/announce.js";
import { call } from "../lib/api.js";
import { el } from "../lib/dom.js";
import { texts } from "../lib/forms.js";
import { confirmRegistration, register, signIn } from "../lib/session.js";
import { codeField, emailField, field, formPage, formPageView, newPasswordField } from "./formpage.js";
import { button } from "./parts.js";

/**
 * Calls `done` after signing in. `words` explain why the user has to. With `invite`, the code of an invitation, the page begins with the
 * registration.
 */
export function signInView(done, { words, invite } = {}) {
  return formPageView("Sign in", (turn) => (invite ? registration(done, turn, invite) : signInPage(done, turn, words)));
}

function signInPage(done, turn, words, email) {
  return formPage({
    title: "Keepsake",
    lead: words ?? "Photos, voices, moods and memories, kept where only you can see them.",
    fields: [
      emailField(email),
      field("Password", { name: "password", type: "password", autocomplete: "current-password", required: true, problem: "Enter your password." }),
    ],
    action: "Sign in",
    async send(form) {
      await signIn(texts(form).email, form.elements.password.value);
      done();
    },
    below: [
      other("New here? ", "Create an account", () => turn(registration(done, turn))),
      other("", "Forgot your password?", () => turn(request(done, turn))),
    ],
  });
}

function registration(done, turn, invite) {
  return formPage({
    title: "Create an account",
    lead: invite ? "You are invited to keep your moments on this server." : "Your moments stay on this server, and only you can see them.",
    fields: [
      field("Name", { name: "name", type: "text", autocomplete: "name", maxlength: 200 }),
      emailField(),
      newPasswordField("Password"),
      codeField("Invitation code", "invite", invite, { hint: "Only if this server requires one" }),
    ],
    action: "Create the account",
    async send(form) {
      const { name, email, invite: code } = texts(form);
      const password = form.elements.password.value;
      try {
        await register(email, password, { name, invite: code });
      } catch (error) {
        if (error.code !== "confirm_email") throw error;
        turn(confirmation(done, turn, email, password));
        return;
      }
      done();
    },
    below: other("Already have an account? ", "Sign in", () => turn(signInPage(done, turn))),
  });
}

/** Takes the code that the server mailed to the address of a registration. The page remembers the password until then. */
function confirmation(done, turn, email, password) {
  return formPage({
    title: "Confirm your address",
    lead: `A mail to ${email} is on its way. Enter the code from the mail. The code is valid for an hour.`,
    fields: codeField("Code", "code", undefined, { required: true, problem: "Enter the code." }),
    action: "Confirm it",
    async send(form) {
      await confirmRegistration(texts(form).code, password);
      done();
    },
    below: [
      other("Did you get no mail? ", "Send another code", async () => {
        await call("POST", "/auth/password/register/resend", { body: { email } });
        toast("Another code is on its way.");
      }),
      other("", "Sign in", () => turn(signInPage(done, turn, undefined, email))),
    ],
  });
}

/** Asks for a code to set a new password. */
function request(done, turn) {
  const back = (words, email) => turn(signInPage(done, turn, words, email));
  return formPage({
    title: "Forgot your password?",
    lead: "The server sends a code to your address. Use the code to set a new password.",
    fields: emailField(),
    action: "Send me a code",
    async send(form) {
      const { email } = texts(form);
      await call("POST", "/auth/password/forgot", { body: { email } });
      // The server answers the same for an unknown address, so this does not say that a mail is on its way.
      turn(newPassword({
        lead: `If ${email} has an account here, a mail with a code is on its way. The code is valid for an hour.`, done: (words) => back(words, email), back: () => back(),
      }));
    },
    below: [
      other("", "I have a code", () => turn(newPassword({ done: back, back: () => back() }))),
      other("", "Sign in", () => back()),
    ],
  });
}

/** Sets a new password with a code. Calls `done` with a text for the user. */
function newPassword({ code, lead = "Set a new password with the code from your mail or from the server's operator.", done, back }) {
  return formPage({
    title: "A new password",
    lead,
    fields: [
      codeField("Code", "code", code, { required: true, problem: "Enter the code." }),
      newPasswordField("New password"),
    ],
    action: "Set the password",
    async send(form) {
      const body = { token: texts(form).code, password: form.elements.password.value };
      const answer = await call("POST", "/auth/password/reset", { body });
      const gone = answer.removed ? answer.recent_identities.map((one) => one.email ?? one.issuer) : [];
      done(`Your new password is set, and you are signed out everywhere. Sign in with the new password.${gone.length > 0 ? ` These other ways to sign in were removed: ${gone.join(", ")}.` : ""}`);
    },
    below: other("", "Sign in", back),
  });
}

/** The page that the link in a mail opens, which ends with the code. Calls `done` with a text for the user, if there is one. */
export function resetView(values, done) {
  return formPageView("A new password", () => newPassword({ code: values.get("code") ?? "", done, back: () => done() }));
}

function other(words, action, run) {
  return el("p", { class: "switch" }, words, button(action, run, { look: "link" }));
}
