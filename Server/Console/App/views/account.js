import { announce, attempt, toast } from "../lib/announce.js";
import { call, query, session } from "../lib/api.js";
import { momentTitle } from "../lib/dates.js";
import { confirm, open } from "../lib/dialog.js";
import { el, fill, freshID, refill } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { hasRoute } from "../lib/routes.js";
import { credentials, usage } from "./credentials.js";
import { part } from "./parts.js";
import { settings } from "./settings.js";

export const methods = { password: "Password", apple: "Apple", oidc: "Another service", firebase: "Firebase", tool: "Created by the server's operator" };

/**
 * The account's settings, sessions and identities, its export and its deletion.
 * Calls `leave(words)` when this session has ended, and `farewell(deleted)` when the account is deleted.
 */
export function account(leave, farewell) {
  const stopper = new AbortController();
  const sessions = el("ul", { class: "rows", "aria-labelledby": "sessions", "aria-busy": "true" });
  const identities = el("div", { "aria-busy": "true" });
  const everywhere = el("div", { class: "actions" },
    el("button", { type: "button", class: "quiet", on: { click: () => endAll(true) } }, "Sign out everywhere else"),
    el("button", { type: "button", class: "quiet", on: { click: () => endAll(false) } }, "Sign out everywhere"));
  let text = "";

  async function refresh() {
    const answer = await call("GET", "/auth/sessions", { signal: stopper.signal });
    // Redrawing unchanged rows would lose the focus.
    if (JSON.stringify(answer) === text) return;
    text = JSON.stringify(answer);
    const [current, others] = [answer.sessions.filter((one) => one.is_current), answer.sessions.filter((one) => !one.is_current)];
    refill(sessions, [...current, ...others].map(row));
    everywhere.firstElementChild.disabled = others.length === 0;
  }

  function row(one) {
    const device = deviceOf(one.user_agent);
    return el("li", { class: one.is_current ? "current" : "" },
      el("div", {},
        el("h3", {}, device, one.is_current && el("span", { class: "badge" }, "This session")),
        el("p", { class: "hint" }, `${methods[one.method] ?? one.method} · since `, time(one.created_at), " · last used ", time(one.last_used_at)),
        one.cookies.map((cookie) => el("p", { class: "hint" }, `Cookie of ${deviceOf(cookie.user_agent)}, since `, time(cookie.created_at)))),
      el("button", { type: "button", class: "quiet", "aria-label": `End the session: ${device}, since ${momentTitle(one.created_at)}`, on: { click: () => end(one, device) } }, "End"));
  }

  async function end(one, device) {
    const words = one.is_current ? "This signs you out here. To continue, sign in again." : `This signs out ${device} at once.`;
    if (!(await confirm("End this session?", words, "End it"))) return;
    await attempt(async () => {
      // 404 means that the session has already ended, which is the goal.
      await call("DELETE", `/auth/sessions/${encodeURIComponent(one.id)}`).catch((error) => { if (error.status !== 404) throw error; });
      if (one.is_current) return leave("You are signed out.");
      toast("The session has ended.");
      await refresh();
      focusSessions();
    });
  }

  async function endAll(keepsCurrent) {
    const words = keepsCurrent ? "This signs out every device except this one at once." : "This signs out every device at once, including this one.";
    if (!(await confirm(keepsCurrent ? "Sign out everywhere else?" : "Sign out everywhere?", words, "Sign out"))) return;
    await attempt(async () => {
      const { ended } = await call("DELETE", `/auth/sessions${query({ keep_current: String(keepsCurrent) })}`);
      if (!keepsCurrent) return leave("You are signed out everywhere.");
      toast(ended === 1 ? "One session has ended." : `${ended} sessions have ended.`);
      await refresh();
      focusSessions();
    });
  }

  /** Moves the focus to the sessions, because the pressed button no longer exists. */
  const focusSessions = () => sessions.querySelector("button")?.focus();

  async function load(box, work) {
    try {
      await work();
    } catch (error) {
      if (error.name !== "AbortError") fill(box, el(box === sessions ? "li" : "p", { class: "problem", role: "alert" }, error.message));
    }
    box.setAttribute("aria-busy", "false");
  }

  load(sessions, refresh);
  load(identities, async () => showIdentities((await call("GET", "/auth/identities", { signal: stopper.signal })).identities));

  function showIdentities(known) {
    fill(identities, known.length === 0
      ? el("p", { class: "hint" }, "None. An app that signs in with Apple or with your organisation's account can link one.")
      : el("ul", { class: "rows" }, known.map((one) => el("li", {},
        el("div", {}, el("h3", {}, nameOf(one.issuer)), el("p", { class: "hint" }, `${one.email ?? one.subject} · linked `, time(one.created_at))),
        el("button", { type: "button", class: "quiet", "aria-label": `Remove ${nameOf(one.issuer)}, ${one.email ?? one.subject}`, on: { click: () => remove(one) } }, "Remove")))));
  }

  async function remove(one) {
    if (!(await confirm("Remove this way to sign in?", `${nameOf(one.issuer)} can no longer sign in to this account. The sessions that it opened end at once.`, "Remove it"))) return;
    await attempt(async () => {
      showIdentities((await call("DELETE", `/auth/identities/${encodeURIComponent(one.id)}`)).identities);
      toast("The way to sign in is removed.");
      await refresh();
    });
  }

  const operator = part("operator", "For the operator",
    el("p", {}, "You are an administrator. You can check the server's state, manage accounts and read reports."),
    el("div", { class: "actions" }, el("a", { class: "button quiet", href: "#/operator" }, "Accounts"), el("a", { class: "button quiet", href: "#/operator/server" }, "Server"), el("a", { class: "button quiet", href: "#/operator/reports" }, "Reports")));
  operator.hidden = true;
  // No route tells whether the user is an administrator, but everybody else is refused here.
  call("GET", "/admin/users?limit=1", { signal: stopper.signal }).then(() => { operator.hidden = false; }, () => {});

  const user = session.user;
  const storage = el("div", { class: "stack", hidden: true });
  const own = el("div", { class: "stack", hidden: true });

  // A server of an earlier version does not have what these functions request.

  async function loadStorage() {
    const { usage: used } = await call("GET", "/user/me", { signal: stopper.signal });
    if (used) fill(storage, usage(used));
  }

  async function loadOwn() {
    if (await hasRoute("/auth/password/change")) fill(own, credentials(refresh));
  }

  for (const [box, work] of [[storage, loadStorage], [own, loadOwn]]) load(box, work).then(() => { box.hidden = box.childElementCount === 0; });

  return {
    title: "Account",
    node: el("div", { class: "view account" },
      el("div", { class: "heading" }, el("h1", {}, "Account"), el("p", { class: "hint" }, [user.name, user.email].filter(Boolean).join(" · "))),
      part("profile", "What others see",
        el("p", {}, "Only you can see your moments. Other people can see your profile, the photos in it, and your coves."),
        el("div", { class: "actions" }, el("a", { class: "button quiet", href: "#/profile" }, icon("person"), "Your profile"))),
      operator,
      storage,
      own,
      settings(),
      part("sessions", "Where you are signed in", sessions, everywhere),
      part("identities", "Other ways to sign in", identities),
      part("export", "Export your data",
        el("p", {}, "Download everything that you keep here, including every original file, as one ZIP archive. With many photos, the download takes a while."),
        el("div", { class: "actions" }, el("a", { class: "button quiet", href: "/auth/export", download: "" }, icon("save"), "Download everything"))),
      part("delete", "Delete the account",
        el("p", {}, "The server erases all your data, for every device. This cannot be undone. You get a signed receipt of the deletion."),
        el("div", { class: "actions" }, el("button", { type: "button", class: "danger", on: { click: () => askToDelete(farewell) } }, icon("bin"), "Delete my account…")))),
    refresh: () => refresh(),
    leave: () => stopper.abort(),
  };
}

