import { attempt, toast } from "../lib/announce.js";
import { call, query } from "../lib/api.js";
import { clockTime, dateTitle, dayKey } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el, fill, freshID } from "../lib/dom.js";
import { formDialog, line } from "../lib/forms.js";
import { icon } from "../lib/icons.js";
import { emptiness, pagedList } from "../lib/list.js";
import { conversation } from "./conversation.js";
import { button, setTitle } from "./parts.js";

/** Characters of a message around what was searched for. */
const around = 90;
const newTitle = "New conversation";
/** Pages of earlier messages, at most, that are read to show a message that was searched for. */
const mostPages = 50;

const chatLink = (id, message) => `#/chat${query({ id, message })}`;
const dayOrTime = (moment) => (dayKey(moment) === dayKey(Date.now()) ? clockTime(moment) : dateTitle(moment));

/** The conversations, and one of them. A narrow page shows one or the other. */
export function chat(values, go) {
  let id = values.get("id");
  const isList = id === null && !values.has("new");
  const searchID = freshID("q");
  const box = el("input", { id: searchID, type: "search", name: "q", maxlength: 200, autocomplete: "off", spellcheck: "false", on: { input: soon } });
  const side = el("div", {});
  const tools = el("div", { class: "actions" });
  const title = el("h2", {}, newTitle);
  let timer = 0;
  let found = null;
  let isDeleting = false;
  let wanted = values.get("message");
  let isSeeking = false;

  const list = pagedList("/api/chat/convos", {}, take, {
    label: "Conversations", look: "rows conversations", id: (row) => row.conversationId, heading: () => "",
    draw: (row) => el("a", { href: chatLink(row.conversationId), "aria-current": row.conversationId === id ? "page" : null },
      el("span", { class: "name" }, row.title), el("time", { class: "hint", datetime: row.updatedAt }, dayOrTime(row.updatedAt))),
    empty: () => emptiness("chat", "No conversations yet", "Write a message to begin one."),
  });

  const talk = conversation(id, {
    began(made) {
      id = made;
      // Replaces the history entry, and keeps what the page shows.
      history.replaceState(history.state, "", chatLink(made));
      node.dataset.place = "talk";
      name(newTitle);
      list.refresh().catch(() => {});
    },
    changed() {
      list.refresh().catch(() => {});
      reveal();
    },
    gone(words) {
      if (isDeleting) return;
      toast(words, "bad");
      go("#/chat");
    },
  });

  /** Notes the title of the open conversation. If a further page has it, the conversation's own title stays. */
  function take(answer) {
    const own = answer.conversations.find((row) => row.conversationId === id);
    if (own) name(own.title);
    return answer.conversations;
  }

  function name(words) {
    if (id === null) return;
    if (title.textContent !== words) setTitle(title, words);
    if (tools.childElementCount === 0) {
      fill(tools, button("Rename", rename), button("Delete", remove, { look: "danger" }),
        el("a", { class: "button quiet", href: `/api/chat/convos/${encodeURIComponent(id)}/export`, download: "" }, "Export"));
    }
  }

  async function rename() {
    const renamed = await formDialog({
      title: "Rename the conversation", action: "Save",
      content: line("title", "Title", { required: true, maxlength: 200, value: title.textContent, problem: "Enter a title." }),
      send: async (texts, key) => {
        await call("POST", "/api/chat/convos/update", { body: { conversationId: id, title: texts.title }, key });
        return texts.title;
      },
    });
    if (!renamed) return;
    name(renamed);
    await list.refresh();
  }

  async function remove() {
    const words = `“${title.textContent}” will be deleted permanently, with its messages. Its files are deleted, too, unless another message contains them.`;
    if (!(await confirm("Delete this conversation?", words, "Delete"))) return;
    // The event of the deletion may come before the response.
    isDeleting = true;
    try {
      await call("DELETE", "/api/chat/convos", { body: { arg: { conversationId: id, source: "button" } } });
    } catch (error) {
      isDeleting = false;
      throw error;
    }
    toast("Deleted.");
    go("#/chat");
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(search, 250);
  }

  /** Shows what was found instead of the conversations. */
  function search() {
    clearTimeout(timer);
    found?.stop();
    const words = box.value.trim();
    found = words === "" ? null : pagedList("/api/chat/search", { q: words }, (answer) => answer.messages, {
      label: "Found messages", look: "rows conversations", id: (row) => row.messageId, heading: () => "",
      draw: (row) => el("a", { href: chatLink(row.conversationId, row.messageId) },
        el("span", { class: "name" }, row.conversationTitle), el("time", { class: "hint", datetime: row.createdAt }, dayOrTime(row.createdAt)),
        el("span", { class: "excerpt" }, excerpt(row.text, words))),
      empty: () => emptiness("search", "Nothing found", "Try fewer words, or only the beginning of a word."),
    });
    fill(side, (found ?? list).node);
  }

  /** Brings the message that was searched for into view. Reads earlier pages until it is there. */
  function reveal() {
    const message = wanted && document.getElementById(`message-${wanted}`);
    if (message) {
      wanted = null;
      message.scrollIntoView({ block: "center" });
      message.focus({ preventScroll: true });
    } else if (wanted && talk.hasEarlier && !isSeeking) {
      attempt(seek);
    }
  }

  async function seek() {
    isSeeking = true;
    try {
      for (let count = 0; wanted && talk.hasEarlier && count < mostPages; count += 1) {
        await talk.loadEarlier();
        reveal();
      }
    } finally {
      isSeeking = false;
    }
    if (wanted) toast("The message is not among the latest messages of this conversation. It may have been deleted.", "bad");
    wanted = null;
  }

  fill(side, list.node);
  const watch = new MutationObserver(reveal);
  watch.observe(talk.node, { childList: true, subtree: true });
  const node = el("div", { class: "view chat", "data-place": isList ? "list" : "talk" },
    el("div", { class: "heading" }, el("h1", {}, "Chat"), el("div", { class: "actions" },
      el("a", { class: "button quiet", href: "#/chat/sent" }, "What was sent"), el("a", { class: "button", href: "#/chat?new=1" }, icon("keep"), newTitle))),
    el("div", { class: "side" },
      el("form", { role: "search", on: { submit: (event) => { event.preventDefault(); search(); } } },
        el("div", { class: "field" }, el("label", { for: searchID }, "Search messages and files"), box)),
      side),
    el("section", { class: "main-part" },
      el("p", { class: "back" }, el("a", { href: "#/chat" }, icon("back"), "All conversations")),
      el("div", { class: "heading" }, title, tools), talk.node));

  if (id !== null) name(title.textContent);
  return {
    title: "Chat",
    node,
    focus: () => (values.has("new") ? talk.box : null),
    eventTypes: /^chat\./,
    refresh: () => Promise.all([list.refresh(), found?.refresh(), talk.refresh()]),
    leave() {
      clearTimeout(timer);
      watch.disconnect();
      list.stop();
      found?.stop();
      talk.stop();
    },
  };
}

/** The part of a text around the first of the words, which is marked. Texts of files have other words, and then it is the beginning. */
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const hit = words.toLowerCase().split(/\s+/).map((word) => [lower.indexOf(word), word.length]).find(([at]) => at >= 0);
  if (!hit || lower.length !== text.length) return text.length > 2 * around ? `${text.slice(0, 2 * around)}…` : text;
  const [at, length] = hit;
  const from = Math.max(0, at - around);
  return [from > 0 && "…", text.slice(from, at), el("mark", {}, text.slice(at, at + length)), text.slice(at + length, at + length + around),
    text.length > at + length + around && "…"];
}
