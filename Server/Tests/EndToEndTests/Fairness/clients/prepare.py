# prepare.py STAGE: creates the data that the campaign needs for each account (a photo, a note, and for attackers the data
# of their attack), and writes its addresses to the stage's file.
import sys, time
import archives, captures, letters, pictures, recordings
from concurrent.futures import ThreadPoolExecutor
from wire import Client, Socket, Stage, VOCABULARY, capture, film, library, note, path_of, photo, rare, talk

stage = Stage(sys.argv[1])
with open(stage["photo"], "rb") as file:
    small_picture = file.read()


class PatientClient(Client):
    """Waits as long as the server asks for when it sends more requests than an account or a network may."""

    def request(self, *arguments, **named):
        while True:
            status, fields, body = super().request(*arguments, **named)
            if status != 429:
                return status, fields, body
            time.sleep(float(fields.get("retry-after", 1)))


def must(answer, *wanted):
    status, content = answer
    if status not in (wanted or (200,)):
        raise SystemExit(f"preparation was answered {status}: {content}")
    return content


def upload(client, person, field, name, kind, content):
    return path_of(uploaded(client, person, field, name, kind, content)["url"])


def uploaded(client, person, field, name, kind, content):
    answer = must(client.post_form(library(person) + "/swift", person["token"], {}, [(field, name, kind, content)]))
    return answer["files"][0]["data"]


def mood(client, person, text):
    path = f"/api/users/user/{person['id']}/moods/swift"
    answer = must(client.post_form(path, person["token"], {"mood": "calm", "note": text}, []), 200, 201)
    return answer["mood"]["id"]


def register(person):
    client = PatientClient(stage, person["source"])
    form = {"email": person["email"], "password": person["password"], "invite": person["invite"]}
    answer = must(client.json("POST", "/auth/password/register", None, form))
    person["id"], person["token"] = answer["user"]["id"], answer["token"]["access_token"]


def equip(person):
    """Gives the person a photo to download, and notes to search."""
    client = PatientClient(stage, person["source"])
    person["link"] = upload(client, person, "file", "a.jpg", "image/jpeg", photo(small_picture))
    person["word"] = VOCABULARY[7]
    for number in range(5 if person in stage["victims"] else 1):
        person["mood"] = mood(client, person, f"{VOCABULARY[7]} {note(500)}")


def notes(person, source, count):
    client = PatientClient(stage, source)
    for number in range(count):
        mood(client, person, note())


def remember(person, source, count=3, text=lambda: "The lighthouse. " + rare(58_000)):
    """Captures, by default for questions. Waits until the server has indexed them."""
    socket = Socket(stage, source, f"/ws/ios/{person['id']}", person["token"])
    for _ in range(count):
        socket.send(capture(text()))
    left = count
    while left > 0:
        answer = socket.next()
        if "error" in answer:
            raise SystemExit(f"a capture was answered {answer}")
        left -= answer["type"] == "memory_processed"
    socket.close()


def remember_escaped(attacker):
    """One account after the other: the server closes sockets of a network that sends too many long captures at a time."""
    for person in attacker["accounts"][: captures.OWNERS]:
        remember(person, attacker["sources"][0], captures.COUNT, lambda: captures.ESCAPED)


def converse(person, source):
    status, person["conversation"] = talk(PatientClient(stage, source), person, rare(55_000), 24)
    must((status, "a conversation"))


def calendars(people, source):
    """A cove with long events, of which each of the people is a member with a link to its calendar."""
    client = PatientClient(stage, source)
    post = lambda path, person, content=None: must(client.json("POST", path, person["token"], content))
    for person in people:
        post("/onboard", person, {"name": "Somebody"})
    cove = post("/create-cove", people[0], {"name": "Chess club", "location": "Here"})["cove"]["id"]
    day = time.time()
    for number in range(550):
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(day + number * 3600))
        event = {"coveId": cove, "name": "Game", "description": "é" * 5_000, "date": date, "location": "Here"}
        post("/create-event", people[0], event)
    for number, person in enumerate(people):
        if number > 0:
            post("/join-cove", person, {"coveId": cove})
        person["calendar"] = path_of(post("/calendar-link", person)["url"])


