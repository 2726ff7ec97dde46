"""The tests of coves, people and the operator's page: Ben, Cleo and an operator in a browser each. They need a server with a stand-in for
Firebase (phones.py), whose key is the file KEEPSAKE_PHONES, KEEPSAKE_OPERATOR_TOKEN, an access token of an administrator, and KEEPSAKE_DATA, the
server's data folder with a SQLite database. editing.py also needs mails.py as the mail server, with its folder KEEPSAKE_MAILS."""

import os
import re
import time
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

from axe_playwright_python.sync_playwright import Axe
from console import API, enter, expect, judge, open_view, photo, rows, tried, until
from phones import prove

numbers = {"Ben": "+4915112345601", "Cleo": "+4915112345602"}
picture = {"name": "lake.jpg", "mimeType": "image/jpeg", "buffer": photo}


class Group:
    """The people, by name: their API and their page."""

    made = None

    def __init__(self, round):
        self.api, self.page = {}, {}
        for name, number in numbers.items():
            self.api[name] = API(round.url, f"{name.lower()}@example.org", name=name)
            prove(os.environ["KEEPSAKE_PHONES"], self.api[name], number)
            self.page[name] = self.page_of(round, self.api[name].token)
        self.page["operator"] = self.page_of(round, os.environ["KEEPSAKE_OPERATOR_TOKEN"])
        self.cove = None

    @staticmethod
    def page_of(round, token):
        page = round.browser.page(microphone=False, viewport={"width": 1100, "height": 800})
        enter(page, token)
        expect(page.get_by_text("Live", exact=True)).to_be_visible()
        return page

    def get(self, name, path):
        return self.api[name].call("GET", path)


def people(round):
    Group.made = Group.made or Group(round)
    return Group.made, Group.made.page["Ben"], Group.made.page["Cleo"]


def fill(page, **values):
    """Fills the fields of the open dialog by their labels."""
    for label, value in values.items():
        page.get_by_role("dialog").get_by_label(label).fill(value)


def send(page, name):
    page.get_by_role("dialog").get_by_role("button", name=name).click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def agree(page, name):
    page.get_by_role("alertdialog").get_by_role("button", name=name, exact=True).click()


def row(page, text):
    return page.get_by_role("listitem").filter(has_text=text)


def press(page, name, **options):
    page.get_by_role("button", name=name, **options).click()


@tried
def a_profile_is_made_edited_and_has_photos(round):
    group, ben, cleo = people(round)
    open_view(ben, "profile", "Your profile")
    press(ben, "Make your profile")
    expect(ben.get_by_label("Name")).to_have_value("Ben")
    ben.get_by_label("Name").fill("")
    press(ben, "Save")
    expect(ben.get_by_role("alert").filter(has_text="Enter your name.")).to_be_visible()
    fill(ben, Name="Ben Okafor", Interests="rowing, maps", City="Weilheim")
    ben.get_by_label("Born on").fill("1990-05-17")
    send(ben, "Save")
    expect(ben.get_by_text("Ben Okafor", exact=True)).to_be_visible()
    expect(ben.get_by_text("17 May 1990")).to_be_visible()
    profile = group.get("Ben", "/profile")["profile"]
    assert (profile["onboarding"], profile["interests"], profile["birthdate"]) == (False, ["rowing", "maps"], "1990-05-17T00:00:00.000Z"), profile
    press(ben, "Edit your profile")
    fill(ben, City="", Job="Boat builder")
    send(ben, "Save")
    expect(ben.get_by_text("Boat builder")).to_be_visible()
    expect(ben.get_by_text("Weilheim")).to_have_count(0)
    ben.get_by_label("Change the profile picture").set_input_files([picture])
    expect(ben.get_by_role("button", name="Open photo 1 of 1")).to_be_visible()
    ben.get_by_label("Add a photo").set_input_files([picture])
    expect(ben.get_by_role("button", name="Open photo 2 of 2")).to_be_visible()
    assert [one["isProfilePic"] for one in group.get("Ben", "/profile")["profile"]["photos"]] == [True, False]
    press(ben, "Open photo 2 of 2")
    shown = ben.get_by_role("dialog", name="Viewer").locator("img")
    assert until(ben, lambda: shown.evaluate("(image) => image.complete && image.naturalWidth")) > 0
    ben.keyboard.press("Escape")
    expect(ben.get_by_role("button", name="Open photo 2 of 2")).to_be_focused()
    press(ben, "Delete: photo 2")
    agree(ben, "Delete")
    expect(ben.get_by_role("button", name="Open photo 1 of 1")).to_be_visible()
    group.api["Cleo"].call("POST", "/onboard", {"name": "Cleo Lind"})
    expect(ben.get_by_role("link", name="People", exact=True)).to_have_attribute("aria-current", "page")


