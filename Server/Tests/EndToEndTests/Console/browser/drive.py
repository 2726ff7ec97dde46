"""drive.py [TEST…] URL: operates the console as people do, and checks the result by the API. Prints one line of JSON per test:
{"name", "seconds", "problem"}. An error that the browser reports is a problem of the running test. together.py says what the server needs."""

import pathlib
import re
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile

from axe_playwright_python.sync_playwright import Axe
from console import API, Browser, chosen, drop, expect, judge, open_view, photo, register, report, repository, said, sign_in, tried, until, voice

fixtures = repository / "Tests" / "Fixtures"
film = (fixtures / "moov-first.mp4").read_bytes()
# Each view with the beginning of its window title.
views = {
    "timeline": "Timeline", "photos": "Photos", "keep/mood": "Keep: Mood", "keep/memory": "Keep: Memory", "keep/event": "Keep: Event",
    "calendar": "Moods", "search?q=lake": "Search", "capsules": "Capsules", "account": "Account",
}


class Round:
    """The state that the tests share: the browser, Ada's page, and the API as Ada."""

    def __init__(self, url, folder):
        self.url, self.folder = url, folder
        voice(folder / "voice.wav")
        self.browser = Browser(url, folder / "voice.wav")
        self.page = self.browser.page(viewport={"width": 1280, "height": 800})
        self.api = None

    def files(self):
        return self.api.call("GET", self.api.user + "/multimedia")["files"]

    def shown(self):
        """The files in the order of the gallery."""
        return self.api.call("GET", self.api.user + "/multimedia?sort=takenAt")["files"]


def session_cookies(page):
    """All cookies except the one that only marks that an account signed in here before."""
    return [cookie for cookie in page.context.cookies() if cookie["name"] != "keepsake-device"]


@tried
def an_account_is_made_and_no_token_is_kept(round):
    register(round.page)
    round.api = API(round.url)
    assert round.page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    cookies = {cookie["name"]: cookie for cookie in round.page.context.cookies()}
    assert set(cookies) == {"keepsake", "keepsake-device"}, cookies
    assert cookies["keepsake"]["httpOnly"] and cookies["keepsake"]["sameSite"] == "Lax", cookies
    assert cookies["keepsake-device"]["httpOnly"] and cookies["keepsake-device"]["sameSite"] == "Strict", cookies


@tried
def texts_are_in_the_fonts_that_the_server_sends(round):
    page = round.page
    tools = page.context.new_cdp_session(page)
    tools.send("DOM.enable")
    tools.send("CSS.enable")

    def fonts(selector):
        """The fonts of that element's text, and whether a page brought them; a font of the system would not count."""
        document = tools.send("DOM.getDocument")["root"]["nodeId"]
        node = tools.send("DOM.querySelector", {"nodeId": document, "selector": selector})["nodeId"]
        return [(font["familyName"], font["isCustomFont"]) for font in tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]]

    for selector, family in [("main h1", "Vollkorn"), (".places a[aria-current] span", "Inter"), (".places a:not([aria-current]) span", "Inter")]:
        until(page, lambda: fonts(selector) and all(is_sent and name.startswith(family) for name, is_sent in fonts(selector)))
    assert page.evaluate("document.fonts.check('600 1em Vollkorn') && document.fonts.check('1em Inter', 'Zażółć gęślą jaźń Ő')")
    tools.detach()


@tried
def a_wrong_password_is_said_in_words(round):
    page = round.browser.page(microphone=False)
    page.goto("/console/")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("something else")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("password")
    expect(page.get_by_role("heading", name="Timeline")).to_have_count(0)
    page.context.close()


