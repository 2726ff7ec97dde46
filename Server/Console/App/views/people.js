import { toast } from "../lib/announce.js";
import { call } from "../lib/api.js";
import { dateTitle } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, fill } from "../lib/dom.js";
import { firstWrong, line, parts, texts } from "../lib/forms.js";
import { emptiness, pagedList } from "../lib/list.js";
import { button, nameOf, part, personRow, tabs } from "./parts.js";

const pages = { "/people": "Friends", "/people/requests": "Requests", "/people/find": "Find", "/people/blocked": "Blocked", "/profile": "Profile" };

export const peopleTabs = (here) => tabs("People", pages, here);

/** A view of lists. `lists` are refreshed and stopped with it. */
function peopleView(path, title, lists, ...content) {
  return {
    title,
    node: el("div", { class: "view people" }, el("div", { class: "heading" }, el("h1", {}, title), peopleTabs(path)), content),
    eventTypes: /^(friend|cove)\./,
    refresh: () => Promise.all(lists.map((list) => list.refresh())),
    leave() { for (const list of lists) list.stop(); },
  };
}

export function friends() {
  const list = pagedList("/friends", {}, (answer) => answer.friends, {
    label: "Friends", id: (friend) => friend.friendshipId,
    draw: (friend) => personRow(friend, {
      hint: `Friends since ${dateTitle(friend.createdAt)}`,
      actions: [button("Remove", async () => { if (await unfriend(friend)) await list.refresh(); }, { name: nameOf(friend) })],
    }),
    empty: () => emptiness("people", "No friends yet", "Send a request to somebody from one of your coves, or search for people by phone number.", { to: "#/people/find", words: "Find people" }),
  });
  return peopleView("/people", "Friends", [list], list.node);
}

/** Friend requests received and sent. No event reports a cancelled request, so a list is read again also when its action was refused. */
export function requests() {
  const received = pagedList("/friend-requests", {}, (answer) => answer.requests, {
    label: "Requests received", id: (request) => request.id, empty: () => el("p", { class: "hint" }, "No request is waiting for your answer."),
    draw: (request) => personRow(request.sender, {
      hint: dateTitle(request.createdAt),
      actions: ["ACCEPT", "REJECT"].map((action) => button(
        action === "ACCEPT" ? "Accept" : "Reject", () => resolve(request.id, action).finally(received.refresh), { name: nameOf(request.sender) })),
    }),
  });
  const sent = pagedList("/sent-friend-requests", {}, (answer) => answer.requests, {
    label: "Requests sent", id: (request) => request.id, empty: () => el("p", { class: "hint" }, "No request is waiting for an answer."),
    draw: (request) => personRow(request.recipient, {
      hint: dateTitle(request.createdAt),
      actions: [button("Cancel", () => cancel(request.id).finally(sent.refresh), { name: nameOf(request.recipient) })],
    }),
  });
  return peopleView("/people/requests", "Friend requests", [received, sent],
    part("received", "Received", received.node), part("sent", "Sent", sent.node));
}

/** People by phone number, and people from the user's coves. */
export function find() {
  const found = el("ul", { class: "rows", "aria-label": "Results" });
  let turn = 0;
  const problem = el("p", { class: "problem", role: "alert" });
  const form = el("form", { class: "stack", novalidate: true, on: { submit } },
    line("numbers", "Phone numbers", { type: "tel", required: true, maxlength: 2000, hint: "Separate several numbers with commas.", problem: "Enter a phone number." }),
    problem, el("div", { class: "actions" }, el("button", { type: "submit", class: "quiet" }, "Search")), found);
  const list = pagedList("/recommended-friends", {}, (answer) => answer.users, {
    label: "People from your coves", id: (person) => person.id,
    draw: (person) => personRow(person, {
      hint: person.sharedCoveCount === 1 ? "One cove in common" : `${person.sharedCoveCount} coves in common`, actions: [askButton(person, () => list.refresh())],
    }),
    empty: () => el("p", { class: "hint" }, "Nobody at the moment. Members of your coves appear here while they are not your friends."),
  });

  async function submit(event) {
    event.preventDefault();
    const wrong = firstWrong(form);
    problem.textContent = wrong?.words ?? "";
    if (wrong) return wrong.input.focus();
    const mine = (turn += 1);
    try {
      const { contacts } = await call("POST", "/contacts", { body: { phoneNumbers: parts(texts(form).numbers) } });
      if (mine !== turn) return;
      fill(found, contacts.length === 0
        ? el("li", {}, el("p", { role: "status" }, "Nobody on this server has this number."))
        : contacts.map((person) => el("li", {}, personRow(person, { hint: person.phone, actions: [askButton(person, () => {})] }))));
    } catch (error) {
      if (mine === turn) problem.textContent = error.message;
    }
  }

  return peopleView("/people/find", "Find people", [list], part("by-phone", "By phone number", form), part("from-coves", "From your coves", list.node));
}

export function blocked() {
  const list = pagedList("/blocks", {}, (answer) => answer.blocks, {
    label: "Blocked people", id: (person) => person.id,
    draw: (person) => el("div", { class: "person" },
      el("div", {}, el("p", { class: "title" }, nameOf(person)), el("p", { class: "hint" }, `Since ${dateTitle(person.createdAt)}`)),
      el("div", { class: "actions" }, button("Unblock", async () => {
        await call("POST", "/unblock", { body: { userId: person.id } });
        toast(`${nameOf(person)} is no longer blocked.`);
        await list.refresh();
      }, { name: nameOf(person) }))),
    empty: () => emptiness("person", "Nobody is blocked", "You and a person whom you block no longer see each other."),
  });
  return peopleView("/people/blocked", "Blocked people", [list], list.node);
}

// MARK: Friendship, here and on a person's page

/** Asks for friendship. `done` is called afterwards. */
export function askButton(person, done) {
  return button("Send a friend request", async () => {
    const { request } = await call("POST", "/send-friend-request", { body: { recipientId: person.id } });
    toast(request.status === "ACCEPTED" ? `You and ${nameOf(person)} are friends now.` : `The friend request to ${nameOf(person)} is sent.`);
    await done();
  }, { name: nameOf(person) });
}

export async function resolve(requestId, action) {
  await call("POST", "/resolve-friend-request", { body: { requestId, action } });
  toast(action === "ACCEPT" ? "You are friends now." : "The request is rejected.");
}

export async function cancel(requestId) {
  await call("POST", "/cancel-friend-request", { body: { requestId } });
  toast("The request is cancelled.");
}

/** `friend` has a `friendshipId`. Returns whether the friendship has ended. */
export async function unfriend(friend) {
  if (!(await confirm(`Remove ${nameOf(friend)} from your friends?`, "The other person is not notified.", "Remove", "Cancel"))) return false;
  await call("POST", "/remove-friend", { body: { friendshipId: friend.friendshipId } });
  toast(`${nameOf(friend)} is no longer your friend.`);
  return true;
}
