"""Sample data for the pictures of coves, events, people and the operator's page. Needs what together.py needs."""

import base64
import os
from datetime import timedelta

from console import API, rows
from phones import prove

people = {
    "Ben": {"name": "Ben Okafor", "job": "Boat builder", "city": "Utting", "hobbies": ["rowing", "old maps"], "birthdate": "1988-03-02",
            "bio": "I mend what floats.\nOn Sundays I am on the lake before everybody else."},
    "Cleo": {"name": "Cleo Lind", "job": "Teacher", "city": "Weilheim", "hobbies": ["birds", "choir"]},
    "Mira": {"name": "Mira Tanaka", "job": "Gardener", "hobbies": ["seeds", "film"]},
    "Jonas": {"name": "Jonas Weber", "job": "Baker"},
    "Leila": {"name": "Leila Haddad", "job": "Doctor", "hobbies": ["running"]},
}


def gather(url, ada, photos, today):
    """Returns the views to take as Ada and as the operator, and the operator's token."""
    def image(name):
        return base64.b64encode(photos[name]).decode()

    def when(days, hour, minute=0):
        return (today + timedelta(days=days)).replace(hour=hour, minute=minute).strftime("%Y-%m-%dT%H:%M:00Z")

    ada.call("POST", "/onboard", {
        "name": "Ada Keller", "birthdate": "1991-09-24", "hobbies": ["rowing", "letters", "the sea"], "job": "Librarian", "city": "Weilheim",
        "almaMater": "University of Konstanz", "bio": "Collects evenings by the water."})
    everybody = {"Ada": ada}
    for name, profile in people.items():
        everybody[name] = API(url, f"{name.lower()}@example.org", name=profile["name"])
        everybody[name].call("POST", "/onboard", profile)
    for name, api in everybody.items():
        api.call("POST", "/userImage", {"base64Image": image(name), "isProfilePic": True})
    for scene in ["lake-evening", "winter-lake", "coast"]:
        everybody["Ben"].call("POST", "/userImage", {"base64Image": image(scene), "isProfilePic": False})
    prove(os.environ["KEEPSAKE_PHONES"], ada, "+4915112345600")

    def cove(owner, members, name, location, description, picture=None):
        id = everybody[owner].call("POST", "/create-cove", {
            "name": name, "location": location, "description": description, **({"coverPhoto": image(picture)} if picture else {})})["cove"]["id"]
        for member in members:
            everybody[member].call("POST", "/join-cove", {"coveId": id})
        return id

    def event(host, cove, name, location, date, answers, picture=None, description=None):
        id = everybody[host].call("POST", "/create-event", {
            "coveId": cove, "name": name, "location": location, "date": date, "description": description,
            **({"coverPhoto": image(picture)} if picture else {})})["event"]["id"]
        for guest, status in answers.items():
            everybody[guest].call("POST", "/update-event-rsvp", {"eventId": id, "status": status})
        return id

    rowers = cove("Ada", ["Ben", "Cleo", "Mira", "Leila"], "The Ammersee rowers", "The jetty at Utting",
                  "Four boats, one thermos each.\nWe row on Sundays at seven; beginners are welcome.", "lake-evening")
    everybody["Ada"].call("POST", "/cove-role", {"coveId": rowers, "userId": everybody["Ben"].id, "role": "ADMIN"})
    walkers = cove("Ben", ["Ada", "Jonas", "Leila"], "Sunday walkers", "Wherever the train goes", "Slow, with a bag of plums.", "meadow")
    cove("Mira", ["Ada", "Jonas"], "The garden of number 12", "The back yard", "Beds, bees and benches.")
    games = cove("Jonas", [], "Board games at Jonas's", "Above the bakery", "Every second Thursday. The bread is free.", "red-evening")
    everybody["Jonas"].call("POST", "/send-invite", {"coveId": games, "phoneNumbers": ["+49 151 12345600"], "message": "We need a fourth for Thursday!"})
    ada.call("POST", "/send-invite", {"coveId": rowers, "phoneNumbers": ["+49 151 12345699"]})

    event("Ada", rowers, "First row of the year", "The jetty at Utting", when(-75, 6), {"Ada": "GOING", "Ben": "GOING"})
    midsummer = event(
        "Ada", rowers, "Midsummer row", "The jetty at Utting", when(3, 19, 30),
        {"Cleo": "GOING", "Leila": "MAYBE", "Ben": "GOING", "Mira": "NOT_GOING", "Ada": "GOING"}, "dusk-sea",
        "We start in the light and come home with lanterns. Bring something warm, and something to share.")
    event("Ben", walkers, "Over the heather to Andechs", "The station at Herrsching", when(10, 8, 15), {"Ada": "MAYBE", "Leila": "GOING"}, "lavender")
    event("Ben", rowers, "Regatta in Utting", "The boathouse", when(23, 9), {"Ben": "GOING"})

    befriend(everybody, "Ben", "Ada")
    befriend(everybody, "Cleo", "Ada")
    befriend(everybody, "Ada", "Mira")
    everybody["Leila"].call("POST", "/send-friend-request", {"recipientId": ada.id})
    befriend(everybody, "Ben", "Leila")
    stranger = API(url, "tom@example.org", name="Tom Brandt")
    stranger.call("POST", "/onboard", {"name": "Tom Brandt"})
    ada.call("POST", "/send-friend-request", {"recipientId": stranger.id})
    noisy = API(url, "prizes@example.org", name="Prizes")
    noisy.call("POST", "/onboard", {"name": "Win Prizes"})
    ada.call("POST", "/report", {"kind": "user", "id": noisy.id, "reason": "Sends the same advertisement to all members of the cove."})
    everybody["Cleo"].call("POST", "/report", {"kind": "event", "id": midsummer, "reason": "The description has a wrong telephone number."})
    ada.call("POST", "/block", {"userId": noisy.id})

    views = [
        ("coves", "coves"), ("cove", f"cove?id={rowers}"), ("event", f"event?id={midsummer}"), ("events", "events?show=all"),
        ("friends", "people"), ("requests", "people/requests"), ("find", "people/find"), ("blocked", "people/blocked"), ("profile", "profile"),
        ("person", f"person?id={everybody['Ben'].id}"), ("event-form", f"cove?id={rowers}", lambda page: page.get_by_role("button", name="New event").click()),
    ]
    token = os.environ["KEEPSAKE_OPERATOR_TOKEN"]
    operate(everybody, today)
    operator = [
        ("operator", "operator"), ("operator-account", f"operator/user?id={everybody['Ben'].id}"), ("server", "operator/server"),
        ("jobs", "operator/jobs"), ("outside", "operator/outside"), ("reports", "operator/reports"),
    ]
    return views, operator, token