@tried
def photos_come_by_picking_and_by_dropping_and_what_is_none_is_refused_in_words(round):
    page = round.page
    open_view(page, "photos", "Photos")
    page.locator("#pick").set_input_files([{"name": "picked.jpg", "mimeType": "image/jpeg", "buffer": photo}])
    expect(page.get_by_role("button", name="Photo: picked.jpg")).to_be_visible()
    drop(page, ".drop", [("film.mp4", "video/mp4", film), ("words.jpg", "image/jpeg", b"only words")])
    expect(page.get_by_role("button", name="Film: film.mp4")).to_be_visible()
    expect(page.locator(".upload.failed")).to_contain_text("words.jpg")
    expect(page.locator(".upload.failed").get_by_role("alert")).to_contain_text("must be one of these")
    page.get_by_role("button", name="Dismiss: words.jpg").click()
    expect(page.locator(".upload.failed")).to_have_count(0)
    assert [file["name"] for file in round.files()] == ["film.mp4", "picked.jpg"]
    # The grid shows thumbnails, not originals.
    assert until(page, lambda: page.locator(".grid img").first.evaluate("(image) => image.complete && image.naturalWidth")) <= 256


@tried
def at_most_three_are_sent_at_once_and_each_bar_moves(round):
    page = round.page
    held = []
    waits = [True]
    page.route("**/multimedia/swift", lambda route: held.append(route) if waits[0] else route.continue_())
    # A JPEG may have any bytes after its end, which makes the files differ.
    drop(page, ".drop", [(f"held{at}.jpg", "image/jpeg", photo + bytes(at)) for at in range(4)] + [("large.jpg", "image/jpeg", photo + bytes(2_000_000))])
    until(page, lambda: len(held) == 3)
    expect(page.locator(".upload .words", has_text="Waiting")).to_have_count(2)
    page.wait_for_timeout(200)
    assert len(held) == 3
    page.evaluate("""() => {
        window.seen = [];
        const bar = document.querySelector(".uploads li:last-child progress");
        new MutationObserver(() => window.seen.push(bar.value)).observe(bar, { attributes: true });
    }""")
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 1_500_000})
    waits[0] = False
    for route in held:
        route.continue_()
    expect(page.locator(".grid button")).to_have_count(7)
    page.unroute("**/multimedia/swift")
    network.detach()
    seen = page.evaluate("window.seen")
    assert len([value for value in seen if 0 < value < 1]) > 2 and seen == sorted(seen), seen


@tried
def the_gallery_is_used_by_keyboard(round):
    page = round.page
    tiles = page.locator(".grid button")
    names = [file["name"] for file in round.shown()]
    # The photos have a date in their metadata, and the film has none, so it counts as taken today.
    assert names[0] == "film.mp4", names
    tiles.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tiles.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    viewer = page.get_by_role("dialog", name="Viewer")
    expect(viewer.get_by_role("heading", name=names[1])).to_be_visible()
    expect(viewer.locator("img")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(viewer.get_by_role("heading", name=names[2])).to_be_visible()
    for _ in range(9):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('dialog') !== null"), "the focus left the viewer"
    page.keyboard.press("End")
    expect(viewer.get_by_role("heading", name=names[-1])).to_be_visible()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(viewer.get_by_role("heading", name=names[1])).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(viewer.locator("video")).to_be_visible()
    assert until(page, lambda: viewer.locator("video").evaluate("(film) => film.readyState > 0 && film.duration")) > 0
    page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    expect(tiles.first).to_be_focused()


@tried
def deleting_asks_first(round):
    page = round.page
    count = len(round.files())
    page.locator(".grid button").nth(1).click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Keep it").click()
    assert len(round.files()) == count
    page.keyboard.press("Delete")
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".grid button")).to_have_count(count - 1)
    page.keyboard.press("Escape")
    assert len(round.files()) == count - 1
    # A dialog reports its closing in a later task, which returns the focus.
    until(page, lambda: page.evaluate("document.activeElement.closest('.grid') !== null"))


