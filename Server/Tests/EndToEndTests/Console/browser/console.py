"""Runs the console in Debian's Chromium, collects the errors that the browser reports, and can serve the files from App/."""

import base64
import json
import mimetypes
import os
import pathlib
import sqlite3
import subprocess
import time
import traceback
import urllib.request

from playwright.sync_api import expect, sync_playwright

here = pathlib.Path(__file__).parent
repository = here.parents[3]
app = repository / "Console" / "App"
photo = (repository / "Tests" / "Fixtures" / "photo.jpg").read_bytes()
said = "the weather was good and we walked along the river until the evening"
from_disk = bool(os.environ.get("KEEPSAKE_CONSOLE_FROM_DISK"))
# A page on a busy machine may be slow without being wrong.
expect.set_options(timeout=60_000)


tries = []


def tried(function):
    """A test of drive.py, which runs them in this order."""
    tries.append(function)
    return function


def chosen(names):
    """The tests with those names, and the first one, which the others need; all tests without names."""
    return [function for function in tries if not names or function.__name__ in names or function is tries[0]]


def report(stage, functions):
    """Runs the tests on their stage, which has a `browser` and a `page`. Prints one line of JSON per test."""
    for function in functions:
        start = time.monotonic()
        problem = None
        stage.browser.problems.clear()
        stage.figures = None
        try:
            function(stage)
            problem = "; ".join(stage.browser.problems) or None
        except Exception:
            problem = traceback.format_exc(limit=-3) + "; ".join(stage.browser.problems)
            # A reload closes what the test left open, so that it does not affect the next one.
            stage.page.reload()
        line = {"name": function.__name__.replace("_", " "), "seconds": int((time.monotonic() - start) * 100) / 100, "problem": problem}
        print(json.dumps({**line, **({"figures": stage.figures} if stage.figures else {})}), flush=True)


def open_view(page, view, heading):
    page.goto(f"/console/#/{view}")
    expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()


def until(page, answer, seconds=60):
    """Returns `answer()` once it is true. Handles the page's events meanwhile."""
    end = time.monotonic() + seconds
    while not (value := answer()):
        assert time.monotonic() < end, "it did not come true"
        page.wait_for_timeout(40)
    return value


def judge(axe, page, where):
    """What axe finds on the page, as texts."""
    # Dark mode changes only colours, so only contrast can differ.
    rules = {"runOnly": ["color-contrast"]} if where.endswith("dark") else {}
    answer = axe.run(page, options={"resultTypes": ["violations"], **rules}).response
    found = [
        f"{where}: {violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:200]}"
        f" {violation['nodes'][0].get('failureSummary', '')}"
        for violation in answer["violations"]
    ]
    width = page.evaluate("document.documentElement.scrollWidth")
    return found + ([f"{where} is {width} wide"] if width > page.viewport_size["width"] else [])


class Browser:
    """One Chromium with a microphone that plays `voice`, and a page for each person."""

    def __init__(self, url, voice):
        self.url = url
        self.problems = []
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=[
                "--no-sandbox", "--lang=en-GB", "--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={voice}",
                "--autoplay-policy=no-user-gesture-required",
                # Responses that are served from the disk have no network address, so Chromium would block them.
                *(["--disable-features=LocalNetworkAccessChecks"] if from_disk else []),
            ],
        )

    def close(self):
        self.chromium.close()
        self.playwright.stop()

    def page(self, microphone=True, url=None, **options):
        context = self.chromium.new_context(base_url=url or self.url, **{"locale": "en-GB", **options})
        if microphone:
            context.grant_permissions(["microphone"])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("console", self.record)
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', (event) =>"
            " console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`))"
        )
        if from_disk:
            page.route("**/console/**", self.read)
        return page

    def record(self, message):
        # Chromium also logs each error status that a test provokes; the tests check those themselves.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.problems.append(f"console: {message.text}")
        if message.type == "warning":
            self.problems.append(f"warning: {message.text}")

    def read(self, route):
        """Serves files from the disk, so that a change shows without a build. The response's header fields stay the server's."""
        path = route.request.url.split("/console/")[1].split("?")[0] or "index.html"
        answer = route.fetch()
        file = app / path
        if file.is_file():
            headers = {**answer.headers, "content-type": mimetypes.guess_type(path)[0] or "text/plain"}
            route.fulfill(status=200, headers=headers, body=file.read_bytes())
        else:
            route.fulfill(response=answer)


