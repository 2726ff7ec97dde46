"""pictures.py URL FOLDER [NAME…]: fills a new server with sample data of a month and saves a screenshot of every view, or of those with the
names, wide and narrow, light and dark, into FOLDER as WebP. The browser's clock is fixed, so that the same pages give the same screenshots.
KEEPSAKE_ENTRANCE is the address of a second server, which confirms addresses (KEEPSAKE_VERIFY_EMAIL=on); together.py says what the first needs."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import wave
from datetime import datetime, timedelta, timezone
from math import pi, sin
from random import Random

from company import gather
from console import API, Browser, enter, expect, send_capsule, sign_in, until, voice
from scenes import portrait, portraits, scene, scenes
from talk import talk
from today import capture

today = datetime(2026, 6, 18, 19, 30, tzinfo=timezone.utc)
# The views that are also taken in the dark.
in_dark = {"timeline", "photos", "moods", "capsules", "captures", "day", "conversation", "cove", "person"}
# The pictures to take; without any, all of them.
wanted = set(sys.argv[3:])


def main(url, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        voice(place / "voice.wav")
        browser = Browser(url, place / "voice.wav")
        photos = paint(browser, place)
        api = API(url, name="Ada Keller")
        fill(api, photos, place)
        take_entrance(browser, folder)
        take(browser, folder, photos, [
            ("timeline", "timeline"), ("edit", "timeline", change), ("photos", "photos"), ("selection", "photos", select), ("moods", "calendar"),
            ("search", "search?q=lake")])
        # Capsules get the server's current time and would come first in the timeline, so they follow after its picture was taken.
        for text in ["remember to call the old house by the sea and ask for the summer", "the weather was good and we walked along the river until the evening came"]:
            capsule(api, place / "said.wav", text)
        app = browser.page(microphone=False)
        sign_in(app)
        views = capture(app, api, photos, today)
        app.context.close()
        take(browser, folder, None, views)
        take(browser, folder, None, talk(api, photos))
        take(browser, folder, None, [
            ("capsules", "capsules"), ("account", "account", storage), ("password", "account", dialog("Change the password")),
            ("email", "account", dialog("Change the e-mail address"))])
        views, operator_views, token = gather(url, api, photos, today)
        take(browser, folder, None, views)
        take(browser, folder, None, operator_views, lambda page: enter(page, token))
        browser.close()
        assert not browser.problems, browser.problems


def paint(browser, place):
    """The scenes and the portraits as JPEG files, and one that the camera pans over."""
    page = browser.chromium.new_page()
    photos = {}
    for seed, (name, about) in enumerate(scenes.items()):
        page.set_viewport_size({"width": about["width"], "height": about["height"]})
        page.set_content(f"<style>body{{margin:0}}svg{{display:block}}</style>{scene(seed + 3, **about)}")
        photos[name] = page.screenshot(type="jpeg", quality=88)
    page.set_viewport_size({"width": 480, "height": 480})
    for name, colours in portraits.items():
        page.set_content(f"<style>body{{margin:0}}svg{{display:block}}</style>{portrait(*colours)}")
        photos[name] = page.screenshot(type="jpeg", quality=88)
    page.close()
    (place / "still.jpg").write_bytes(photos["coast"])
    subprocess.run(
        ["ffmpeg", "-v", "error", "-loop", "1", "-i", place / "still.jpg", "-t", "6", "-r", "24", "-vf",
         "crop=1280:720:x='(iw-1280)*t/6':y=300,format=yuv420p", "-c:v", "libx264", "-crf", "28", "-movflags", "+faststart", place / "film.mp4"],
        check=True)
    return photos


def spoken(place, seed, seconds):
    """A recording without words: noise and syllables that make a plausible waveform."""
    chance, rate, path = Random(seed), 16_000, place / "said.wav"
    samples = bytearray()
    while len(samples) < seconds * rate * 2:
        length, loudness, pitch = chance.uniform(0.08, 0.32), chance.uniform(0.2, 1), chance.uniform(105, 180)
        for at in range(int(length * rate)):
            swell = sin(pi * at / (length * rate)) ** 0.8
            tone = sum(sin(2 * pi * pitch * part * at / rate) / part for part in (1, 2, 3, 5))
            samples += int(7_000 * loudness * swell * tone).to_bytes(2, "little", signed=True)
        samples += bytes(2 * int(rate * chance.choice([0.01, 0.02, 0.05, 0.3])))
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(bytes(samples))
    return path.read_bytes()


def fill(api, photos, place):
    def when(days, hour, minute=0):
        moment = (today - timedelta(days=days)).replace(hour=hour, minute=minute)
        return str(int(moment.timestamp() * 1_000))

    def images(*names):
        return [("file", f"{name}.jpg", "image/jpeg", photos[name]) for name in names]

    def said(seed, seconds):
        return [("voiceNote", "voice.wav", "audio/wav", spoken(place, seed, seconds))]

    library = ["green-hills", "winter-lake", "desert", "first-snow", "red-evening", "pines", "sea", "autumn", "night-hills", "meadow", "dusk-sea", "lavender"]
    for name in library:
        api.form("/multimedia/swift", files=images(name))
    api.form("/multimedia/swift", files=[("file", "along the coast.mp4", "video/mp4", (place / "film.mp4").read_bytes())])
    chance = Random(11)
    for days in range(48, 1, -1):
        for _ in range(chance.choice([0, 1, 1, 1, 1, 2])):
            mood = chance.choice(["happy", "happy", "happy", "calm", "calm", "calm", "grateful", "grateful", "excited", "tired", "sad", "anxious", "angry", "homesick"])
            api.form("/moods/swift", [("mood", mood), ("moodIntensity", str(chance.randint(3, 9))), ("createdAt", when(days, chance.randint(8, 20)))])
    api.form("/memories/swift", [
        ("title", "The long way round the lake"), ("location", "Starnberg"), ("tags", "lake, walking"), ("createdAt", when(3, 17, 20)),
        ("description", "Fourteen kilometres, two swims and one forgotten hat. Jonas found the bench with the carved names again.")],
        images("winter-lake", "lake-evening", "morning-fog"))
    api.form("/events/swift", [
        ("title", "Grandmother's eightieth"), ("date", "2026-06-16T14:00:00Z"), ("location", "The garden in Weilheim"), ("tags", "family"),
        ("description", "Everybody came, even the rain, for ten minutes.")], images("spring", "meadow"))
    api.form("/moods/swift", [
        ("mood", "tired"), ("moodIntensity", "4"), ("note", "Slept badly, and the day knew it."), ("tags", "work"), ("createdAt", when(1, 21, 5))])
    api.form("/memories/swift", [
        ("title", "What the lake said"), ("description", "I recorded the water before the others woke up."), ("location", "Ammersee"), ("tags", "lake, sound"),
        ("createdAt", when(1, 6, 40))], said(5, 23))
    api.form("/moods/swift", [
        ("mood", "calm"), ("moodIntensity", "7"), ("note", "The first warm evening by the lake. We stayed until the light was gone."),
        ("reason", "nothing had to be done"), ("tags", "lake, summer"), ("createdAt", when(0, 18, 50))], images("lake-evening") + said(7, 14))
    # Photos without a date would stand under today's month, and before all moments in the timeline.
    files = [file for file in api.call("GET", api.user + "/multimedia?limit=100")["files"] if file["type"].startswith(("image/", "video/"))]
    for at, file in enumerate(files):
        taken = today - timedelta(days=at * at * 0.4, hours=1)
        api.call("PATCH", f"{api.user}/multimedia/{file['fileId']}", {"takenAt": int(taken.timestamp())})


def capsule(api, path, text):
    voice(path, text)
    id = send_capsule(api, path.read_bytes())
    while api.call("GET", f"/v0/capsules/{id}")["status"] != "completed":
        time.sleep(0.2)


def take(browser, folder, photos, views, enter=sign_in):
    """
    Saves screenshots of `views`: names and addresses, and for some a function that changes the page first. With `photos`, also of the sign-in
    page, the viewer, and the form of a mood.
    """
    for scheme, widths in [("light", [1280, 375]), ("dark", [1280, 375])]:
        for width in widths:
            options = looks(width, scheme)
            if scheme == "light" and photos:
                signing_in = browser.page(**options)
                signing_in.goto("/console/")
                expect(signing_in.get_by_label("Password")).to_be_visible()
                signing_in.get_by_label("E-mail").fill("ada@example.org")
                shot(signing_in, folder, "sign-in", width, scheme)
                signing_in.context.close()
            page = browser.page(**options)
            page.clock.set_fixed_time(today)
            enter(page)
            expect(page.get_by_text("Live", exact=True)).to_be_visible() if width > 500 else None
            for name, address, *change in views:
                if scheme == "dark" and name not in in_dark:
                    continue
                page.goto(f"/console/#/{address}")
                for act in change:
                    act(page)
                shot(page, folder, name, width, scheme)
                # Closes the dialog that the function opened.
                page.keyboard.press("Escape")
            if scheme == "light" and photos:
                page.goto("/console/#/photos")
                page.get_by_role("button", name="Photo: dusk-sea.jpg").click()
                shot(page, folder, "viewer", width, scheme)
                page.keyboard.press("Escape")
                keep(page, photos)
                shot(page, folder, "keep", width, scheme, whole=True)
            page.context.close()


def looks(width, scheme):
    """The options of a page of that width."""
    return dict(viewport={"width": width, "height": 860 if width > 500 else 812}, color_scheme=scheme, reduced_motion="reduce", timezone_id="UTC",
                device_scale_factor=1 if width > 500 else 1.5)


def take_entrance(browser, folder):
    """The pages of people without a session: an invitation, the confirmation of an address, and a forgotten password."""
    for width in [1280, 375]:
        page = browser.page(microphone=False, url=os.environ["KEEPSAKE_ENTRANCE"], **looks(width, "light"))
        page.goto("/console/?invite=K7QF2-9XM4T-3HWPA-V6DCR")
        page.get_by_label("Name").fill("Ben Okafor")
        page.get_by_label("E-mail").fill("ben@example.org")
        page.get_by_label("Password").fill("a quiet afternoon")
        shot(page, folder, "invitation", width, "light")
        page.get_by_label("Invitation code").fill("")
        page.get_by_role("button", name="Create the account").click()
        expect(page.get_by_role("heading", name="Confirm your address")).to_be_visible()
        shot(page, folder, "confirmation", width, "light")
        page.goto("/console/")
        page.get_by_role("button", name="Forgot your password?").click()
        page.get_by_label("E-mail").fill("ben@example.org")
        shot(page, folder, "forgotten", width, "light")
        page.get_by_role("button", name="Send me a code").click()
        expect(page.get_by_role("heading", name="A new password")).to_be_visible()
        shot(page, folder, "reset", width, "light")
        page.context.close()


def change(page):
    page.get_by_role("button", name="Change Mood: calm").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def select(page):
    page.get_by_role("button", name="Select", exact=True).click()
    for at in [0, 2, 3]:
        page.locator(".grid button").nth(at).click()


def storage(page):
    expect(page.get_by_role("heading", name="Storage")).to_be_visible()
    expect(page.get_by_role("heading", name="E-mail and password")).to_be_visible()


def dialog(name):
    def act(page):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("dialog")).to_be_visible()

    return act


def keep(page, photos):
    page.goto("/console/#/keep/mood")
    page.get_by_role("button", name="grateful").click()
    page.get_by_label("Intensity").fill("8")
    page.get_by_label("Note", exact=True).fill("Lavender all the way down the hill, and nobody in a hurry.")
    page.get_by_label("Because").fill("we took the slow train")
    page.get_by_label("Tags").fill("travel, summer")
    page.get_by_label("Add photos").set_input_files([
        {"name": f"{name}.jpg", "mimeType": "image/jpeg", "buffer": photos[name]} for name in ["lavender", "sea"]])
    page.get_by_role("button", name="Record a voice note").click()
    page.wait_for_timeout(2_500)
    page.get_by_role("button", name="Stop recording").click()
    expect(page.get_by_role("button", name="Discard")).to_be_visible()
    page.get_by_label("Note", exact=True).focus()


def shot(page, folder, name, width, scheme, whole=False):
    if wanted and name not in wanted:
        return
    page.wait_for_timeout(200)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.wait_for_timeout(400)
    # Chromium loads lazy images only near the visible part of the page.
    visible = "[...document.images].filter((image) => image.getBoundingClientRect().bottom > 0 && image.getBoundingClientRect().top < innerHeight)"
    until(page, lambda: page.evaluate(f"{visible}.every((image) => image.complete)"))
    page.wait_for_timeout(200)
    if whole:
        # Makes the viewport as high as the page, so that the footer is at its end.
        page.set_viewport_size({"width": width, "height": page.evaluate("document.documentElement.scrollHeight")})
        page.wait_for_timeout(200)
    file = folder / f"{name}-{width}{'-dark' if scheme == 'dark' else ''}.webp"
    taken = file.with_suffix(".png")
    page.screenshot(path=taken)
    subprocess.run(["vips", "copy", taken, f"{file}[Q=82,effort=6,strip]"], check=True)
    taken.unlink()
    print(file.name, file.stat().st_size, flush=True)


main(sys.argv[1], pathlib.Path(sys.argv[2]))
