#!/usr/bin/env python3
"""The benchmark of captures. run.sh downloads and builds its dependencies; Server/Benchmarks/README.md describes the method."""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import result as report  # noqa: E402
from load import processor_seconds  # noqa: E402
from servers import REPO, WORK, Failure, Keepsake, Server, prepare_accounts  # noqa: E402

SOCKETS = 64
DELAY = 2_000  # µs for each sync
BACKLOG = 1_000
WINDOWS = (16, 1)  # captures that are unacknowledged on one socket at a time


def options():
    parser = argparse.ArgumentParser(
        prog="Server/Benchmarks/Captures/run.sh", description="Acknowledgements of captures: Keepsake, and a Go program with one log.")
    parser.add_argument("--quick", action="store_true", help="2 rounds of 1 s, to check that everything works")
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds (default 5); one more warms up")
    parser.add_argument("--seconds", type=float, default=3, help="seconds for each server in each round (default 3)")
    parser.add_argument("--processed", type=int, default=400, help="captures whose processing is measured (default 400)")
    parser.add_argument("--keepsake", type=Path, help="another keepsake binary")
    parser.add_argument("--skip-build", action="store_true", help="use the existing keepsake binary (run.sh)")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for captures.md, .json, .png")
    parser.add_argument("--result", type=Path, help="also write the committed result, for example docs/results/024-captures.md")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.rounds, chosen.seconds, chosen.processed = 2, 1, 40
    if chosen.keepsake:
        Keepsake.binary = chosen.keepsake.resolve()
    return chosen


