"""Sample data for the pictures of captures, summaries and answers: a day of Ada's, sent over the browser's WebSocket."""

import time
from datetime import timedelta

from console import expect, send_captures

# Time of the day, words, and the scene of a photo.
said = [
    ("07:40", "Coffee with Jonas on the jetty before work. He found his hat again.", None),
    ("07:55", "The fog is still on the lake.", "morning-fog"),
    ("12:15", "Lunch with Leila at the market. She starts at the hospital in Weilheim on Monday.", None),
    ("12:40", "Leila gave me lavender from her garden.", "lavender"),
    ("17:30", "Rowed to the island and back with Ben and Mira.", None),
    ("18:20", "Ben counted eleven herons.", "lake-evening"),
    ("18:50", "Mira wants to plant beans along the fence.", None),
]
question = "How many herons did Ben count?"


def capture(page, api, photos, today):
    """Sends the captures, waits for their summaries, and returns the views to take. `page` is signed in as the user of `api`."""
    day = today.strftime("%Y-%m-%d")
    api.call("PATCH", "/user/me", {"time_zone": "UTC"})
    messages = []
    for at, (clock, words, scene) in enumerate(said):
        message = {"id": f"today-{at}", "timestamp": f"{day}T{clock}:00Z", "transcription": words}
        if scene:
            file = {"name": f"{scene}.jpg", "mimeType": "image/jpeg", "buffer": photos[scene]}
            answer = page.context.request.post(f"/upload/today-{at}", headers={"Authorization": f"Bearer {api.token}"}, multipart={"file": file})
            message["photoURL"] = answer.json()["url"]
        messages.append(message)
    yesterday = (today - timedelta(days=1)).strftime("%Y-%m-%d")
    messages.append({"id": "yesterday", "timestamp": f"{yesterday}T18:05:00Z", "transcription": "Jonas baked bread with plums, for Ben and me."})
    answers = send_captures(page, api.id, messages)
    assert all(one.get("type") == "ack" for one in answers), answers
    # A summary is made again at most every 30 seconds, so the last capture may be that late.
    while sum(one["totalCaptures"] for one in api.call("GET", "/summaries/daily")["items"]) < len(messages):
        time.sleep(0.2)
    for contact in api.call("GET", "/contacts/known")["items"]:
        edits = {"Ben": {"relationship": "friend", "notes": "Mends boats. His birthday is in March."}, "Leila": {"relationship": "neighbour"}}
        if contact["name"] in edits:
            api.call("PATCH", f"/contacts/known/{contact['id']}", edits[contact["name"]])
    return [("captures", "captures"), ("day", f"captures/day?date={day}"), ("mentioned", "captures/people"), ("ask", "ask", ask)]


def ask(page):
    page.get_by_role("textbox", name="Your question").fill(question)
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name=question)).to_be_visible()
