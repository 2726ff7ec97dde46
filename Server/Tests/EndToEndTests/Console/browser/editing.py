"""The tests of changing and selecting what is there, of drafts, and of going back. They have accounts of their own."""

import os
import pathlib
import re
import subprocess
import urllib.error
import zipfile
from datetime import datetime, timedelta, timezone

from axe_playwright_python.sync_playwright import Axe
from console import API, expect, judge, open_view, photo, send_capsule, sign_in, tried, until
from mails import codes


def account(round, name):
    return API(round.url, f"{name.lower()}@example.org", name=name)


def page_of(round, name):
    """A page where the account with that name is signed in."""
    page = round.browser.page(viewport={"width": 1280, "height": 800})
    sign_in(page, f"{name.lower()}@example.org")
    return page


def sound(round):
    return (round.folder / "voice.wav").read_bytes()


@tried
def a_moment_is_changed_and_only_what_changed_is_sent(round):
    api = account(round, "Eve")
    api.form("/moods/swift", [("mood", "calm"), ("note", "By the lake"), ("moodIntensity", "7"), ("tags", "lake, summer")])
    api.form("/events/swift", [("title", "Boat trip"), ("date", "2026-03-08T15:30:20.500Z")])
    page = page_of(round, "Eve")
    sent = []
    page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "PATCH" else None)
    open_view(page, "timeline", "Timeline")
    page.get_by_role("button", name="Change Mood: calm").click()
    form = page.get_by_role("dialog", name="Change “calm”")
    form.get_by_label("Mood").fill("")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("Enter a mood.")
    form.get_by_label("Mood").fill("happy")
    form.get_by_label("Note").fill("")
    form.get_by_label("Tags").fill("lake, evening")
    page.evaluate("window.yesterday = new Date(Date.now() - 86400000); window.yesterday.setHours(12, 0, 0, 0)")
    day = page.evaluate("`${yesterday.getFullYear()}-${String(yesterday.getMonth() + 1).padStart(2, '0')}-${String(yesterday.getDate()).padStart(2, '0')}`")
    form.get_by_label("When").fill(f"{day}T12:00")
    form.get_by_role("button", name="Save").click()
    entry = page.get_by_role("region", name="Yesterday").get_by_role("article", name="Mood: happy")
    expect(entry).to_be_visible()
    expect(entry.get_by_role("button", name="Change")).to_be_focused()
    expect(entry).not_to_contain_text("By the lake")
    lit = "(dots) => dots.map((dot) => [getComputedStyle(dot).backgroundColor !== 'rgba(0, 0, 0, 0)', dot.getAnimations().length])"
    assert entry.locator(".intensity i").evaluate_all(lit) == [[True, 0]] * 7 + [[False, 0]] * 3
    [mood] = api.call("GET", api.user + "/moods")["moods"]
    assert (mood["mood"], mood["tags"], mood["moodIntensity"], "note" in mood) == ("happy", ["lake", "evening"], 7, False), mood
    assert mood["createdAt"] == page.evaluate("yesterday.getTime()"), mood
    assert set(sent.pop()) == {"mood", "note", "tags", "createdAt"} and not sent, sent
    page.get_by_role("button", name="Change Event: Boat trip").click()
    form = page.get_by_role("dialog", name="Change “Boat trip”")
    form.get_by_label("Title").fill("A boat trip")
    form.get_by_label("Where").fill("Starnberg")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("article", name="Event: A boat trip")).to_contain_text("Starnberg")
    [event] = api.call("GET", api.user + "/events")["events"]
    # The field shows no seconds, and a time that nobody changed must keep them.
    assert event["date"] == "2026-03-08T15:30:20.500Z" and event["title"] == "A boat trip", event
    sent.clear()
    page.get_by_role("button", name="Change Event: A boat trip").click()
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert not sent, sent
    page.context.close()


@tried
def a_search_result_is_changed_and_found_by_its_new_words(round):
    api = account(round, "Fay")
    api.form("/memories/swift", [("title", "A lakeside walk"), ("description", "We saw herons.")])
    page = page_of(round, "Fay")
    page.goto("/console/#/search?q=herons")
    page.get_by_role("button", name="Change Memory: A lakeside walk").click()
    page.get_by_role("dialog").get_by_label("What happened").fill("We saw cranes.")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.get_by_role("searchbox", name="Words").fill("cranes")
    expect(page.get_by_role("article", name="Memory: A lakeside walk")).to_be_visible()
    page.context.close()


