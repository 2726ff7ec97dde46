"""The tests of chat. Nora has an account of her own. The server needs words.py as a model beside its own answers."""

import json
import re
import socket
import threading
import urllib.error
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from console import API, drop, expect, judge, open_view, photo, register, tried, until
from words import model, said

picture = {"name": "jetty.jpg", "mimeType": "image/jpeg", "buffer": photo}
notes = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"The ferry to the island leaves at nine. Bring the blue lantern.\n"}


class Nora:
    """Her page and her API."""

    made = None

    def __init__(self, round):
        self.page = round.browser.page(microphone=False, viewport={"width": 1280, "height": 800})
        register(self.page, "Nora", "nora@example.org")
        self.api = API(round.url, "nora@example.org")

    def conversations(self):
        return self.api.call("GET", "/api/chat/convos")["conversations"]

    def messages(self, id):
        return self.api.call("GET", f"/api/chat/messages?conversationId={id}")


class Cable:
    """A TCP proxy before the server, which a test can cut. Chromium's own offline mode does not end a response that has begun."""

    def __init__(self, url):
        self.target = urllib.parse.urlsplit(url).port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ends, self.is_whole = set(), True
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            if not self.is_whole:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.target))
            self.ends |= {near, far}
            for source, sink in [(near, far), (far, near)]:
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(65_536):
                sink.sendall(data)
        except OSError:
            pass
        self.close(sink)

    def close(self, end):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.ends.discard(end)

    def cut(self):
        self.is_whole = False
        for end in list(self.ends):
            self.close(end)

    def mend(self):
        self.is_whole = True


def nora(round):
    Nora.made = Nora.made or Nora(round)
    return Nora.made, Nora.made.page


def begin(page):
    # A view that is open already would stay as it is.
    page.goto("/console/#/timeline")
    page.goto("/console/#/chat?new=1")
    expect(page.get_by_role("heading", level=2, name="New conversation")).to_be_visible()
    locally(page)


def choose(page, words):
    chosen = page.get_by_role("combobox", name="Who answers")
    expect(chosen.locator("option")).to_have_count(2)
    chosen.select_option(label=chosen.locator("option", has_text=words).inner_text())


def locally(page):
    choose(page, "This server")


def slowly(page):
    """Lets words.py answer."""
    choose(page, model)


def box(page):
    return page.get_by_role("textbox", name="Your message")


def say(page, text):
    box(page).fill(text)
    page.keyboard.press("Enter")


def answers(page):
    return page.locator(".message.answer:not(.growing)")


def growing(page):
    return page.locator(".message.growing .body")


def open_id(page):
    """The id of the open conversation, which the page's address has as soon as the server has made it."""
    return until(page, lambda: urllib.parse.parse_qs(page.url.partition("?")[2]).get("id", [None])[0])


def attach(page, *files):
    page.get_by_label("Attach files").set_input_files(list(files))


def uploaded(page, name):
    expect(page.locator(".attachments li.done", has_text=name)).to_be_visible()


