"""The load of the serving benchmark, and what it costs the server: requests a second, bytes a second, processor time, memory."""

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from contenders import LARGE, WORK, Failure, idle, memory, rss
from load import cpu_ticks, descendants

TICK = os.sysconf("SC_CLK_TCK")
# The rate of a slow client, in bytes a second.
SLOW = 100_000


def processor_seconds(process):
    """Returns the processor time of a process and its children, from utime and stime of /proc/PID/stat."""
    return cpu_ticks(process) / TICK


def requests(server, path, fields, status, chosen, cores, connections=None, script=None):
    """Runs wrk on one path over plain HTTP/1.1. Returns the rate in requests a second, the latency in ms, and the server's processor time
    for a request in µs."""
    arguments = ["taskset", "-c", ",".join(map(str, cores)), "wrk", "--threads", "1", "--connections", str(connections or chosen.connections),
                 "--duration", f"{chosen.seconds:g}s", "--latency", "--timeout", "10s"]
    for name, value in fields.items():
        arguments += ["--header", f"{name}: {value}"]
    if script:
        arguments += ["--script", str(script)]
    before = processor_seconds(server.pid)
    run = subprocess.run([*arguments, f"http://127.0.0.1:{server.ports['plain']}{path}"], capture_output=True, text=True)
    used = processor_seconds(server.pid) - before
    text = run.stdout
    count = int(found.group(1)) if (found := re.search(r"(\d+) requests in", text)) else 0
    others = int(found.group(1)) if (found := re.search(r"Non-2xx or 3xx responses: (\d+)", text)) else 0
    if run.returncode != 0 or "Socket errors" in text or count == 0 or others != (count if status >= 400 else 0):
        raise Failure(f"wrk on {server.label}, {path}: {text}{run.stderr}")
    return {
        "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)), "p50": milliseconds(text, 50), "p99": milliseconds(text, 99),
        "cpu": used / count * 1e6}


def milliseconds(text, percent):
    value, unit = re.search(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s)\s*$", text, re.M).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def reader(server, kind, path, connections, seconds, cores, rate=0):
    """Starts the client of large files (peers/read.c)."""
    return subprocess.Popen(
        ["taskset", "-c", ",".join(map(str, cores)), str(WORK / "read"), kind, str(server.ports[kind]), path, str(LARGE), str(connections),
         f"{seconds:g}", str(rate)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result(run, server):
    out, error = run.communicate()
    if run.returncode != 0:
        raise Failure(f"{server.label}: {error.strip()}")
    return json.loads(out)


def files(server, kind, path, chosen, cores, connections=4):
    """Returns the rate in MB a second, the server's processor time for a file in ms, and the share of a processor that the client used."""
    before = processor_seconds(server.pid)
    found = result(reader(server, kind, path, connections, chosen.seconds, cores), server)
    used = processor_seconds(server.pid) - before
    return {
        "rate": found["bytes"] / found["seconds"] / 1e6, "cpu": used / max(found["bytes"] / LARGE, 0.01) * 1e3, "busy": found["busy"]}


def interleaved(name, servers, measure, chosen):
    """Runs `measure` for each server in each round, in a new order each time. Returns label → results, without those of the first round."""
    found = {server.label: [] for server in servers}
    for number in range(chosen.rounds + 1):
        print(f"\r· {name}: round {number}/{chosen.rounds}   ", end="", file=sys.stderr, flush=True)
        for server in random.sample(servers, len(servers)):
            one = measure(server)
            if number > 0:
                found[server.label].append(one)
            time.sleep(0.1)
    print(file=sys.stderr)
    return found


# MARK: - Memory


class Watch:
    """Watches the memory of some processes. For the peak of the resident memory, it resets and reads the kernel's high-water mark; it
    samples the anonymous memory."""

    def __init__(self, server):
        self.server, self.anonymous, self.stopped = server, 0, threading.Event()

    def __enter__(self):
        for process in self.server.processes():
            Path(f"/proc/{process}/clear_refs").write_text("5")
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()
        return self

    def sample(self):
        while not self.stopped.wait(0.05):
            self.anonymous = max(self.anonymous, sum(memory(process)["RssAnon"] for process in self.server.processes()))

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        self.peak = sum(memory(process)["VmHWM"] for process in self.server.processes())
        return False


def memory_of(server, kind, path, connections, rate, seconds, cores):
    """Starts the server. Returns its memory in bytes: fresh, after one file, and while `connections` clients read."""
    server.start()
    try:
        idle(server)
        fresh = rss(server)
        result(reader(server, kind, path, 1, 1, cores), server)
        idle(server)
        warm = rss(server)
        run = reader(server, kind, path, connections, seconds, cores, rate)
        with Watch(server) as watch:
            found = result(run, server)
        workers = sum(memory(process)["VmRSS"] for process in descendants(server.pid)) if server.processes() == [server.pid] else 0
        return {"fresh": fresh, "warm": warm, "peak": watch.peak, "anonymous": watch.anonymous, "workers": workers, "starved": found["starved"],
                "rate": found["bytes"] / found["seconds"] / 1e6}
    finally:
        server.stop()
