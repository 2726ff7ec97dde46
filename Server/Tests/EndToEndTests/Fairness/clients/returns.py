# Requests that gave up their place among the requests in progress and need it again at the same moment.
import json, multiprocessing, os, random, threading, time

HAN = [chr(number) for number in range(0x4E00, 0x9FA0)]
# Of each network: clients that change moods, that count them, and that list them, and how many bodies arrive together.
CHANGES, COUNTS, LISTS, TOGETHER = 212, 14, 24, 95


class Gate:
    """Lets all threads that wait go on at the same moment: when there are TOGETHER of them, or 1.2 s after the first."""

    def __init__(self):
        self.room, self.waiting, self.turn, self.first = threading.Condition(), 0, 0, 0.0

    def wait(self):
        with self.room:
            if self.waiting == 0:
                self.first = time.monotonic()
            self.waiting += 1
            turn = self.turn
            while self.turn == turn:
                if self.waiting >= TOGETHER or time.monotonic() - self.first > 1.2:
                    self.turn, self.waiting = turn + 1, 0
                    self.room.notify_all()
                else:
                    self.room.wait(max(0.01, self.first + 1.2 - time.monotonic()))


def statistics(attack):
    """In each of four networks, clients change moods: each change replaces 5,380 words of the index. They send the bodies of 95 changes at
    the same moment, so that hundreds of requests wait for the database, or for their place among the requests in progress. Other clients of
    the same accounts count moods, or read long lists. Each network has a process of its own, because one is too slow for 1,000 clients."""
    fork, parent = multiprocessing.get_context("fork"), os.getpid()
    counts = []
    for number in range(len(attack.sources)):
        receiver, sender = fork.Pipe(duplex=False)
        fork.Process(target=network, args=(attack, number, parent, sender), daemon=True).start()
        counts.append((receiver, {}))
    end = time.monotonic() + 7
    while not attack.is_over:
        for receiver, latest in counts:
            while receiver.poll():
                latest.update(receiver.recv())
        for name in {name for _, latest in counts for name in latest}:
            attack.note(name, sum(latest.get(name, 0) for _, latest in counts))
        if time.monotonic() > end:
            attack.ready()
        attack.wait(0.2)


def network(attack, number, parent, sender):
    """The clients of one network, in a process that ends soon after its parent."""
    attack.accounts, attack.sources = attack.accounts[number :: len(attack.sources)], [attack.sources[number]]
    try:
        threading.Thread(target=run, args=(attack,), daemon=True).start()
        while os.getppid() == parent:
            time.sleep(0.2)
            with attack.lock:
                counts = dict(attack.counts)
            sender.send(counts)
    finally:
        os._exit(0)


def run(attack):
    gate = Gate()
    write = lambda: json.dumps({"note": "".join(random.choices(HAN, k=5_380))}, ensure_ascii=False).encode()
    bodies = [write() for _ in range(40)]

    def change(client, number):
        person, body = attack.accounts[number % len(attack.accounts)], random.choice(bodies)
        mood = person["moods"][number // len(attack.accounts) % len(person["moods"])]
        fields = {"Content-Type": "application/json", "Expect": "100-continue"}
        head = attack.stage.head("PATCH", f"/api/users/user/{person['id']}/moods/{mood}", person["token"], len(body), fields)
        try:
            if not client.connection:
                client.connection = attack.connect(number, timeout=60)
            client.connection.sendall(head)
            first = client.connection.recv(4_096)
            if not first.startswith(b"HTTP/1.1 100"):
                client.close()
                # Each connection takes a TLS handshake. Until the changes before have ended, there is no place for new ones.
                attack.wait(1 + 2 * random.random())
                return "begin " + first[9:12].decode("latin-1")
            gate.wait()
            client.connection.sendall(body)
            status, answered, _ = client.read()
        except OSError:
            client.close()
            raise
        if answered.get("connection", "").lower() == "close":
            client.close()
        attack.count(f"change {status}")
        return status

    def read(client, number):
        person, counts = attack.accounts[number % len(attack.accounts)], number < CHANGES + COUNTS
        path = f"/api/users/user/{person['id']}/moods" + ("/stats" if counts else "?limit=60")
        status = client.request("GET", path, person["token"])[0]
        attack.count(f"{'count' if counts else 'list'} {status}")
        return status

    attack.each(CHANGES + COUNTS + LISTS, lambda client, number: (change if number < CHANGES else read)(client, number))