def memberships(people, source):
    """Makes each of the people a member of 990 coves, which the first two own. A tenth of the coves have an event."""
    coves = []
    owners, members = people[:2], people[2:]

    def post(client, path, person, content):
        return must(client.json("POST", path, person["token"], content))

    def own(person):
        client = PatientClient(stage, source)
        post(client, "/onboard", person, {"name": "Somebody"})
        for number in range(495):
            cove = post(client, "/create-cove", person, {"name": "Chess club", "location": "Here"})["cove"]["id"]
            if number % 10 == 0:
                date = {"coveId": cove, "name": "Game", "date": "2035-01-01T08:00:00Z", "location": "Here"}
                post(client, "/create-event", person, date)
            coves.append(cove)

    def join(person):
        client = PatientClient(stage, source)
        post(client, "/onboard", person, {"name": "Somebody"})
        for cove in coves:
            post(client, "/join-cove", person, {"coveId": cove})

    with ThreadPoolExecutor(len(members)) as pool:
        list(pool.map(own, owners))
        list(pool.map(join, members))


def give_pictures(people, source, picture):
    client = PatientClient(stage, source)
    for person in people:
        person["picture"] = add_picture(client, person, picture)


def add_picture(client, person, picture):
    return upload(client, person, "file", "a.png", "image/png", pictures.unique(picture))


def give_links(person, source, count, picture):
    """Links to pictures that are the same but for a text."""
    client = PatientClient(stage, source)
    person["links"] = [add_picture(client, person, picture) for _ in range(count)]


def give_film(person, content):
    client = PatientClient(stage, person["source"])
    person["small_film"] = upload(client, person, "file", "a.mp4", "video/mp4", content)


def give_screenshot(person, picture):
    person["screenshot"] = add_picture(PatientClient(stage, person["source"]), person, picture)


def entries(person, source, count, content, change=None):
    """Entries with very many words. With `change`, each gets its words when it is changed."""
    client, path = PatientClient(stage, source), f"/api/users/user/{person['id']}/moods"
    for _ in range(count):
        answer = must(client.json("POST", path + "/swift", person["token"], content()))
        if change:
            must(client.json("PATCH", f"{path}/{answer['mood']['id']}", person["token"], change()))


def lists(people, source, count=6):
    """Moods of 7.5 KB each, so that a list of two has less than 16 KB and a list of six less than 50 KB."""
    client = PatientClient(stage, source)
    for person in people:
        for _ in range(count):
            mood(client, person, "y" * 7_500)


def give_files(person):
    """The ids of photos that a victim downloads as an archive."""
    client = PatientClient(stage, person["source"])
    add = lambda: uploaded(client, person, "file", "a.jpg", "image/jpeg", photo(small_picture))["fileId"]
    person["files"] = [add() for _ in range(6)]


def show(person, picture):
    """Gives a victim a profile picture, whose link others see."""
    path = f"/api/users/user/{person['id']}/profile-picture/swift"
    files = [("file", "a.png", "image/png", pictures.unique(picture))]
    answer = must(PatientClient(stage, person["source"]).post_form(path, person["token"], {}, files))
    person["shown"] = path_of(answer["imageUrl"])


def number_of_texts(person, source):
    """How many texts a picture may have so that the server accepts it and its inspection takes at most 0.35 s. From half a second on it
    would count as slow."""
    client, picture = PatientClient(stage, source), pictures.png(40, 8)
    for count in range(1, 17):
        waits = []
        for _ in range(2):
            began = time.monotonic()
            files = [("file", "a.png", "image/png", pictures.with_texts(picture, count))]
            answer = client.post_form(library(person) + "/swift", person["token"], {}, files)
            if count > 1 and answer[0] == 422:
                return count - 1
            must(answer)
            waits.append(time.monotonic() - began)
        if min(waits) > 0.35:
            return max(1, count - 1)
    return 16


