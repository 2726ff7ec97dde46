import { call, query } from "../lib/api.js";
import { byteSize, dateTitle, numbers, startOfDay } from "../lib/dates.js";
import { el, fill } from "../lib/dom.js";
import { line } from "../lib/forms.js";
import { emptiness } from "../lib/list.js";
import { detail } from "./parts.js";

/** Days that the view begins with. */
const usualDays = 30;
/** The server counts by days of UTC. */
const dayBefore = (days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const purposes = { analyse: "Analysis of captures", answer: "Questions", chat: "Chat", transcribe: "Transcripts" };

/** What this server sent to outside services for the user, by day, for chat and for all other features. */
export function sent() {
  const from = line("from", "From", { type: "date", value: dayBefore(usualDays - 1) });
  const to = line("to", "To", { type: "date", value: dayBefore(0) });
  const days = () => ({ from: form.elements.from.value, to: form.elements.to.value });
  const problem = el("p", { class: "problem", role: "alert" });
  const form = el("form", { class: "keep range-of-days", on: { submit: (event) => event.preventDefault(), change } }, from, to, problem);
  const about = detail({
    read: (signal) => call("GET", `/api/chat/usage${query(days())}`, { signal }),
    draw: ({ usage }) => (usage.length === 0
      ? emptiness("chat", "Nothing was sent", "On these days, this server sent none of your data to an outside service.") : [summary(usage), table(usage)]),
  });

  async function change() {
    const { from: first, to: last } = days();
    problem.textContent = first && last && first > last ? "The first day comes after the last one." : "";
    if (problem.textContent !== "") return;
    // After an error, the page still shows the days of the earlier request.
    const error = await about.load();
    if (error) problem.textContent = error.message;
  }

  return {
    title: "What was sent",
    node: el("div", { class: "view chat-sent" },
      el("div", { class: "heading" }, el("h1", {}, "What was sent outside"), el("a", { class: "button quiet", href: "#/chat" }, "Chat")),
      el("p", { class: "hint" }, "Every request of this server to an outside model or service on your behalf. A chat model gets the conversation and its files. It gets nothing else that you keep, unless the operator of the server allows it to see your entries."),
      form, about.node),
    eventTypes: /^chat\./,
    refresh: about.load,
    leave: about.stop,
  };
}

function summary(usage) {
  const of = (name) => usage.reduce((sum, row) => sum + (row[name]), 0);
  const requests = of("requests");
  return el("p", { class: "lead" }, `${numbers.format(requests)} ${requests === 1 ? "request" : "requests"}: ${byteSize(of("bytesSent"))} sent, ${byteSize(of("bytesReceived"))} received.`);
}

function table(usage) {
  const cells = (row) => [
    dateTitle(startOfDay(row.date)), row.provider, row.model, purposes[row.purpose] ?? row.purpose, numbers.format(row.requests), byteSize(row.bytesSent),
    byteSize(row.bytesReceived), numbers.format(row.inputTokens + row.outputTokens),
  ];
  const node = el("div", { class: "wide part", role: "group", "aria-label": "Requests by day", tabindex: 0 });
  fill(node, el("table", {},
    el("thead", {}, el("tr", {}, ["Day", "Service", "Model", "For", "Requests", "Sent", "Received", "Tokens"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, usage.map((row) => el("tr", {}, cells(row).map((cell, at) => el(at === 0 ? "th" : "td", at === 0 ? { scope: "row" } : {}, cell)))))));
  return node;
}