@tried
def a_file_gets_a_title_a_description_tags_and_a_date(round):
    api = account(round, "Gil")
    api.form("/multimedia/swift", files=[("file", "img-1.jpg", "image/jpeg", photo)])
    page = page_of(round, "Gil")
    open_view(page, "photos", "Photos")
    page.get_by_role("button", name="Photo: img-1.jpg").click()
    viewer = page.get_by_role("dialog", name="Viewer")
    viewer.get_by_role("button", name="Change the title and tags").click()
    form = page.get_by_role("dialog", name="Change “img-1.jpg”")
    form.get_by_label("Title").fill("The lake")
    form.get_by_label("Description").fill("In the evening")
    form.get_by_label("Tags").fill("lake, summer")
    # In milliseconds, a time before 1973 would be so small a number that the server takes it for seconds.
    form.get_by_label("Taken").fill("1971-06-15T08:30")
    form.get_by_role("button", name="Save").click()
    expect(viewer.get_by_role("heading", name="The lake")).to_be_visible()
    expect(viewer.get_by_role("button", name="Change the title and tags")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Photo: The lake")).to_be_focused()
    [file] = api.call("GET", api.user + "/multimedia")["files"]
    assert (file["title"], file["description"], file["tags"]) == ("The lake", "In the evening", ["lake", "summer"]), file
    assert file["takenAt"] == page.evaluate("new Date(1971, 5, 15, 8, 30).getTime()"), file
    expect(page.get_by_role("region", name="June 1971").get_by_role("button")).to_have_count(1)
    page.get_by_role("button", name="Photo: The lake").click()
    viewer.get_by_role("button", name="Change the title and tags").click()
    form = page.get_by_role("dialog", name="Change “The lake”")
    expect(form.get_by_label("Taken")).to_have_value("1971-06-15T08:30")
    form.get_by_label("Taken").fill("")
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    [file] = api.call("GET", api.user + "/multimedia")["files"]
    assert "takenAt" not in file and file["title"] == "The lake", file
    page.context.close()


@tried
def a_draft_survives_other_views_another_kind_and_a_failed_send(round):
    api, page = account(round, "Hal"), page_of(round, "Hal")
    open_view(page, "keep/mood", "How are you?")
    page.get_by_role("button", name="calm").click()
    page.get_by_label("Intensity").fill("8")
    page.get_by_label("Note", exact=True).fill("By the lake")
    page.get_by_label("Add photos").set_input_files([{"name": "lake.jpg", "mimeType": "image/jpeg", "buffer": photo}])
    page.get_by_role("button", name="Record a voice note").click()
    expect(page.locator(".recording .time")).to_have_text(re.compile("0:[0-5][1-9]"))
    # Leaving the form ends the recording and keeps it.
    page.get_by_role("link", name="Memory").click()
    expect(page.get_by_label("What happened")).to_have_value("By the lake")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.get_by_role("button", name="Remove lake.jpg")).to_be_visible()
    expect(page.get_by_role("button", name="Play the voice note")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.get_by_label("Title").fill("The lake")
    page.get_by_role("link", name="Timeline").click()
    expect(page.get_by_role("heading", level=1, name="Timeline")).to_be_visible()
    page.get_by_role("link", name="Keep", exact=True).click()

    def has_all():
        expect(page.get_by_role("button", name="calm")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_label("Intensity")).to_have_value("8")
        expect(page.get_by_label("Note", exact=True)).to_have_value("By the lake")
        expect(page.get_by_role("button", name="Remove lake.jpg")).to_be_visible()
        expect(page.get_by_role("button", name="Play the voice note")).to_be_visible()

    has_all()
    page.route("**/moods/swift", lambda route: route.abort())
    page.get_by_role("button", name="Keep this mood").click()
    expect(page.get_by_role("alert").filter(has_text="The connection broke")).to_be_visible()
    has_all()
    page.unroute("**/moods/swift")
    # The session ends while somebody writes. After signing in, the draft is there.
    api.call("DELETE", "/auth/sessions")
    expect(page.get_by_text("Your session has ended. Sign in again.")).to_be_visible()
    page.get_by_label("E-mail").fill("hal@example.org")
    page.get_by_label("Password").fill("a quiet afternoon")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="How are you?")).to_be_visible()
    has_all()
    page.get_by_role("button", name="Keep this mood").click()
    expect(page.get_by_role("article", name="Mood: calm")).to_be_visible()
    api = API(round.url, "hal@example.org")
    [mood] = api.call("GET", api.user + "/moods")["moods"]
    assert (mood["note"], mood["moodIntensity"], len(mood["imageUrls"]), mood["voiceNoteDuration"] > 0) == ("By the lake", 8, 1, True), mood
    open_view(page, "keep/memory", "What do you want to remember?")
    expect(page.get_by_label("What happened")).to_have_value("")
    expect(page.get_by_label("Title")).to_have_value("")
    expect(page.get_by_role("button", name="Remove lake.jpg")).to_have_count(0)
    expect(page.get_by_role("button", name="Record a voice note")).to_be_visible()
    page.context.close()


