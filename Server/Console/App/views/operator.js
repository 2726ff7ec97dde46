import { toast } from "../lib/announce.js";
import { call, query, session } from "../lib/api.js";
import { momentTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, fill, freshID } from "../lib/dom.js";
import { formDialog, text } from "../lib/forms.js";
import { emptiness, pagedList } from "../lib/list.js";
import { badge, button, personLink, tabs } from "./parts.js";

const pages = { "/operator": "Accounts", "/operator/reports": "Reports" };

function operatorView(path, title, list, ...content) {
  return {
    title,
    node: el("div", { class: "view operator" }, el("div", { class: "heading" }, el("h1", {}, title), tabs("Operator", pages, path)), content),
    // No event tells of other accounts.
    hears: /^$/,
    refresh: () => list().refresh(),
    leave: () => list().stop(),
  };
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
      empty: () => emptiness("search", "No such account", "Write the beginning of an e-mail address, a whole phone number with its country, or an id."),
    });
    fill(stage, list.node);
  }

  function draw(account) {
    const name = account.email ?? account.phone ?? account.name ?? account.id;
    const act = async (verb, said) => {
      await call("POST", `/admin/users/${encodeURIComponent(account.id)}/${verb}`);
      toast(`${name} is ${said}.`);
      await list.refresh();
    };
    return el("div", { class: "person" },
      el("div", {},
        el("p", { class: "title" }, el("a", { href: personLink(account.id) }, name),
          account.is_admin && badge("Admin"), account.verified_at && badge("Verified"), account.suspended_at && el("span", { class: "badge bad" }, "Suspended")),
        el("p", { class: "hint" }, [account.name, account.email && account.phone, `since ${momentTitle(account.created_at)}`, account.suspended_at && `suspended ${momentTitle(account.suspended_at)}`].filter(Boolean).join(" · ")),
        el("p", { class: "hint" }, account.id)),
      el("div", { class: "actions" },
        account.verified_at
          ? button("Take the verification back", () => act("unverify", "no longer verified"), { name })
          : button("Verify", () => act("verify", "verified"), { name }),
        account.suspended_at
          ? button("Restore", () => act("restore", "restored"), { name })
          : account.id !== session.user.id && button("Suspend", () => suspend(name, act), { name })));
  }

  async function suspend(name, act) {
    const words = "The account is signed out within seconds and cannot sign in, and others see nothing of it. Nothing is deleted; you can restore it.";
    if (await confirm(`Suspend ${name}?`, words, "Suspend", "Cancel")) await act("suspend", "suspended");
  }

  search();
  return operatorView("/operator", "Accounts", () => list,
    el("form", { class: "searching", role: "search", on: { submit: search } },
      el("div", { class: "field" }, el("label", { for: id }, "E-mail, phone number or id"), box), el("button", { type: "submit", class: "quiet" }, "Search")),
    stage);
}

const subjects = { user: "A person", cove: "A cove", event: "An event", photo: "A photo" };

/** Administrators only: what people reported. */
export function reports(values) {
  const status = values.get("status") === "resolved" ? "resolved" : "open";
  const list = pagedList("/admin/reports", { status }, (answer) => answer.reports, {
    label: "Reports", id: (report) => report.id, draw,
    empty: () => emptiness("event", status === "open" ? "No open reports" : "No resolved reports", "Reports about people, coves, events and photos are here, newest first."),
  });

  function draw({ id, subject, reporter, ...report }) {
    return el("div", { class: "person" },
      el("div", {},
        el("p", {}, el("b", {}, `${subjects[subject.kind]}: `, subject.kind === "user" ? el("a", { href: personLink(subject.id) }, subject.name || subject.id) : subject.name || subject.id)),
        el("p", { class: "words" }, report.reason),
        el("p", { class: "hint" }, "Reported by ", el("a", { href: personLink(reporter.id) }, reporter.name || reporter.id), `, ${momentTitle(report.created_at)}`),
        report.resolved_at && el("p", { class: "hint" }, `Resolved ${momentTitle(report.resolved_at)}${report.note ? `: ${report.note}` : ""}`)),
      el("div", { class: "actions" },
        subject.account_id && el("a", { class: "button quiet", href: `#/operator${query({ q: subject.account_id })}` }, "Its account"),
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
