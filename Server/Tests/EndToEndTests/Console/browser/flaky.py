"""The tests of a network that breaks, of lists that change while nobody reads them, and of signing out. They have accounts of their own."""

import re
from datetime import datetime, timedelta, timezone

from console import expect, open_view, photo, sign_in, tried, until
from editing import account, page_of

unreachable = "The server cannot be reached."


def keep_memory(api, title, minutes=0):
    """Keeps a memory that is as many minutes old."""
    moment = datetime.now(timezone.utc) - timedelta(minutes=minutes)
    api.form("/memories/swift", [("title", title), ("createdAt", str(int(moment.timestamp() * 1000)))])


def memory(page, title):
    return page.get_by_role("article", name=f"Memory: {title}", exact=True)


def to_end(page):
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")


def stop_requests(page, address, method=None):
    """Breaks each request to that address, until `page.unroute(address)`."""
    page.route(address, lambda route: route.abort() if method in (None, route.request.method) else route.fallback())


@tried
def a_page_that_failed_is_read_alone_and_nothing_is_missing_after_an_absence(round):
    api = account(round, "Uma")
    for at in range(65):
        keep_memory(api, f"Old {at}", minutes=at + 10)
    page = round.browser.page(viewport={"width": 1280, "height": 800})
    stop_requests(page, "**/timeline?*cursor=*")
    sign_in(page, "uma@example.org")
    articles = page.get_by_role("article")
    expect(articles).to_have_count(20)
    to_end(page)
    again = page.get_by_role("button", name=f"{unreachable} Check your connection. Try again")
    expect(again).to_be_visible()
    page.unroute("**/timeline?*cursor=*")
    again.click()
    expect(articles).to_have_count(40)
    # The list reads on when its end comes near, and not before.
    page.wait_for_timeout(500)
    expect(articles).to_have_count(40)
    expect(page.get_by_role("button", name="Show earlier")).to_be_attached()

    # A moment of the second page is changed and another one deleted, by another device.
    ids = {item["memory"]["title"]: item["memory"]["id"] for item in api.call("GET", api.user + "/timeline?limit=50")["items"]}
    api.call("DELETE", f"{api.user}/memories/{ids['Old 30']}")
    expect(memory(page, "Old 30")).to_have_count(0)
    api.call("PATCH", f"{api.user}/memories/{ids['Old 31']}", {"title": "Old, and changed"})
    expect(memory(page, "Old, and changed")).to_have_count(1)
    expect(memory(page, "Old 32")).to_have_count(1)

    # More than a page of moments comes while the network is away.
    stop_requests(page, "**/timeline?*")
    for at in range(25):
        keep_memory(api, f"New {at}")
    page.unroute("**/timeline?*")
    keep_memory(api, "New 25")
    expect(memory(page, "New 25")).to_have_count(1)
    until(page, lambda: to_end(page) or memory(page, "Old 40").count() > 0)
    titles = [name.removeprefix("Memory: ") for name in articles.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")]
    assert [name for name in titles if name.startswith("New")] == [f"New {at}" for at in range(25, -1, -1)], titles
    page.context.close()


@tried
def a_first_page_that_failed_is_read_with_the_next_event(round):
    api = account(round, "Pam")
    page = round.browser.page(viewport={"width": 1280, "height": 800})
    sign_in(page, "pam@example.org")
    addresses = {"photos": "**/multimedia?*", "capsules": "**/v0/capsules?*", "timeline": "**/timeline?*"}
    for view, address in addresses.items():
        stop_requests(page, address)
        open_view(page, view, view.capitalize())
        expect(page.get_by_role("alert").filter(has_text=unreachable)).to_be_visible()
        page.unroute(address)
        api.form("/multimedia/swift", files=[("file", f"{view}.jpg", "image/jpeg", photo + view.encode())])
        expect(page.get_by_role("alert").filter(has_text=unreachable)).to_have_count(0)
    page.context.close()


@tried
def a_response_of_another_program_ends_the_request_and_keeps_the_draft(round):
    account(round, "Quin")
    page = page_of(round, "Quin")
    open_view(page, "keep/mood", "How are you?")
    page.get_by_role("button", name="calm").click()
    page.route("**/moods/swift", lambda route: route.fulfill(status=200, content_type="text/html", body="<h1>Welcome to the train</h1>"))
    page.get_by_role("button", name="Keep this mood").click()
    expect(page.get_by_role("alert").filter(has_text="The response did not come from Keepsake.")).to_be_visible()
    page.unroute("**/moods/swift")
    page.get_by_role("button", name="Keep this mood").click()
    expect(page.get_by_role("article", name="Mood: calm")).to_be_visible()
    page.context.close()


@tried
def a_deletion_keeps_the_focus_and_its_failure_is_visible_in_the_viewer(round):
    api = account(round, "Rhea")
    for at in range(3):
        keep_memory(api, f"Walk {at}", minutes=at + 1)
    api.form("/multimedia/swift", files=[("file", "lake.jpg", "image/jpeg", photo)])
    page = page_of(round, "Rhea")
    for view, heading in [("timeline", "Timeline"), ("search?q=walk", "Search")]:
        open_view(page, view, heading)
        count = len(api.call("GET", api.user + "/memories")["memories"])
        expect(page.get_by_role("article", name="Memory")).to_have_count(count)
        page.get_by_role("button", name="Delete Memory").first.click()
        page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("article", name="Memory")).to_have_count(count - 1)
        until(page, lambda: page.evaluate("document.activeElement.closest('article') !== null"))
    expect(page.get_by_role("heading", level=2, name="1 found")).to_be_visible()

    open_view(page, "photos", "Photos")
    stop_requests(page, "**/multimedia/*", "DELETE")
    page.get_by_role("button", name="Photo: lake.jpg").click()
    viewer = page.get_by_role("dialog", name="Viewer")
    viewer.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    # The message is inside the open dialog: outside, the dialog would cover it.
    expect(viewer.get_by_text(unreachable)).to_be_visible()
    page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    expect(page.locator("body > #toasts")).to_be_attached()
    page.context.close()


