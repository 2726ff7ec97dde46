# greedy.py STAGE RESOURCE ATTEMPT: one account or network, or a crowd of them, takes all it can get of a resource until its standard input
# ends. If RESOURCE is "everything", the attackers of several resources run at once. Prints "ready" once it has tried to take everything,
# and at the end a line of JSON that counts its responses. It runs at the lowest priority and sleeps between attempts, because it shares the
# processors with the server it attacks.
import json, os, resource, sys, threading, time
import archives, bursts, captures, held, letters, memory, papers, pictures, recordings, streams
from wire import VOCABULARY, Client, Socket, Stage, chat, film, form, library, note, photo, rare, sound, talk

class Attack:
    def __init__(self, stage, name, attempt):
        self.stage, self.name, self.attempt = stage, name, attempt
        facts = stage.greedy(name, attempt)
        self.accounts, self.sources = facts["accounts"], facts["sources"]
        self.scale = stage["scale"]
        self.person = self.accounts[0]
        self.counts, self.lock, self.over = {}, threading.Lock(), threading.Event()
        self.is_ready = threading.Event()

    @property
    def is_over(self):
        return self.over.is_set()

    def wait(self, seconds):
        self.over.wait(seconds)

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def note(self, what, amount):
        with self.lock:
            self.counts[what] = max(amount, self.counts.get(what, 0))

    def ready(self):
        self.is_ready.set()

    def connect(self, number, **options):
        return self.stage.connect(self.sources[number % len(self.sources)], **options)

    def each(self, count, body):
        """Starts threads that each repeat `body(client, number)`; after a refusal a thread waits half a second."""

        def work(number):
            client = Client(self.stage, self.sources[number % len(self.sources)])
            while not self.is_over:
                try:
                    status = body(client, number)
                except OSError as error:
                    status = type(error).__name__
                self.count(str(status))
                self.wait(0.01 if status in (200, 201) else 0.5)

        for number in range(count):
            threading.Thread(target=work, args=(number,), daemon=True).start()
        self.wait(0.2)
        self.ready()
        while not self.is_over:
            self.wait(1)

    # Each resource

    def places(self):
        """Request slots: 512 PUTs of one account from four networks, whose bodies arrive at 300 bytes a second."""
        content = sound(2_000_000)
        links = self.person["uploads"]
        head = lambda number: self.stage.head("PUT", links[number % len(links)], None, len(content), {"Content-Type": "audio/wav"})
        open_one, feed = held.half_sent(self, head, content[:300], bytes(300))
        held.Crowd(self, self.scale["places"], open_one, feed).run()

    def forms(self):
        """Unfinished uploads: forms of one account and network over three HTTP/2 connections."""
        with open(self.stage["photo"], "rb") as file:
            body, kind = form({}, [("file", "a.jpg", "image/jpeg", photo(file.read()))])
        fields = {"content-type": kind, "content-length": str(len(body))}
        sent = {}

        def begin(connection, stream):
            connection.h2.send_headers(stream, streams.head(self, "POST", library(self.person) + "/swift", self.person["token"], fields))
            sent[connection, stream] = 0
            feed(connection, stream)

        def feed(connection, stream):
            at = sent[connection, stream]
            if at + 300 < len(body):
                connection.h2.send_data(stream, body[at : at + 300])
                sent[connection, stream] = at + 300

        streams.crowd(self, 3, begin, feed, streams=self.scale["forms_each"])

    def bodies(self):
        """JSON bodies in memory: 1,200 bodies of 255 KB without their last bytes, of one account from five networks."""
        path = f"/api/users/user/{self.person['id']}/moods/{self.person['mood']}"
        head = lambda number: self.stage.head("PATCH", path, self.person["token"], 262_000, {"Content-Type": "application/json"})
        open_one, feed = held.half_sent(self, head, b'{"note":"' + b"a" * 255_000, None)
        held.Crowd(self, self.scale["bodies"], open_one, feed).run()

    def downloads(self):
        """Memory of responses: 300 unread downloads of one network over HTTP/1.1, by a signed link."""
        head = lambda number: self.stage.head("GET", self.person["film"])
        held.Crowd(self, self.scale["downloads"], held.unread(self, head), listens=False).run()

    def streams(self):
        """Memory of responses over HTTP/2: ten connections with a hundred streams each, whose windows are 0."""

        def begin(connection, stream):
            connection.h2.send_headers(stream, streams.head(self, "GET", self.person["film"]), end_stream=True)

        streams.crowd(self, self.scale["streams"], begin, window=0)

    def staged(self):
        """Staged bytes: unfinished videos that together exceed the account's quota many times."""
        body, kind = form({}, [("file", "a.mp4", "video/mp4", film(self.stage, self.scale["staged_bytes"]))])
        path = library(self.person) + "/swift"
        head = lambda number: self.stage.head("POST", path, self.person["token"], len(body), {"Content-Type": kind})
        open_one, feed = held.half_sent(self, head, body[:-20_000], bytes(300))
        held.Crowd(self, self.scale["staged"], open_one, feed).run()

    def worker(self):
        """The media worker's time: variants of a picture of 98 megapixels, 24 every two seconds; the client disconnects after 0.06 s."""
        number = 0
        widths, qualities = (2048, 1536, 1024, 768, 512, 384, 256, 128, 64), (50, 65, 80, 95)
        while not self.is_over:
            crowd = []
            for _ in range(24):
                width, quality, fit = widths[number % 9], qualities[number // 9 % 4], ("contain", "cover")[number // 36 % 2]
                kind = ("webp", "jpeg", "avif")[number // 72 % 3]
                number += 1
                try:
                    connection = self.connect(number, timeout=5)
                    path = f"{self.person['picture']}&w={width}&h={width}&q={quality}&fit={fit}&format={kind}"
                    connection.sendall(self.stage.head("GET", path))
                    crowd.append(connection)
                    self.count("asked")
                except OSError as error:
                    self.count(type(error).__name__)
            self.wait(0.06)
            for connection in crowd:
                connection.close()
            self.ready()
            self.wait(2)

    def hashes(self):
        """Password hashes: 20 concurrent sign-ins from each of two networks, repeated as often as their rate limit allows."""

        def attempt(client, number):
            content = {"email": f"nobody{number}@example.org", "password": "wrong horse"}
            status, _ = client.json("POST", "/auth/password/login", None, content)
            return 200 if status == 401 else status

        self.each(20 * len(self.sources), attempt)

    def search(self):
        """Search: 40 concurrent searches for one letter, word prefixes and whole words, in notes of 10,000 characters each."""
        path = f"/api/users/user/{self.person['id']}/search?limit=100&q="
        words = ("e", "ae", "i", "in", "a", VOCABULARY[7], "or", "st")
        self.each(40, lambda client, number: client.request("GET", path + words[number % 8], self.person["token"])[0])

    def exports(self):
        """Export slots: two accounts of one network that each read 300 bytes a second."""
        heads = [self.stage.head("GET", "/auth/export", person["token"]) for person in self.accounts]
        open_one = held.unread(self, lambda number: heads[number])
        held.Crowd(self, len(heads), open_one, held.sip(300), listens=False).run()

    def writes(self):
        """The database's threads and its write lock: 32 connections rewrite a note of 10,000 characters, while accounts
        are deleted one after another."""
        threading.Thread(target=self.leave, daemon=True).start()
        path = f"/api/users/user/{self.person['id']}/moods/{self.person['mood']}"
        self.each(32, lambda client, number: client.json("PATCH", path, self.person["token"], {"note": note()})[0])

    def leave(self):
        for person in self.stage.leaving(sys.argv[2], self.attempt):
            if self.is_over:
                return
            try:
                # Deleting an account requires a recent sign-in.
                client = Client(self.stage, person["source"])
                form = {"email": person["email"], "password": person["password"]}
                token = client.json("POST", "/auth/password/login", None, form)[1]["token"]["access_token"]
                self.count("deleted" if client.json("POST", "/auth/delete", token)[0] == 200 else "not deleted")
                client.close()
            except (OSError, KeyError) as error:
                self.count(type(error).__name__)
            self.wait(self.scale["seconds_between_deletions"])

    def connections(self):
        """Sockets and descriptors: one network holds 300 connections: WebSockets, long polls, unfinished heads, and idle ones."""
        token = self.person["token"]
        def open_one(number):
            connection = self.connect(number, timeout=5)
            if number % 4 == 0:
                connection.sendall(self.stage.head("GET", "/ws/events", token, None, Socket.FIELDS))
            elif number % 4 == 1:
                connection.sendall(self.stage.head("GET", "/events?wait=25", token))
            elif number % 4 == 2:
                connection.sendall(b"GET /user/me HTTP/1.1\r\n")
            return connection

        held.Crowd(self, 300, open_one, listens=False).run()

    # With many accounts and networks

    def questions(self):
        """Questions: 80 at a time, of 20 accounts on four networks, about captures of 58,000 rare letters."""

        def ask(client, number):
            person = self.accounts[number % len(self.accounts)]
            content = {"text": "What about the lighthouse?"}
            return client.json("POST", f"/api/users/user/{person['id']}/ask", person["token"], content)[0]

        self.each(4 * len(self.accounts), ask)

    def conversations(self):
        """The write lock: six accounts delete a conversation of 24 messages of 220 KB, make another one, and so on."""
        text = rare(55_000)

        def delete(client, number):
            person = self.accounts[number]
            conversation = person.pop("conversation", None)
            if conversation is None:
                status, conversation = talk(client, person, text, 24)
                if conversation is None:
                    return status
            content = {"arg": {"conversationId": conversation}}
            return client.json("DELETE", "/api/chat/convos", person["token"], content)[0]

        self.each(len(self.accounts), delete)

    def chats(self):
        """Processor time: 576 chat messages at a time, of 99,000 rare letters (396 KB), of 48 accounts on four networks."""
        texts = [rare(99_000) for _ in range(4)]

        def say(client, number):
            return chat(client, self.accounts[number % len(self.accounts)], texts[number % len(texts)])[0]

        self.each(12 * len(self.accounts), say)

    def calendars(self):
        """Processor time: 120 calendars at a time, by 20 links and from 60 networks, each of 550 events with 5,000 characters."""
        self.each(120, lambda client, number: client.request("GET", self.accounts[number % len(self.accounts)]["calendar"])[0])

    def idle(self):
        """Connections: 4,300 with TLS, of 36 networks, that never send a request."""
        held.Crowd(self, 4_300, lambda number: self.connect(number, timeout=5), listens=False).run()

    def captures(self):
        """Processor time: 30 accounts send captures of 60,000 rare letters (240 KB) without a pause."""
        captures.without_a_pause(self)

    def words(self):
        """The index of words: 48 moods at a time, of 24 accounts on four networks, each with 10,000 rare letters. PostgreSQL inserts each
        pair of letters into the index one by one."""

        def write(client, number):
            person = self.accounts[number % len(self.accounts)]
            body = json.dumps({"mood": "calm", "note": rare(10_000)}, ensure_ascii=False).encode()
            path = f"/api/users/user/{person['id']}/moods/swift"
            return client.request("POST", path, person["token"], body, {"Content-Type": "application/json"})[0]

        self.each(2 * len(self.accounts), write)

    def upcoming(self):
        """Reads that take the database some milliseconds, and whose responses are short: the next event, 48 at a time, of 16 accounts on
        four networks. Each is a member of 990 coves. The first two accounts own the coves."""
        members = self.accounts[2:]
        read = lambda client, number: client.request("GET", "/upcoming-events?limit=1", members[number % len(members)]["token"])[0]
        self.each(3 * len(members), read)

    # Memory, with many accounts on four networks

    def memory(self):
        """Long polls with bodies that do not end, HTTP/2 streams whose windows are 0, and sign-ins."""
        memory.polls(self)

    def multiplexed(self):
        """Over HTTP/2: unfinished JSON, long polls with bodies that do not end, and unread lists, beside unfinished messages of sockets."""
        memory.multiplexed(self)

    def waiting(self):
        """Uploads for which the budget for received bytes has no room, beside unread lists."""
        memory.waiting(self)

    def halfclosed(self):
        """Requests sent ahead that arrive when the client closes its sending side, beside unread lists."""
        memory.halfclosed(self)

    def messages(self):
        """The budget for received bytes: sockets that have sent one byte of a message."""
        memory.messages(self)

    def resets(self):
        """Responses in the buffers of HTTP/2 connections whose streams were reset, beside unfinished JSON and long lists."""
        memory.resets(self)

    def escapes(self):
        """As `resets`, but with pages of captures in place of the long lists. As JSON, these pages are six times as long as their texts."""
        memory.resets(self, captures.escaped_page)

    # Letters with which very many words begin, with four accounts on four networks

    def prefixes(self):
        """The threads for reads: questions and searches for a letter with which 4,095 words of each entry begin."""
        letters.prefixes(self)

    def changes(self):
        """The threads for reads: searches for such a letter in entries that had few words at first."""
        letters.changes(self)

    # Turns and threads, with several accounts on four networks

    def decoding(self):
        """The threads for requests: JSON of 256 KB with a member that the server does not know, and whose decoding takes seconds."""
        bursts.unknown_members(self)

    def heads(self):
        """The event loops: refused requests with long heads, on many connections at the same time."""
        bursts.long_heads(self)

    def archives(self):
        """The turns of archives: 32 exports at a time, of entries that take long to export."""
        archives.exports(self)

    def papers(self):
        """The turns of documents: PDFs that take pdftotext minutes."""
        papers.uploads(self)

    def recordings(self):
        """The media workers' time: recordings of 130 minutes."""
        recordings.uploads(self)

    # Pictures, with several accounts on four networks

    def copies(self):
        """The media workers' time: 24 accounts request one slow copy each."""
        pictures.one_slow_copy_each(self)

    def repeats(self):
        """The media workers' time: four accounts request copies that take a little less than what counts as slow."""
        pictures.copies_below_a_second(self)

    def inspections(self):
        """The media workers' time: four accounts upload small pictures that take a third of a second to inspect."""
        pictures.inspections(self)

    def profiles(self):
        """The media workers' time: a stranger requests slow copies of victims' profile pictures, eight accounts request copies that are
        long work."""
        pictures.copies_of_others(self)

    def links(self):
        """The media workers' time: slow copies of the pictures of ten accounts, by signed links."""
        pictures.copies_by_links(self)


def main():
    stage = Stage(sys.argv[1])
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if sys.argv[2] == "everything":
        attacks = [Attack(stage, name, int(sys.argv[3])) for name in stage["together"]]
    else:
        attacks = [Attack(stage, sys.argv[2], int(sys.argv[3]))]
    threads = [threading.Thread(target=getattr(attack, attack.name), daemon=True) for attack in attacks]
    for thread in threads:
        thread.start()
    # The victims start even if not everything is taken by then: refusals by a busy server slow its attackers down, too.
    end = time.monotonic() + stage["scale"]["longest_start"]
    while time.monotonic() < end and not all(attack.is_ready.is_set() for attack in attacks):
        time.sleep(0.05)
    print("ready", flush=True)
    sys.stdin.read()
    for attack in attacks:
        attack.over.set()
    for thread in threads:
        thread.join(0.2)
    print(json.dumps({attack.name: attack.counts for attack in attacks}), flush=True)
    os._exit(0)


main()