@tried
def a_mood_is_kept_with_a_photo_and_a_recorded_voice(round):
    page = round.page
    open_view(page, "keep/mood", "How are you?")
    page.get_by_role("button", name="Keep this mood").click()
    expect(page.get_by_role("alert").filter(has_text="Pick a mood or enter one.")).to_be_visible()
    page.get_by_role("button", name="calm").click()
    expect(page.get_by_role("button", name="calm")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Intensity").fill("7")
    page.get_by_label("Note", exact=True).fill("By the lake, <b>Zoë</b> & I")
    page.get_by_label("Because").fill("nothing had to be done")
    page.get_by_label("Tags").fill("lake, summer")
    page.get_by_label("Add photos").set_input_files([{"name": "lake.jpg", "mimeType": "image/jpeg", "buffer": photo}])
    page.get_by_role("button", name="Record a voice note").click()
    level = page.get_by_role("meter", name="Level")
    until(page, lambda: int(level.get_attribute("aria-valuenow")) > 5)
    page.wait_for_timeout(1_500)
    page.get_by_role("button", name="Stop recording").click()
    play(page, page.locator(".voice .player"))
    page.get_by_role("button", name="Keep this mood").click()
    entry = page.get_by_role("article", name="Mood: calm")
    expect(entry).to_be_visible()
    expect(entry).to_contain_text("By the lake, <b>Zoë</b> & I")
    [mood] = round.api.call("GET", round.api.user + "/moods")["moods"]
    assert (mood["mood"], mood["moodIntensity"], mood["reason"]) == ("calm", 7, "nothing had to be done"), mood
    assert mood["note"] == "By the lake, <b>Zoë</b> & I" and mood["tags"] == ["lake", "summer"], mood
    assert len(mood["imageUrls"]) == 1 and 1 < mood["voiceNoteDuration"] < 60, mood
    path = mood["voiceNote"].split("?")[0][len(round.url):]
    peaks = round.api.call("GET", path + "/waveform")["peaks"]
    assert len(peaks) == 200 and max(peaks) > 0.2, peaks
    play(page, entry.locator(".player"))
    assert len(entry.locator(".wave .rest").get_attribute("d")) > 1_000
    entry.get_by_role("button", name="Open 1 of 1 of calm").click()
    expect(page.get_by_role("dialog", name="Viewer").locator("img")).to_be_visible()
    page.keyboard.press("Escape")


def play(page, player):
    """Checks that it plays, that its position advances, and that the keyboard seeks."""
    slider = player.get_by_role("slider")
    player.get_by_role("button", name="Play").click()
    until(page, lambda: float(player.locator(".wave rect").first.get_attribute("width")) > 20)
    player.get_by_role("button", name="Pause").click()
    slider.focus()
    page.keyboard.press("End")
    until(page, lambda: slider.get_attribute("aria-valuenow") == slider.get_attribute("aria-valuemax"))
    page.keyboard.press("Home")
    until(page, lambda: slider.get_attribute("aria-valuenow") == "0")


@tried
def a_blocked_microphone_is_explained_and_a_recording_can_be_dropped(round):
    page = round.browser.page(microphone=False, storage_state=round.page.context.storage_state())
    page.context.new_cdp_session(page).send("Browser.setPermission", {"permission": {"name": "microphone"}, "setting": "denied", "origin": round.url})
    open_view(page, "keep/mood", "How are you?")
    page.get_by_role("button", name="Record a voice note").click()
    expect(page.get_by_role("alert").filter(has_text="The microphone is blocked")).to_be_visible()
    page.context.close()
    page = round.page
    open_view(page, "keep/memory", "What do you want to remember?")
    # Sets the elapsed time between the two clicks to zero, however slow they are.
    page.evaluate("performance.now = () => 0")
    page.get_by_role("button", name="Record a voice note").click()
    page.get_by_role("button", name="Stop recording").click()
    expect(page.get_by_role("alert").filter(has_text="too short")).to_be_visible()
    page.evaluate("delete performance.now")
    page.get_by_role("button", name="Record a voice note").click()
    expect(page.locator(".recording .time")).to_have_text(re.compile("0:[0-5][1-9]"))
    page.get_by_role("button", name="Stop recording").click()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("button", name="Record a voice note")).to_be_focused()


