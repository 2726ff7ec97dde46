"""The load: request bodies with new content each time, the client that sends them, and measurements of the server while it receives
them."""

import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from servers import WORK, Failure

BOUNDARY = "----KeepsakeBenchmarkBoundary7MA4YWxk"


def mp4_head(length):
    """Makes the beginning of an MP4 of 1 s and 64 × 48 pixels: ftyp, moov with one track, and the head of an mdat that fills a file of
    `length` bytes."""
    def box(kind, content):
        return struct.pack(">I4s", 8 + len(content), kind) + content
    identity = b"".join(struct.pack(">I", x) for x in (0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000))
    mvhd = struct.pack(">IIIIIIHHII", 0, 0, 0, 1000, 1000, 0x10000, 0x100, 0, 0, 0) + identity + bytes(24) + struct.pack(">I", 1)
    tkhd = bytes(40) + identity + struct.pack(">II", 64 << 16, 48 << 16)
    track = box(b"trak", box(b"tkhd", tkhd) + box(b"mdia", box(b"hdlr", bytes(8) + b"vide" + bytes(13))))
    head = box(b"ftyp", b"isom\0\0\2\0isommp42") + box(b"moov", box(b"mvhd", mvhd) + track)
    return head + struct.pack(">I4s", length - len(head), b"mdat")


def digest_of(file, length):
    digest = hashlib.sha256()
    while length > 0 and (block := file.read(min(length, 1 << 20))):
        digest.update(block)
        length -= len(block)
    return digest.hexdigest()


class Body:
    """A request body with `parts` files of `size` bytes: one multipart body, or one raw body."""

    def __init__(self, path, kind, size, parts, noise):
        self.path, self.kind = Path(path), kind
        self.spans = []  # (offset, length) of each part that a server stores as one file
        with open(path, "wb") as out:
            if kind == "raw":
                for _ in range(parts):
                    out.write(noise)
                self.spans.append((0, size * parts))
            else:
                for number in range(parts):
                    out.write((f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"film-{number}.mp4\"\r\n"
                               "Content-Type: video/mp4\r\n\r\n").encode())
                    self.spans.append((out.tell(), size))
                    head = mp4_head(size)
                    out.write(head)
                    out.write(memoryview(noise)[len(head):])
                    out.write(b"\r\n")
                out.write(f"--{BOUNDARY}--\r\n".encode())
            self.length = out.tell()

    def renew(self):
        """Changes every file and returns the new hashes, so that a server gains nothing from storing equal files once."""
        digests = []
        with open(self.path, "r+b") as file:
            for offset, length in self.spans:
                file.seek(offset + 512)
                file.write(os.urandom(32))
                file.flush()
                file.seek(offset)
                digests.append(digest_of(file, length))
        return digests


class Load:
    """The bodies and the client. If there is enough memory, the bodies are in tmpfs, so that no disk is read during a measurement."""

    def __init__(self, size, parts, core=None):
        self.size, self.parts, self.core = size, parts, core
        shm = Path("/dev/shm")
        has_room = shm.is_dir() and shutil.disk_usage(shm).free > 20 * size * parts
        self.folder = Path(tempfile.mkdtemp(prefix="keepsake-bench-", dir=shm if has_room else WORK))
        self.noise = os.urandom(size)
        self.bodies = {}

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def body(self, kind, index):
        if (kind, index) not in self.bodies:
            self.bodies[kind, index] = Body(self.folder / f"{kind}-{index}", kind, self.size, self.parts, self.noise)
        return self.bodies[kind, index]

    def send(self, server, count, watch=None):
        """Sends `count` concurrent requests and checks the stored files. Returns (seconds for all, [seconds of each])."""
        bodies = [self.body(server.body_kind, index) for index in range(count)]
        with ThreadPoolExecutor(2) as pool:
            digests = list(pool.map(Body.renew, bodies))
        command = [str(WORK / "send"), str(server.port)]
        for index, body in enumerate(bodies):
            head = self.folder / f"head-{index}"
            head.write_bytes(server.head(body.length, BOUNDARY, index))
            command += [str(head), str(body.path)]
        if self.core is not None:
            command = ["taskset", "-c", str(self.core), *command]
        settle(server.pid)
        with watch or NoWatch():
            sent = subprocess.run(command, capture_output=True)
        if sent.returncode != 0:
            raise Failure(f"the client failed: {sent.stderr.decode(errors='replace')}")
        wall, each, rest = 0.0, [], sent.stdout
        line, rest = rest.split(b"\n", 1)
        wall = float(line.split()[1])
        for expected in digests:
            line, rest = rest.split(b"\n", 1)
            status, seconds, length = line.split()
            answer, rest = rest[:int(length)].decode(errors="replace"), rest[int(length) + 1:]
            server.check(int(status), answer, expected)
            each.append(float(seconds))
        (server.clear or partial(clear, server))([digest for expected in digests for digest in expected], bodies[0].spans[0][1])
        return wall, each