@tried
def a_draft_can_be_dropped_and_nobody_else_sees_it(round):
    account(round, "Jan")
    account(round, "Ida")
    page = page_of(round, "Ida")
    open_view(page, "keep/memory", "What do you want to remember?")
    expect(page.get_by_role("button", name="Start over")).to_be_hidden()
    page.get_by_label("What happened").fill("for nobody else")
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Keep it").click()
    expect(page.get_by_label("What happened")).to_have_value("for nobody else")
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Start over").click()
    expect(page.get_by_label("What happened")).to_have_value("")
    page.get_by_label("What happened").fill("for nobody else")
    # Another client ends the session, so the page has not dropped the draft.
    API(round.url, "ida@example.org").call("DELETE", "/auth/sessions")
    expect(page.get_by_text("Your session has ended. Sign in again.")).to_be_visible()
    page.get_by_label("E-mail").fill("jan@example.org")
    page.get_by_label("Password").fill("a quiet afternoon")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("What happened")).to_have_value("")
    page.context.close()


@tried
def several_files_are_selected_tagged_and_deleted(round):
    api = account(round, "Kim")
    api.form("/multimedia/swift", files=[("file", f"{at}.jpg", "image/jpeg", photo + bytes(at)) for at in range(6)])
    page = page_of(round, "Kim")
    names = [file["name"] for file in api.call("GET", api.user + "/multimedia")["files"]]
    open_view(page, "photos", "Photos")
    tiles = page.locator(".grid button")
    expect(tiles).to_have_count(6)
    page.get_by_role("button", name="Select", exact=True).click()
    bar = page.get_by_role("group", name="Selected files")
    expect(bar.get_by_role("button", name="Delete")).to_be_disabled()
    tiles.nth(0).click()
    tiles.nth(3).click(modifiers=["Shift"])
    tiles.nth(1).click()
    expect(bar.get_by_text("3 selected")).to_be_visible()
    expect(tiles.nth(1)).to_have_attribute("aria-pressed", "false")
    expect(tiles.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("dialog")).to_have_count(0)
    bar.get_by_role("button", name="Add tags").click()
    page.get_by_role("dialog").get_by_label("Tags to add").fill("lake, summer")
    page.get_by_role("button", name="Add the tags").click()
    expect(page.get_by_text("3 files tagged.")).to_be_visible()
    tagged = api.call("GET", api.user + "/multimedia?tag=summer")["files"]
    assert [file["name"] for file in tagged] == [names[0], names[2], names[3]], tagged
    assert all(file["tags"] == ["lake", "summer"] for file in tagged), tagged
    tiles.nth(0).click()
    tiles.nth(5).click()
    bar.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Keep them").click()
    expect(bar.get_by_text("2 selected")).to_be_visible()
    # A file that cannot be deleted stays, and stays selected.
    last = api.call("GET", api.user + "/multimedia")["files"][-1]["fileId"]
    page.route(f"**/multimedia/{last}", lambda route: route.abort() if route.request.method == "DELETE" else route.continue_())
    bar.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("1 of 2 files deleted. The server cannot be reached.")).to_be_visible()
    expect(bar.get_by_text("1 selected")).to_be_visible()
    expect(tiles).to_have_count(5)
    expect(tiles.last).to_have_attribute("aria-pressed", "true")
    assert [file["name"] for file in api.call("GET", api.user + "/multimedia")["files"]] == names[1:]
    page.unroute(f"**/multimedia/{last}")
    bar.get_by_role("button", name="All").click()
    bar.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No photos yet")).to_be_visible()
    expect(bar).to_be_hidden()
    assert api.call("GET", api.user + "/multimedia")["files"] == []
    page.context.close()