def operate(everybody, today):
    """Failed jobs, and requests to outside engines. They are written to the database, because this server has no outside engine."""
    def microseconds(minutes):
        return int((today - timedelta(minutes=minutes)).timestamp() * 1_000_000)

    failed = [
        ("captures/transcribe", "Cleo", 8, 140, "The recording cannot be decoded: it ends in the middle of a frame."),
        ("captures/analyse", "Jonas", 5, 95, "gemini.example.org answered 503."),
        ("people/tell-requested", "Leila", 5, 61, "The push service refused the device."),
    ]
    calls = [
        ("gemini", "analyse", "gemini-2.5-flash", "gemini.example.org", "Ben", 4, 96_300, 1_840, 2_150, "answered 200", 1_210),
        ("openai", "chat", "llama-3.3-70b", "models.example.org", "Cleo", 19, 5_120, 2_310, 3_480, "answered 200", 640),
        ("gemini", "answer", "gemini-2.5-flash", "gemini.example.org", "Mira", 47, 3_900, 1_100, 1_320, "answered 200", 480),
        ("gemini", "analyse", "gemini-2.5-flash", "gemini.example.org", "Jonas", 95, 88_200, 310, 640, "answered 503", None),
        ("openai", "transcribe", "whisper-large-v3", "models.example.org", "Leila", 132, 412_000, 690, 5_210, "answered 200", None),
    ]
    rows(
        *(("INSERT INTO job (id, kind, owner, payload, state, attempt, tries, lost, run_at, error, created_at)"
           " VALUES (?, ?, ?, '{}', 'parked', ?, ?, 0, ?, ?, ?)",
           (f"failed-{at}", kind, everybody[name].id, tries, tries, microseconds(minutes), error, microseconds(minutes + 25)))
          for at, (kind, name, tries, minutes, error) in enumerate(failed)),
        *(("INSERT INTO engine_call (id, owner, at, engine, purpose, model, host, sent_bytes, received_bytes, milliseconds, outcome, input_tokens)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
           (f"sent-{at}", everybody[name].id, microseconds(minutes), engine, purpose, model, host, sent, received, took, outcome, tokens))
          for at, (engine, purpose, model, host, name, minutes, sent, received, took, outcome, tokens) in enumerate(calls)))


def befriend(everybody, sender, recipient):
    request = everybody[sender].call("POST", "/send-friend-request", {"recipientId": everybody[recipient].id})["request"]["id"]
    everybody[recipient].call("POST", "/resolve-friend-request", {"requestId": request, "action": "ACCEPT"})