@tried
def a_message_is_answered_with_quotes_of_her_own_entries(round):
    her, page = nora(round)
    her.api.form("/moods/swift", [("mood", "calm"), ("note", "The lighthouse was lit again tonight.")])
    page.get_by_role("link", name="Chat", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Chat")).to_be_visible()
    expect(page.get_by_role("heading", name="No conversations yet")).to_be_visible()
    locally(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="Write a message, or attach a file.")).to_be_visible()
    expect(box(page)).to_be_focused()
    page.keyboard.type("When was the lighthouse")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("lit?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name=re.compile("^You, ")).locator(".plain-text")).to_have_text("When was the lighthouse\nlit?", use_inner_text=True)
    expect(answers(page)).to_contain_text("The lighthouse was lit again tonight.")
    expect(page.get_by_text("Nothing leaves this server.")).to_be_visible()
    expect(box(page)).to_be_focused()
    expect(box(page)).to_have_value("")
    [one] = her.conversations()
    assert one["conversationId"] == open_id(page), one
    row = page.get_by_role("list", name="Conversations").get_by_role("link")
    expect(row).to_contain_text("When was the lighthouse lit?")
    expect(row).to_have_attribute("aria-current", "page")
    page.reload()
    expect(page.get_by_role("heading", level=2)).to_contain_text("When was the lighthouse lit?")
    expect(answers(page)).to_contain_text("The lighthouse was lit again tonight.")
    assert [message["isCreatedByUser"] for message in her.messages(one["conversationId"])] == [True, False]


@tried
def files_are_attached_removed_enlarged_and_downloaded(round):
    her, page = nora(round)
    begin(page)
    paths = []
    page.on("response", lambda response: paths.append(response) if response.url.endswith("/files/upload") and response.ok else None)
    attach(page, picture, notes, {"name": "program.exe", "mimeType": "application/octet-stream", "buffer": b"MZ"},
           {"name": "false.pdf", "mimeType": "application/pdf", "buffer": b"no document"})
    uploaded(page, "jetty.jpg")
    uploaded(page, "notes.txt")
    expect(page.locator(".attachments li", has_text="program.exe").get_by_role("alert")).to_contain_text("Send files of these kinds")
    # The server's own words, and no retry, which could not help.
    expect(page.locator(".attachments li", has_text="false.pdf").get_by_role("alert")).to_contain_text(re.compile("."))
    expect(page.get_by_role("button", name="Try again: false.pdf")).to_have_count(0)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="Remove the files that could not be uploaded.")).to_be_visible()
    for name in ["program.exe", "false.pdf"]:
        page.get_by_role("button", name=f"Remove: {name}").click()
    drop(page, ".composer", [("dropped.md", "text/markdown", b"# Dropped\n")])
    uploaded(page, "dropped.md")
    files = {response.json()["filename"]: response.json()["filepath"] for response in paths}
    page.get_by_role("button", name="Remove: dropped.md").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove: notes.txt")).to_be_focused()
    expect(page.locator(".attachments li")).to_have_count(2)
    # What is removed before it is sent is deleted on the server.
    until(page, lambda: page.request.get("/api/chat/files/serve" + files["dropped.md"]).status == 404)
    say(page, "When does the ferry leave?")
    question = page.get_by_role("article", name=re.compile("^You, "))
    image = question.locator("img")
    assert until(page, lambda: image.evaluate("(image) => image.complete && image.naturalWidth")) > 0
    expect(answers(page)).to_contain_text("The ferry to the island leaves at nine.")
    expect(page.locator(".attachments li")).to_have_count(0)
    page.get_by_role("button", name="Enlarge jetty.jpg").focus()
    page.keyboard.press("Enter")
    viewer = page.get_by_role("dialog", name="Viewer")
    expect(viewer.locator("img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Enlarge jetty.jpg")).to_be_focused()
    with page.expect_download() as download:
        question.get_by_role("link", name="notes.txt").click()
    with open(download.value.path(), "rb") as file:
        assert file.read() == notes["buffer"]
    assert {file["filename"] for file in her.messages(open_id(page))[0]["files"]} == {"jetty.jpg", "notes.txt"}


@tried
def an_upload_shows_its_progress_and_can_be_stopped(round):
    her, page = nora(round)
    begin(page)
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 400_000})
    page.evaluate("""() => {
        window.seen = [];
        new MutationObserver(() => {
            const bar = document.querySelector(".attachments progress");
            if (bar && bar.value !== window.seen.at(-1)) window.seen.push(bar.value);
        }).observe(document.querySelector(".attachments"), { attributes: true, childList: true, subtree: true });
    }""")
    attach(page, {"name": "large.jpg", "mimeType": "image/jpeg", "buffer": photo + bytes(1_500_000)})
    until(page, lambda: len([value for value in page.evaluate("window.seen") if 0 < value < 1]) > 1)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="Wait until all files are uploaded")).to_be_visible()
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/files/upload")):
        page.get_by_role("button", name="Remove: large.jpg").click()
    expect(page.locator(".attachments li")).to_have_count(0)
    expect(box(page)).to_be_focused()
    network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    network.detach()
    # A lost connection can be tried again, and the same key stores the file once.
    page.context.set_offline(True)
    attach(page, picture)
    expect(page.locator(".attachments li.failed").get_by_role("alert")).to_contain_text("The connection broke")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again: jetty.jpg").click()
    uploaded(page, "jetty.jpg")