@tried
def selected_files_are_downloaded_as_one_archive(round):
    api = account(round, "Pia")
    bytes_of = [photo + bytes(at) for at in range(4)]
    for at in range(4):
        api.form("/multimedia/swift", files=[("file", "lake.jpg" if at < 2 else f"{at}.jpg", "image/jpeg", bytes_of[at])])
    page = page_of(round, "Pia")
    open_view(page, "photos", "Photos")
    tiles = page.locator(".grid button")
    expect(tiles).to_have_count(4)
    page.get_by_role("button", name="Select", exact=True).click()
    bar = page.get_by_role("group", name="Selected files")
    expect(bar.get_by_role("button", name="Download")).to_be_disabled()
    for at in [1, 2, 3]:
        tiles.nth(at).click()
    with page.expect_download() as download:
        bar.get_by_role("button", name="Download").click()
    expect(page.get_by_text(re.compile("^The download of 3 files begins: "))).to_be_visible()
    assert download.value.suggested_filename.startswith("keepsake-files-"), download.value.suggested_filename
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == {"2.jpg": bytes_of[2], "lake.jpg": bytes_of[1], "lake (2).jpg": bytes_of[0]}
    # The selection stays, for what else the user wants to do with it.
    expect(bar.get_by_text("3 selected")).to_be_visible()
    expect(bar.get_by_role("button", name="Download")).to_be_focused()
    page.route("**/multimedia/archives", lambda route: route.fulfill(status=404, json={"error": "Not found", "details": "There is no such file.", "code": 404}))
    bar.get_by_role("button", name="Download").click()
    expect(page.get_by_text("There is no such file.")).to_be_visible()
    expect(bar.get_by_role("button", name="Download")).to_be_enabled()
    page.context.close()


@tried
def sounds_are_no_photos_and_photos_stand_under_the_month_in_which_they_were_taken(round):
    api = account(round, "Lea")
    api.call("PATCH", "/user/me", {"time_zone": "Asia/Tokyo"})
    api.form("/moods/swift", [("mood", "calm")], [("voiceNote", "voice.wav", "audio/wav", sound(round))])
    send_capsule(api, sound(round))
    # 23:30 and 08:00 in UTC: in Tokyo, the first one belongs to the next month.
    moments = {"0.jpg": "2024-05-31T23:30:00+00:00", "1.jpg": "2024-05-31T08:00:00+00:00", "2.jpg": "2024-05-31T07:00:00+00:00"}
    api.form("/multimedia/swift", files=[("file", name, "image/jpeg", photo + name.encode()) for name in moments])

    def take(file, moment):
        api.call("PATCH", f"{api.user}/multimedia/{file['fileId']}", {"takenAt": int(datetime.fromisoformat(moment).timestamp() * 1000)})

    files = {file["name"]: file for file in api.call("GET", api.user + "/multimedia")["files"]}
    assert sorted(file["category"] for file in files.values()) == ["capsule", "general", "general", "general", "voice"], files
    for name, moment in moments.items():
        take(files[name], moment)
    page = page_of(round, "Lea")
    open_view(page, "photos", "Photos")
    expect(page.get_by_text("3 photos", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="June 2024").get_by_role("button")).to_have_count(1)
    expect(page.get_by_role("region", name="May 2024").get_by_role("button")).to_have_count(2)
    tiles = page.locator(".grid button")
    tiles.first.focus()
    page.keyboard.press("ArrowDown")
    expect(tiles.nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tiles.nth(2)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(tiles.nth(0)).to_be_focused()
    # When another client changes the photo's time, the page moves the photo to the month of the new time.
    take(files["2.jpg"], "2024-03-01T12:00:00+00:00")
    expect(page.get_by_role("region", name="March 2024").get_by_role("button")).to_have_count(1)
    expect(page.get_by_role("region", name="May 2024").get_by_role("button")).to_have_count(1)
    # The form takes a year and a month, which begin in the account's time zone.
    page.get_by_label("Year", exact=True).select_option("2024")
    page.get_by_label("Month", exact=True).select_option("May")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.get_by_text("May 2024 and before.")).to_be_visible()
    expect(tiles).to_have_count(2)
    expect(page.get_by_role("button", name="Photo: 1.jpg")).to_be_visible()
    page.get_by_role("link", name="Later: June 2024").click()
    expect(tiles).to_have_count(3)
    page.context.close()