@tried
def memories_and_events_are_kept(round):
    page = round.page
    page.get_by_label("Title").fill("A lakeside walk")
    page.get_by_label("What happened").fill("We saw herons at the lake.")
    page.get_by_label("Where").fill("Starnberg")
    page.get_by_role("button", name="Keep this memory").click()
    expect(page.get_by_role("article", name="Memory: A lakeside walk")).to_be_visible()
    open_view(page, "keep/event", "What happened, or will happen?")
    page.get_by_label("Title").fill("Boat trip")
    page.get_by_label("When").fill("2026-03-08T15:30")
    page.get_by_role("button", name="Keep this event").click()
    expect(page.get_by_role("article", name="Event: Boat trip")).to_be_visible()
    [event] = round.api.call("GET", round.api.user + "/events")["events"]
    assert event["date"] == page.evaluate("new Date('2026-03-08T15:30').toISOString()"), event
    [memory] = round.api.call("GET", round.api.user + "/memories")["memories"]
    assert memory["location"] == "Starnberg" and not memory.get("voiceNote"), memory


@tried
def the_timeline_is_by_day_and_filtered(round):
    page = round.page
    # The photos and films that were uploaded by themselves are on the timeline too.
    moments = page.locator("article.mood, article.memory, article.event")
    open_view(page, "timeline", "Timeline")
    expect(page.get_by_role("heading", level=2, name="Today")).to_be_visible()
    expect(moments).to_have_count(3)
    page.get_by_role("link", name="summer").click()
    expect(page.get_by_role("article")).to_have_count(1)
    page.get_by_label("Tag", exact=True).fill("")
    page.get_by_label("From", exact=True).fill("2026-03-08")
    page.get_by_label("To", exact=True).fill("2026-03-08")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("article")).to_have_count(1)
    expect(page.get_by_role("article", name="Event: Boat trip")).to_be_visible()
    page.get_by_label("To", exact=True).fill("2026-03-07")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="The first day comes after the last one.")).to_be_visible()
    page.get_by_role("link", name="Everything").click()
    expect(moments).to_have_count(3)


@tried
def the_calendar_says_the_mood_in_words_a_face_and_a_colour(round):
    page = round.page
    page.goto("/console/#/calendar")
    day = page.get_by_role("table").get_by_role("link", name="calm")
    label = day.get_attribute("aria-label")
    assert ", today: calm: intensity 7 of 10" in label, label
    expect(day.locator("[data-mood=calm] svg path").first).to_be_visible()
    expect(page.locator(".tallies li")).to_contain_text("calm")
    day.click()
    expect(page.get_by_role("article", name="Mood: calm")).to_be_visible()
    page.goto("/console/#/calendar?month=2025-01")
    expect(page.get_by_role("heading", name="No moods this month")).to_be_visible()
    page.get_by_role("link", name="Next month: February 2025").click()
    expect(page.get_by_role("heading", level=1, name="February 2025")).to_be_visible()


@tried
def search_marks_what_it_found(round):
    page = round.page
    open_view(page, "search", "Search")
    expect(page.get_by_role("searchbox", name="Words")).to_be_focused()
    page.keyboard.type("zoe")
    expect(page.get_by_role("article", name="Mood: calm").locator("mark")).to_have_text("Zoë")
    page.get_by_role("searchbox", name="Words").fill("lake")
    expect(page.get_by_role("article")).to_have_count(2)
    page.get_by_label("In", exact=True).select_option("memory")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(page.get_by_role("article", name="Memory: A lakeside walk").locator("mark").first).to_have_text("lakeside")
    page.get_by_role("searchbox", name="Words").fill("nothing of the kind")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()


