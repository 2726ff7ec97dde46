import { toast } from "../lib/announce.js";
import { call, query } from "../lib/api.js";
import { byteSize, momentTitle, numbers } from "../lib/dates.js";
import { el } from "../lib/dom.js";
import { emptiness, pagedList } from "../lib/list.js";
import { accountLink, operatorView } from "./operator.js";
import { badge, button, detail, part, tabs } from "./parts.js";

/** Milliseconds between two readings of the server's state while it is shown. */
const pause = 15_000;
const checkNames = { database: "Database", blobs: "Files", scanner: "Virus scanner" };
const kindNames = { image: "Photos", video: "Films", audio: "Recordings", document: "Documents", copy: "Smaller copies" };
const purposes = { analyse: "Analysis of captures", answer: "Questions", chat: "Chat", transcribe: "Transcripts", probe: "A probe by the operator" };

/** Administrators only: health, disk, database, queues and nodes of the installation. */
export function server() {
  const about = detail({ read: (signal) => call("GET", "/admin/status", { signal }), draw });
  const timer = setInterval(() => { if (!document.hidden) about.load(); }, pause);

  function draw(status) {
    return [health(status), storage(status), queues(status.jobs), nodes(status.nodes)];
  }

  return operatorView("/operator/server", "Server", () => ({ refresh: about.load, stop }), about.node);

  function stop() {
    clearInterval(timer);
    about.stop();
  }
}

function health({ checks, version, accounts, measured_at: measured }) {
  const failed = checks.filter((check) => !check.is_ok);
  return part("health", failed.length === 0 ? "Everything works" : "Something does not work",
    el("ul", { class: "rows" }, checks.map((check) => el("li", {},
      el("div", {}, el("h3", {}, checkNames[check.name] ?? check.name), check.error && el("p", { class: "problem" }, check.error)),
      check.is_ok ? badge("OK") : el("span", { class: "badge bad" }, "Failed")))),
    el("p", { class: "hint" }, [`Keepsake ${version}`, accounts !== null && (accounts === 1 ? "one account" : `${numbers.format(accounts)} accounts`), measured && `as of ${momentTitle(measured)}`].filter(Boolean).join(" · ")));
}

function storage({ disk, database, stored }) {
  const kinds = stored.filter((one) => one.files > 0);
  return part("storage", "Disk and database",
    disk && [
      el("progress", { max: Math.max(1, disk.free + disk.used), value: disk.used, "aria-label": "Used disk space" }),
      el("p", {}, `${byteSize(disk.free)} free, ${byteSize(disk.used)} in use by all programs`),
    ],
    el("p", {}, database.bytes === null ? database.engine : `${database.engine}: ${byteSize(database.bytes)}`),
    kinds.length > 0 && table("Stored files", ["Stored", "Files", "Size"], kinds.map((one) => [kindNames[one.kind] ?? one.kind, numbers.format(one.files), byteSize(one.bytes)])));
}

function queues(jobs) {
  const failed = (one) => (one.parked === 0 ? "0" : el("a", { href: `#/operator/jobs${query({ kind: one.kind })}` }, numbers.format(one.parked)));
  return part("queues", "Jobs", jobs.length === 0
    ? el("p", { class: "hint" }, "No job is waiting, running or failed.")
    : table("Jobs by kind", ["Kind", "Failed", "Waiting", "Running", "Due for"], jobs.map((one) => [
      one.kind, failed(one), numbers.format(one.ready), numbers.format(one.running), one.oldest_seconds > 0 ? span(one.oldest_seconds) : "–",
    ])));
}

function nodes(all) {
  return part("nodes", "Nodes", all.length === 0
    ? el("p", { class: "hint" }, "No node has sent a heartbeat yet.")
    : table("Nodes", ["Node", "State", "Version", "Since", "Requests", "Jobs"], all.map((one) => [
      one.host, one.is_alive ? badge("Alive") : el("span", { class: "badge bad" }, "No heartbeat"), one.version, momentTitle(one.started_at), numbers.format(one.requests), numbers.format(one.jobs),
    ])));
}

/** On a narrow screen each row is a block of lines, and the headings stand before the cells. The roles keep it a table for screen readers. */
function table(label, heads, rows) {
  const cellOf = (cell, at) => (at === 0 ? el("th", { scope: "row", role: "rowheader" }, cell) : el("td", { role: "cell", "data-heading": heads[at] }, cell));
  return el("div", { class: "wide", role: "group", "aria-label": label, tabindex: 0 }, el("table", { role: "table" },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map((name) => el("th", { scope: "col", role: "columnheader" }, name)))),
    el("tbody", { role: "rowgroup" }, rows.map((row) => el("tr", { role: "row" }, row.map(cellOf))))));
}