@tried
def an_answer_streams_to_two_pages_and_survives_a_lost_connection(round):
    her, other = nora(round)
    cable = Cable(round.url)
    page = round.browser.page(microphone=False, url=cable.url, storage_state=other.context.storage_state(), viewport={"width": 1280, "height": 800})
    asked = []
    page.on("request", lambda request: asked.append(request) if "/agents/chat/stream/" in request.url else None)
    begin(page)
    slowly(page)
    expect(page.get_by_text("are sent to openai")).to_be_visible()
    say(page, "Tell me many words")
    id = open_id(page)
    other.goto(f"/console/#/chat?id={id}")
    until(page, lambda: growing(page).inner_text().count("word") > 2)
    until(other, lambda: growing(other).count() and growing(other).inner_text().count("word") > 2)
    cable.cut()
    expect(page.locator(".message.growing")).to_contain_text("The connection broke. Trying again…")
    before = growing(page).inner_text()
    cable.mend()
    until(page, lambda: growing(page).count() == 0 or len(growing(page).inner_text()) > len(before))
    # Every word is there once, on both pages.
    for one in (page, other):
        expect(answers(one).locator(".body")).to_have_text(said)
        expect(one.get_by_role("button", name="Stop")).to_be_hidden()
    assert before != said and any(request.headers.get("last-event-id") for request in asked), "the answer was not interrupted"
    expect(answers(page)).to_contain_text(f"Answered by OpenAI · {model}")
    assert her.messages(id)[1]["text"] == said
    # A reload in the middle of the next answer takes it up.
    say(page, "Again, with a pause")
    until(page, lambda: growing(page).count() and growing(page).inner_text().count("word") > 2)
    page.reload()
    until(page, lambda: growing(page).count() and growing(page).inner_text().count("word") > 4)
    expect(answers(page).nth(1).locator(".body")).to_have_text(said)
    page.context.close()


@tried
def an_answer_is_stopped_tried_again_and_may_fail(round):
    her, page = nora(round)
    begin(page)
    slowly(page)
    say(page, "Begin, and be stopped")
    id = open_id(page)
    until(page, lambda: growing(page).inner_text().count("word") > 2)
    page.get_by_role("button", name="Stop").click()
    expect(answers(page)).to_contain_text("Not finished")
    kept = answers(page).locator(".body").inner_text()
    assert kept.count("word") > 2 and said.startswith(kept) and kept != said, kept
    stored = her.messages(id)[1]
    assert stored["unfinished"] and stored["text"].strip() == kept, stored
    page.get_by_role("button", name="Try again").click()
    expect(answers(page).locator(".body")).to_have_text(said)
    expect(page.get_by_text("Not finished")).to_have_count(0)
    assert [message["text"] for message in her.messages(id) if message["isCreatedByUser"]] == ["Begin, and be stopped"]
    say(page, "Now fail")
    expect(page.locator(".composer").get_by_role("alert")).to_contain_text(re.compile("."))
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    # Another model may answer the same message.
    locally(page)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    until(page, lambda: answers(page).count() == 2)
    assert len([message for message in her.messages(id) if message["isCreatedByUser"]]) == 2
    # What the server does not take stays on the page, also when the list is read again, and can be sent again.
    page.route("**/agents/chat/*", lambda route: route.fulfill(status=503, json={"message": "The server is being restarted."}))
    say(page, "Kept on the page")
    expect(page.locator(".composer").get_by_role("alert")).to_have_text("The server is being restarted.")
    her.api.call("POST", "/api/chat/convos/update", {"conversationId": id, "title": "Renamed meanwhile"})
    expect(page.get_by_role("heading", level=2, name="Renamed meanwhile")).to_be_visible()
    expect(page.get_by_role("article").filter(has_text="Kept on the page")).to_be_visible()
    page.unroute("**/agents/chat/*")
    page.get_by_role("button", name="Try again").click()
    until(page, lambda: answers(page).count() == 3)
    assert [message["text"] for message in her.messages(id) if message["isCreatedByUser"]][-1] == "Kept on the page"


