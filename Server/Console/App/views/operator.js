import { toast } from "../lib/announce.js";
import { call, query, session } from "../lib/api.js";
import { byteSize, momentTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, fill, freshID } from "../lib/dom.js";
import { formDialog, line, text } from "../lib/forms.js";
import { emptiness, pagedList } from "../lib/list.js";
import { deviceOf, methods } from "./account.js";
import { badge, button, detail, part, personLink, setTitle, tabs } from "./parts.js";

const pages = { "/operator": "Accounts", "/operator/server": "Server", "/operator/jobs": "Jobs", "/operator/outside": "Outside", "/operator/reports": "Reports" };
const path = (id, verb = "") => `/admin/users/${encodeURIComponent(id)}${verb && `/${verb}`}`;
const userLink = (id) => `#/operator/user?id=${encodeURIComponent(id)}`;
const nameOf = (account) => account.email ?? account.phone ?? account.name ?? account.id;
const filesOf = ({ files, bytes, quota }) => `${byteSize(bytes)} of ${byteSize(quota)}, ${files === 1 ? "one file" : `${files} files`}`;

/** A view of the operator. `title` is a text or a heading; `list()` is what is refreshed and stopped. */
export function operatorView(here, title, list, ...content) {
  const heading = typeof title === "string" ? el("h1", {}, title) : title;
  return {
    title: heading.textContent,
    node: el("div", { class: "view operator" }, el("div", { class: "heading" }, heading, tabs("Operator", pages, here)), content),
    // The server sends no events about other accounts.
    eventTypes: /^$/,
    refresh: () => list().refresh(),
    leave: () => list().stop(),
  };
}

/** A link to the account with that id, for the other pages. */
export const accountLink = (id, words = "Its account") => el("a", { href: userLink(id) }, words);

function badges(account) {
  return [account.is_admin && badge("Admin"), account.verified_at && badge("Verified"), account.suspended_at && el("span", { class: "badge bad" }, "Suspended")];
}

/** The buttons that change an account's standing. `changed()` is called after each change. */
function standing(account, changed) {
  const name = nameOf(account);
  const act = async (verb, said) => {
    await call("POST", path(account.id, verb));
    toast(`${name} is ${said}.`);
    await changed();
  };

  async function suspend() {
    const words = "The account is signed out within seconds and cannot sign in, and other people no longer see it. Nothing is deleted, and you can restore the account.";
    if (await confirm(`Suspend ${name}?`, words, "Suspend", "Cancel")) await act("suspend", "suspended");
  }

  return [
    account.verified_at
      ? button("Remove the verification", () => act("unverify", "no longer verified"), { name })
      : button("Verify", () => act("verify", "verified"), { name }),
    account.suspended_at
      ? button("Restore", () => act("restore", "restored"), { name })
      : account.id !== session.user.id && button("Suspend", suspend, { name }),
  ];
}