const time = (moment) => el("time", { datetime: moment }, momentTitle(moment));

/** Makes the user type the account's e-mail address, so that nobody deletes an account by accident. */
function askToDelete(farewell) {
  const wanted = session.user.email ?? "delete";
  const [heading, words, field] = [freshID("delete"), freshID("delete"), freshID("delete")];
  const input = el("input", { id: field, type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", autofocus: true, on: { input: look } });
  const problem = el("p", { class: "problem", role: "alert" });
  const button = el("button", { type: "submit", class: "danger", disabled: true }, "Delete for good");
  const keep = el("button", { type: "button", class: "quiet", on: { click: () => dialog.close() } }, "Keep it");
  const dialog = el("dialog", { class: "confirm", role: "alertdialog", "aria-labelledby": heading, "aria-describedby": words, on: { cancel } },
    el("h2", { id: heading }, "Delete the account?"),
    el("p", { id: words }, "The server permanently erases every mood, memory, event, photo, film, capsule and capture, and ends the coves that you created. First export what you want to keep."),
    el("form", { on: { submit } },
      el("div", { class: "field" }, el("label", { for: field }, "Enter ", el("b", {}, wanted), " to continue"), input),
      problem, el("div", { class: "actions" }, keep, button)));

  function look() {
    button.disabled = input.value.trim().toLowerCase() !== wanted.toLowerCase();
  }

  function cancel(event) {
    // The request is under way.
    if (session.isLeaving) event.preventDefault();
  }

  async function submit(event) {
    event.preventDefault();
    if (button.disabled) return;
    problem.textContent = "";
    for (const node of [button, keep, input]) node.disabled = true;
    announce("Deleting…");
    // The account's sockets close before the response arrives; that must not show "Your session has ended".
    session.isLeaving = true;
    try {
      const deleted = await call("POST", "/auth/delete", { body: {} });
      farewell(deleted);
    } catch (error) {
      problem.textContent = error.message;
      for (const node of [button, keep, input]) node.disabled = false;
      input.focus();
    } finally {
      session.isLeaving = false;
    }
  }

  open(dialog);
}

/** Shows the receipt of the deletion. `done` opens the sign-in page. */
export function receiptView({ account_id: id, deleted_at: at, receipt }, done) {
  const field = freshID("receipt");
  const link = URL.createObjectURL(new Blob([receipt], { type: "application/jose" }));
  return {
    title: "The account is deleted",
    node: el("div", { class: "view receipt" },
      el("h1", {}, "The account is deleted"),
      el("p", {}, "Since ", time(at), " nobody can sign in to the account, and the server is erasing its data. This receipt confirms the deletion. The server signed it; the server's keys are at ",
        el("a", { href: "/.well-known/jwks.json" }, "/.well-known/jwks.json"), "."),
      el("dl", { class: "facts" }, el("div", {}, el("dt", {}, "Account"), el("dd", {}, id)), el("div", {}, el("dt", {}, "Deleted"), el("dd", {}, at))),
      el("div", { class: "field" }, el("label", { for: field }, "Receipt"), el("textarea", { id: field, readonly: true, rows: 7, spellcheck: "false", value: receipt })),
      el("div", { class: "actions" },
        el("a", { class: "button", href: link, download: `keepsake-receipt-${id}.jws` }, icon("save"), "Download the receipt"),
        el("button", { type: "button", class: "quiet", on: { click: done } }, "Done"))),
    leave: () => URL.revokeObjectURL(link),
  };
}

/** Shortens a `User-Agent` to the browser and the system, as people call them. */
export function deviceOf(agent) {
  if (!agent) return "An unknown program";
  const browser = [["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["HeadlessChrome/", "Chrome"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]]
    .find(([mark]) => agent.includes(mark))?.[1];
  const system = [["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Mac OS X", "macOS"], ["Linux", "Linux"]]
    .find(([mark]) => agent.includes(mark))?.[1];
  if (browser) return system ? `${browser} on ${system}` : browser;
  return agent.length > 60 ? `${agent.slice(0, 60)}…` : agent;
}

function nameOf(issuer) {
  if (!URL.canParse(issuer)) return issuer;
  const host = new URL(issuer).host;
  return { "appleid.apple.com": "Apple", "accounts.google.com": "Google", "securetoken.google.com": "Firebase" }[host] ?? host;
}