@tried
def the_viewer_reads_the_next_files_once_and_keeps_the_keyboard_at_the_first_one(round):
    api = account(round, "Sia")
    for name in ["first.jpg", "second.jpg"]:
        api.form("/multimedia/swift", files=[("file", name, "image/jpeg", photo + name.encode())])
    files = api.call("GET", api.user + "/multimedia?sort=takenAt")["files"]
    page = page_of(round, "Sia")
    held, is_held = [], [True]
    second = {"files": files[1:], "pagination": {"nextCursor": None}}

    def one_by_one(route):
        """Sends each file as a page of its own. The second page waits."""
        if "cursor=" in route.request.url:
            held.append(route) if is_held[0] else route.fulfill(json=second)
        elif "limit=100" in route.request.url:
            route.fulfill(json={"files": files[:1], "pagination": {"nextCursor": "the-second"}})
        else:
            route.fallback()

    page.route("**/multimedia?*", one_by_one)
    open_view(page, "photos", "Photos")
    page.locator(".grid button").first.click()
    viewer = page.get_by_role("dialog", name="Viewer")
    expect(viewer.get_by_text(re.compile("^1 of 1 "))).to_be_visible()
    # The list may have asked for the second page, too.
    before = len(held)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    until(page, lambda: len(held) > before)
    page.wait_for_timeout(200)
    is_held[0] = False
    for route in held:
        route.fulfill(json=second)
    expect(viewer.get_by_text(re.compile("^2 of 2 "))).to_be_visible()
    viewer.get_by_role("button", name="Previous").click()
    expect(viewer.get_by_text(re.compile("^1 of 2 "))).to_be_visible()
    expect(viewer.get_by_role("button", name="Previous")).to_be_disabled()
    page.keyboard.press("ArrowRight")
    expect(viewer.get_by_text(re.compile("^2 of 2 "))).to_be_visible()
    page.context.close()


