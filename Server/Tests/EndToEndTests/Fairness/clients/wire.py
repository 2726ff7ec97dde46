# Code that the campaign's clients share: HTTP/1.1 over TLS from a chosen local address, and request bodies.
# Every address in 127.0.0.0/8 belongs to this machine, and the server treats each as another network.
import json, random, select, socket, ssl, time

ADDRESS_WITHOUT_PORT = 24  # IP_BIND_ADDRESS_NO_PORT: the kernel chooses the port when the socket connects, so that few ports suffice


class Stage:
    """The data that the test prepared: the server's address and the accounts."""

    def __init__(self, path):
        self.path = path
        with open(path) as file:
            self.facts = json.load(file)
        self.contexts = {}

    def __getitem__(self, name):
        return self.facts[name]

    def greedy(self, name, attempt):
        """The attacker's accounts and networks. Each attempt uses others if there are any: an exhausted rate limit would weaken the attack."""
        facts = self.facts["greedy"][name]
        count = facts["account_count"]
        accounts = facts["accounts"][attempt * count : (attempt + 1) * count] or facts["accounts"][:count]
        sources = [source.rsplit(".", 1)[0] + "." + str(int(source.rsplit(".", 1)[1]) + 10 * attempt) for source in facts["sources"]]
        return {"accounts": accounts, "sources": sources}

    def leaving(self, name, attempt):
        people = self.facts["leaving"][name]
        count = int(self.facts["leaving_count"])
        return people[attempt * count : (attempt + 1) * count]

    def save(self):
        with open(self.path, "w") as file:
            json.dump(self.facts, file)

    def context(self, protocol):
        if protocol not in self.contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.set_alpn_protocols([protocol])
            self.contexts[protocol] = context
        return self.contexts[protocol]

    def connect(self, source, protocol="http/1.1", receive_buffer=None, timeout=30):
        raw = socket.socket()
        try:
            if receive_buffer:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            raw.setsockopt(socket.IPPROTO_IP, ADDRESS_WITHOUT_PORT, 1)
            raw.settimeout(timeout)
            raw.bind((source, 0))
            raw.connect(("127.0.0.1", self["port"]))
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self.context(protocol).wrap_socket(raw)
        except BaseException:
            raw.close()
            raise

    def head(self, method, path, token=None, length=None, fields=None):
        lines = [f"{method} {path} HTTP/1.1", "Host: " + self["host"]]
        if token:
            lines.append("Authorization: Bearer " + token)
        if length is not None:
            lines.append(f"Content-Length: {length}")
        lines += [f"{name}: {value}" for name, value in (fields or {}).items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Client:
    """A client with one persistent connection and one request at a time. It sends at most `rate` bytes a second."""

    def __init__(self, stage, source, timeout=60, rate=None):
        self.stage, self.source, self.timeout, self.rate = stage, source, timeout, rate
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def request(self, method, path, token=None, body=None, fields=None):
        """Returns status, fields (names in lower case) and body."""
        if self.connection and self.was_closed():
            self.close()
        if not self.connection:
            self.connection = self.stage.connect(self.source, timeout=self.timeout)
        try:
            length = len(body) if body is not None else None
            try:
                self.send(self.stage.head(method, path, token, length, fields) + (body or b""))
            except OSError:
                # The server refused the request before all was sent; its response may have arrived anyway.
                pass
            status, answered, content = self.read()
        except BaseException:
            self.close()
            raise
        if answered.get("connection", "").lower() == "close":
            self.close()
        return status, answered, content

    def send(self, content):
        piece = 32_768 if self.rate else len(content)
        began = time.monotonic()
        for start in range(0, len(content), piece):
            if self.rate:
                time.sleep(max(0, began + start / self.rate - time.monotonic()))
            self.connection.sendall(content[start : start + piece])

    def was_closed(self):
        """Whether the server has closed the idle connection, as it may. Every HTTP client then opens another one."""
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLRDHUP)
        return bool(poll.poll(0))

    def json(self, method, path, token=None, content=None):
        body = json.dumps(content).encode() if content is not None else None
        status, fields, answer = self.request(method, path, token, body, {"Content-Type": "application/json"} if body else None)
        return status, json.loads(answer) if answer else None

    def post_form(self, path, token, texts, files):
        body, kind = form(texts, files)
        status, fields, answer = self.request("POST", path, token, body, {"Content-Type": kind})
        return status, json.loads(answer) if answer else None

    def read(self):
        self.unread = bytearray()
        while True:
            end = self.unread.find(b"\r\n\r\n")
            if end < 0:
                self.more()
                continue
            lines = bytes(self.unread[:end]).decode("latin-1").split("\r\n")
            del self.unread[: end + 4]
            status = int(lines[0].split(" ")[1])
            if status >= 200:
                break
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        if "chunked" in fields.get("transfer-encoding", ""):
            content = bytearray()
            while True:
                while b"\r\n" not in self.unread:
                    self.more()
                at = self.unread.find(b"\r\n")
                size = int(bytes(self.unread[:at]).split(b";")[0], 16)
                while len(self.unread) < at + 2 + size + 2:
                    self.more()
                content += self.unread[at + 2 : at + 2 + size]
                del self.unread[: at + 2 + size + 2]
                if size == 0:
                    return status, fields, bytes(content)
        length = int(fields.get("content-length", "0"))
        while len(self.unread) < length:
            self.more()
        return status, fields, bytes(self.unread[:length])

    def more(self):
        data = self.connection.recv(65536)
        if not data:
            raise ConnectionError("closed in the middle of an answer")
        self.unread += data


