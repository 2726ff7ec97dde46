import { toast } from "../lib/announce.js";
import { call } from "../lib/api.js";
import { monthTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, fill } from "../lib/dom.js";
import { emptiness, pagedList } from "../lib/list.js";
import { places } from "./coves.js";
import { eventRow } from "./event.js";
import { button, copyField, part, tabs } from "./parts.js";

/** The events of all the user's coves by month, soonest first, and the link for calendar programs. */
export function agenda(values) {
  const isWhole = values.get("show") === "all";
  const list = pagedList(isWhole ? "/calendar-events" : "/upcoming-events", {}, (answer) => answer.events, {
    label: "Events", look: "entries", id: (event) => event.id, draw: (event) => eventRow(event, { withCove: true }),
    heading(event) {
      const date = new Date(event.date);
      return monthTitle(date.getFullYear(), date.getMonth());
    },
    empty: () => emptiness("calendar", isWhole ? "No events yet" : "Nothing planned", "The events of your coves appear here, soonest first.", { to: "#/coves", words: "Your coves" }),
  });
  const link = el("div", {});

  async function makeLink() {
    const { url } = await call("POST", "/calendar-link", { body: {} });
    fill(link, copyField("Calendar link", url));
    link.querySelector("input").focus();
    toast("Copy this link now. It is not shown again.");
  }

  async function revoke() {
    if (!(await confirm("Revoke the calendar link?", "Calendar programs that use it no longer get your events.", "Revoke it"))) return;
    await call("DELETE", "/calendar-link");
    fill(link);
    toast("The link no longer works.");
  }

  return {
    title: "Calendar",
    node: el("div", { class: "view agenda" },
      el("div", { class: "heading" }, el("h1", {}, "Calendar"), places("/events")),
      tabs("Which events", { "/events": "From now on", "/events?show=all": "Including past events" }, isWhole ? "/events?show=all" : "/events"),
      list.node,
      part("calendar-link", "In your calendar program",
        el("p", {}, "Subscribe to a link, and your calendar program shows these events. Everybody who has the link can read the events. A new link replaces the previous one."),
        link, el("div", { class: "actions" }, button("Make a link", makeLink), button("Revoke the link", revoke)))),
    eventTypes: /^cove\./,
    refresh: list.refresh,
    leave: list.stop,
  };
}