@tried
def a_cove_is_made_and_joined_by_its_id_and_both_see_each_other(round):
    group, ben, cleo = people(round)
    open_view(ben, "coves", "Coves")
    expect(ben.get_by_role("heading", name="No coves yet")).to_be_visible()
    press(ben, "New cove")
    press(ben, "Create the cove")
    expect(ben.get_by_role("alert").filter(has_text="Enter a name.")).to_be_visible()
    expect(ben.get_by_role("dialog").get_by_label("Name")).to_be_focused()
    fill(ben, Name="The <b>rowers</b>", Where="Starnberg", **{"About it": "Every Sunday\nat seven"})
    ben.get_by_label("Add a cover picture").set_input_files([picture])
    send(ben, "Create the cove")
    expect(ben.get_by_role("heading", level=1, name="The <b>rowers</b>")).to_be_visible()
    assert until(ben, lambda: ben.locator(".banner").evaluate("(image) => image.complete && image.naturalWidth")) > 0
    [cove] = group.get("Ben", "/user-coves")["coves"]
    group.cove = cove["id"]
    expect(ben.get_by_label("Id of the cove")).to_have_value(group.cove)
    ben.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(ben, "Copy")
    assert until(ben, lambda: ben.evaluate("navigator.clipboard.readText()")) == group.cove
    open_view(cleo, "coves", "Coves")
    press(cleo, "Join by id")
    fill(cleo, **{"The cove's id": "no-such-cove"})
    press(cleo, "Join", exact=True)
    expect(cleo.get_by_role("dialog").get_by_role("alert")).not_to_be_empty()
    fill(cleo, **{"The cove's id": group.cove})
    send(cleo, "Join")
    expect(cleo.get_by_role("heading", level=1, name="The <b>rowers</b>")).to_be_visible()
    # Ben's page gets the event.
    expect(row(ben, "Cleo Lind")).to_be_visible()
    expect(ben.get_by_text("2 members")).to_be_visible()
    expect(row(ben, "Ben Okafor")).to_contain_text("You · Creator")
    expect(cleo.get_by_role("button", name="Edit")).to_have_count(0)
    open_view(cleo, "coves", "Coves")
    cleo.get_by_role("link", name="The <b>rowers</b>").focus()
    cleo.keyboard.press("Enter")
    expect(row(cleo, "Ben Okafor")).to_contain_text("Creator")


@tried
def members_get_a_role_are_removed_and_return_by_invitation_only(round):
    group, ben, cleo = people(round)
    open_view(cleo, f"cove?id={group.cove}", "The <b>rowers</b>")
    press(ben, "Make admin: Cleo Lind")
    expect(row(ben, "Cleo Lind")).to_contain_text("Admin")
    expect(ben.get_by_role("button", name="Make member: Cleo Lind")).to_be_focused()
    press(ben, "Remove: Cleo Lind")
    agree(ben, "Remove")
    expect(row(ben, "Cleo Lind")).to_have_count(0)
    # Cleo's page gets the event, and offers to join.
    press(cleo, "Join this cove")
    expect(cleo.locator(".toast.bad")).to_be_visible()
    open_view(cleo, "coves", "Coves")
    press(ben, "Invite")
    fill(ben, **{"Phone numbers": "no number"})
    press(ben, "Send the invitations")
    expect(ben.get_by_role("dialog").get_by_role("alert")).to_contain_text("no number")
    fill(ben, **{"Phone numbers": f"{numbers['Cleo']}, +4915112345699", "A message to them": "Come back, please"})
    send(ben, "Send the invitations")
    expect(ben.get_by_role("list", name="Invitations you sent").get_by_role("listitem")).to_have_count(2)
    press(ben, "Cancel: +4915112345699")
    expect(ben.get_by_role("list", name="Invitations you sent").get_by_role("listitem")).to_have_count(1)
    expect(row(cleo, "Come back, please")).to_contain_text("New")
    press(cleo, "Open: The <b>rowers</b>")
    expect(cleo.get_by_role("dialog").get_by_text("Come back, please")).to_be_visible()
    send(cleo, "Join")
    expect(cleo.get_by_role("heading", level=1, name="The <b>rowers</b>")).to_be_visible()
    expect(row(ben, "Cleo Lind")).to_be_visible()
    press(ben, "Edit", exact=True)
    ben.get_by_label("Who may join").select_option("invite")
    fill(ben, Name="The rowers")
    send(ben, "Save")
    expect(ben.get_by_role("heading", level=1, name="The rowers")).to_be_visible()
    expect(ben.get_by_text("Only people with an invitation can join.")).to_be_visible()
    press(ben, "Leave")
    agree(ben, "Leave")
    # The last administrator cannot leave.
    expect(ben.locator(".toast.bad")).to_be_visible()
    assert len(group.get("Ben", "/user-coves")["coves"]) == 1


