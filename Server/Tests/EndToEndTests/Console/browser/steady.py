"""The tests of pages that stay as they are while somebody uses them: events and late responses must not lose clicks, the focus or the place."""

from chat import answers, begin, open_id, say
from console import expect, open_view, photo, tried, until
from editing import account, page_of
from flaky import keep_memory, memory


def live(page):
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    # The page reads its data once more when its socket opens.
    page.wait_for_load_state("networkidle")


def refreshed(page, address):
    """Makes the page read that address again, as after an absence."""
    with page.expect_response(address):
        page.evaluate("window.dispatchEvent(new Event('online'))")
    page.wait_for_timeout(200)


@tried
def a_click_is_not_lost_when_an_event_changes_the_page_during_it(round):
    api = account(round, "Ivo")
    keep_memory(api, "Herons", minutes=1)
    page = page_of(round, "Ivo")
    expect(memory(page, "Herons")).to_be_visible()
    live(page)
    [herons] = api.call("GET", api.user + "/memories")["memories"]
    place = page.get_by_role("button", name="Change Memory: Herons").bounding_box()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.down()
    # The row would be made again, and move down.
    api.call("PATCH", f"{api.user}/memories/{herons['id']}", {"title": "Grey herons"})
    keep_memory(api, "A row above")
    page.wait_for_timeout(800)
    page.mouse.up()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    for title in ["Grey herons", "A row above"]:
        expect(memory(page, title)).to_be_visible()
    # A press whose end the page does not notice delays the events, and no more.
    page.evaluate("document.querySelector('h1').dispatchEvent(new PointerEvent('pointerdown', { isPrimary: true, button: 0, bubbles: true }))")
    keep_memory(api, "Another row")
    expect(memory(page, "Another row")).to_be_visible()
    page.context.close()


@tried
def a_refresh_that_brings_nothing_new_keeps_the_focus_and_the_place(round):
    api = account(round, "Jun")
    page = page_of(round, "Jun")
    live(page)
    first = page.get_by_role("link", name="Keep a first mood")
    first.focus()
    refreshed(page, "**/timeline?*")
    expect(first).to_be_focused()
    api.form("/moods/swift", [("mood", "calm"), ("note", "The lighthouse was lit again tonight.")])
    page.goto("/console/#/calendar")
    day = page.get_by_role("table").get_by_role("link", name="calm")
    day.focus()
    # The event of another feature, which changes nothing here.
    with page.expect_response("**/moods/stats?*"):
        keep_memory(api, "Herons")
    page.wait_for_timeout(200)
    expect(day).to_be_focused()

    begin(page)
    say(page, "When was the lighthouse lit?")
    expect(answers(page)).to_be_visible()
    id = open_id(page)
    # A little higher than the window, so that its beginning counts as its end, where the page follows an answer.
    height = page.evaluate("document.querySelector('.view').getBoundingClientRect().bottom + scrollY")
    page.set_viewport_size({"width": 1280, "height": int(height) - 100})
    until(page, lambda: page.evaluate("document.documentElement.scrollHeight - innerHeight") > 50)
    page.evaluate("window.scrollTo(0, 0)")
    with page.expect_response("**/api/chat/messages?*"):
        api.call("POST", "/api/chat/convos/update", {"conversationId": id, "title": "Renamed meanwhile"})
    expect(page.get_by_role("heading", level=2, name="Renamed meanwhile")).to_be_visible()
    page.wait_for_timeout(200)
    assert page.evaluate("scrollY") == 0
    page.context.close()


@tried
def a_late_list_does_not_bring_back_what_was_deleted(round):
    api = account(round, "Kai")
    for at in range(2):
        api.form("/multimedia/swift", files=[("file", f"{at}.jpg", "image/jpeg", photo + bytes(at))])
    page = page_of(round, "Kai")
    open_view(page, "photos", "Photos")
    tiles = page.locator(".grid button")
    expect(tiles).to_have_count(2)
    live(page)
    files = api.call("GET", api.user + "/multimedia?sort=takenAt")["files"]
    lists, deletions = [], []
    page.route("**/multimedia?*limit=100*", lambda route: lists.append((route, route.fetch())))
    page.route(f"**/multimedia/{files[1]['fileId']}", lambda route: deletions.append(route) if route.request.method == "DELETE" else route.continue_())
    api.call("PATCH", f"{api.user}/multimedia/{files[0]['fileId']}", {"tags": ["lake"]})
    until(page, lambda: lists)
    page.get_by_role("button", name="Select", exact=True).click()
    bar = page.get_by_role("group", name="Selected files")
    bar.get_by_role("button", name="All").click()
    bar.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(tiles).to_have_count(1)
    until(page, lambda: deletions)
    # It was sent before the first deletion, and its response comes after it.
    [(route, stale)] = lists
    assert len(stale.json()["files"]) == 2
    route.fulfill(response=stale)
    page.wait_for_timeout(300)
    expect(tiles).to_have_count(1)
    deletions[0].continue_()
    expect(page.get_by_text("2 files deleted.")).to_be_visible()
    expect(page.get_by_role("heading", name="No photos yet")).to_be_visible()
    expect(bar).to_be_hidden()
    expect(page.get_by_role("heading", level=1, name="Photos")).to_be_focused()
    for later, _ in lists[1:]:
        later.abort()
    page.context.close()
