"""Memory of Keepsake and its media workers before, during and after a long mixed load of eight accounts."""

import json
import random
import subprocess
import sys
import threading
import time
from urllib.parse import quote

from contenders import HERE, URL, Failure, Ours, multipart
from load import descendants, memory, settle
from servers import WORK

ACCOUNTS = 8
PAUSE = 0.4  # seconds between two requests of an account
TOKEN_LIFE = 600  # seconds after which an account signs in again
WORDS = ["lake", "morning", "walk", "rain", "family", "garden", "train", "bread", "letter", "music"]


class Account:
    """A user of an app, who uploads photos, looks at smaller copies, writes moods, reads lists, searches and deletes."""

    def __init__(self, server, number, photos):
        self.server, self.number, self.photos = server, number, photos
        self.random = random.Random(number)
        self.files, self.signed_in, self.requests = [], 0, 0

    def sign_in(self):
        made = subprocess.run(
            [str(self.server.binary), "token", "--data", str(self.server.folder), "--email", f"mixed{self.number}@example.org", "--json"],
            capture_output=True, text=True, env=self.server.environment())
        if made.returncode != 0:
            raise Failure(f"keepsake token failed: {made.stderr[-1000:]}")
        account = json.loads(made.stdout.strip().splitlines()[-1])
        self.user = f"/api/users/user/{account['user_id']}"
        self.fields = {"Authorization": f"Bearer {account['access_token']}"}
        self.signed_in = time.monotonic()

    def step(self):
        """Sends one request, chosen at random by weight."""
        if time.monotonic() - self.signed_in > TOKEN_LIFE or self.signed_in == 0:
            self.sign_in()
        steps = [self.upload, self.copy, self.original, self.mood, self.moods, self.timeline, self.search, self.me, self.delete]
        self.random.choices(steps, [2, 12, 6, 4, 10, 10, 3, 10, 2])[0]()
        self.requests += 1

    def send(self, path, method="GET", body=None, kind=None):
        status, _, answer = self.server.request(path, self.fields | ({"Content-Type": kind} if kind else {}), method, body)
        if status not in (200, 201, 204):
            raise Failure(f"Keepsake answered {status} to {method} {path}: {answer[:300]}")
        return answer

    def upload(self):
        # Bytes after the end of a picture are ignored, but make each file a new one.
        content = self.random.choice(self.photos).read_bytes() + self.random.randbytes(16)
        kind, body = multipart("photo.jpg", content)
        body = body.replace(b"Content-Type: video/mp4", b"Content-Type: image/jpeg", 1)
        answer = json.loads(self.send(f"{self.user}/multimedia/swift", "POST", body, kind))
        self.files.append(find_link(json.dumps(answer)))

    def copy(self):
        if self.files:
            width, format = self.random.choice([300, 800, 1600]), self.random.choice(["jpeg", "webp"])
            self.send(f"{self.random.choice(self.files)}?w={width}&format={format}")

    def original(self):
        if self.files:
            self.send(self.random.choice(self.files))

    def delete(self):
        if len(self.files) > 20:
            name = self.files.pop(0).rpartition("/")[2]
            self.send(f"{self.user}/multimedia/{name}", "DELETE")

    def mood(self):
        note = " ".join(self.random.choices(WORDS, k=12))
        fields = {"mood": "calm", "note": note, "tags": self.random.choice(WORDS)}
        boundary = "----KeepsakeBenchmark"
        body = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
        self.send(f"{self.user}/moods/swift", "POST", f"{body}--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}")

    def moods(self):
        self.send(f"{self.user}/moods")

    def timeline(self):
        self.send(f"{self.user}/timeline")

    def search(self):
        self.send(f"{self.user}/search?q={quote(self.random.choice(WORDS))}")

    def me(self):
        self.send("/user/me")


def find_link(answer):
    """Returns the path of the first file in a response, without its signature."""
    start = answer.index(URL) + len(URL)
    return answer[start:answer.index('"', start)].partition("?")[0]


def resident(server):
    return {"server": memory(server.pid)["VmRSS"], "workers": sum(memory(process)["VmRSS"] for process in descendants(server.pid))}


def photos():
    """Returns eight pictures of 12 megapixels. The benchmark of smaller copies generates them once."""
    folder = WORK / "photos"
    subprocess.run([sys.executable, "-B", str(HERE.parent / "Variants" / "corpus.py"), str(folder), str(ACCOUNTS)], check=True)
    return sorted(folder.glob("*.jpg"))[:ACCOUNTS]


def run(folder, cores, seconds):
    """Returns {"idle", "after": bytes; "minutes": [bytes]; "requests"}. `after` is measured a minute after the last request."""
    pictures = photos()
    server = Ours(folder, cores, None).start()
    try:
        settle(server.pid, pause=2)
        found = {"idle": resident(server), "minutes": [], "seconds": seconds}
        accounts = [Account(server, number, pictures) for number in range(ACCOUNTS)]
        end, failures = time.monotonic() + seconds, []

        def work(account):
            try:
                while time.monotonic() < end and not failures:
                    account.step()
                    time.sleep(PAUSE)
            except Exception as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work, args=[account], daemon=True) for account in accounts]
        for thread in threads:
            thread.start()
        while time.monotonic() < end and not failures:
            time.sleep(min(60, max(0, end - time.monotonic())))
            found["minutes"].append(resident(server))
            left = max(0, round((end - time.monotonic()) / 60))
            print(f"\r· mixed load: {left} minutes left, server {found['minutes'][-1]['server'] / 1e6:.0f} MB   ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        time.sleep(60)
        return found | {"after": resident(server), "requests": sum(account.requests for account in accounts)}
    finally:
        server.stop()