@tried
def an_event_is_answered_and_its_guests_show_at_once(round):
    group, ben, cleo = people(round)
    soon = (datetime.now(timezone.utc) + timedelta(days=9)).replace(hour=6, minute=0, second=0, microsecond=0)
    open_view(ben, f"cove?id={group.cove}", "The rowers")
    press(ben, "New event")
    fill(ben, Name="Morning row", When=soon.strftime("%Y-%m-%dT06:00"), Where="The jetty")
    send(ben, "Create the event")
    expect(ben.get_by_role("heading", level=1, name="Morning row")).to_be_visible()
    [event] = group.get("Ben", "/calendar-events")["events"]
    assert event["date"] == ben.evaluate(f"new Date('{soon.strftime('%Y-%m-%dT06:00')}').toISOString()"), event
    open_view(cleo, "events", "Calendar")
    expect(cleo.get_by_role("heading", level=2, name=soon.strftime("%B %Y"))).to_be_visible()
    cleo.get_by_role("link", name="Morning row").click()
    mine = cleo.get_by_role("group", name="Will you come?")
    going = mine.get_by_role("button", name="Going", exact=True)
    going.click()
    expect(going).to_have_attribute("aria-pressed", "true")
    guests = ben.get_by_role("list", name="Guests").get_by_role("listitem")
    expect(guests).to_contain_text("Cleo Lind")
    expect(ben.get_by_text("1 going")).to_be_visible()
    ben.get_by_role("group", name="Which guests").get_by_role("button", name="Maybe").click()
    expect(guests).to_have_count(0)
    press(cleo, "Withdraw")
    expect(going).to_have_attribute("aria-pressed", "false")
    expect(ben.get_by_text("0 going")).to_be_visible()
    mine.get_by_role("button", name="Maybe").click()
    expect(guests).to_contain_text("Cleo Lind")
    press(ben, "Edit", exact=True)
    fill(ben, Name="Evening row")
    send(ben, "Save")
    expect(cleo.get_by_role("heading", level=1, name="Evening row")).to_be_visible()
    assert group.get("Cleo", "/calendar-events")["events"][0]["date"] == event["date"]


@tried
def the_calendar_link_is_made_and_revoked_and_an_ended_event_leaves_the_calendar(round):
    group, ben, cleo = people(round)
    open_view(cleo, "events", "Calendar")
    press(cleo, "Make a link")
    link = cleo.get_by_label("Calendar link").input_value()
    with urllib.request.urlopen(link) as answer:
        assert b"SUMMARY:Evening row" in answer.read()
    press(cleo, "Revoke the link")
    agree(cleo, "Revoke it")
    expect(cleo.get_by_label("Calendar link")).to_have_count(0)
    try:
        urllib.request.urlopen(link)
        raise AssertionError("the link goes on")
    except urllib.error.HTTPError as error:
        assert error.code in (401, 403, 404), error.code
    expect(cleo.get_by_role("article", name="Evening row")).to_be_visible()
    press(ben, "End this event")
    agree(ben, "End it")
    expect(ben.get_by_role("heading", level=1, name="The rowers")).to_be_visible()
    # Cleo's calendar gets the event.
    expect(cleo.get_by_role("heading", name="Nothing planned")).to_be_visible()