class Ours(Keepsake):
    """Keepsake, started on a copy of a data folder with accounts. `delay`: µs by which each sync is delayed."""

    label = "Keepsake"

    def __init__(self, folder, prepared, delay=0, limits="off"):
        super().__init__(folder)
        self.prepared, self.delay, self.limits = prepared, delay, limits
        self.count = Path(folder) / "syncs"

    def command(self):
        shutil.copytree(self.prepared, self.folder, dirs_exist_ok=True)
        self.count.unlink(missing_ok=True)
        return [str(self.binary), "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(self.folder), "--rate-limits", self.limits]

    def environment(self):
        own = {"LD_PRELOAD": str(WORK / "delay.so"), "SYNC_DELAY_US": str(self.delay), "SYNC_COUNT": str(self.count)}
        return Keepsake.environment(self) | own

    def start(self):
        return Server.start(self)

    @property
    def syncs(self):
        return int.from_bytes(self.count.read_bytes(), sys.byteorder)

    @property
    def processor(self):
        return processor_seconds(self.pid)

    def stored(self):
        """Returns how many captures, events and captures without a job the database holds after the server was killed."""
        with sqlite3.connect(self.folder / "keepsake.sqlite") as database:
            count = lambda sql: database.execute(sql).fetchone()[0]
            captures, events = count("SELECT count(*) FROM capture"), count("SELECT count(*) FROM event WHERE kind = 'capture.received'")
            # Only captures that wait for analysis must have a job: the status changes when their analysis begins.
            jobless = count("SELECT count(*) FROM capture WHERE status = 'received'") - count(
                "SELECT count(*) FROM job WHERE kind = 'captures/analyse'")
        return captures, events, jobless


class Go(Server):
    label = "Go, one log"

    def __init__(self, folder, delay=0):
        super().__init__(folder)
        self.delay = delay

    def command(self):
        return [str(WORK / "captures-peer"), "0", str(self.folder), f"{self.delay}us"]

    @property
    def processor(self):
        return processor_seconds(self.pid)

    def stored(self):
        kept = (self.folder / "log").read_bytes()
        events = kept.count(b'"kind":"capture.received"')
        return kept.count(b'"type":"memory_capture"'), events, events - kept.count(b'"kind":"captures/analyse"')


def load(server, accounts, window, seconds, total=0):
    lines = "".join(f"{user} {token}\n" for user, token in accounts)
    before = server.processor
    run = subprocess.run(
        [str(WORK / "captures-load"), str(server.port), str(window), f"{seconds:g}", str(total)], input=lines, capture_output=True, text=True)
    if run.returncode != 0:
        raise Failure(f"{server.label}: {run.stderr.strip()[-1000:]}")
    found = json.loads(run.stdout)
    # The client sends some captures before its clock runs, so divide the processor time by all captures that it sent.
    found["cpu"] = (server.processor - before) / found["sent"] * 1e6
    return found


def kill(server):
    os.kill(server.pid, signal.SIGKILL)
    server.process.wait()


def acknowledgements(make, accounts, window, chosen):
    """One round: starts a fresh server, runs the load, kills the server with SIGKILL, and checks what it stored."""
    os.sync()
    server = make().start()
    try:
        found = load(server, accounts, window, chosen.seconds)
        found["syncs"] = getattr(server, "syncs", 0)
        kill(server)
        captures, events, jobless = server.stored()
        if captures < found["acks"] or events < found["acks"] or jobless > 0:
            raise Failure(f"{server.label} acknowledged {found['acks']} and stored {captures} captures, {events} events, {jobless} without job")
        return found
    finally:
        server.stop()


def interleaved(name, makers, accounts, window, chosen):
    found = {}
    for number in range(chosen.rounds + 1):
        print(f"\r· {name}: round {number}/{chosen.rounds}   ", end="", file=sys.stderr, flush=True)
        for label, make in random.sample(list(makers.items()), len(makers)):
            one = acknowledgements(make, accounts, window, chosen)
            if number > 0:
                found.setdefault(label, []).append(one)
    print(file=sys.stderr)
    return found


def backlog(folder, prepared, accounts, delay, chosen):
    """One phone sends 1,000 captures at once to a server with its usual rate limits. Returns how many seconds it takes until all are
    acknowledged."""
    found = []
    for number in range(chosen.rounds + 1):
        server = Ours(folder, prepared, delay, limits="on").start()
        try:
            found.append(load(server, accounts[:1], BACKLOG, 0, BACKLOG))
        finally:
            server.stop()
    return found[1:]


def processed(server):
    with sqlite3.connect(f"file:{server.folder}/keepsake.sqlite?mode=ro", uri=True) as database:
        database.execute("PRAGMA busy_timeout = 10000")
        return database.execute("SELECT count(*) FROM capture WHERE status = 'processed'").fetchone()[0]


def processing(folder, prepared, accounts, chosen, picture):
    """Returns the processor time of a capture in ms, with everything that it causes: acknowledgement, analysis, contacts, index, the
    summary of its hour, and the event `memory_processed`.

    The time includes the media worker and tesseract. One account sends the captures one after the other.
    """
    count = chosen.processed // (10 if picture else 1)
    server = Ours(folder, prepared).start()
    try:
        user, token = accounts[0]
        time.sleep(2)
        before = server.processor
        start = time.monotonic()
        if picture:
            for number in range(count):
                upload(server, token, f"p{number}", picture)
            send(server, user, token, [f"p{number}" for number in range(count)])
        else:
            load(server, accounts[:1], 4, 0, count)
        deadline = time.monotonic() + 600
        while processed(server) < count:
            if time.monotonic() > deadline:
                raise Failure(f"{processed(server)} of {count} captures were processed within 10 minutes")
            time.sleep(0.2)
        seconds = time.monotonic() - start
        time.sleep(1)
        return {"count": count, "cpu": (server.processor - before) / count * 1e3, "seconds": seconds}
    finally:
        server.stop()


def upload(server, token, capture, picture):
    # Each picture must be a new file, so append random bytes: decoders ignore bytes after the end of a JPEG.
    content = picture.read_bytes() + os.urandom(16)
    body = (b'--x\r\nContent-Disposition: form-data; name="file"; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n' + content
            + b"\r\n--x--\r\n")
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/upload/{capture}", data=body, method="POST",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=x"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        if answer.status != 200:
            raise Failure(f"the upload was answered {answer.status}")


def send(server, user, token, ids):
    """Sends captures over a simple WebSocket client in Python, and waits for their acknowledgements."""
    with socket.create_connection(("127.0.0.1", server.port), 60) as connection:
        connection.sendall((
            f"GET /ws/ios/{user} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n").encode())
        text = b""
        while b"\r\n\r\n" not in text:
            text += connection.recv(65_536)
        for one in ids:
            payload = json.dumps({
                "type": "memory_capture", "id": one, "timestamp": "2026-05-01T08:00:00Z", "transcription": "A look at the harbour with John.",
            }).encode()
            connection.sendall(bytes([0x81, 0x80 | 126, len(payload) >> 8, len(payload) & 255, 0, 0, 0, 0]) + payload)
        while text.count(b'"type":"ack"') < len(ids):
            more = connection.recv(65_536)
            if not more:
                raise Failure("the server closed the socket")
            text += more


def main():
    chosen = options()
    if not Keepsake.binary.exists():
        raise Failure(f"{Keepsake.binary} does not exist; run without --skip-build")
    folder = Path(tempfile.mkdtemp(prefix="keepsake-captures-", dir=WORK))
    try:
        prepared = folder / "prepared"
        accounts = prepare_accounts(prepared, SOCKETS)
        found = {"facts": report.facts(chosen), "rates": {}, "backlog": {}, "processing": {}}
        for delay in (DELAY, 0):
            for window in WINDOWS:
                name = f"{delay // 1000} ms a sync, {window} at a time"
                makers = {
                    Ours.label: lambda: Ours(folder, prepared, delay), Go.label: lambda: Go(folder, delay)}
                found["rates"][f"{delay}/{window}"] = interleaved(name, makers, accounts, window, chosen)
        for delay in (DELAY, 0):
            print(f"· a backlog of {BACKLOG:,}, {delay // 1000} ms a sync", file=sys.stderr)
            found["backlog"][str(delay)] = backlog(folder, prepared, accounts, delay, chosen)
        pictures = {"text": None, "text and a photo": REPO / "Server" / "Tests" / "Fixtures" / "photo.jpg"}
        for name, picture in pictures.items():
            if picture is None or picture.exists():
                print(f"· processing: {name}", file=sys.stderr)
                found["processing"][name] = processing(folder, prepared, accounts, chosen, picture)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "captures.json").write_text(json.dumps(found, indent=1) + "\n")
    text, verdicts = report.markdown(found, chosen)
    (chosen.out / "captures.md").write_text(text)
    report.plot(found, chosen.out / "captures.png")
    if chosen.result:
        chosen.result.write_text(text)
        if (chosen.out / "captures.png").exists():
            shutil.copy(chosen.out / "captures.png", chosen.result.parent / "captures.png")
    print(text)
    return 1 if chosen.strict and "MISS" in verdicts else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        sys.exit(70)
    except KeyboardInterrupt:
        sys.exit(130)