@tried
def a_film_that_the_browser_cannot_play_is_converted_and_a_damaged_one_says_so(round):
    api = account(round, "Mia")
    film = round.folder / "old.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=10", "-t", "2", "-c:v", "mpeg4", film], check=True)
    content = film.read_bytes()
    page = page_of(round, "Mia")
    # The first answer, since the conversion may be done before the viewer asks.
    converting = {"status": 409, "headers": {"Retry-After": "1"}, "json": {"error": "Conflict", "details": "The film is being converted.", "code": 409}}
    asked = []
    page.route("**play=1", lambda route: (asked.append(route.request.method), route.fulfill(**converting) if len(asked) < 4 else route.continue_()))
    api.form("/multimedia/swift", files=[("file", "old.mp4", "video/mp4", content)])
    open_view(page, "photos", "Photos")
    page.get_by_role("button", name="Film: old.mp4").click()
    viewer = page.get_by_role("dialog", name="Viewer")
    expect(viewer.get_by_role("alert")).to_contain_text("The film is being converted")
    assert until(page, lambda: viewer.locator(".unplayable img").evaluate("(image) => image.complete && image.naturalWidth")) > 0
    expect(viewer.locator("video")).to_have_js_property("videoWidth", 320, timeout=60_000)
    assert 1.9 < viewer.locator("video").evaluate("(film) => film.duration") < 2.1
    viewer.locator("video").evaluate("(film) => new Promise((done) => { film.onseeked = done; film.currentTime = 1.5; })")
    viewer.get_by_role("button", name="Close").click()

    start, end = content.index(b"mdat") + 4, content.index(b"moov") - 4
    broken = content[:start] + b"\xff" * (end - start) + content[end:]
    api.form("/multimedia/swift", files=[("file", "broken.mp4", "video/mp4", broken)])
    page.reload()
    page.get_by_role("button", name="Film: broken.mp4").click()
    viewer = page.get_by_role("dialog", name="Viewer")
    expect(viewer.get_by_role("alert")).to_contain_text("This browser cannot play this film.", timeout=60_000)
    expect(viewer.locator("video")).to_have_count(0)
    page.context.close()


@tried
def going_back_returns_to_where_the_user_was(round):
    api = account(round, "Noa")
    now = datetime.now(timezone.utc)
    for at in range(60):
        moment = str(int((now - timedelta(minutes=at)).timestamp() * 1000))
        api.form("/memories/swift", [("title", f"Memory {at}"), ("description", "We saw herons at the lake."), ("createdAt", moment)])
    page = page_of(round, "Noa")
    # A link to the open view leads to its beginning, and keeps its place in the history.
    page.get_by_role("link", name="Timeline").click()
    target = page.get_by_role("article", name="Memory: Memory 50", exact=True)

    def scrolled():
        page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
        return target.count() > 0

    until(page, scrolled)
    target.scroll_into_view_if_needed()
    before = page.evaluate("window.scrollY")
    assert before > 3_000, before
    # Playwright's click would scroll to the link first.
    page.get_by_role("link", name="Photos").evaluate("(link) => link.click()")
    expect(page.get_by_role("heading", level=1, name="Photos")).to_be_visible()
    assert page.evaluate("window.scrollY") == 0
    page.go_back()
    until(page, lambda: abs(page.evaluate("window.scrollY") - before) <= 2)
    expect(target).to_be_in_viewport()
    # A link opens the view at its beginning.
    page.get_by_role("link", name="Photos").click()
    expect(page.get_by_role("heading", level=1, name="Photos")).to_be_visible()
    page.get_by_role("link", name="Timeline").click()
    expect(page.get_by_role("article", name="Memory: Memory 0", exact=True)).to_be_in_viewport()
    assert page.evaluate("window.scrollY") == 0
    page.context.close()