function span(seconds) {
  if (seconds < 60) return `${numbers.format(Math.round(seconds))} s`;
  if (seconds < 5400) return `${numbers.format(Math.round(seconds / 60))} min`;
  return `${numbers.format(seconds / 3600)} h`;
}

const states = {
  parked: { words: "Failed", empty: "No failed jobs", about: "Jobs that failed permanently appear here until you retry them." },
  ready: { words: "Waiting", empty: "No waiting jobs", about: "Jobs that wait for their due time or for a free worker appear here." },
  running: { words: "Running", empty: "No running jobs", about: "Jobs that are running on a node appear here." },
};

/** Administrators only: the server's jobs in one state. */
export function jobs(values) {
  const state = values.get("state") in states ? values.get("state") : "parked";
  const kind = values.get("kind") ?? "";
  const address = (one) => `/operator/jobs${one === "parked" ? query({ kind }) : query({ state: one, kind })}`;
  const list = pagedList("/admin/jobs", { state, kind }, (answer) => answer.jobs, {
    label: "Jobs", id: (job) => job.id, draw, empty: () => emptiness("again", states[state].empty, states[state].about),
  });

  function draw(job) {
    const tried = job.tries === 0 ? "not tried yet" : job.tries === 1 ? "tried once" : `tried ${job.tries} times`;
    return el("div", { class: "person" },
      el("div", {},
        el("p", { class: "title" }, job.kind),
        job.error && el("p", { class: "words" }, job.error),
        el("p", { class: "hint" }, `${tried} · created ${momentTitle(job.created_at)} · ${job.state === "parked" ? "failed" : "due"} ${momentTitle(job.run_at)}`, job.account_id && [" · ", accountLink(job.account_id)])),
      job.state === "parked" && el("div", { class: "actions" }, button("Retry", () => retry(job), { name: job.kind })));
  }

  async function retry(job) {
    // 404 and 409: another administrator was faster.
    await call("POST", `/admin/jobs/${encodeURIComponent(job.id)}/retry`).catch((error) => { if (![404, 409].includes(error.status)) throw error; });
    toast("The job runs again.");
    await list.refresh();
  }

  return operatorView("/operator/jobs", "Jobs", () => list,
    tabs("Which jobs", Object.fromEntries(Object.entries(states).map(([one, { words }]) => [address(one), words])), address(state)),
    kind && el("p", { class: "hint" }, `Only ${kind}. `, el("a", { href: `#/operator/jobs${state === "parked" ? "" : query({ state })}` }, "All kinds")),
    list.node);
}

/** Administrators only: requests of this installation to engines outside it. */
export function outside(values) {
  const account = values.get("account") ?? "";
  const list = pagedList("/admin/outside", { account }, (answer) => answer.calls, {
    label: "Requests", id: (call) => call.id, draw,
    empty: () => emptiness("send", "Nothing was sent", "No data left this installation in the last 90 days: no outside engine is set up, or nobody used it."),
  });

  function draw(one) {
    const sizes = `${byteSize(one.bytes_sent)} sent${one.bytes_received === null ? "" : `, ${byteSize(one.bytes_received)} received`}`;
    const tokens = one.input_tokens === null && one.output_tokens === null ? null : `${numbers.format((one.input_tokens ?? 0) + (one.output_tokens ?? 0))} tokens`;
    const took = one.milliseconds === null ? null : `${numbers.format(one.milliseconds / 1000)} s`;
    return el("div", {},
      el("p", {}, el("b", {}, purposes[one.purpose] ?? one.purpose), ` · ${one.engine}${one.model && `, ${one.model}`} · ${one.host}`),
      el("p", { class: one.outcome.startsWith("answered 2") || one.outcome === "sent" ? "hint" : "problem" }, [one.outcome, sizes, took, tokens].filter(Boolean).join(" · ")),
      el("p", { class: "hint" }, momentTitle(one.at), !account && one.account_id && [" · ", accountLink(one.account_id)]));
  }

  return operatorView("/operator/outside", "Sent outside", () => list,
    el("p", { class: "hint" }, "Every request to an engine outside this installation, newest first. The server does not store what was sent."),
    account && el("p", { class: "hint" }, "Only of ", accountLink(account, "one account"), ". ", el("a", { href: "#/operator/outside" }, "All accounts")),
    list.node);
}