@tried
def an_answer_that_is_not_finished_is_tried_again_after_a_reload(round):
    her, page = nora(round)
    begin(page)
    slowly(page)
    say(page, "Begin, and be cut short")
    id = open_id(page)
    expect(answers(page)).to_contain_text("Not finished")
    question, answer = her.messages(id)
    assert answer["unfinished"] and not answer["error"] and answer["text"] == " ".join(said.split(" ")[:5]), answer
    # No stream is open any more, as after a crash of the server.
    page.reload()
    expect(answers(page)).to_contain_text("Not finished")
    slowly(page)
    page.get_by_role("button", name="Try again").click()
    expect(answers(page).locator(".body")).to_have_text(said)
    expect(page.get_by_text("Not finished")).to_have_count(0)
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    whole = her.messages(id)
    assert [one["messageId"] for one in whole] == [question["messageId"], answer["messageId"]], whole
    assert whole[1]["text"] == said and not whole[1]["unfinished"], whole


@tried
def what_was_sent_outside_is_listed(round):
    her, page = nora(round)
    page.get_by_role("link", name="What was sent").first.click()
    expect(page.get_by_role("heading", level=1, name="What was sent outside")).to_be_visible()
    row = page.get_by_role("row").filter(has_text=model)
    expect(row).to_contain_text("Chat")
    [usage] = [one for one in her.api.call("GET", "/api/chat/usage")["usage"] if one["model"] == model]
    expect(row).to_contain_text(str(usage["requests"]))
    page.get_by_label("From", exact=True).fill("2020-01-01")
    page.get_by_label("To", exact=True).fill("2020-01-31")
    expect(page.get_by_role("heading", name="Nothing was sent")).to_be_visible()


@tried
def conversations_are_renamed_searched_and_deleted_on_every_page(round):
    her, page = nora(round)
    open_view(page, "chat", "Chat")
    rows = page.get_by_role("list", name="Conversations").get_by_role("link")
    rows.filter(has_text="When does the ferry leave?").click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("When does the ferry leave?")
    id = open_id(page)
    other = round.browser.page(microphone=False, storage_state=page.context.storage_state())
    other.goto(f"/console/#/chat?id={id}")
    expect(other.get_by_text("Live", exact=True)).to_be_visible()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("dialog").get_by_label("Title").fill("The <i>ferry</i>")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    for one in (page, other):
        expect(one.get_by_role("heading", level=2, name="The <i>ferry</i>")).to_be_visible()
    assert [one["title"] for one in her.conversations() if one["conversationId"] == id] == ["The <i>ferry</i>"]
    page.get_by_role("searchbox", name="Search messages and files").fill("lighthouse")
    found = page.get_by_role("list", name="Found messages").get_by_role("link")
    expect(found.first).to_be_visible()
    expect(found.first.locator("mark").first).to_have_text(re.compile("lighthouse", re.I))
    # Words of an attached file find the message that it was sent with.
    page.get_by_role("searchbox", name="Search messages and files").fill("lantern")
    expect(found.filter(has_text="The <i>ferry</i>").first).to_be_visible()
    page.get_by_role("searchbox", name="Search messages and files").fill("lighthouse")
    found.filter(has_text="When was the lighthouse lit?").first.click()
    expect(page.locator(".message:focus")).to_contain_text(re.compile("lighthouse", re.I))
    page.go_back()
    expect(page.get_by_role("heading", level=2, name="The <i>ferry</i>")).to_be_visible()
    image = page.locator(".message img").get_attribute("src")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Keep it").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    for one in (page, other):
        expect(one.get_by_role("heading", level=2, name="New conversation")).to_be_visible()
        expect(one.get_by_role("list", name="Conversations").get_by_role("link").filter(has_text="ferry")).to_have_count(0)
    try:
        her.messages(id)
        raise AssertionError("the conversation is still there")
    except urllib.error.HTTPError as error:
        assert error.code == 404
    until(page, lambda: page.request.get(image).status == 404)
    other.context.close()


hostile = """# Hello <script>window.hacked = 1</script>

<img src=x onerror="window.hacked = 2"> ![a picture](https://pictures.example.net/track.png) ![inline](data:image/svg+xml,<svg onload=hacked>)

[one](javascript:window.hacked=3) [two](JaVaScRiPt:window.hacked=4) [three](data:text/html,<script>window.hacked=5</script>) <javascript:window.hacked=6>
[four](\tjavascript:window.hacked=7) [five](//evil.example.net) [six](vbscript:x) [file](file:///etc/passwd) [good](https://example.org/page?a=1&b=2)

<iframe src="javascript:window.hacked=8"></iframe> <a href="javascript:window.hacked=9">ten</a> <svg><script>window.hacked=10</script></svg>

| a | <b onmouseover=alert(1)> |
|---|---|
| `</td><script>` | **bold** |

- [x](javascript:window.hacked=11)
```html
<script>window.hacked = 12</script>
```
"""