@tried
def a_capsule_is_recorded_and_its_words_follow_the_sound(round):
    page = round.page
    open_view(page, "capsules", "Capsules")
    page.get_by_role("button", name="Record a capsule").click()
    expect(page.locator(".recording .time")).to_have_text(re.compile("0:0[89]|0:[1-5]"))
    page.get_by_role("button", name="Stop recording").click()
    page.get_by_role("button", name="Keep this capsule").click()
    row = page.get_by_role("article", name=re.compile("^Capsule:"))
    expect(row.locator(".said .word").first).to_be_visible(timeout=180_000)
    [capsule] = round.api.call("GET", "/v0/capsules")["capsules"]
    heard, spoken = capsule["transcription"].lower().split(), said.split()
    assert len(set(heard) & set(spoken)) >= len(set(spoken)) * 0.6, heard
    assert (capsule["status"], capsule["metadata"]["engine"]) == ("completed", "pocketsphinx"), capsule
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", capsule[name]) for name in ["created_at", "updated_at"]), capsule
    expect(row).to_contain_text("Transcribed by pocketsphinx")
    slider, words = row.get_by_role("slider"), row.locator(".said .word")
    words.nth(5).click()
    expect(row.locator(".said .now")).to_be_visible()
    until(page, lambda: row.locator(".said .now").inner_text() != words.nth(5).inner_text())
    row.get_by_role("button", name="Pause").click()
    assert float(slider.get_attribute("aria-valuenow")) > 0, "it did not go to the word"
    words.nth(5).focus()
    page.keyboard.press("Home")
    expect(words.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(words.nth(1)).to_be_focused()
    play(page, row)
    page.goto("/console/#/timeline")
    expect(page.get_by_role("article", name=re.compile("^Capsule"))).to_be_visible()
    page.goto(f"/console/#/search?q={max(set(heard) & set(spoken), key=len)}")
    expect(page.get_by_role("article", name=re.compile("^Capsule"))).to_be_visible()
    open_view(page, "capsules", "Capsules")
    row.get_by_role("button", name=re.compile("^Delete the capsule")).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("article")).to_have_count(0)
    assert round.api.call("GET", "/v0/capsules")["capsules"] == []


@tried
def another_browser_sees_it_at_once_and_again_after_its_socket_broke(round):
    page = round.browser.page(storage_state=round.page.context.storage_state(), viewport={"width": 375, "height": 720})
    page.add_init_script("""
        window.sockets = [];
        window.WebSocket = class extends WebSocket {
            constructor(url) { super(url); window.sockets.push(this); }
        };
    """)
    page.goto("/console/")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    round.api.form("/moods/swift", [("mood", "happy"), ("note", "told to everybody")])
    expect(page.get_by_role("article", name="Mood: happy")).to_be_visible()
    page.evaluate("window.sockets[0].close()")
    expect(page.get_by_text("Reconnecting", exact=True)).to_be_visible()
    round.api.form("/moods/swift", [("mood", "excited"), ("note", "told while nobody listened")])
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    expect(page.get_by_role("article", name="Mood: excited")).to_be_visible()
    addresses = page.evaluate("window.sockets.map((socket) => socket.url)")
    assert len(addresses) == 2 and "since" not in addresses[0] and "?since=" in addresses[1], addresses
    page.goto("/console/#/photos")
    # The grid does not show the voice note of the mood.
    expect(page.locator(".grid button")).to_have_count(len([file for file in round.files() if file["category"] != "voice"]))
    round.api.form("/multimedia/swift", files=[("file", "later.jpg", "image/jpeg", photo)])
    expect(page.get_by_role("button", name="Photo: later.jpg")).to_be_visible()
    # The deletion must arrive without a notice to this page.
    round.api.call("DELETE", f"{round.api.user}/multimedia/{round.files()[0]['fileId']}")
    expect(page.get_by_role("button", name="Photo: later.jpg")).to_have_count(0)
    page.context.close()


@tried
def under_another_name_of_the_server_everything_works(round):
    page = round.browser.page(url=round.url.replace("127.0.0.1", "localhost"))
    sign_in(page)
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    page.goto(round.url.replace("127.0.0.1", "localhost") + "/console/#/photos")
    count = len(round.files())
    page.locator("#pick").set_input_files([{"name": "other-name.jpg", "mimeType": "image/jpeg", "buffer": photo}])
    picture = page.get_by_role("button", name="Photo: other-name.jpg").locator("img")
    assert until(page, lambda: picture.evaluate("(image) => image.complete && image.naturalWidth")) > 0
    assert len(round.files()) == count + 1
    page.context.close()


