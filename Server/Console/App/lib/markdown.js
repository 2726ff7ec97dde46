import { el } from "./dom.js";

// Markdown as nodes. Nothing is parsed as markup: HTML in a text stays text, pictures become links, and a link opens only web pages. The
// time is proportional to the length of the text: each pattern is anchored, and stops at the next character of its own kind.

/** Longer texts are shown as they are. */
const longest = 200_000;
/** Elements of one text. What follows is shown as it is. */
const mostElements = 20_000;
/** Quotes and lists within each other. */
const deepest = 6;

/** Each starts where the text's special character is. A function gets the match and returns a node, or a text. */
const patterns = [
  [/\\([\\`*_{}[\]()#+\-.!~|<>])/y, ([, letter]) => letter],
  [/(`{1,3})([^`]{1,5000})\1(?!`)/y, ([, , code]) => el("code", {}, code.trim())],
  [/!\[([^[\]]{0,1000})\]\(\s?<?([^()<>\s]{1,2000})>?(?:\s"[^"]{0,500}")?\)/y, ([whole, text, address]) => link(`Picture: ${text || address}`, address, whole)],
  [/\[([^[\]]{1,1000})\]\(\s?<?([^()<>\s]{1,2000}(?:\([^()<>\s]{0,500}\))?)>?(?:\s"[^"]{0,500}")?\)/y, ([whole, text, address]) => link(text, address, whole)],
  [/<([a-z]{2,10}:[^<>\s]{1,2000})>/yi, ([whole, address]) => link(address, address, whole)],
  // A bare address ends before the punctuation of the sentence around it.
  [/https?:\/\/[^\s<>"'`*()[\]]{0,2000}[^\s<>"'`*()[\].,;:!?]/yi, ([address]) => link(address, address, address)],
  [/\*\*(?=\S)((?:[^*]|\*(?!\*)){1,5000}?)(?<=\S)\*\*/y, ([, text], state) => el("strong", {}, inline(text, state))],
  [/(?<![\p{L}\p{N}])__(?=\S)([^_]{1,5000})(?<=\S)__(?![\p{L}\p{N}])/yu, ([, text], state) => el("strong", {}, inline(text, state))],
  [/~~(?=\S)([^~]{1,5000})(?<=\S)~~/y, ([, text], state) => el("del", {}, inline(text, state))],
  [/\*(?=[^\s*])([^*]{1,5000})(?<=\S)\*/y, ([, text], state) => el("em", {}, inline(text, state))],
  [/(?<![\p{L}\p{N}])_(?=[^\s_])([^_]{1,5000})(?<=\S)_(?![\p{L}\p{N}])/yu, ([, text], state) => el("em", {}, inline(text, state))],
];
const special = /[\\`*_~[!<]|https?:/gi;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}(#{1,6})(?: |$)/;
const bullet = /^( {0,30})([-*+]|\d{1,9}[.)])(?: +|$)/;

/** The nodes of a text. Headings begin at `level`. */
export function markdown(text, { level = 3 } = {}) {
  if (text.length > longest) return [el("p", { class: "plain-text" }, text)];
  return blocks(text.replaceAll("\r\n", "\n").split("\n"), { elements: 0, first: level, heading: level - 1, depth: 0 });
}

function blocks(lines, state) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    if (state.elements > mostElements) {
      nodes.push(el("p", { class: "plain-text" }, lines.slice(at).join("\n")));
      break;
    }
    state.elements += 1;
    const line = lines[at];
    const start = at;
    if (line.trim() === "") {
      at += 1;
    } else if (fence.test(line)) {
      const mark = fence.exec(line)[1];
      at += 1;
      while (at < lines.length && !ends(lines[at], mark)) at += 1;
      nodes.push(el("pre", {}, el("code", {}, lines.slice(start + 1, at).join("\n"))));
      at += 1;
    } else if (heading.test(line)) {
      const marks = heading.exec(line)[1].length;
      // Headings go down at most one level at a time, so that the users of screen readers can follow the outline.
      state.heading = Math.min(state.first + marks - 1, state.heading + 1, 6);
      nodes.push(el(`h${state.heading}`, {}, inline(line.slice(line.indexOf("#") + marks).trim(), state)));
      at += 1;
    } else if (isRule(line)) {
      nodes.push(el("hr"));
      at += 1;
    } else if (state.depth < deepest && isQuote(line)) {
      while (at < lines.length && isQuote(lines[at])) at += 1;
      nodes.push(el("blockquote", {}, within(lines.slice(start, at).map((one) => one.trimStart().replace(/^> ?/, "")), state)));
    } else if (state.depth < deepest && bullet.test(line)) {
      const [node, end] = list(lines, at, state);
      nodes.push(node);
      at = end;
    } else if (line.includes("|") && isDivider(lines[at + 1])) {
      at += 2;
      while (at < lines.length && lines[at].includes("|")) at += 1;
      nodes.push(table(line, lines.slice(start + 2, at), state));
    } else {
      at += 1;
      while (at < lines.length && !interrupts(lines, at, state)) at += 1;
      nodes.push(el("p", {}, broken(lines.slice(start, at), state)));
    }
  }
  return nodes;
}

const ends = (line, mark) => {
  const text = line.trim();
  return text.length >= mark.length && text[0] === mark[0] && text === mark[0].repeat(text.length);
};
const isQuote = (line) => /^ {0,3}>/.test(line);
const isDivider = (line) => line !== undefined && line.includes("-") && line.includes("|") && /^[ :|-]+$/.test(line);

function isRule(line) {
  const marks = line.replaceAll(" ", "");
  return marks.length > 2 && "-*_".includes(marks[0]) && marks === marks[0].repeat(marks.length);
}

/** Whether that line ends a paragraph. */
function interrupts(lines, at, state) {
  const line = lines[at];
  return line.trim() === "" || fence.test(line) || heading.test(line) || isRule(line)
    || (state.depth < deepest && (isQuote(line) || bullet.test(line))) || (line.includes("|") && isDivider(lines[at + 1]));
}

function within(lines, state) {
  state.depth += 1;
  const nodes = blocks(lines, state);
  state.depth -= 1;
  return nodes;
}

/** The list that begins at that line, and the line after it. */
function list(lines, at, state) {
  const [, indent, mark] = bullet.exec(lines[at]);
  const isNumbered = /\d/.test(mark);
  const items = [];
  while (at < lines.length) {
    const found = bullet.exec(lines[at]);
    if (!found || found[1].length !== indent.length || /\d/.test(found[2]) !== isNumbered || isRule(lines[at])) break;
    state.elements += 1;
    const own = [lines[at].slice(found[0].length)];
    at += 1;
    // Lines that are further indented belong to the item, and so do empty ones before such lines.
    while (at < lines.length) {
      const isEmpty = lines[at].trim() === "";
      const line = isEmpty ? lines[at + 1] : lines[at];
      if (line === undefined || line.trim() === "" || line.length - line.trimStart().length <= indent.length) break;
      own.push(isEmpty ? "" : lines[at].slice(Math.min(found[0].length, lines[at].length - lines[at].trimStart().length)));
      at += 1;
    }
    const content = within(own, state);
    const [head, ...rest] = content;
    // The first paragraph of an item needs no space around it.
    items.push(el("li", {}, head?.tagName === "P" ? [...head.childNodes, ...rest] : content));
  }
  const first = Number.parseInt(mark, 10);
  return [el(isNumbered ? "ol" : "ul", { start: isNumbered && first !== 1 ? first : null }, items), at];
}

function table(head, rows, state) {
  const cells = (line) => line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").slice(0, 50);
  const titles = cells(head);
  state.elements += titles.length * (rows.length + 1);
  // The table may be wider than the page. The keyboard scrolls what has the focus.
  return el("div", { class: "wide", role: "group", "aria-label": "Table", tabindex: 0 }, el("table", {},
    el("thead", {}, el("tr", {}, titles.map((cell) => el("th", { scope: "col" }, inline(cell.trim(), state))))),
    el("tbody", {}, rows.map((row) => {
      const own = cells(row);
      return el("tr", {}, titles.map((_, at) => el("td", {}, inline((own[at] ?? "").trim(), state))));
    }))));
}

/** The lines of a paragraph. Chat texts mean their line breaks. */
const broken = (lines, state) => lines.flatMap((line, at) => [at > 0 && el("br"), inline(line.trim(), state)]);

function inline(text, state) {
  const parts = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    special.lastIndex = at;
    const next = state.elements > mostElements ? null : special.exec(text);
    plain += text.slice(at, next?.index);
    if (!next) break;
    at = next.index;
    const [node, length] = piece(text, at, state);
    at += length;
    if (typeof node === "string") {
      plain += node;
    } else {
      state.elements += 1;
      parts.push(plain, node);
      plain = "";
    }
  }
  return [...parts, plain];
}

/** What stands at a special character: a node or a text, and how many characters of the text it takes. */
function piece(text, at, state) {
  for (const [pattern, make] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return [make(match, state), match[0].length];
  }
  return [text[at], 1];
}

/** A link to a web page, in a tab of its own that cannot reach this one. Any other address is shown as it was written. */
function link(text, address, written) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !["http:", "https:"].includes(url.protocol)) return written;
  return el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, text);
}
