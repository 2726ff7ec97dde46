import { attempt, toast } from "../lib/announce.js";
import { call, freshKey, query, session } from "../lib/api.js";
import { birthday } from "../lib/dates.js";
import { confirm } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { formDialog, line, parts, text } from "../lib/forms.js";
import { smaller } from "../lib/links.js";
import { base64, pictureButton } from "../media/picture.js";
import { view } from "../media/viewer.js";
import { askButton, cancel, peopleTabs, resolve, unfriend } from "./people.js";
import { avatar, badge, block, button, detail, nameOf, part, report, setTitle } from "./parts.js";

/** The profile of a person; without an id, the user's own, which can be edited. */
export function person(values, go) {
  const id = values.get("id") ?? session.user.id;
  const isOwn = id === session.user.id;
  const title = el("h1", {}, isOwn ? "Your profile" : "Person");
  const about = detail({
    async read(signal) {
      const [{ profile }, tie] = await Promise.all([call("GET", `/profile${query({ userId: isOwn ? "" : id })}`, { signal }), isOwn ? null : tieTo(id, signal)]);
      return { profile, tie };
    },
    draw: ({ profile, tie }) => facts(profile, tie),
  });
  const { load } = about;

  function facts(profile, tie) {
    if (!isOwn) setTitle(title, nameOf(profile));
    const known = factsOf(profile);
    const { friendCount, coveCount } = profile.stats;
    const counts = [friendCount > 0 && `${friendCount} friend${friendCount === 1 ? "" : "s"}`, coveCount > 0 && `${coveCount} cove${coveCount === 1 ? "" : "s"}`];
    return [
      el("div", { class: "person large" },
        avatar(profile.name, profile.photos.find((photo) => photo.isProfilePic)?.url),
        el("div", {},
          isOwn && el("p", { class: "lead" }, nameOf(profile)),
          el("p", { class: "title" }, profile.verified && badge("Verified"), tie?.kind === "friend" && badge("Your friend")),
          el("p", { class: "hint" }, counts.filter(Boolean).join(" · ")))),
      el("div", { class: "actions" }, isOwn ? ownActions(profile) : actionsFor(profile, tie)),
      profile.bio && el("p", { class: "words" }, profile.bio),
      known.length > 0 && part("about", "About", el("dl", { class: "facts" }, known.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))))),
      (isOwn || profile.photos.length > 0) && part("photos", "Photos", photos(profile)),
    ];
  }

  function ownActions(profile) {
    return [
      profile.onboarding
        ? button("Make your profile", () => change(profile), { look: "main" })
        : button("Edit your profile", () => change(profile)),
      pictureButton("Change the profile picture", (file) => addPhoto(file, true)),
    ];
  }

  function actionsFor(profile, tie) {
    const friend = { id, name: profile.name, friendshipId: tie?.id };
    const after = (work) => async () => {
      if ((await work()) !== false) await load();
    };
    return [
      !tie && askButton(friend, load),
      tie?.kind === "received" && [
        button("Accept the friend request", after(() => resolve(tie.id, "ACCEPT")), { look: "main" }), button("Reject the friend request", after(() => resolve(tie.id, "REJECT"))),
      ],
      tie?.kind === "sent" && button("Cancel the friend request", after(() => cancel(tie.id))),
      tie?.kind === "friend" && button("Remove from friends", after(() => unfriend(friend))),
      button("Block", async () => { if (await block(friend)) go("#/people/blocked"); }),
      button("Report", () => report("user", id, nameOf(profile))),
    ];
  }

  function photos(profile) {
    const files = profile.photos.map((photo) => ({ url: photo.url, type: "image/jpeg" }));
    const open = profile.photos.map((photo, at) => el("button", {
      type: "button", "aria-label": `Open photo ${at + 1} of ${files.length}${photo.isProfilePic ? ", the profile picture" : ""}`, on: { click: () => view(files, at, { back: (file) => open[files.indexOf(file)] }) },
    }, el("img", { src: smaller(photo.url, 256, 256), alt: "", loading: "lazy", decoding: "async", width: 256, height: 256 }), photo.isProfilePic && badge("Profile")));
    return [
      files.length === 0 && el("p", { class: "hint" }, "None yet."),
      el("ul", { class: "grid", "aria-label": "Photos", hidden: files.length === 0 }, profile.photos.map((photo, at) => {
        const name = `photo ${at + 1}`;
        return el("li", {}, open[at], el("div", { class: "actions" }, isOwn
          ? [pictureButton("Replace", (file) => replace(photo, file), { name: `Replace ${name}` }), button("Delete", () => drop(photo), { name })]
          : button("Report", () => report("photo", photo.id, "this photo"), { name })));
      })),
      isOwn && el("div", { class: "actions" }, pictureButton("Add a photo", (file) => addPhoto(file, false)), el("p", { class: "hint" }, "Other people see these photos without the place where they were taken.")),
    ];
  }

  const sending = (work) => attempt(async () => {
    toast("Sending the picture…");
    await work();
    toast("The picture is saved.");
    await load();
  });
  const addPhoto = (file, isProfilePic) => sending(async () => call("POST", "/userImage", { body: { base64Image: await base64(file), isProfilePic }, key: freshKey() }));
  const replace = (photo, file) => sending(async () => call("POST", "/userImageUpdate", { body: { photoId: photo.id, data: await base64(file) }, key: freshKey() }));

  async function drop(photo) {
    if (!(await confirm("Delete this photo?", "This cannot be undone.", "Delete"))) return;
    await call("POST", "/delete-photo", { body: { photoId: photo.id } });
    toast("Deleted.");
    await load();
  }

  async function change(profile) {
    const isNew = profile.onboarding;
    const isDone = await formDialog({
      title: isNew ? "Make your profile" : "Edit your profile", action: "Save", content: profileFields(profile, isNew),
      about: "Friends see all of this. Members of your coves see your bio, interests, school and job; everybody else only your name and pictures.",
      send: (values) => {
        const { interests, ...rest } = values;
        const list = parts(interests);
        if (!isNew) return call("POST", "/edit-profile", { body: { ...orNull(rest), interests: list } });
        return call("POST", "/onboard", { body: { ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value)), hobbies: list } });
      },
    });
    if (!isDone) return;
    toast("Your profile is saved.");
    await load();
  }

  return {
    title: isOwn ? "Your profile" : "Person",
    node: el("div", { class: "view profile" }, el("div", { class: "heading" }, title, peopleTabs(isOwn ? "/profile" : "")), about.node),
    eventTypes: /^friend\./,
    refresh: load,
    leave: about.stop,
  };
}