@tried
def signing_out_says_when_it_failed_and_leaves_nothing_of_the_user(round):
    api = account(round, "Tia")
    api.form("/moods/swift", [("mood", "calm"), ("note", "a secret place by the lake")])
    page = page_of(round, "Tia")
    open_view(page, "search?q=secret", "Search")
    expect(page.get_by_role("article", name="Mood: calm")).to_be_visible()
    expect(page.locator("#announcer")).to_have_text("1 found")
    stop_requests(page, "**/auth/session", "DELETE")
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("#toasts").get_by_text(unreachable)).to_be_visible()
    expect(page.get_by_role("article", name="Mood: calm")).to_be_visible()
    page.unroute("**/auth/session")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(page.locator("#announcer")).to_be_empty()
    expect(page.locator("#toasts")).to_be_empty()
    assert "secret" not in page.url, page.url
    page.context.close()


@tried
def uploads_that_wait_are_not_sent_for_the_next_user(round):
    account(round, "Vic")
    other = account(round, "Wes")
    page = page_of(round, "Vic")
    held = []
    page.route("**/multimedia/swift", lambda route: held.append(route))
    open_view(page, "photos", "Photos")
    page.locator("#pick").set_input_files([{"name": f"{at}.jpg", "mimeType": "image/jpeg", "buffer": photo + bytes(at)} for at in range(5)])
    until(page, lambda: len(held) == 3)
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("E-mail").fill("wes@example.org")
    page.get_by_label("Password").fill("a quiet afternoon")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name="Timeline")).to_be_visible()
    for route in held[:3]:
        route.abort()
    page.wait_for_timeout(300)
    assert len(held) == 3, [route.request.url for route in held]
    page.unroute("**/multimedia/swift")
    open_view(page, "photos", "Photos")
    expect(page.get_by_role("heading", name="No photos yet")).to_be_visible()
    expect(page.locator(".upload")).to_have_count(0)
    assert other.call("GET", other.user + "/multimedia")["files"] == []
    page.context.close()


@tried
def an_upload_that_waits_for_its_second_attempt_can_be_stopped(round):
    account(round, "Xia")
    page = page_of(round, "Xia")
    open_view(page, "photos", "Photos")
    stop_requests(page, "**/multimedia/swift")
    page.locator("#pick").set_input_files([{"name": "first.jpg", "mimeType": "image/jpeg", "buffer": photo}])
    expect(page.get_by_role("button", name="Try again: first.jpg")).to_be_visible()
    page.unroute("**/multimedia/swift")
    held = []
    page.route("**/multimedia/swift", lambda route: held.append(route))
    others = [{"name": f"{at}.jpg", "mimeType": "image/jpeg", "buffer": photo + bytes(at + 1)} for at in range(3)]
    page.locator("#pick").set_input_files(others)
    until(page, lambda: len(held) == 3)
    page.get_by_role("button", name="Try again: first.jpg").click()
    stop = page.get_by_role("button", name="Stop: first.jpg")
    expect(stop).to_be_focused()
    stop.click()
    expect(page.locator(".upload")).to_have_count(3)
    until(page, lambda: page.evaluate("document.activeElement.closest('.upload') !== null"))
    for route in held:
        route.abort()
    page.unroute("**/multimedia/swift")
    page.context.close()


