# victim.py STAGE SECONDS WHO ATTEMPT OPERATION…: an ordinary client that repeats each operation on a connection of its own. WHO is
# "victims" (several accounts, each in its own network, in turn), or the name of a resource: then the client uses the account and network
# of that resource's attacker. Prints a line of JSON with the latencies and refusals of each operation.
import json, random, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
import recordings
from wire import Client, Stage, chat, film, form, library, path_of, photo

# Seconds between two requests of a kind, so that a victim stays well below its own rate limits.
PAUSES = {
    "me": 0.025, "download": 0.05, "search": 0.05, "upload": 0.12, "signin": 1,
    "connect": 0.15, "export": 3, "patch": 0.3, "film": 1, "chat": 0.5, "ask": 0.2,
    "thumbnail": 0.3, "page": 1, "photos": 1, "open": 3, "archive": 0.5,
    "voice": 1, "frame": 0.3, "document": 0.3,
}


def thumbnail():
    side = lambda: random.choice((64, 128, 256, 384, 512, 768))
    return f"w={side()}&h={side()}&q={random.choice((50, 65, 80, 95))}&format={random.choice(('jpeg', 'webp'))}"


class Person:
    def __init__(self, stage, facts, source):
        self.stage, self.facts, self.source = stage, facts, source
        self.client = Client(stage, source)
        self.clients = {}

    @property
    def token(self):
        return self.facts["token"]

    def me(self):
        return self.client.request("GET", "/user/me", self.token)[0]

    def download(self):
        return self.client.request("GET", self.facts["link"])[0]

    def search(self):
        return self.client.request("GET", f"/api/users/user/{self.facts['id']}/search?q={self.facts['word']}", self.token)[0]

    def upload(self):
        return self.add(self.client, "a.jpg", "image/jpeg", photo(self.stage.photo))

    def add(self, client, name, kind, content):
        body, kind = form({}, [("file", name, kind, content)])
        return client.request("POST", library(self.facts) + "/swift", self.token, body, {"Content-Type": kind})[0]

    def signin(self):
        content = {"email": self.facts["email"], "password": self.facts["password"]}
        return self.client.json("POST", "/auth/password/login", None, content)[0]

    def connect(self):
        self.client.close()
        return self.me()

    def export(self):
        return self.client.request("GET", "/auth/export", self.token)[0]

    def chat(self):
        return chat(self.client, self.facts, f"Where did I write {self.facts['word']}?")[0]

    def ask(self):
        content = {"text": f"Where did I write {self.facts['word']}?"}
        return self.client.json("POST", f"/api/users/user/{self.facts['id']}/ask", self.token, content)[0]

    def archive(self):
        """An archive of some photos, from the request for its link to its last byte."""
        status, answer = self.client.json("POST", library(self.facts) + "/archives", self.token, {"fileIds": self.facts["files"]})
        return self.client.request("GET", path_of(answer["url"]))[0] if status == 200 else status

    def film(self):
        return self.add(self.client, "a.mp4", "video/mp4", film(self.stage, self.stage["scale"]["staged_bytes"]))

    def photos(self):
        """Three photos of 3 MB at the same time, each at 1.5 MB/s."""
        add = lambda client, _: self.add(client, "a.jpg", "image/jpeg", photo(self.stage.photo, 46))
        return self.at_once(range(3), add, rate=1_500_000)

    def thumbnail(self):
        """A thumbnail that most probably does not exist yet."""
        return self.client.request("GET", f"{self.facts['link']}&{thumbnail()}")[0]

    def page(self):
        """Twelve new thumbnails at the same time, each of another photo."""
        wanted = thumbnail()
        return self.at_once(self.facts["photos"], lambda client, link: client.request("GET", f"{link}&{wanted}")[0])

    def at_once(self, things, request, rate=None):
        """A request for each of the things, at the same time. Returns a status other than 200, if there is one."""
        clients = self.clients.setdefault(rate, [Client(self.stage, self.source, rate=rate) for _ in things])
        with ThreadPoolExecutor(len(clients)) as pool:
            statuses = list(pool.map(request, clients, things))
        return next((status for status in statuses if status != 200), 200)

    def open(self):
        """A copy that fills a screen, as a browser requests it. It most probably does not exist yet."""
        width, quality = random.choice((2048, 1536)), random.choice((50, 65, 80, 95))
        return self.client.request("GET", f"{self.facts['screenshot']}&w={width}&h=1536&q={quality}&format=webp")[0]

    def voice(self):
        """A voice note of five minutes."""
        body, kind = recordings.mood(self.stage.voice)
        path = f"/api/users/user/{self.facts['id']}/moods/swift"
        return self.client.request("POST", path, self.token, body, {"Content-Type": kind})[0]

    def frame(self):
        """A thumbnail of a small film. It most probably does not exist yet."""
        return self.client.request("GET", f"{self.facts['small_film']}&{thumbnail()}")[0]

    def document(self):
        """A document of 100 bytes for a chat. A response without its text counts as a refusal."""
        text = random.randbytes(50).hex()
        files = [("file", "a.txt", "text/plain", text.encode())]
        status, answer = self.client.post_form("/api/chat/files/upload", self.token, {}, files)
        return status if status != 200 or answer.get("text") == text else "no text"

    def patch(self):
        body = json.dumps({"note": "a" * 9000, "unknown": "b" * 190_000}).encode()
        path = f"/api/users/user/{self.facts['id']}/moods/{self.facts['mood']}"
        return self.client.request("PATCH", path, self.token, body, {"Content-Type": "application/json"})[0]


class Operation(threading.Thread):
    def __init__(self, name, people, end):
        super().__init__(daemon=True)
        self.name, self.people, self.end = name, people, end
        self.waits, self.refused = [], {}
        self.started = None

    def run(self):
        number = 0
        while time.monotonic() < self.end:
            person = self.people[number % len(self.people)]
            number += 1
            self.started = start = time.monotonic()
            try:
                status = getattr(person, self.name)()
            except OSError as error:
                status = type(error).__name__
            self.started = None
            self.waits.append(time.monotonic() - start)
            if status != 200:
                self.refused[str(status)] = self.refused.get(str(status), 0) + 1
            time.sleep(PAUSES[self.name])

    def report(self):
        # A request that is still waiting at the end counts with its waiting time so far.
        started = self.started
        waits = sorted(self.waits + ([time.monotonic() - started] if started else []))
        at = lambda part: round(waits[min(len(waits) - 1, int(len(waits) * part))] * 1000, 2) if waits else 0
        return {"count": len(waits), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "most": at(1), "refused": self.refused}


def main():
    stage = Stage(sys.argv[1])
    seconds, who, attempt, names = float(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5:]
    sys.setswitchinterval(0.0005)
    with open(stage["photo"], "rb") as file:
        stage.photo = file.read()
    if "voice" in names:
        with open(stage["voice"], "rb") as file:
            stage.voice = file.read()
    if who == "victims":
        everybody = [(facts, facts["source"]) for facts in stage["victims"]]
    else:
        greedy = stage.greedy(who, attempt)
        everybody = [(greedy["accounts"][0], greedy["sources"][0])]
    people = {name: [Person(stage, facts, source) for facts, source in everybody] for name in names}
    sys.stdin.read()  # ends when the test closes it: by then, the attack has taken all that it holds
    end = time.monotonic() + seconds
    operations = [Operation(name, people[name], end) for name in names]
    for operation in operations:
        operation.start()
    for operation in operations:
        # A stuck operation does not block the report.
        operation.join(max(0, end - time.monotonic() + min(5, seconds)))
    print(json.dumps({operation.name: operation.report() for operation in operations}), flush=True)


main()
