import { clearMessages, toast } from "./lib/announce.js";
import { call, session } from "./lib/api.js";
import { el, fill } from "./lib/dom.js";
import { icon } from "./lib/icons.js";
import { Live } from "./lib/live.js";
import { released } from "./lib/press.js";
import { onBack } from "./lib/scroll.js";
import { resume, signOut } from "./lib/session.js";
import { account, receiptView } from "./views/account.js";
import { agenda } from "./views/agenda.js";
import { ask as askView } from "./views/ask.js";
import { calendar } from "./views/calendar.js";
import { capsules } from "./views/capsules.js";
import { captures } from "./views/captures.js";
import { chat } from "./views/chat.js";
import { contacts } from "./views/contacts.js";
import { cove } from "./views/cove.js";
import { coves } from "./views/coves.js";
import { day } from "./views/day.js";
import { event } from "./views/event.js";
import { jobs, outside, server } from "./views/installation.js";
import { forgetDraft, keep } from "./views/keep.js";
import { accounts, reports, user } from "./views/operator.js";
import { blocked, find, friends, requests } from "./views/people.js";
import { person } from "./views/person.js";
import { forgetUploads, photos } from "./views/photos.js";
import { search } from "./views/search.js";
import { sent } from "./views/sent.js";
import { resetView, signInView } from "./views/signin.js";
import { single } from "./views/single.js";
import { timeline } from "./views/timeline.js";

// A view is { title, node, refresh?, eventTypes?, onEvent?, leave?, focus? }. Opening its address creates it; opening another one calls `leave`.
// An event whose type matches `eventTypes` refreshes it; without `eventTypes`, each event does.
const views = {
  "/timeline": (values) => timeline(values, go),
  "/keep/mood": () => keep("mood", go),
  "/keep/memory": () => keep("memory", go),
  "/keep/event": () => keep("event", go),
  "/photos": (values) => photos(values, go),
  "/capsules": (values) => capsules(values, () => isLive),
  "/captures": (values) => captures(values, go),
  "/captures/day": (values) => day(values),
  "/captures/people": () => contacts(),
  "/ask": (values) => askView(values),
  "/chat": (values) => chat(values, go),
  "/chat/sent": () => sent(),
  "/entry": (values) => single(values, go),
  "/account": () => account(signedOut, farewell),
  "/calendar": (values) => calendar(values),
  "/search": (values) => search(values),
  "/coves": () => coves(go),
  "/cove": (values) => cove(values, go),
  "/event": (values) => event(values, go),
  "/events": (values) => agenda(values),
  "/people": () => friends(),
  "/people/requests": () => requests(),
  "/people/find": () => find(),
  "/people/blocked": () => blocked(),
  "/person": (values) => person(values, go),
  "/profile": () => person(new URLSearchParams(), go),
  "/operator": (values) => accounts(values),
  "/operator/user": (values) => user(values, go),
  "/operator/server": () => server(),
  "/operator/jobs": (values) => jobs(values),
  "/operator/outside": (values) => outside(values),
  "/operator/reports": (values) => reports(values),
};

const places = [
  { path: "/timeline", under: ["/entry"], words: "Timeline", picture: "timeline" },
  { path: "/photos", words: "Photos", picture: "photos" },
  { path: "/capsules", words: "Capsules", picture: "capsules" },
  { path: "/captures", under: ["/captures", "/ask"], words: "Captures", picture: "captures" },
  { path: "/keep/mood", under: ["/keep"], words: "Keep", picture: "keep" },
  { path: "/calendar", words: "Moods", picture: "mood" },
  { path: "/coves", under: ["/cove", "/event"], words: "Coves", picture: "coves" },
  { path: "/people", under: ["/people", "/person", "/profile"], words: "People", picture: "people" },
];

/** What the user should know in every view. */
const news = { "friend.requested": "You have a new friend request.", "cove.invited": "You are invited to a cove." };

const main = document.getElementById("main");
const frame = document.getElementById("frame");
const links = new Map();
let current = null;
let state = null;
let isFirst = true;
let isLive = false;

const live = new Live({
  async onEvent(event) {
    await released();
    current?.onEvent?.(event);
    if (event.type in news) toast(news[event.type]);
    if (current?.eventTypes?.test(event.type) ?? true) soon();
  },
  onGap: soon,
  // The refusal of this request shows the sign-in page with the reason.
  onEnd: () => call("GET", "/user/me").catch(() => {}),
  async onState(now) {
    isLive = now === "live";
    // The words have another width, which moves what stands beside them.
    await released();
    if (state) {
      state.className = `state ${now}`;
      state.querySelector("b").textContent = now === "live" ? "Live" : "Reconnecting";
    }
  },
});

let timer = 0;
let waitsSince = 0;
/** Refreshes the view once for several events in quick succession, but every second while they do not stop. */
function soon() {
  clearTimeout(timer);
  waitsSince ||= Date.now();
  timer = setTimeout(() => {
    waitsSince = 0;
    current?.refresh?.()?.catch?.(() => {});
  }, Math.max(0, Math.min(150, waitsSince + 1000 - Date.now())));
}

