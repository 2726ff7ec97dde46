# prepare.py STAGE: creates the data that the campaign needs for each account (a photo, a note, and for attackers the data
# of their attack), and writes its addresses to the stage's file.
import sys
from concurrent.futures import ThreadPoolExecutor
from wire import Client, Stage, VOCABULARY, film, library, note, path_of, photo

stage = Stage(sys.argv[1])
with open(stage["photo"], "rb") as file:
    small_picture = file.read()


def must(answer, *wanted):
    status, content = answer
    if status not in (wanted or (200,)):
        raise SystemExit(f"preparation was answered {status}: {content}")
    return content


def upload(client, person, field, name, kind, content):
    answer = must(client.post_form(library(person) + "/swift", person["token"], {}, [(field, name, kind, content)]))
    return path_of(answer["files"][0]["data"]["url"])


def mood(client, person, text):
    path = f"/api/users/user/{person['id']}/moods/swift"
    answer = must(client.post_form(path, person["token"], {"mood": "calm", "note": text}, []), 200, 201)
    return answer["mood"]["id"]


def register(person):
    client = Client(stage, person["source"])
    form = {"email": person["email"], "password": person["password"], "invite": person["invite"]}
    answer = must(client.json("POST", "/auth/password/register", None, form))
    person["id"], person["token"] = answer["user"]["id"], answer["token"]["access_token"]


def equip(person):
    """A photo to download, and notes to search."""
    client = Client(stage, person["source"])
    person["link"] = upload(client, person, "file", "a.jpg", "image/jpeg", photo(small_picture))
    person["word"] = VOCABULARY[7]
    for number in range(5 if person in stage["victims"] else 1):
        person["mood"] = mood(client, person, f"{VOCABULARY[7]} {note(500)}")


def notes(person, source, count):
    client = Client(stage, source)
    for number in range(count):
        mood(client, person, note())


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
        for name in greedy:
            client = Client(stage, greedy[name]["sources"][0])
            first = greedy[name]["accounts"][0]
            if name == "places":
                # A link may have two unfinished uploads, and the account 32.
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
        for future in work:
            future.result()
    stage.save()


main()