@tried
def friends_are_found_asked_accepted_and_removed(round):
    group, ben, cleo = people(round)
    open_view(cleo, "people/find", "Find people")
    cleo.get_by_label("Phone numbers").fill(numbers["Ben"])
    press(cleo, "Search")
    expect(cleo.get_by_role("list", name="Results")).to_contain_text("Ben Okafor")
    open_view(ben, "people/requests", "Friend requests")
    suggestions = cleo.get_by_role("list", name="People from your coves")
    suggestions.get_by_role("button", name="Send a friend request: Ben Okafor").click()
    expect(cleo.get_by_text("The friend request to Ben Okafor is sent.")).to_be_visible()
    expect(suggestions.get_by_role("listitem")).to_have_count(0)
    # Ben gets a message on whichever page he is, and his list gets the event.
    expect(ben.get_by_text("You have a new friend request.")).to_be_visible()
    press(ben, "Reject: Cleo Lind")
    expect(ben.get_by_role("list", name="Requests received").get_by_role("listitem")).to_have_count(0)
    open_view(cleo, f"person?id={group.api['Ben'].id}", "Ben Okafor")
    press(cleo, "Send a friend request: Ben Okafor")
    press(cleo, "Cancel the friend request")
    expect(cleo.get_by_role("button", name="Send a friend request: Ben Okafor")).to_be_visible()
    assert group.get("Cleo", "/sent-friend-requests")["requests"] == []
    # No event reports that a request was cancelled.
    ben.reload()
    expect(ben.get_by_role("list", name="Requests received").get_by_role("listitem")).to_have_count(0)
    expect(ben.get_by_text("Live", exact=True)).to_be_visible()
    press(cleo, "Send a friend request: Ben Okafor")
    press(ben, "Accept: Cleo Lind")
    expect(ben.get_by_text("You are friends now.")).to_be_visible()
    open_view(ben, "people", "Friends")
    expect(row(ben, "Cleo Lind")).to_be_visible()
    # Cleo's page of Ben gets the event, and shows what only friends see.
    expect(cleo.get_by_role("button", name="Remove from friends")).to_be_visible()
    expect(cleo.get_by_text("17 May 1990")).to_be_visible()
    press(ben, "Remove: Cleo Lind")
    agree(ben, "Remove")
    expect(ben.get_by_role("heading", name="No friends yet")).to_be_visible()