@tried
def every_view_is_usable_by_everybody_in_light_and_dark(round):
    page = round.browser.page(storage_state=round.page.context.storage_state(), viewport={"width": 375, "height": 720})
    axe = Axe()
    found = []
    for scheme in ["light", "dark"]:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for view, title in views.items():
            page.goto(f"/console/#/{view}")
            expect(page).to_have_title(re.compile(f"^{title}"))
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            found += judge(axe, page, f"{view}, {scheme}")
        page.goto("/console/#/timeline")
        page.get_by_role("button", name="Change Mood: calm").click()
        found += judge(axe, page, f"changing, {scheme}")
        page.keyboard.press("Escape")
        page.goto("/console/#/photos")
        page.get_by_role("button", name="Select", exact=True).click()
        page.locator(".grid button").first.click()
        found += judge(axe, page, f"selecting, {scheme}")
        page.get_by_role("button", name="Done").click()
        page.locator(".grid button").first.click()
        expect(page.locator(".viewer .stage > *")).to_be_visible()
        found += judge(axe, page, f"viewer, {scheme}")
        page.get_by_role("button", name="Delete").click()
        found += judge(axe, page, f"question, {scheme}")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        signed_out = round.browser.page(microphone=False, color_scheme=scheme)
        signed_out.goto("/console/")
        expect(signed_out.get_by_label("Password")).to_be_visible()
        found += judge(axe, signed_out, f"signed out, {scheme}")
        signed_out.context.close()
    page.context.close()
    assert not found, "\n".join(found)


@tried
def nothing_is_said_by_colour_or_sight_alone_and_the_way_to_the_content_is_short(round):
    page = round.page
    page.goto("/console/")
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.get_by_role("link", name="Photos").click()
    expect(page.get_by_role("heading", level=1, name="Photos")).to_be_focused()
    expect(page.get_by_role("link", name="Photos")).to_have_attribute("aria-current", "page")


@tried
def signing_out_ends_it_and_a_session_that_ended_elsewhere_says_so(round):
    page = round.page
    other = round.browser.page(storage_state=page.context.storage_state())
    other.goto("/console/")
    expect(other.get_by_text("Live", exact=True)).to_be_visible()
    # The page reloads its data once when its socket opens.
    other.wait_for_timeout(500)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert session_cookies(page) == []
    other.get_by_role("link", name="Moods").click()
    expect(other.get_by_text("Your session has ended. Sign in again.")).to_be_visible()
    other.context.close()


@tried
def an_account_ends_its_sessions_is_taken_along_and_deleted(round):
    page = round.browser.page()
    register(page, "Zoe", "zoe@example.org")
    zoe = API(round.url, "zoe@example.org")
    zoe.form("/multimedia/swift", files=[("file", "lake.jpg", "image/jpeg", photo)])
    open_view(page, "account", "Account")
    sessions = page.get_by_role("list", name="Where you are signed in").get_by_role("listitem")
    expect(sessions).to_have_count(2)
    expect(sessions.first).to_contain_text("This session")
    page.get_by_role("button", name="Sign out everywhere else").click()
    page.get_by_role("button", name="Sign out", exact=True).last.click()
    expect(sessions).to_have_count(1)
    refused = urllib.request.Request(round.url + "/user/me", headers={"Authorization": f"Bearer {zoe.token}"})
    try:
        urllib.request.urlopen(refused)
        raise AssertionError("the other session goes on")
    except urllib.error.HTTPError as error:
        assert error.code == 401
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        [name] = [name for name in archive.namelist() if name.startswith("files/")]
        assert name.endswith("-lake.jpg") and archive.read(name) == photo, name
    page.get_by_role("button", name="Delete my account…").click()
    expect(page.get_by_role("button", name="Delete for good")).to_be_disabled()
    page.get_by_label(re.compile("^Enter")).fill("zoe@example.org")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("heading", name="The account is deleted")).to_be_visible()
    assert page.get_by_label("Receipt", exact=True).input_value().count(".") == 2
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert session_cookies(page) == []
    page.context.close()


# Register their tests after those above. They have accounts of their own.
import captures  # noqa: E402, F401
import chat  # noqa: E402, F401
import editing  # noqa: E402, F401
import flaky  # noqa: E402, F401
import steady  # noqa: E402, F401
import together  # noqa: E402, F401


def main():
    with tempfile.TemporaryDirectory() as folder:
        round = Round(sys.argv[-1], pathlib.Path(folder))
        report(round, chosen(sys.argv[1:-1]))
        round.browser.close()


main()
