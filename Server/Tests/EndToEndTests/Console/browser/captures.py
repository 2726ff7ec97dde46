"""The tests of captures, their summaries and people, questions, and the account's settings. Dora has an account of her own."""

import re
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from console import API, expect, judge, open_view, photo, register, send_captures, tried, until

# A day of the past, so that its hours have ended. Dora's time zone is Berlin's, an hour ahead of UTC then.
day = "2026-03-10"
said = {
    "swim": (f"{day}T08:05:00Z", "I met John at the harbour. He wants to swim to the island."),
    "lunch": (f"{day}T08:40:00Z", "Maria cooked lentil soup for all of us."),
    "boat": (f"{day}T15:20:00Z", "John repaired the old boat with Maria."),
}


class Dora:
    """Her page, a page of her app, and her API."""

    made = None

    def __init__(self, round):
        self.page = round.browser.page(microphone=False, viewport={"width": 1280, "height": 800}, timezone_id="Europe/London")
        register(self.page, "Dora", "dora@example.org")
        self.api = API(round.url, "dora@example.org")

    def get(self, path):
        return self.api.call("GET", path)


def dora(round):
    Dora.made = Dora.made or Dora(round)
    return Dora.made, Dora.made.page


def capture(page, api, **message):
    [answer] = send_captures(page, api.id, [message])
    assert answer.get("type") == "ack", answer
    return answer["captureId"]


def settled(page, api, count):
    """Waits until that many captures are processed, and their hours are summarised."""
    until(page, lambda: len([one for one in api.call("GET", "/captures?limit=100")["items"] if one["processed"]]) == count)


def answer(page, name):
    page.get_by_role("alertdialog").get_by_role("button", name=name, exact=True).click()


def submit(page, name):
    page.get_by_role("dialog").get_by_role("button", name=name).click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def article(page, text):
    return page.get_by_role("article").filter(has_text=text)


def listed(page, text):
    return page.get_by_role("listitem").filter(has_text=text)


@tried
def outside_engines_are_refused_and_a_time_zone_is_chosen(round):
    her, page = dora(round)
    open_view(page, "account", "Account")
    switch = page.get_by_role("switch", name="Allow engines outside this server")
    expect(switch).to_be_checked()
    switch.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("status").filter(has_text="From now on, only this server processes your entries.")).to_be_visible()
    page.get_by_role("button", name="Use this browser's: Europe/London").click()
    expect(page.get_by_role("status").filter(has_text="Your time zone is saved.")).to_be_visible()
    assert until(page, lambda: her.get("/user/me")["time_zone"]) == "Europe/London"
    page.get_by_role("combobox", name="Time zone").select_option("Europe/Berlin")
    page.get_by_role("button", name="Save the time zone").click()
    until(page, lambda: her.get("/user/me")["time_zone"] == "Europe/Berlin")
    assert her.get("/user/me")["outside_engines"] is False
    page.reload()
    expect(switch).not_to_be_checked()
    expect(page.get_by_role("combobox", name="Time zone")).to_have_value("Europe/Berlin")
    # A change that the server refuses does not seem to be made.
    page.route("**/user/me", lambda route: route.fulfill(status=503, json={"message": "Not now."}) if route.request.method == "PATCH" else route.continue_())
    switch.click()
    expect(page.get_by_role("status").filter(has_text="Not now.")).to_be_visible()
    expect(switch).not_to_be_checked()
    page.unroute("**/user/me")