def register(page, name="Ada", email="ada@example.org", password="a quiet afternoon"):
    page.goto("/console/")
    page.get_by_role("button", name="Create an account").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()


def sign_in(page, email="ada@example.org", password="a quiet afternoon"):
    page.goto("/console/")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()


def enter(page, token):
    """Signs in by a cookie of that access token."""
    assert page.context.request.post("/auth/session", headers={"Authorization": f"Bearer {token}"}).ok
    page.goto("/console/")
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()


def drop(page, selector, files):
    """Drops files as a user does, with a file list that only the browser can create."""
    given = [{"name": name, "type": kind, "data": base64.b64encode(data).decode()} for name, kind, data in files]
    transfer = page.evaluate_handle(
        """(files) => {
            const transfer = new DataTransfer();
            for (const { name, type, data } of files)
                transfer.items.add(new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], name, { type }));
            return transfer;
        }""",
        given,
    )
    for event in ["dragenter", "dragover", "drop"]:
        page.dispatch_event(selector, event, {"dataTransfer": transfer})


def voice(path, said=said):
    """Writes synthesized speech of `said`, which the browser's microphone repeats. 48 kHz, the microphone's rate."""
    spoken = path.with_suffix(".flite.wav")
    subprocess.run(["flite", "-voice", "rms", "-t", said, "-o", spoken], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", spoken, "-ar", "48000", "-ac", "1", path], check=True)


def send_captures(page, user, messages):
    """Sends captures over the WebSocket of the browser, and returns the server's answers to them."""
    return page.evaluate(
        """([user, messages]) => new Promise((done, fail) => {
            const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/ios/${user}`);
            const answers = [];
            socket.onopen = () => messages.forEach((message) => socket.send(JSON.stringify({ type: "memory_capture", ...message })));
            socket.onerror = () => fail(new Error("no connection"));
            socket.onmessage = (event) => {
                const answer = JSON.parse(event.data);
                if (answer.type === "ack" || answer.ok === false) answers.push(answer);
                if (answers.length === messages.length) { socket.close(); done(answers); }
            };
        })""",
        [user, messages])


def rows(*statements):
    """Writes to the server's SQLite database, in the folder KEEPSAKE_DATA, what no route makes."""
    database = sqlite3.connect(f"{os.environ['KEEPSAKE_DATA']}/keepsake.sqlite", timeout=30)
    with database:
        for sql, values in statements:
            database.execute(sql, values)
    database.close()


def send_capsule(api, sound):
    """Sends a capsule with that recording: WAV with one channel of 16 bits at 48 kHz, as `voice` writes. Returns its ID."""
    id = api.call("POST", "/v0/capsules", {"duration": len(sound) / 96_000, "file_size": len(sound)})["capsule"]["id"]
    api.form(f"/v0/capsules/{id}/audio", [("capsule_id", id)], [("audio", "said.wav", "audio/wav", sound)])
    api.call("POST", f"/v0/capsules/{id}/complete", {})
    return id


class API:
    """A client of the public API, to check what the server stores."""

    def __init__(self, url, email="ada@example.org", password="a quiet afternoon", name=None, token=None):
        """With `name`, registers an account. With `token`, uses that access token and has no `id`."""
        self.url, self.token = url, token
        if token:
            return
        if name:
            signed_in = self.call("POST", "/auth/password/register", {"email": email, "password": password, "name": name})
        else:
            signed_in = self.call("POST", "/auth/password/login", {"email": email, "password": password})
        self.token = signed_in["token"]["access_token"]
        self.id = signed_in["user"]["id"]
        self.user = f"/api/users/user/{self.id}"

    def call(self, method, path, body=None, content_type="application/json"):
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        if data is not None:
            request.add_header("Content-Type", content_type)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"{}")

    def form(self, path, texts=(), files=()):
        """`files` of (field, name, type, bytes)."""
        edge = "the-edge-of-a-part"
        body = bytearray()
        for name, text in texts:
            body += f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode()
        for field, name, kind, data in files:
            body += f'--{edge}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'.encode()
            body += data + b"\r\n"
        body += f"--{edge}--\r\n".encode()
        return self.call("POST", path if path.startswith(("/v0/", "/api/")) else self.user + path, bytes(body), f"multipart/form-data; boundary={edge}")
