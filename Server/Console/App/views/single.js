import { el } from "../lib/dom.js";
import { entry, isKind, readEntry } from "./entries.js";
import { detail } from "./parts.js";

/** One entry of any kind, which a source of an answer opens. */
export function single(values, go) {
  const kind = values.get("kind") ?? "";
  const id = values.get("id") ?? "";
  const about = detail({
    read: (signal) => (isKind(kind) ? readEntry(kind, id, signal) : Promise.reject(new Error("The console cannot show entries of this kind."))),
    draw: (item) => entry(item, { withDay: true, gone: () => go("#/timeline"), changed: () => about.load().then(() => about.node) }),
  });
  return {
    title: "Entry",
    node: el("div", { class: "view" }, el("div", { class: "heading" }, el("h1", {}, "Entry"), el("a", { class: "button quiet", href: "#/timeline" }, "Timeline")), about.node),
    refresh: about.load,
    leave() {
      about.stop();
      for (const audio of about.node.querySelectorAll("audio")) audio.pause();
    },
  };
}
