import { attempt, toast } from "../lib/announce.js";
import { call, session } from "../lib/api.js";
import { timeZone } from "../lib/dates.js";
import { el, freshID } from "../lib/dom.js";
import { part } from "./parts.js";

/** The account's switch for engines outside this installation, and its time zone. */
export const settings = () => [engines(), zone()];

async function change(values) {
  session.user = await call("PATCH", "/user/me", { body: values });
}

function engines() {
  const [id, about] = [freshID("engines"), freshID("engines")];
  const box = el("input", { type: "checkbox", role: "switch", id, checked: session.user.outside_engines, "aria-describedby": about, on: { change: save } });

  async function save() {
    await attempt(async () => {
      await change({ outside_engines: box.checked });
      toast(box.checked ? "Outside engines may now process your entries." : "From now on, only this server processes your entries.");
    });
    box.checked = session.user.outside_engines;
  }

  return part("engines", "Engines",
    el("div", { class: "check" }, box, el("label", { for: id }, "Allow engines outside this server")),
    el("p", { class: "hint", id: about }, "The server's operator can connect an engine of another company. That engine then gets your words, photos and recordings, to transcribe and analyse them and to answer your questions. When this is off, only the server's own engine processes your data."));
}

/** All zones that the browser knows, UTC, and the account's. */
function zones(own) {
  const known = new Set([...Intl.supportedValuesOf("timeZone"), "UTC", timeZone]);
  if (own) known.add(own);
  return [...known].sort();
}

function zone() {
  const id = freshID("zone");
  const own = session.user.time_zone;
  const select = el("select", { id, name: "zone" },
    el("option", { value: "", selected: !own }, "The server's time zone"), zones(own).map((name) => el("option", { value: name, selected: name === own }, name.replaceAll("_", " "))));
  const here = el("button", { type: "button", class: "quiet", hidden: own === timeZone, on: { click: take } }, `Use this browser's: ${timeZone.replaceAll("_", " ")}`);

  function take() {
    select.value = timeZone;
    save();
    select.focus();
  }

  function save(event) {
    event?.preventDefault();
    return attempt(async () => {
      await change({ time_zone: select.value || null });
      here.hidden = session.user.time_zone === timeZone;
      toast("Your time zone is saved.");
    });
  }

  return part("zone", "Time zone",
    el("p", {}, "Summaries and answers use this time zone for your days and hours. A change applies to captures from now on."),
    el("form", { class: "stack", on: { submit: save } },
      el("div", { class: "field" }, el("label", { for: id }, "Time zone"), select),
      el("div", { class: "actions" }, el("button", { type: "submit", class: "quiet" }, "Save the time zone"), here)));
}