@tried
def a_late_response_does_not_replace_a_newer_one(round):
    account(round, "Yan")
    page = page_of(round, "Yan")
    open_view(page, "chat/sent", "What was sent outside")
    expect(page.get_by_role("heading", name="Nothing was sent")).to_be_visible()
    held = []
    page.route("**/api/chat/usage?*", lambda route: held.append(route))
    for at, date in enumerate(["2026-01-01", "2026-01-02"]):
        page.get_by_label("From").fill(date)
        until(page, lambda: len(held) > at)
    counts = dict.fromkeys(["requests", "bytesSent", "bytesReceived", "inputTokens", "outputTokens"], 1)
    row = {"date": "2026-01-03", "provider": "somebody", "purpose": "chat", **counts}
    held[-1].fulfill(json={"usage": [{**row, "model": "the newer"}]})
    expect(page.get_by_text("the newer")).to_be_visible()
    with page.expect_response("**/api/chat/usage?*"):
        held[0].fulfill(json={"usage": [{**row, "model": "the older"}]})
    page.wait_for_timeout(100)
    expect(page.get_by_text("the older")).to_have_count(0)
    expect(page.get_by_text("the newer")).to_be_visible()
    page.unroute("**/api/chat/usage?*")
    # What the page shows is not of the days in its fields.
    stop_requests(page, "**/api/chat/usage?*")
    page.get_by_label("From").fill("2026-01-04")
    expect(page.get_by_role("alert").filter(has_text=unreachable)).to_be_visible()
    page.context.close()


@tried
def a_new_network_gets_a_new_socket_and_days_are_named_by_the_clock(round):
    api = account(round, "Zed")
    api.form("/moods/swift", [("mood", "calm")])
    # The account has no time zone, so its days are those of the server, in UTC. In Tokyo, it is August.
    page = round.browser.page(viewport={"width": 1280, "height": 800}, timezone_id="Asia/Tokyo")
    page.add_init_script("""
        window.sockets = [];
        window.WebSocket = class extends WebSocket {
            constructor(url) { super(url); window.sockets.push(this); }
        };
    """)
    sign_in(page, "zed@example.org")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Today").get_by_role("article", name="Mood: calm")).to_be_visible()
    page.clock.set_fixed_time(datetime.now(timezone.utc) + timedelta(days=1))
    page.evaluate("window.dispatchEvent(new Event('online'))")
    until(page, lambda: page.evaluate("sockets.length === 2 && sockets[0].readyState > 1 && sockets[1].readyState === 1"))
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    api.form("/moods/swift", [("mood", "happy")])
    expect(page.get_by_role("region", name="Yesterday").get_by_role("article", name="Mood: happy")).to_be_visible()
    expect(page.get_by_role("region", name="Today")).to_have_count(0)

    page.clock.set_fixed_time(datetime(2026, 7, 31, 22, 30, tzinfo=timezone.utc))
    open_view(page, "calendar", "July 2026")
    open_view(page, "captures/day", re.compile("31 July"))
    page.context.close()


@tried
def a_message_that_was_found_is_shown_even_when_it_is_on_an_earlier_page(round):
    account(round, "Una")
    page = page_of(round, "Una")
    asked = []

    def messages(route):
        """200 messages in pages of 60, oldest first."""
        before = re.search(r"before=([^&]*)", route.request.url)
        end = int(before[1][1:]) if before else 200
        asked.append(end)
        common = {"isCreatedByUser": True, "sender": "User", "createdAt": "2026-03-01T12:00:00Z"}
        route.fulfill(json=[{**common, "messageId": f"m{at}", "text": f"Message number {at}"} for at in range(max(0, end - 60), end)])

    page.route("**/api/chat/messages?*", messages)
    page.goto("/console/#/chat?id=one&message=m30")
    expect(page.locator("#message-m30")).to_be_focused()
    expect(page.locator("#message-m30")).to_be_in_viewport()
    # It reads no page before that of the message. The first one may have been read twice, when the socket opened.
    assert sorted(set(asked)) == [80, 140, 200] and asked.count(80) == 1, asked
    # Without a message in the address, a conversation opens at its end.
    page.goto("/console/#/chat?id=one")
    expect(page.locator("#message-m199")).to_be_in_viewport()
    page.context.close()