def main():
    with ThreadPoolExecutor(8) as pool:
        everybody = list(stage["victims"])
        for name, greedy in stage["greedy"].items():
            for person in greedy["accounts"]:
                person.setdefault("source", greedy["sources"][0])
                everybody.append(person)
        leaving = [person for people in stage["leaving"].values() for person in people]
        list(pool.map(register, [person for person in everybody + leaving if "invite" in person]))
        greedy = stage["greedy"]
        work = []
        for part in range(4 if "search" in greedy else 0):
            work.append(pool.submit(notes, greedy["search"]["accounts"][0], greedy["search"]["sources"][0], stage["notes"] // 4))
        list(pool.map(equip, everybody))
        for name, prepare in (("questions", remember), ("conversations", converse)):
            for person in greedy[name]["accounts"] if name in greedy else []:
                work.append(pool.submit(prepare, person, greedy[name]["sources"][0]))
        if "calendars" in greedy:
            work.append(pool.submit(calendars, greedy["calendars"]["accounts"], greedy["calendars"]["sources"][0]))
        if "upcoming" in greedy:
            work.append(pool.submit(memberships, greedy["upcoming"]["accounts"], greedy["upcoming"]["sources"][0]))
        for name, side, random_bytes in (("copies", 4990, None), ("repeats", 2700, None), ("profiles", 6100, 36_000)):
            if name in greedy:
                picture = pictures.png(side, 16, random_bytes)
                work.append(pool.submit(give_pictures, greedy[name]["accounts"], greedy[name]["sources"][0], picture))
        if "links" in greedy:
            picture, screenshot = pictures.png(4890, 16, 6_000), pictures.png(2000, 8, 6_000)
            for person in greedy["links"]["accounts"]:
                work.append(pool.submit(give_links, person, greedy["links"]["sources"][0], len(greedy["links"]["sources"]), picture))
            for person in stage["victims"]:
                work.append(pool.submit(give_screenshot, person, screenshot))
        for name, content, change in (("prefixes", letters.many_words, None), ("changes", letters.long_words, letters.short_words)):
            if name in greedy:
                for person, source in zip(greedy[name]["accounts"], greedy[name]["sources"]):
                    work.append(pool.submit(entries, person, source, stage["scale"]["entries"], content, change))
        for name in ("multiplexed", "waiting", "halfclosed", "resets", "escapes"):
            if name in greedy:
                work.append(pool.submit(lists, greedy[name]["accounts"], greedy[name]["sources"][0]))
        if "escapes" in greedy:
            work.append(pool.submit(remember_escaped, greedy["escapes"]))
        if "recordings" in greedy:
            stage.facts["recording"], stage.facts["voice"] = recordings.recording(stage), recordings.voice_note(stage)
            with open(recordings.small_film(stage), "rb") as file:
                small_film = file.read()
            for person in stage["victims"]:
                work.append(pool.submit(give_film, person, small_film))
        if "resets" in greedy:
            work.append(pool.submit(lists, greedy["resets"]["accounts"][:4], greedy["resets"]["sources"][0], 46))
        if "archives" in greedy:
            for number, person in enumerate(greedy["archives"]["accounts"]):
                source = greedy["archives"]["sources"][number % 4]
                work.append(pool.submit(entries, person, source, stage["scale"]["entries"], archives.entry))
            for person in stage["victims"]:
                work.append(pool.submit(give_files, person))
        if "profiles" in greedy:
            picture = pictures.png(4890, 8, 8_000)
            # Two for each attempt.
            for person in stage["victims"][:6]:
                work.append(pool.submit(show, person, picture))
        for name in greedy:
            client = PatientClient(stage, greedy[name]["sources"][0])
            first = greedy[name]["accounts"][0]
            if name == "places":
                # Each link may have two unfinished uploads, and the account 32.
                first["uploads"] = []
                for _ in range(20):
                    made = must(client.json("POST", "/v0/capsules", first["token"], {"duration": 60, "file_size": 2_000_000}), 200, 201)
                    first["uploads"].append(path_of(made["upload_url"]))
            if name in ("downloads", "streams", "exports"):
                for person in greedy[name]["accounts"]:
                    person["film"] = upload(client, person, "file", "a.mp4", "video/mp4", film(stage, stage["film_bytes"]))
            if name == "worker":
                with open(stage["large_picture"], "rb") as file:
                    first["picture"] = upload(client, first, "file", "a.jpg", "image/jpeg", photo(file.read()))
            if name == "inspections":
                for person in stage["victims"]:
                    add = lambda: upload(client, person, "file", "a.jpg", "image/jpeg", photo(small_picture))
                    person["photos"] = [add() for _ in range(12)]
            if name == "memory":
                for person in greedy[name]["accounts"][:4]:
                    for _ in range(12):
                        upload(client, person, "file", "a.jpg", "image/jpeg", photo(small_picture))
        for future in work:
            future.result()
        if "inspections" in greedy:
            # Alone, because it measures. With an account of its own, in case that an inspection is slow.
            people = greedy["inspections"]["accounts"]
            people[0]["texts"] = number_of_texts(people[4], greedy["inspections"]["sources"][0])
    stage.save()


main()
