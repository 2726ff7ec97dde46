// Creates everything on the page from elements and text. Nothing is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";
const properties = new Set(["value", "checked", "indeterminate"]);

/** Creates an element. `on` holds listeners by event; `false`, `null` and `undefined` omit an attribute, `true` sets it to "". */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (properties.has(name)) {
      node[name] = value;
    } else if (name.startsWith("on") || name === "style") {
      throw new TypeError(`${name} is not set on elements here`);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(node, children);
  return node;
}

export function add(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
}

/** By node: the name of the content that `fillAs` put there. */
const contents = new WeakMap();

export function fill(node, ...children) {
  contents.delete(node);
  node.replaceChildren();
  add(node, children);
}

export const controls = (node) => [...node.querySelectorAll("a[href], button, input, select, textarea")];

/** Like `fill`. If one of the old children's controls had the focus, the new one in the same position gets it. */
export function refill(node, ...children) {
  const at = controls(node).indexOf(document.activeElement);
  fill(node, ...children);
  if (at >= 0) controls(node).at(Math.min(at, controls(node).length - 1))?.focus();
}

/** Fills the node with what `make()` returns, unless it has the content with that name already: its links and buttons then stay in place. */
export function fillAs(node, name, make) {
  if (contents.get(node) === name) return;
  refill(node, make());
  contents.set(node, name);
}

/** Like `fill`, for content that grows at its end. The first children stay in place as long as they are equal to the new ones. */
export function fillOn(node, ...children) {
  const made = document.createElement("div");
  add(made, children);
  let old = node.firstChild;
  while (old && made.firstChild?.isEqualNode(old)) {
    made.firstChild.remove();
    old = old.nextSibling;
  }
  while (old) {
    const next = old.nextSibling;
    old.remove();
    old = next;
  }
  node.append(...made.childNodes);
}

/**
 * Calls `change`, which removes rows of `box` or makes them again. If the control that had the focus is gone afterwards, the control that
 * is now in its position gets the focus: the row with the same index, and the same place within it. `rows()` returns the rows, and `rest()`
 * what gets the focus when there are none.
 */
export function keepFocus(box, rows, rest, change) {
  const held = box.contains(document.activeElement) ? document.activeElement : null;
  const before = held ? rows() : [];
  const at = before.findIndex((row) => row.contains(held));
  const control = at < 0 ? -1 : controls(before[at]).indexOf(held);
  change();
  if (!held || held.isConnected) return;
  const after = rows();
  const choices = after.length > 0 ? controls(after[Math.min(Math.max(at, 0), after.length - 1)]) : [];
  (choices[control] ?? choices[0] ?? rest())?.focus();
}

/** Makes `nodes` the children of `parent`, in order. Nodes already in place are not moved, so that players keep playing. */
export function arrange(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let place = parent.firstElementChild;
  for (const node of nodes) {
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
  }
}

let count = 0;
/** A unique id, for a label or a heading that names another element. */
export function freshID(stem) {
  count += 1;
  return `${stem}-${count}`;
}

export function unseen(text) {
  return el("span", { class: "unseen" }, text);
}