class Socket:
    """A WebSocket for texts. It answers pings while it waits for a message."""

    FIELDS = {
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }

    def __init__(self, stage, source, path, token, timeout=120):
        self.connection = stage.connect(source, timeout=timeout)
        self.unread = bytearray()
        self.connection.sendall(stage.head("GET", path, token, None, self.FIELDS))
        while b"\r\n\r\n" not in self.unread:
            self.more()
        status = bytes(self.unread[9:12])
        del self.unread[: self.unread.index(b"\r\n\r\n") + 4]
        if status != b"101":
            self.close()
            raise ConnectionRefusedError(status.decode("latin-1"))

    def close(self):
        self.connection.close()

    def more(self):
        data = self.connection.recv(65536)
        if not data:
            raise ConnectionError("closed")
        self.unread += data

    def take(self, count):
        while len(self.unread) < count:
            self.more()
        taken = bytes(self.unread[:count])
        del self.unread[:count]
        return taken

    def send_frame(self, opcode, payload):
        self.connection.sendall(frame_head(0x80 | opcode, len(payload)) + payload)

    def send(self, content):
        self.send_frame(1, json.dumps(content, ensure_ascii=False).encode())

    def next(self):
        """The next message."""
        while True:
            first, length = self.take(2)
            if length >= 126:
                length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
            payload = self.take(length)
            if first & 15 == 9:
                self.send_frame(10, payload)
            elif first & 15 == 8:
                raise ConnectionError("closed")
            elif first & 15 == 1:
                return json.loads(payload)


def frame_head(first, count):
    """The head of a WebSocket frame with `count` bytes. `first` is its first byte: 0x80 if the message ends with it, and the kind."""
    if count < 126:
        length = bytes([0x80 | count])
    else:
        length = b"\xfe" + count.to_bytes(2, "big") if count < 65536 else b"\xff" + count.to_bytes(8, "big")
    # A mask of zeros leaves the payload as it is.
    return bytes([first]) + length + bytes(4)


def form(texts, files):
    """A multipart body and its content type. A file is (field, name, type, bytes)."""
    boundary = "fairness-7MA4YWxkTrZu0gW"
    parts = []
    for field, text in texts.items():
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{text}\r\n'.encode())
    for field, name, kind, content in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), "multipart/form-data; boundary=" + boundary


def photo(content, more=0):
    """The picture with a unique comment, so that the server has not stored these bytes before, and `more` further comments of 64 KiB."""
    comments = b"\xff\xfe\x00\x12" + random.randbytes(16) + (b"\xff\xfe\xff\xff" + bytes(65_533)) * more
    return content[:2] + comments + content[2:]


def sound(byte_count):
    """A silent WAV file, 44,100 Hz and two channels, with some unique bytes at the beginning."""
    size = byte_count - 44
    number = lambda value, count: value.to_bytes(count, "little")
    head = b"RIFF" + number(size + 36, 4) + b"WAVEfmt " + number(16, 4) + number(1, 2) + number(2, 2)
    head += number(44100, 4) + number(176400, 4) + number(4, 2) + number(16, 2) + b"data" + number(size, 4)
    return head + random.randbytes(16) + bytes(size - 16)


def film(stage, byte_count):
    """The stage's video with the given number of content bytes, some of them unique."""
    with open(stage["film"], "rb") as file:
        content = file.read()
    head = content[: content.index(b"mdat") - 4]
    size = byte_count - len(head)
    return head + size.to_bytes(4, "big") + b"mdat" + random.randbytes(16) + bytes(size - 24)


VOCABULARY = ["".join(random.Random(number).choices("aeinorstlmdu", k=3 + number % 7)) for number in range(2000)]


def note(character_count=9990):
    words, length = [], 0
    while length < character_count:
        words.append(random.choice(VOCABULARY))
        length += len(words[-1]) + 1
    return " ".join(words)[:character_count].strip()


# Han letters beyond U+FFFF: four bytes each, and each pair of them is a word.
RARE = [chr(0x20000 + number) for number in range(40_000)]


def rare(count):
    return "".join(random.choices(RARE, k=count))


def chat(client, person, text, conversation=None):
    """Sends a message and waits for its answer. Returns the status and the id of the conversation."""
    content = {"text": text, "endpoint": "google", "conversationId": conversation}
    body = json.dumps(content, ensure_ascii=False).encode()
    status, _, answer = client.request("POST", "/api/chat/agents/chat/google", person["token"], body, {"Content-Type": "application/json"})
    return status, json.loads(answer)["conversation"]["conversationId"] if status == 200 else None


def talk(client, person, text, count):
    """Makes a conversation. Returns the status of the last message, and the conversation's id."""
    status, conversation = chat(client, person, text)
    for _ in range(count - 1):
        if status != 200:
            break
        status, _ = chat(client, person, text, conversation)
    return status, conversation


def capture(text):
    return {"type": "memory_capture", "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "transcription": text}


def library(person):
    return f"/api/users/user/{person['id']}/multimedia"


def path_of(url):
    return "/" + url.split("/", 3)[3]
