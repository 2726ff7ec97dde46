import { announce, toast } from "../lib/announce.js";
import { call, query } from "../lib/api.js";
import { clockTime, dayKey, fullDay, shortMonth } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, fill, refill } from "../lib/dom.js";
import { formDialog, line, localTime, text } from "../lib/forms.js";
import { smaller } from "../lib/links.js";
import { pagedList } from "../lib/list.js";
import { pictureField } from "../media/picture.js";
import { coveLink, place } from "./coves.js";
import { badge, button, detail, part, personLink, personRow, report, setTitle } from "./parts.js";

const answers = { GOING: "Going", MAYBE: "Maybe", NOT_GOING: "Not going" };
const eventLink = (id) => `#/event?id=${encodeURIComponent(id)}`;
const when = (moment) => `${fullDay(dayKey(moment))}, ${clockTime(moment)}`;

/** An event in a list. */
export function eventRow(event, { withCove = false } = {}) {
  const date = new Date(event.date);
  return el("article", { class: "entry meeting", "aria-label": event.name },
    el("span", { class: "leaf", "aria-hidden": "true" }, el("b", {}, date.getDate()), shortMonth(date)),
    el("header", {},
      el("h3", {}, el("a", { href: eventLink(event.id) }, event.name)),
      el("p", { class: "when" }, el("time", { datetime: event.date }, when(event.date)))),
    place(event.location),
    event.coverPhoto && el("img", { class: "cover", src: smaller(event.coverPhoto.url, 640, 280), alt: "", loading: "lazy", decoding: "async" }),
    el("footer", {},
      withCove && el("a", { href: coveLink(event.coveId) }, event.coveName),
      el("p", { class: "hint" }, `${event.goingCount} going`),
      event.rsvpStatus && badge(`You: ${answers[event.rsvpStatus].toLowerCase()}`)));
}

/** One event, with the user's answer and the guest list. */
export function event(values, go) {
  const id = values.get("id") ?? "";
  const title = el("h1", {}, "Event");
  const guests = el("div", {});
  const filters = el("div", { class: "actions", role: "group", "aria-label": "Which guests" });
  const rest = part("guests", "Guests", filters, guests);
  rest.hidden = true;
  let list = null;
  const about = detail({
    async read(signal) {
      const { event } = await call("GET", `/event${query({ eventId: id })}`, { signal });
      // The host and the cove's administrators may edit it.
      const canEdit = event.isHost || (await call("GET", `/cove${query({ coveId: event.coveId })}`, { signal })).cove.role === "ADMIN";
      return { ...event, canEdit };
    },
    draw(event) {
      setTitle(title, event.name);
      if (!list) showGuests("");
      rest.hidden = false;
      return facts(event);
    },
    refused() { rest.hidden = true; },
  });

  function facts(event) {
    return [
      event.coverPhoto && el("img", { class: "banner", src: smaller(event.coverPhoto.url, 1408, 560), alt: "" }),
      el("p", { class: "lead" }, el("time", { datetime: event.date }, when(event.date))),
      place(event.location),
      event.description && el("p", { class: "words" }, event.description),
      el("p", { class: "hint" }, el("a", { href: coveLink(event.coveId) }, event.cove.name), ` · ${event.goingCount} going`,
        event.host.name && [" · hosted by ", el("a", { href: personLink(event.host.id) }, event.host.name)]),
      el("div", { class: "actions" },
        event.canEdit && button("Edit", () => edit(event)),
        // When the host has left the cove, its administrators may end the event. The server says so when they may not.
        event.canEdit && button("End this event", () => end(event), { look: "danger" }),
        !event.isHost && button("Report", () => report("event", id, event.name))),
      part("answer", "Will you come?", el("div", { class: "actions", role: "group", "aria-labelledby": "answer" },
        chips(answers, event.rsvpStatus, reply), event.rsvpStatus && button("Withdraw", () => reply(null)))),
    ];
  }

  /** `null` withdraws the answer. */
  async function reply(status) {
    if (status) await call("POST", "/update-event-rsvp", { body: { eventId: id, status } });
    else await call("POST", "/remove-event-rsvp", { body: { eventId: id } });
    announce(status ? `Your answer: ${answers[status]}` : "Your answer is withdrawn.");
    await refresh();
  }

  function showGuests(status) {
    list?.stop();
    list = pagedList("/event-members", { eventId: id, status }, (answer) => answer.members, {
      label: "Guests", id: (guest) => guest.id, empty: () => el("p", { class: "hint" }, "Nobody yet."),
      draw: (guest) => personRow({ id: guest.userId, name: guest.userName, profilePhotoUrl: guest.profilePhotoUrl }, { badge: answers[guest.status] }),
    });
    fill(guests, list.node);
    refill(filters, chips({ "": "Everybody", ...answers }, status, showGuests));
  }

  async function edit(event) {
    const isEdited = await eventDialog("Edit the event", "Save", event, (body) => call("POST", "/edit-event", { body: { eventId: id, ...body } }));
    if (isEdited) await refresh();
  }

  async function end(event) {
    if (!(await confirm(`End ${event.name}?`, "The event disappears from everybody's calendar. This cannot be undone.", "End it"))) return;
    await call("POST", "/delete-event", { body: { eventId: id } });
    toast(`${event.name} has ended.`);
    go(coveLink(event.coveId));
  }

  async function refresh() {
    await about.load();
    await list?.refresh();
  }

  return {
    title: "Event",
    node: el("div", { class: "view event" }, el("div", { class: "heading" }, title, el("a", { class: "button quiet", href: "#/events" }, "Calendar")), about.node, rest),
    eventTypes: /^cove\./,
    refresh,
    leave() {
      about.stop();
      list?.stop();
    },
  };
}

/** One button for each of the choices; `choices` are the words by value. */
function chips(choices, chosen, choose) {
  return Object.entries(choices).map(([value, words]) => button(words, () => choose(value), { look: "chip", isPressed: value === (chosen ?? null) }));
}

export async function addEvent(coveId, go) {
  const made = await eventDialog("New event", "Create the event", {}, async (body, key) => (await call("POST", "/create-event", { body: { coveId, ...body }, key })).event);
  if (made) go(eventLink(made.id));
}

function eventDialog(title, action, event, send) {
  const cover = pictureField(event.coverPhoto ? "Change the cover picture" : "Add a cover picture");
  return formDialog({
    title, action,
    content: [
      line("name", "Name", { required: true, maxlength: 200, value: event.name, problem: "Enter a name." }),
      line("date", "When", { type: "datetime-local", required: true, value: event.date && localTime(event.date), problem: "Enter when the event takes place." }),
      line("location", "Where", { required: true, maxlength: 200, value: event.location, problem: "Enter where the event takes place." }),
      text("description", "About it", { value: event.description }),
      cover.node,
    ],
    send: async ({ date, description, ...fields }, key) => send({ ...fields, description: description || null, date: new Date(date).toISOString(), coverPhoto: await cover.data() }, key),
  });
}