@tried
def a_report_reaches_the_operator_and_a_block_hides_the_two_from_each_other(round):
    group, ben, cleo = people(round)
    open_view(cleo, f"person?id={group.api['Ben'].id}", "Ben Okafor")
    press(cleo, "Report", exact=True)
    press(cleo, "Send the report")
    expect(cleo.get_by_role("alert").filter(has_text="Describe what is wrong.")).to_be_visible()
    fill(cleo, **{"What is wrong?": "He rows too fast"})
    send(cleo, "Send the report")
    press(cleo, "Block")
    agree(cleo, "Block")
    expect(cleo.get_by_role("list", name="Blocked people")).to_contain_text("Ben Okafor")
    open_view(ben, f"cove?id={group.cove}", "The rowers")
    expect(row(ben, "Ben Okafor")).to_be_visible()
    expect(row(ben, "Cleo Lind")).to_have_count(0)
    ben.goto(f"/console/#/person?id={group.api['Cleo'].id}")
    expect(ben.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()
    press(cleo, "Unblock: Ben Okafor")
    expect(cleo.get_by_role("heading", name="Nobody is blocked")).to_be_visible()
    operator = group.page["operator"]
    open_view(operator, "operator/reports", "Reports")
    expect(row(operator, "He rows too fast")).to_contain_text("Ben Okafor")
    press(operator, "Resolve: Ben Okafor")
    fill(operator, **{"What you did": "Talked to him"})
    send(operator, "Resolve it")
    expect(operator.get_by_role("heading", name="No open reports")).to_be_visible()
    operator.get_by_role("link", name="Resolved").click()
    expect(row(operator, "He rows too fast")).to_contain_text("Talked to him")


@tried
def the_operator_suspends_and_restores_an_account(round):
    group, ben, cleo = people(round)
    operator = group.page["operator"]
    open_view(operator, "account", "Account")
    operator.get_by_role("link", name="Accounts").click()
    operator.get_by_role("searchbox").fill("ben@")
    operator.keyboard.press("Enter")
    expect(operator.get_by_role("list", name="Accounts").get_by_role("listitem")).to_have_count(1)
    press(operator, "Verify: ben@example.org")
    expect(row(operator, "ben@example.org")).to_contain_text("Verified")
    open_view(ben, "coves", "Coves")
    expect(ben.get_by_role("link", name="The rowers")).to_be_visible()
    press(operator, "Suspend: ben@example.org")
    agree(operator, "Suspend")
    expect(row(operator, "ben@example.org")).to_contain_text("Suspended")
    # His socket closes, which shows the reason.
    expect(ben.get_by_role("button", name="Sign in")).to_be_visible()
    expect(ben.get_by_text("This account is suspended.")).to_be_visible()
    ben.reload()
    expect(ben.get_by_text("This account is suspended.")).to_be_visible()
    open_view(cleo, f"cove?id={group.cove}", "The rowers")
    expect(row(cleo, "Cleo Lind")).to_be_visible()
    expect(row(cleo, "Ben Okafor")).to_have_count(0)
    press(operator, "Restore: ben@example.org")
    expect(row(operator, "ben@example.org")).not_to_contain_text("Suspended")
    ben.goto("/console/#/coves")
    ben.reload()
    expect(ben.get_by_role("link", name="The rowers")).to_be_visible()
    # Others find no such page.
    open_view(cleo, "account", "Account")
    expect(cleo.get_by_role("heading", name="What others see")).to_be_visible()
    expect(cleo.get_by_role("heading", name="For the operator")).to_have_count(0)
    open_view(cleo, "operator", "Accounts")
    expect(cleo.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()


@tried
def the_operator_sees_how_the_server_is_doing_and_retries_a_job(round):
    group, ben, cleo = people(round)
    operator, id, now = group.page["operator"], group.api["Cleo"].id, int(time.time() * 1_000_000)
    rows(
        # No runner has this kind, so it stays as it is.
        ("INSERT INTO job (id, kind, owner, payload, state, attempt, tries, lost, run_at, error, created_at)"
         " VALUES ('failed', 'test/never', ?, '{}', 'parked', 3, 3, 0, ?, 'The disk is full.', ?)", (id, now, now)),
        ("INSERT INTO engine_call (id, owner, at, engine, purpose, model, host, sent_bytes, received_bytes, milliseconds, outcome, input_tokens)"
         " VALUES ('sent', ?, ?, 'gemini', 'chat', 'flash', 'models.example.org', 2048, 512, 830, 'answered 200', 400)", (id, now)))
    open_view(operator, "operator/server", "Server")
    expect(operator.get_by_role("heading", name="Everything works")).to_be_visible()
    expect(row(operator, "Database")).to_contain_text("OK")
    expect(operator.get_by_role("group", name="Nodes")).to_contain_text("Alive")
    expect(operator.get_by_text("in use by all programs")).to_be_visible()
    # On a phone, no table is wider than the screen.
    before = operator.viewport_size
    operator.set_viewport_size({"width": 375, "height": 720})
    tables = operator.locator(".operator .wide")
    assert tables.count() >= 2
    assert tables.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")
    expect(operator.get_by_role("group", name="Nodes").get_by_role("cell").first).to_contain_text("Alive")
    operator.set_viewport_size(before)
    operator.get_by_role("link", name="Jobs").click()
    expect(row(operator, "test/never")).to_contain_text("The disk is full.")
    press(operator, "Retry: test/never")
    expect(operator.get_by_role("heading", name="No failed jobs")).to_be_visible()
    operator.get_by_role("link", name="Waiting").click()
    expect(row(operator, "test/never")).to_contain_text("not tried yet")
    rows(("DELETE FROM job WHERE id = 'failed'", ()))
    operator.get_by_role("link", name="Outside", exact=True).click()
    expect(row(operator, "models.example.org")).to_contain_text("2 KB sent")
    row(operator, "models.example.org").get_by_role("link", name="Its account").click()
    expect(operator.get_by_role("heading", level=1, name="cleo@example.org")).to_be_visible()


@tried
def the_operator_sets_a_quota_makes_an_administrator_and_deletes_an_account(round):
    group, ben, cleo = people(round)
    operator = group.page["operator"]
    open_view(operator, "operator?q=cleo@", "Accounts")
    operator.get_by_role("link", name="cleo@example.org").click()
    expect(operator.get_by_role("heading", level=1, name="cleo@example.org")).to_be_visible()
    expect(operator.get_by_text("The server's quota applies.")).to_be_visible()
    press(operator, "Change the quota")
    fill(operator, Gigabytes="-1")
    press(operator, "Change it")
    expect(operator.get_by_role("alert").filter(has_text="Enter a number")).to_be_visible()
    fill(operator, Gigabytes="2.5")
    send(operator, "Change it")
    expect(operator.get_by_text("of 2.5 GB")).to_be_visible()
    assert group.get("Cleo", "/user/me")["usage"]["quota"] == 2.5 * 1024**3
    press(operator, "Change the quota")
    fill(operator, Gigabytes="")
    send(operator, "Change it")
    expect(operator.get_by_text("The server's quota applies.")).to_be_visible()
    press(operator, "Make an administrator: cleo@example.org")
    agree(operator, "Make an administrator")
    press(operator, "Remove the administrator rights: cleo@example.org")
    expect(operator.get_by_role("button", name="Make an administrator: cleo@example.org")).to_be_visible()
    gone = API(round.url, "gone@example.org", name="Gone")
    open_view(operator, f"operator/user?id={gone.id}", "gone@example.org")
    expect(operator.get_by_role("region", name="Where it is signed in").get_by_role("listitem")).to_have_count(1)
    press(operator, "Delete the account…: gone@example.org")
    agree(operator, "Delete for good")
    expect(operator.get_by_role("heading", level=1, name="Accounts")).to_be_visible()
    open_view(operator, f"operator/user?id={gone.id}", "Account")
    expect(operator.get_by_role("alert").filter(has_text="There is no such account.")).to_be_visible()


@tried
def the_views_of_people_and_coves_are_usable_by_everybody_in_light_and_dark(round):
    group, ben, cleo = people(round)
    ben_api, cleo_id = group.api["Ben"], group.api["Cleo"].id
    date = (datetime.now(timezone.utc) + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    event = ben_api.call("POST", "/create-event", {"coveId": group.cove, "name": "Regatta", "date": date, "location": "The jetty"})["event"]["id"]
    ben_api.call("POST", "/update-event-rsvp", {"eventId": event, "status": "GOING"})
    group.api["Cleo"].call("POST", "/send-friend-request", {"recipientId": ben_api.id})
    views = {
        "ben": ["coves", f"cove?id={group.cove}", f"event?id={event}", "events", "events?show=all", "people", "people/requests", "people/find",
                "people/blocked", "profile", f"person?id={cleo_id}", "cove?id=no-such-cove"],
        "operator": ["operator", f"operator/user?id={cleo_id}", "operator/server", "operator/jobs", "operator/outside", "operator/reports",
                     "operator/reports?status=resolved"],
    }
    axe, found = Axe(), []
    for page, mine in [(ben, views["ben"]), (group.page["operator"], views["operator"])]:
        page.set_viewport_size({"width": 375, "height": 720})
        for scheme in ["light", "dark"]:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            for view in mine:
                # The console has drawn the view when this returns.
                page.evaluate(
                    "(view) => location.hash === view || new Promise((done) => {"
                    " addEventListener('hashchange', done, { once: true }); location.hash = view; })", f"#/{view}")
                expect(page.locator("[aria-busy=true]")).to_have_count(0)
                found += judge(axe, page, f"{view}, {scheme}")
        page.emulate_media(color_scheme="light")
    ben.set_viewport_size({"width": 320, "height": 640})
    for view, name in [("profile", "Edit your profile"), (f"cove?id={group.cove}", "Invite"), (f"event?id={event}", "Edit")]:
        ben.goto(f"/console/#/{view}")
        press(ben, name, exact=True)
        expect(ben.get_by_role("dialog")).to_be_visible()
        found += judge(axe, ben, f"{view}, {name}")
        ben.keyboard.press("Escape")
        expect(ben.get_by_role("button", name=name, exact=True)).to_be_focused()
    assert not found, "\n".join(found)