@tried
def the_account_shows_its_usage_and_changes_its_password_and_address(round):
    api = account(round, "Oda")
    api.form("/multimedia/swift", files=[("file", "lake.jpg", "image/jpeg", photo)])
    operator = API(round.url, token=os.environ["KEEPSAKE_OPERATOR_TOKEN"])
    operator.call("POST", f"/admin/users/{api.id}/quota", {"bytes": 10_485_760})
    page = page_of(round, "Oda")
    open_view(page, "account", "Account")
    storage = page.get_by_role("region", name="Storage")
    expect(storage).to_contain_text(re.compile("[0-9.]+ (KB|MB) of 10 MB, with one file"))
    used = api.call("GET", "/user/me")["usage"]
    assert used["bytes"] >= len(photo), used
    expect(storage.get_by_role("progressbar")).to_have_js_property("value", used["bytes"])
    expect(storage.get_by_role("progressbar")).to_have_js_property("max", 10_485_760)
    expect(page.get_by_text("You sign in as oda@example.org.")).to_be_visible()
    sessions = page.get_by_role("list", name="Where you are signed in").get_by_role("listitem")
    expect(sessions).to_have_count(2)

    page.get_by_role("button", name="Change the password").click()
    form = page.get_by_role("dialog", name="Change the password")
    form.get_by_label("Current password").fill("a wrong afternoon")
    form.get_by_label("New password").fill("short")
    form.get_by_role("button", name="Change it").click()
    expect(form.get_by_role("alert")).to_contain_text("at least 8 characters")
    # A password may begin and end with spaces.
    form.get_by_label("New password").fill(" another afternoon ")
    form.get_by_role("button", name="Change it").click()
    expect(form.get_by_role("alert")).to_have_text("The password is wrong.")
    form.get_by_label("Current password").fill("a quiet afternoon")
    form.get_by_role("button", name="Change it").click()
    expect(page.get_by_text("Your password is changed.")).to_be_visible()
    # The change ended the session of `api`, not that of the page.
    expect(sessions).to_have_count(1)
    assert refusal(lambda: api.call("GET", "/user/me")) == 401
    assert refusal(lambda: API(round.url, "oda@example.org")) == 401
    API(round.url, "oda@example.org", " another afternoon ")

    page.get_by_role("button", name="Change the e-mail address").click()
    form = page.get_by_role("dialog", name="Change the e-mail address")
    form.get_by_label("New e-mail address").fill("oda@example.net")
    form.get_by_label("Current password").fill("a quiet afternoon")
    form.get_by_role("button", name="Send me a code").click()
    expect(form.get_by_role("alert")).to_have_text("The password is wrong.")
    form.get_by_label("Current password").fill(" another afternoon ")
    form.get_by_role("button", name="Send me a code").click()
    form = page.get_by_role("dialog", name="Confirm the new address")
    form.get_by_label("Code").fill("00000-00000-00000-00000")
    form.get_by_role("button", name="Confirm it").click()
    expect(form.get_by_role("alert")).to_contain_text("unknown")
    [code] = until(page, lambda: codes(pathlib.Path(os.environ["KEEPSAKE_MAILS"]), "oda@example.net"))
    form.get_by_label("Code").fill(code.lower())
    form.get_by_role("button", name="Confirm it").click()
    expect(page.get_by_text("You sign in as oda@example.net.")).to_be_visible()
    assert refusal(lambda: API(round.url, "oda@example.org", " another afternoon ")) == 401
    api = API(round.url, "oda@example.net", " another afternoon ")
    assert api.call("GET", "/user/me")["email"] == "oda@example.net"
    found = judge(Axe(), page, "account")
    assert not found, found
    page.context.close()


def refusal(work):
    """The status with which the server refuses what `work` asks for."""
    try:
        work()
    except urllib.error.HTTPError as error:
        return error.code
    raise AssertionError("the server did not refuse it")
