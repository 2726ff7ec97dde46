# HTTP/1.1 and WebSockets over plain sockets, because http.client refuses several of the requests that the campaign sends.
import json, os, select, socket, time

KEPT = 4_000_000  # bytes of an answer that are kept; the rest is only counted


class Request:
    """A request without its credential. `fields` is a list of pairs, so that a name may occur many times."""

    def __init__(self, method, path, fields=(), body=None):
        self.method, self.path, self.fields, self.body = method, path, list(fields), body

    def size(self):
        return len(self.body or b"")

    def encode(self, host, token):
        lines = [f"{self.method} {self.path} HTTP/1.1", "Host: " + host]
        if token:
            lines.append("Authorization: Bearer " + token)
        lines += [f"{name}: {value}" for name, value in self.fields]
        if self.body is not None:
            lines.append(f"Content-Length: {len(self.body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogatepass") + (self.body or b"")


class Answer:
    def __init__(self, status, fields=None, body=b"", size=0, seconds=0.0):
        self.status, self.fields, self.body, self.size, self.seconds = status, fields or {}, body, size, seconds

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Closed(Exception):
    pass


class Client:
    """One connection at a time. The status 0 says that the server closed it without an answer, -1 that no answer came in time."""

    def __init__(self, port, timeout=30.0):
        self.port, self.timeout, self.socket = port, timeout, None

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.unread = bytearray()

    def was_closed(self):
        return bool(select.select([self.socket], [], [], 0)[0])

    def send(self, request, token=None):
        began = time.monotonic()
        if self.socket and self.was_closed():
            self.close()
        if not self.socket:
            self.connect()
        self.deadline = began + self.timeout
        self.unsent = memoryview(request.encode(f"127.0.0.1:{self.port}", token))
        try:
            answer = self.read(request.method == "HEAD")
        except Closed:
            answer = Answer(0)
        except TimeoutError:
            answer = Answer(-1)
        answer.seconds = time.monotonic() - began
        if len(self.unsent) > 0 or answer.status <= 0 or answer.fields.get("connection", "").lower() == "close":
            self.close()
        return answer

    def more(self):
        """Sends what is left and waits for bytes of the answer."""
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            writers = [self.socket] if len(self.unsent) > 0 else []
            readers, writers, _ = select.select([self.socket], writers, [], left)
            if writers:
                try:
                    self.unsent = self.unsent[self.socket.send(self.unsent[:262_144]) :]
                except BlockingIOError:
                    pass
                except OSError:
                    # The server has closed the connection. Its answer may be in the buffer.
                    self.unsent = self.unsent[:0]
            if readers:
                try:
                    data = self.socket.recv(262_144)
                except BlockingIOError:
                    continue
                except OSError:
                    raise Closed from None
                if not data:
                    raise Closed
                self.unread += data
                return

    def line_end(self, end):
        while True:
            at = self.unread.find(end)
            if at >= 0:
                line = bytes(self.unread[:at])
                del self.unread[: at + len(end)]
                return line
            self.more()

    def read(self, is_head):
        while True:
            lines = self.line_end(b"\r\n\r\n").decode("latin-1").split("\r\n")
            status = int(lines[0].split(" ")[1])
            if status >= 200 or status == 101:
                break
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        self.body, self.size = bytearray(), 0
        if is_head or status in (101, 204, 304):
            pass
        elif "chunked" in fields.get("transfer-encoding", ""):
            while True:
                length = int(self.line_end(b"\r\n").split(b";")[0], 16)
                self.take(length)
                self.line_end(b"\r\n")
                if length == 0:
                    break
        elif "content-length" in fields:
            self.take(int(fields["content-length"]))
        else:
            try:
                while True:
                    self.take(max(1, len(self.unread)))
            except Closed:
                pass
            fields["connection"] = "close"
        return Answer(status, fields, bytes(self.body), self.size)

    def take(self, length):
        while length > 0:
            if not self.unread:
                self.more()
            piece = self.unread[:length]
            del self.unread[: len(piece)]
            length -= len(piece)
            self.size += len(piece)
            if len(self.body) < KEPT:
                self.body += piece


class Socket:
    """A WebSocket for texts."""

    def __init__(self, port, path, token, timeout=20.0):
        self.client = Client(port, timeout)
        key = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")]
        request = Request("GET", path, key + [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")])
        self.status = self.client.send(request, token).status

    def close(self):
        self.client.close()

    def send(self, text):
        """Sends a text frame. Returns the first message that answers it."""
        self.drop_messages()
        began = time.monotonic()
        length = len(text)
        size = bytes([0x80 | 126]) + length.to_bytes(2, "big") if length < 65_536 else bytes([0x80 | 127]) + length.to_bytes(8, "big")
        self.client.unsent = memoryview(b"\x81" + (bytes([0x80 | length]) if length < 126 else size) + bytes(4) + text)
        self.client.deadline = began + self.client.timeout
        try:
            answer = self.receive()
        except Closed:
            answer = Answer(0)
        except TimeoutError:
            answer = Answer(-1)
        answer.seconds = time.monotonic() - began
        return answer

    def drop_messages(self):
        """Drops what came since the last answer, such as results of jobs."""
        self.client.unsent = memoryview(b"")
        while self.client.unread or select.select([self.client.socket], [], [], 0)[0]:
            self.client.deadline = time.monotonic() + 1
            try:
                self.receive()
            except (Closed, TimeoutError):
                return

    def receive(self):
        while True:
            kind, content = self.frame()
            if kind == 1:
                return Answer(200, {}, content, len(content))
            if kind == 8:
                return Answer(int.from_bytes(content[:2], "big"))
            if kind == 9:
                self.client.unsent = memoryview(bytes(self.client.unsent) + bytes([0x8A, 0x80 | len(content)]) + bytes(4) + content)

    def frame(self):
        head = self.exactly(2)
        length = head[1] & 127
        if length >= 126:
            length = int.from_bytes(self.exactly(2 if length == 126 else 8), "big")
        return head[0] & 15, self.exactly(length)

    def exactly(self, length):
        while len(self.client.unread) < length:
            self.client.more()
        taken = bytes(self.client.unread[:length])
        del self.client.unread[:length]
        return taken


def form(parts, boundary=None):
    """A multipart body of (extra head lines, name, file name, type, content); a part without a name has None."""
    boundary = boundary or "b" + os.urandom(12).hex()
    pieces = []
    for extra, name, file_name, kind, content in parts:
        head = "Content-Disposition: form-data"
        if name is not None:
            head += f'; name="{name}"'
        if file_name is not None:
            head += f'; filename="{file_name}"'
        if kind:
            head += f"\r\nContent-Type: {kind}"
        content = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        pieces.append(f"--{boundary}\r\n{head}\r\n{extra}\r\n".encode("utf-8", "surrogatepass") + content + b"\r\n")
    return b"".join(pieces) + f"--{boundary}--\r\n".encode(), "multipart/form-data; boundary=" + boundary