def clear(server, digests, size):
    """Checks that the data folder holds every acknowledged file, byte for byte. Then deletes the files, so that the disk does not fill."""
    stored = [path for path in server.folder.rglob("*") if path.is_file() and path.stat().st_size == size]

    def digest(path):
        with open(path, "rb") as file:
            return digest_of(file, size)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(digest, stored))
    if sorted(found) != sorted(digests):
        raise Failure(f"{server.label}: {len(digests)} files were acknowledged, but only {len(set(found) & set(digests))} of them "
                      f"are in its folder, byte for byte ({len(found)} files of that size)")
    for path in stored:
        path.unlink()
    os.sync()


# MARK: - Measurements from /proc


def descendants(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                for child in file.read().split():
                    found += [int(child), *descendants(int(child))]
    except OSError:
        pass
    return found


def cpu_ticks(pid):
    total = 0
    for each in [pid, *descendants(pid)]:
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return total


def processor_seconds(pid):
    """Returns the processor time of a process and its children, from utime and stime of /proc/PID/stat. Children that have ended count
    too."""
    total = 0
    for one in [pid, *descendants(pid)]:
        try:
            total += sum(map(int, Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()[11:15]))
        except OSError:
            pass  # It has just ended, and its parent counts its time.
    return total / os.sysconf("SC_CLK_TCK")


def settle(pid, pause=0.25, limit=8.0):
    """Waits until the server is idle, so that its remaining work does not slow the next measurement."""
    deadline = time.monotonic() + limit
    before = cpu_ticks(pid)
    while True:
        time.sleep(pause)
        after = cpu_ticks(pid)
        if after - before <= 1 or time.monotonic() > deadline:
            return
        before = after


def memory(pid):
    """Returns VmRSS, VmHWM and RssAnon of /proc/PID/status in bytes."""
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return {name: int(fields[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM", "RssAnon")}


def pss(pid):
    """Returns Pss of /proc/PID/smaps_rollup in bytes; 0 if the file cannot be read."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


class NoWatch:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class MemoryWatch(NoWatch):
    """Records peaks. For the RSS it resets and reads the kernel's high-water mark; it samples the other values every 20 ms."""

    def __init__(self, pid):
        self.pid = pid
        self.peak = {"VmHWM": 0, "RssAnon": 0, "Pss": 0, "workers": 0}

    def __enter__(self):
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()
        return self

    def sample(self):
        while True:
            now = memory(self.pid)
            now["Pss"] = pss(self.pid)
            now["workers"] = 0
            for child in descendants(self.pid):
                try:
                    now["workers"] += memory(child)["VmRSS"]
                except (OSError, KeyError):
                    pass
            for name in self.peak:
                self.peak[name] = max(self.peak[name], now[name])
            if self.stopped.wait(0.02):
                return

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        self.peak["VmHWM"] = max(self.peak["VmHWM"], memory(self.pid)["VmHWM"])
        return False


def measure_memory(kind, folder, core, load, count, progress):
    """Starts a server and measures its memory: fresh, after one request, and at the peak of two runs of `count` concurrent requests."""
    server = kind(folder, core)
    try:
        server.start()
        settle(server.pid, pause=0.5)
        found = {"before": memory(server.pid)["VmRSS"]}
        load.send(server, 1)
        settle(server.pid, pause=0.5)
        found["warm"] = memory(server.pid)["VmRSS"]
        peaks = {}
        for _ in range(2):
            progress.step(f"memory: {server.label}")
            watch = MemoryWatch(server.pid)
            load.send(server, count, watch)
            peaks = {name: max(value, peaks.get(name, 0)) for name, value in watch.peak.items()}
        return found | peaks
    finally:
        server.stop()


# MARK: - Progress


class Progress:
    """A progress bar on a terminal, otherwise a line for each tenth of the steps. Uses stderr, because stdout holds the result."""

    def __init__(self, total):
        self.total, self.done, self.tenth, self.begun = max(total, 1), 0, -1, time.monotonic()

    def step(self, what):
        if sys.stderr.isatty():
            filled = 30 * self.done // self.total
            print(f"\r[{'█' * filled}{'·' * (30 - filled)}] {self.done}/{self.total} {what:<44.44}", end="", file=sys.stderr, flush=True)
        elif 10 * self.done // self.total > self.tenth:
            self.tenth = 10 * self.done // self.total
            print(f"· {self.done}/{self.total}, {time.monotonic() - self.begun:.0f} s: {what}", file=sys.stderr, flush=True)
        self.done += 1

    def end(self):
        if sys.stderr.isatty():
            print("\r" + " " * 90 + "\r", end="", file=sys.stderr, flush=True)