/** An emptied field is cleared. */
const orNull = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value || null]));

const fields = {
  gender: "Gender", city: "City", almaMater: "School or university", gradYear: "Year of graduation", job: "Job", workLocation: "Place of work",
  relationStatus: "Relationship", sexuality: "Sexuality",
};

function profileFields(profile, isNew) {
  return [
    line("name", "Name", { required: true, maxlength: 100, value: profile.name || (isNew && session.user.name), autocomplete: "name", problem: "Enter your name." }),
    text("bio", "About you", { value: profile.bio, maxlength: 2000 }),
    line("birthdate", "Born on", { type: "date", min: "1900-01-01", value: profile.birthdate?.slice(0, 10) }),
    line("interests", "Interests", { value: profile.interests.join(", "), hint: "Separated by commas" }),
    Object.entries(fields).map(([name, label]) => line(name, label, { maxlength: 200, value: profile[name] })),
  ];
}

function factsOf(profile) {
  return [
    ["Phone", profile.phone], ["Born", profile.birthdate && `${birthday(profile.birthdate)}${profile.age ? `, ${profile.age} years old` : ""}`],
    ["Interests", profile.interests.join(", ")], ...Object.entries(fields).map(([name, label]) => [label, profile[name]]),
  ].filter(([, value]) => value);
}

const ties = [
  { kind: "friend", path: "/friends", rows: (answer) => answer.friends, person: (row) => row.id, id: (row) => row.friendshipId },
  { kind: "received", path: "/friend-requests", rows: (answer) => answer.requests, person: (row) => row.sender.id, id: (row) => row.id },
  { kind: "sent", path: "/sent-friend-requests", rows: (answer) => answer.requests, person: (row) => row.recipient.id, id: (row) => row.id },
];

/** `{ kind, id }` of the friendship or pending request with somebody, or `null`. No route tells it, so this searches the user's own lists. */
async function tieTo(person, signal) {
  const found = await Promise.all(ties.map(async (tie) => {
    let cursor = null;
    do {
      const answer = await call("GET", `${tie.path}${query({ cursor, limit: 50 })}`, { signal });
      const row = tie.rows(answer).find((one) => tie.person(one) === person);
      if (row) return { kind: tie.kind, id: tie.id(row) };
      cursor = answer.pagination.nextCursor;
    } while (cursor);
    return null;
  }));
  return found.find(Boolean) ?? null;
}