@tried
def captures_arrive_while_the_page_is_open(round):
    her, page = dora(round)
    open_view(page, "captures", "Captures")
    expect(page.get_by_role("heading", name="No captures yet")).to_be_visible()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    app = round.browser.page(microphone=False, storage_state=page.context.storage_state())
    app.goto("/console/")
    for id, (time, text) in said.items():
        assert capture(app, her.api, id=id, timestamp=time, transcription=text) == id
    for _, text in said.values():
        expect(article(page, text.split(".")[0])).to_be_visible()
    uploaded = page.context.request.post(
        "/upload/jetty", headers={"Authorization": f"Bearer {her.api.token}"},
        multipart={"file": {"name": "jetty.jpg", "mimeType": "image/jpeg", "buffer": photo}})
    assert uploaded.ok, uploaded.text()
    capture(app, her.api, id="jetty", timestamp=f"{day}T15:45:00Z", transcription="<b>The jetty</b> & the light", photoURL=uploaded.json()["url"])
    capture(app, her.api, id="elsewhere", timestamp=f"{day}T15:50:00Z", transcription="A photo of another service", photoURL="https://photos.example.net/1.jpg")
    settled(page, her.api, 5)
    jetty = article(page, "<b>The jetty</b> & the light")
    image = jetty.locator("img")
    assert until(page, lambda: image.evaluate("(image) => image.complete && image.naturalWidth")) > 0
    expect(jetty.get_by_text("Analysed on this server")).to_be_visible()
    expect(article(page, "photos.example.net")).to_contain_text("Photo on another server")
    expect(article(page, "I met John").locator(".facts")).to_contain_text("John")
    expect(page.locator(".badge")).to_have_count(0)
    jetty.get_by_role("button", name=re.compile("^Open 1 of 1")).click()
    expect(page.get_by_role("dialog", name="Viewer").locator("img")).to_be_visible()
    page.keyboard.press("Escape")
    # What a busy engine and one that fails look like.
    seen = her.get("/captures")
    seen["items"][0].update(status="processing", processed=False, analysis=None)
    seen["items"][1].update(status="failed", processed=False, analysis=None, error="the file is damaged")
    seen["items"][2]["analysis"]["error"] = "gemini answered 503"
    page.route("**/captures?*", lambda route: route.fulfill(json=seen))
    page.reload()
    expect(page.get_by_text("Being processed", exact=True)).to_be_visible()
    expect(page.get_by_text("Not analysed", exact=True)).to_be_visible()
    expect(page.get_by_text("The capture could not be analysed: the file is damaged")).to_be_visible()
    expect(page.get_by_text("because the other engine failed: gemini answered 503")).to_be_visible()
    page.unroute("**/captures?*")
    page.route("**/captures?*", lambda route: route.fulfill(status=503, json={"message": "The server is being restarted."}))
    page.reload()
    expect(page.get_by_role("alert").filter(has_text="The server is being restarted.")).to_be_visible()
    page.unroute("**/captures?*")
    app.context.close()


@tried
def a_row_of_a_later_page_follows_its_capture(round):
    her, _ = dora(round)
    page = round.browser.page(microphone=False, storage_state=her.page.context.storage_state())
    page.goto("/console/")
    answers = send_captures(page, her.api.id, [{"id": f"many{at}", "timestamp": f"2026-03-12T10:{at:02}:00Z", "transcription": f"Note number {at}"} for at in range(45)])
    assert all(one.get("type") == "ack" for one in answers), answers
    settled(page, her.api, 50)
    open_view(page, "captures", "Captures")
    rows = page.get_by_role("list", name="Captures").locator("article")
    expect(rows.first).to_be_visible()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    until(page, lambda: rows.count() > 40 or page.evaluate("scrollTo(0, document.body.scrollHeight)"))
    her.api.call("PATCH", "/captures/many2", {"transcription": "Corrected elsewhere"})
    expect(article(page, "Corrected elsewhere")).to_be_visible()
    her.api.call("DELETE", "/captures/many3")
    expect(page.get_by_role("article", name="Capture: Note number 3", exact=True)).to_have_count(0)
    assert rows.count() > 40
    page.context.close()