/** Administrators only: all accounts, or those that a search finds. */
export function accounts(values) {
  const id = freshID("q");
  const box = el("input", { id, type: "search", name: "q", value: values.get("q") ?? "", maxlength: 320, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const stage = el("div", {});
  let list;

  function search(event) {
    event?.preventDefault();
    const words = box.value.trim();
    history.replaceState(history.state, "", `#/operator${query({ q: words })}`);
    list?.stop();
    list = pagedList("/admin/users", { query: words }, (answer) => answer.users, {
      label: "Accounts", id: (account) => account.id, draw,
      empty: () => emptiness("search", "No such account", "Enter the beginning of an e-mail address, a complete phone number with its country code, or an id."),
    });
    fill(stage, list.node);
  }

  function draw(account) {
    return el("div", { class: "person" },
      el("div", {},
        el("p", { class: "title" }, el("a", { href: userLink(account.id) }, nameOf(account)), badges(account)),
        el("p", { class: "hint" }, [account.name, account.email && account.phone, `since ${momentTitle(account.created_at)}`, account.suspended_at && `suspended ${momentTitle(account.suspended_at)}`].filter(Boolean).join(" · ")),
        el("p", { class: "hint" }, filesOf(account.usage), account.usage.own_quota !== null && " · own quota")),
      el("div", { class: "actions" }, standing(account, () => list.refresh())));
  }

  search();
  return operatorView("/operator", "Accounts", () => list,
    el("form", { class: "searching", role: "search", on: { submit: search } },
      el("div", { class: "field" }, el("label", { for: id }, "E-mail, phone number or id"), box), el("button", { type: "submit", class: "quiet" }, "Search")),
    stage);
}

/** Administrators only: one account with what it stores and where it is signed in. */
export function user(values, go) {
  const id = values.get("id") ?? "";
  const heading = el("h1", {}, "Account");
  const about = detail({ read: (signal) => call("GET", path(id), { signal }), draw });

  function draw({ user: account, sessions }) {
    setTitle(heading, nameOf(account));
    return [summary(account), storage(account), signedIn(sessions), deletion(account)];
  }

  function summary(account) {
    const name = nameOf(account);
    const isOwn = account.id === session.user.id;

    async function promote() {
      const words = "An administrator can see and manage every account, all reports, and the server's jobs.";
      if (!(await confirm(`Make ${name} an administrator?`, words, "Make an administrator", "Cancel"))) return;
      await change("promote", "an administrator now");
    }

    async function change(verb, said) {
      await call("POST", path(id, verb));
      toast(`${name} is ${said}.`);
      await about.load();
    }

    return part("about", "Account",
      el("p", { class: "title" }, badges(account)),
      el("dl", { class: "measures" },
        fact("Name", account.name), fact("E-mail", account.email), fact("Phone", account.phone), fact("Since", momentTitle(account.created_at)),
        fact("Verified", account.verified_at && momentTitle(account.verified_at)), fact("Suspended", account.suspended_at && momentTitle(account.suspended_at)),
        fact("Id", account.id)),
      el("div", { class: "actions" },
        standing(account, about.load),
        account.is_admin
          ? !isOwn && button("Remove the administrator rights", () => change("demote", "no longer an administrator"), { name })
          : !account.suspended_at && button("Make an administrator", promote, { name }),
        el("a", { class: "button quiet", href: personLink(id) }, "Profile"),
        el("a", { class: "button quiet", href: `#/operator/outside${query({ account: id })}` }, "Sent outside")));
  }

  function storage({ usage }) {
    return part("storage", "Storage",
      el("progress", { max: Math.max(1, usage.quota), value: Math.min(usage.bytes, usage.quota), "aria-label": "Used storage" }),
      el("p", {}, filesOf(usage), usage.own_quota === null ? ". The server's quota applies." : ". This account has its own quota."),
      el("div", { class: "actions" }, button("Change the quota", () => changeQuota(usage))));
  }

  async function changeQuota(usage) {
    const isDone = await formDialog({
      title: "Change the quota", action: "Change it", about: "What the account has stored already stays, even if it exceeds the quota.",
      content: line("gigabytes", "Gigabytes", {
        type: "number", min: 0, max: 900_000, step: "any", inputmode: "decimal", value: usage.own_quota === null ? "" : usage.own_quota / 1024 ** 3,
        problem: "Enter a number from 0 to 900000, or leave the field empty.", hint: "If empty: the server's quota for all accounts",
      }),
      send: ({ gigabytes }) => call("POST", path(id, "quota"), { body: { bytes: gigabytes === "" ? null : Math.round(Number(gigabytes) * 1024 ** 3) } }),
    });
    if (!isDone) return;
    toast("The quota is changed.");
    await about.load();
  }

  function signedIn(sessions) {
    return part("signed-in", "Where it is signed in", sessions.length === 0
      ? el("p", { class: "hint" }, "Nowhere.")
      : el("ul", { class: "rows" }, sessions.map((one) => el("li", {},
        el("div", {},
          el("h3", {}, deviceOf(one.user_agent), one.is_current && badge("This session")),
          el("p", { class: "hint" }, `${methods[one.method] ?? one.method} · since ${momentTitle(one.created_at)} · last used ${momentTitle(one.last_used_at)}`))))));
  }

  function deletion(account) {
    if (account.id === session.user.id) return null;
    const name = nameOf(account);

    async function remove() {
      const words = "The server erases all data of the account, and ends the coves that it created. This cannot be undone.";
      if (!(await confirm(`Delete ${name}?`, words, "Delete for good", "Cancel"))) return;
      await call("DELETE", path(id));
      toast(`${name} is deleted.`);
      go("#/operator");
    }

    return part("deletion", "Delete the account",
      el("p", {}, "The account ends at once; then the server erases its data."),
      el("div", { class: "actions" }, button("Delete the account…", remove, { look: "danger", name })));
  }

  return operatorView("/operator", heading, () => ({ refresh: about.load, stop: about.stop }), about.node);
}

const fact = (name, value) => value && [el("dt", {}, name), el("dd", {}, value)];

const subjects = { user: "A person", cove: "A cove", event: "An event", photo: "A photo" };

/** Administrators only: what people reported. */
export function reports(values) {
  const status = values.get("status") === "resolved" ? "resolved" : "open";
  const list = pagedList("/admin/reports", { status }, (answer) => answer.reports, {
    label: "Reports", id: (report) => report.id, draw,
    empty: () => emptiness("event", status === "open" ? "No open reports" : "No resolved reports", "Reports about people, coves, events and photos appear here, newest first."),
  });

  function draw({ id, subject, reporter, ...report }) {
    return el("div", { class: "person" },
      el("div", {},
        el("p", {}, el("b", {}, `${subjects[subject.kind]}: `, subject.kind === "user" ? el("a", { href: personLink(subject.id) }, subject.name || subject.id) : subject.name || subject.id)),
        el("p", { class: "words" }, report.reason),
        el("p", { class: "hint" }, "Reported by ", el("a", { href: personLink(reporter.id) }, reporter.name || reporter.id), `, ${momentTitle(report.created_at)}`),
        report.resolved_at && el("p", { class: "hint" }, `Resolved ${momentTitle(report.resolved_at)}${report.note ? `: ${report.note}` : ""}`)),
      el("div", { class: "actions" },
        subject.account_id && el("a", { class: "button quiet", href: userLink(subject.account_id) }, "Its account"),
        report.status === "open" && button("Resolve", () => resolve(id), { name: subject.name || subject.id })));
  }

  async function resolve(id) {
    const isDone = await formDialog({
      title: "Resolve this report", action: "Resolve it", content: text("note", "What you did", { maxlength: 1000, hint: "For other administrators; the reporter does not see it" }),
      send: ({ note }) => call("POST", `/admin/reports/${encodeURIComponent(id)}/resolve`, { body: note ? { note } : {} }),
    });
    if (!isDone) return;
    toast("The report is resolved.");
    await list.refresh();
  }

  return operatorView("/operator/reports", "Reports", () => list,
    tabs("Which reports", { "/operator/reports": "Open", "/operator/reports?status=resolved": "Resolved" }, `/operator/reports${status === "open" ? "" : "?status=resolved"}`),
    list.node);
}