function go(hash) {
  if (location.hash === hash) open();
  else location.hash = hash;
}

function open() {
  const [path, values] = location.hash.replace(/^#/, "").split("?");
  // The link in a mail opens this page, whether somebody is signed in here or not.
  if (path === "/reset") {
    show(resetView(new URLSearchParams(values), isReset));
    return;
  }
  if (!session.user) return;
  const make = views[path];
  if (!make) {
    location.replace("#/timeline");
    return;
  }
  for (const [place, link] of links) {
    const under = places.find((one) => one.path === place)?.under ?? [];
    const isHere = path === place || path.startsWith(`${place}/`) || under.some((start) => path.startsWith(start));
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  show(make(new URLSearchParams(values)));
}

function show(view) {
  current?.leave?.();
  // Dialogs belong to the view that opened them.
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  current = view;
  fill(main, view.node);
  document.title = `${view.title} · Keepsake`;
  toTop();
  const place = view.focus?.();
  if (place) place.focus({ preventScroll: true });
  // Focus the heading, so that screen readers announce the new view. They read the first view from the top of the page anyway.
  else if (!isFirst) {
    const heading = view.node.querySelector("h1");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  isFirst = false;
}

function drawFrame() {
  links.clear();
  for (const place of places) {
    links.set(place.path, el("a", { href: `#${place.path}`, class: place.picture === "keep" ? "keep-link" : "" }, icon(place.picture), el("span", {}, place.words)));
  }
  // Chat, search and the account stand apart from the other places.
  links.set("/chat", el("a", { class: "owner", href: "#/chat", "aria-label": "Chat", title: "Chat" }, icon("chat")));
  links.set("/search", el("a", { class: "owner", href: "#/search", "aria-label": "Search", title: "Search" }, icon("search")));
  const owner = session.user.name || session.user.email || "You";
  links.set("/account", el("a", { class: "owner", href: "#/account", title: session.user.email ?? "", "aria-label": `Account: ${owner}` }, icon("person"), el("span", { class: "name" }, owner)));
  state = el("span", { class: "state away" }, el("i", { "aria-hidden": "true" }), el("b", {}, "Connecting"));
  fill(frame, el("header", { class: "bar" },
    el("a", { class: "brand", href: "#/timeline" }, "Keepsake"),
    el("nav", { class: "places", "aria-label": "Main" }, places.map((place) => links.get(place.path))),
    el("div", { class: "who" }, state, links.get("/chat"), links.get("/search"), links.get("/account"),
      el("button", { type: "button", class: "small", "aria-label": "Sign out", title: "Sign out", on: { click: leave } }, icon("leave")))));
}

/** Leaves the page for a new password, whether or not one was set. With `words`, the server has ended all sessions of the account. */
function isReset(words) {
  history.replaceState(history.state, "", "#/timeline");
  if (words || !session.user) ask(words);
  else open();
}

function enter() {
  // The code of an invitation has served its purpose.
  if (location.search) history.replaceState(history.state, "", location.pathname + location.hash);
  drawFrame();
  live.start();
  open();
}

let isSigningOut = false;
async function leave() {
  if (isSigningOut) return;
  isSigningOut = true;
  try {
    await signOut();
  } catch (error) {
    // 401 means that the session has already ended, which is the goal.
    if (error.status !== 401) {
      toast(error.message, "bad");
      return;
    }
  } finally {
    isSigningOut = false;
  }
  signedOut();
}

/** Shows the sign-in page after the user has signed out. Nothing of what they wrote or searched for remains on the page or in its address. */
function signedOut(words) {
  forgetDraft();
  history.replaceState(history.state, "", "#/timeline");
  ask(words);
}

function ask(words) {
  forget();
  show(signInView(enter, { words, invite: new URLSearchParams(location.search).get("invite") }));
}

/** Shows the receipt of the deletion, and then the sign-in page. */
function farewell(deleted) {
  forgetDraft();
  history.replaceState(history.state, "", "#/timeline");
  forget();
  show(receiptView(deleted, () => ask("Your account is deleted.")));
}

function forget() {
  session.user = null;
  live.stop();
  isLive = false;
  forgetUploads();
  clearMessages();
  clearTimeout(timer);
  waitsSince = 0;
  state = null;
  fill(frame);
}

session.ended = (words = "Your session has ended. Sign in again.") => ask(words);
const toTop = onBack(open);
// A file dropped outside the drop area must not replace the page.
for (const event of ["dragover", "drop"]) window.addEventListener(event, (drag) => { if (drag.dataTransfer?.types.includes("Files")) drag.preventDefault(); });
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

try {
  if (await resume()) enter();
  else if (location.hash.startsWith("#/reset")) open();
  else ask();
} catch (error) {
  // The account is suspended.
  if (error.status === 403) ask(error.message);
  else fill(main, el("div", { class: "plain" }, el("h1", {}, "Keepsake"), el("p", { class: "problem", role: "alert" }, error.message),
    el("p", {}, el("button", { type: "button", class: "main", on: { click: () => location.reload() } }, "Try again"))));
}