@tried
def a_day_shows_its_hours_and_each_sentence_opens_its_capture(round):
    her, page = dora(round)
    until(page, lambda: len(her.get(f"/summaries/hourly?date={day}")["items"]) == 2)
    until(page, lambda: (her.get(f"/memories/{her.api.id}/{day}")["data"]["summary"] or "").count("At ") >= 3)
    page.goto(f"/console/#/captures/day?date={day}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("10 March")
    expect(page.get_by_text("Days and hours are those of Europe/Berlin")).to_be_visible()
    hours = page.locator(".hour")
    expect(hours).to_have_count(2)
    expect(hours.first.get_by_role("heading")).to_have_text("09:00")
    expect(hours.first.locator(".quotes li").first).to_contain_text("09:05")
    expect(hours.nth(1).get_by_role("heading")).to_have_text("16:00")
    expect(page.locator("#whole-day ~ .place")).to_contain_text("John")
    quote = hours.nth(1).get_by_role("link", name=re.compile("John repaired"))
    quote.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Capture")).to_be_focused()
    expect(page.get_by_role("article", name=re.compile("^Capture: John repaired"))).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Next day: ").click()
    expect(page.get_by_role("heading", name="No captures on this day")).to_be_visible()
    page.get_by_role("list", name="Days with a summary").get_by_role("link").filter(has_text="10 March").click()
    expect(hours).to_have_count(2)
    page.get_by_role("link", name="All captures of this day").click()
    expect(page.get_by_role("list", name="Captures").get_by_role("article")).to_have_count(5)


@tried
def people_are_edited_merged_split_and_removed(round):
    her, page = dora(round)
    open_view(page, "captures/people", "People in captures")
    john, maria = listed(page, "John"), listed(page, "Maria")
    expect(john).to_contain_text("In 2 captures")
    page.get_by_role("button", name="Edit: John").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Maria")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="Merge the two instead")).to_be_visible()
    page.get_by_role("dialog").get_by_label("Name").fill("John Weber")
    page.get_by_role("dialog").get_by_label("Relationship").fill("brother")
    page.get_by_role("dialog").get_by_label("Notes").fill("Swims in <i>winter</i>")
    submit(page, "Save")
    expect(john).to_contain_text("brother")
    expect(john).to_contain_text("Swims in <i>winter</i>")
    page.get_by_role("button", name="Split: John Weber").click()
    page.get_by_role("dialog").get_by_label("Who is it?").fill("John Brandt")
    page.get_by_role("dialog").get_by_role("button", name="Split").click()
    expect(page.get_by_role("alert").filter(has_text="Choose at least one capture.")).to_be_visible()
    page.get_by_role("dialog").get_by_role("checkbox", name=re.compile("John repaired")).check()
    submit(page, "Split")
    expect(listed(page, "John Brandt")).to_contain_text("In one capture")
    expect(listed(page, "John Weber")).to_contain_text("In one capture")
    page.get_by_role("link", name="John Brandt").click()
    expect(page.get_by_role("heading", level=1, name="Captures with John Brandt")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(1)
    open_view(page, "captures/people", "People in captures")
    page.get_by_role("button", name="Merge: John Brandt").click()
    page.get_by_role("dialog").get_by_label("Is the same person as").select_option(label="John Weber, brother")
    submit(page, "Merge")
    expect(listed(page, "John Brandt")).to_have_count(0)
    expect(listed(page, "John Weber")).to_contain_text("In 2 captures")
    page.get_by_role("button", name="Remove: Maria").click()
    answer(page, "Remove")
    expect(maria).to_have_count(0)
    assert [one["name"] for one in her.get("/contacts/known")["items"] if one["name"] in ("Maria", "John Weber", "John Brandt")] == ["John Weber"]


@tried
def questions_are_answered_with_sources_that_open(round):
    her, page = dora(round)
    mood = her.api.form("/moods/swift", [("mood", "calm"), ("note", "The lighthouse was lit again tonight.")])["mood"]["id"]
    open_view(page, "ask", "Ask")
    box = page.get_by_role("textbox", name="Your question")
    expect(box).to_be_focused()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="Enter a question.")).to_be_visible()
    page.keyboard.type("Who cooked lentil soup?")
    page.keyboard.press("Enter")
    first = page.get_by_role("article", name="Who cooked lentil soup?")
    expect(first.locator("blockquote mark").first).to_be_visible()
    expect(first).to_contain_text("Maria cooked lentil soup")
    expect(first).to_contain_text("Quoted from your entries on this server")
    expect(box).to_be_focused()
    page.keyboard.type("When was the lighthouse lit?")
    page.keyboard.press("Enter")
    second = page.get_by_role("article", name="When was the lighthouse lit?")
    expect(second.get_by_role("link", name=re.compile("^Mood of"))).to_have_attribute("href", f"#/entry?kind=mood&id={mood}")
    page.keyboard.type("What did the astronaut say about penguins?")
    page.keyboard.press("Enter")
    none = page.get_by_role("article", name=re.compile("penguins"))
    expect(none).to_contain_text("Nothing in your entries answers this.")
    expect(none.get_by_role("link")).to_have_count(0)
    expect(page.get_by_role("article")).to_have_count(3)
    second.get_by_role("link", name=re.compile("^Mood of")).click()
    expect(page.get_by_role("heading", level=1, name="Entry")).to_be_focused()
    expect(page.get_by_role("article", name="Mood: calm")).to_contain_text("The lighthouse was lit again")
    open_view(page, "ask", "Ask")
    box.fill("Who cooked lentil soup?")
    page.get_by_text("Filter the entries").click()
    page.get_by_label("From", exact=True).fill("2026-03-11")
    page.get_by_label("To", exact=True).fill("2026-03-10")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="The first day comes after the last one.")).to_be_visible()
    page.get_by_label("From", exact=True).fill("2026-03-10")
    page.get_by_label("Kind").select_option("capture")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("link", name=re.compile("^Capture of")).click()
    expect(page.get_by_role("article", name=re.compile("^Capture: Maria cooked"))).to_be_visible()
    # Files and memories open the same way.
    memory = her.api.form("/memories/swift", [("title", "The first frost")])["memory"]["id"]
    her.api.form("/multimedia/swift", files=[("file", "frost.jpg", "image/jpeg", photo)])
    file = her.get(her.api.user + "/multimedia")["files"][0]["fileId"]
    for kind, id, name in [("memory", memory, "Memory: The first frost"), ("file", file, "Photo: frost.jpg")]:
        page.goto(f"/console/#/entry?kind={kind}&id={urllib.parse.quote(id)}")
        expect(page.get_by_role("article", name=name)).to_be_visible()
    page.goto("/console/#/entry?kind=mood&id=no-such-mood")
    expect(page.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()


@tried
def the_timeline_and_search_contain_captures(round):
    her, page = dora(round)
    page.goto(f"/console/#/timeline?from={day}&to={day}")
    row = page.get_by_role("article", name=re.compile("^Capture: John repaired"))
    expect(row).to_be_visible()
    row.get_by_role("link", name="Open", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Capture")).to_be_visible()
    page.goto("/console/#/search?q=lentil&kind=capture")
    expect(page.get_by_role("article", name=re.compile("^Capture: Maria cooked")).locator("mark").first).to_have_text("lentil")


@tried
def captures_are_corrected_and_forgotten(round):
    her, page = dora(round)
    page.goto("/console/#/captures?id=boat")
    expect(page.get_by_role("heading", level=1, name="Capture")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Correct")).click()
    expect(page.get_by_label("What was said")).to_have_value(said["boat"][1])
    page.get_by_label("What was said").fill("Leila repaired the old boat.")
    submit(page, "Save")
    expect(page.get_by_role("article", name="Capture: Leila repaired the old boat.")).to_contain_text("Corrected by you")
    assert her.get("/captures/boat")["transcription"] == "Leila repaired the old boat."
    page.get_by_role("button", name=re.compile("^Delete Capture")).click()
    answer(page, "Keep it")
    page.get_by_role("button", name=re.compile("^Delete Capture")).click()
    answer(page, "Delete")
    expect(page.get_by_role("heading", level=1, name="Captures")).to_be_visible()
    assert "boat" not in [one["id"] for one in her.get("/captures?limit=100")["items"]]
    page.goto("/console/#/captures?id=boat")
    expect(page.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()
    page.goto("/console/#/captures/day?date=2026-03-12")
    page.get_by_role("button", name="Delete this day…").click()
    expect(page.get_by_role("alertdialog")).to_contain_text("Its 44 captures")
    answer(page, "Delete")
    expect(page.get_by_role("heading", name="No captures on this day")).to_be_visible()
    assert len(her.get("/captures?limit=100")["items"]) == 4


@tried
def the_views_of_captures_are_usable_by_everybody_in_light_and_dark(round):
    her, page = dora(round)
    views = ["captures", "captures?id=swim", f"captures?date={day}", f"captures/day?date={day}", "captures/day?date=2020-01-01", "captures/people", "ask",
             "captures?id=no-such-capture", "entry?kind=mood&id=no-such-mood"]
    axe, found = Axe(), []
    for width, scheme in [(375, "light"), (375, "dark"), (1280, "light")]:
        page.set_viewport_size({"width": width, "height": 720})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for view in views:
            page.evaluate(
                "(view) => location.hash === view || new Promise((done) => {"
                " addEventListener('hashchange', done, { once: true }); location.hash = view; })", f"#/{view}")
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            if view == "ask":
                page.get_by_role("textbox", name="Your question").fill("Who cooked lentil soup?")
                page.keyboard.press("Enter")
                expect(page.get_by_role("article")).to_be_visible()
            found += judge(axe, page, f"{view}, {width}, {scheme}")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 320, "height": 640})
    for view, name in [("captures/people", "Edit: John Weber"), ("captures/people", "Split: John Weber"), ("captures?id=swim", re.compile("^Correct"))]:
        page.goto(f"/console/#/{view}")
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        found += judge(axe, page, f"{view}, {name}")
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name=name)).to_be_focused()
    for view in views:
        page.goto(f"/console/#/{view}")
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        found += [f"{view} is too wide"] if page.evaluate("document.documentElement.scrollWidth") > 320 else []
    page.set_viewport_size({"width": 1280, "height": 800})
    assert not found, "\n".join(found)