@tried
def hostile_texts_run_nothing_and_load_nothing(round):
    her, page = nora(round)
    page = round.browser.page(microphone=False, storage_state=page.context.storage_state(), viewport={"width": 1280, "height": 800})
    id = her.conversations()[0]["conversationId"]
    stored = her.messages(id)
    longs = {"a": "a" * 1_000_000, "star": "**a " * 50_000, "bracket": "[" * 190_000, "quote": "> " * 90_000, "bell": "\u202e\x07 right to left"}
    foreign = []
    page.on("request", lambda request: foreign.append(request.url) if not request.url.startswith((round.url, "blob:")) else None)

    def shown(text):
        rows = [{**stored[0], "text": text}, {**stored[1], "text": text, "unfinished": False, "error": False, "sender": "<img src=x onerror=hacked>", "model": "<b>m</b>"}]
        page.unroute("**/api/chat/messages?*")
        page.route("**/api/chat/messages?*", lambda route: route.fulfill(body=json.dumps(rows), content_type="application/json"))
        page.goto("/console/#/timeline")
        page.goto(f"/console/#/chat?id={id}")
        expect(answers(page)).to_be_visible()

    shown(hostile)
    body = answers(page).locator(".body")
    expect(body.get_by_role("heading")).to_have_text("Hello <script>window.hacked = 1</script>")
    assert body.evaluate("(node) => [...node.querySelectorAll('*')].map((one) => one.localName).filter((name) => ['script', 'img', 'iframe', 'svg', 'object', 'form', 'style', 'link'].includes(name))") == []
    links = body.get_by_role("link").evaluate_all("(links) => links.map((link) => [link.href, link.rel, link.target])")
    assert {link[0] for link in links} == {"https://pictures.example.net/track.png", "https://example.org/page?a=1&b=2"}, links
    assert all("noopener" in rel and target == "_blank" for _, rel, target in links), links
    assert body.evaluate("(node) => [...node.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on') || name === 'style')") == []
    for name, text in longs.items():
        shown(text)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280, name
        # The page still answers.
        box(page).fill("still here")
    assert page.evaluate("window.hacked") is None and foreign == [], foreign
    page.context.close()


@tried
def chat_is_usable_by_everybody_in_light_and_dark(round):
    her, page = nora(round)
    id = her.conversations()[-1]["conversationId"]
    axe, found = Axe(), []
    begin(page)
    attach(page, notes)
    uploaded(page, "notes.txt")
    say(page, "What do I bring?")
    expect(answers(page)).to_be_visible()
    with_file = open_id(page)
    views = ["chat", "chat?new=1", f"chat?id={id}", f"chat?id={with_file}", "chat/sent"]
    for width, scheme in [(390, "light"), (390, "dark"), (1280, "light")]:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for view in views:
            page.goto("/console/#/timeline")
            page.goto(f"/console/#/{view}")
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            if "id=" in view:
                expect(answers(page).first).to_be_visible()
            if view == "chat?new=1":
                attach(page, notes, {"name": "program.exe", "mimeType": "application/octet-stream", "buffer": b"MZ"})
                uploaded(page, "notes.txt")
            found += judge(axe, page, f"{view}, {width}, {scheme}")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 390, "height": 800})
    # A narrow page shows the list or a conversation, and the keyboard reaches both.
    page.goto("/console/#/chat")
    expect(box(page)).to_be_hidden()
    row = page.get_by_role("list", name="Conversations").get_by_role("link").first
    row.focus()
    page.keyboard.press("Enter")
    expect(box(page)).to_be_visible()
    expect(page.get_by_role("list", name="Conversations")).to_be_hidden()
    page.get_by_role("link", name="All conversations").click()
    expect(row).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 640})
    for view in views:
        page.goto(f"/console/#/{view}")
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        found += [f"{view} is too wide"] if page.evaluate("document.documentElement.scrollWidth") > 320 else []
    page.set_viewport_size({"width": 1280, "height": 800})
    assert not found, "\n".join(found)
