#!/usr/bin/env python3
"""The list benchmark. run.sh downloads and builds its dependencies; Server/Benchmarks/README.md describes the method."""

import argparse
import base64
import json
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from report import first_line, machine_facts, spread, verdict  # noqa: E402
from rows import fill  # noqa: E402
from servers import WORK, Failure, Keepsake, Server  # noqa: E402

# Targets for the ratio of Keepsake's requests a second to a peer's, and for Keepsake's p99.
BARS = {"Express": 2, "FastAPI, SQLModel": 4, "FastAPI, raw": 4}
P99_BAR = 25  # ms
VENV = WORK / "lists"
NODE = VENV / "bin" / "node"
MODULES = WORK / "debian" / "usr" / "share" / "nodejs"
# The base of all links, so that all servers return the same links on any port.
URL = "http://moods.example.org"


class Listed(Keepsake):
    label = "Keepsake"

    def environment(self):
        return {**super().environment(), "KEEPSAKE_LOG": "warning", "KEEPSAKE_PUBLIC_URL": URL, "KEEPSAKE_CONNECTIONS_PER_ADDRESS": "1000"}

    def start_on(self, folder):
        """Starts on an existing folder; `start` creates a new one."""
        self.folder = folder
        self.log = folder.with_suffix(".log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                ["taskset", "-c", str(self.core), *self.command()], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env=self.environment())
        self.await_ready()


class Peer(Server):
    def __init__(self, folder, core, told):
        super().__init__(folder, core)
        self.told = told

    def environment(self):
        peer = self.folder / "peer.json"
        shutil.copy(self.told["database"], self.folder / "moods.sqlite")
        peer.write_text(json.dumps({**self.told, "database": str(self.folder / "moods.sqlite")}))
        return {**os.environ, "PEER": str(peer), "NODE_PATH": str(MODULES), "NODE_ENV": "production"}


class Express(Peer):
    label = "Express"

    def command(self):
        # The option suppresses Node's warning that its SQLite binding is experimental.
        return [str(NODE), "--no-warnings", str(HERE / "peers" / "express.cjs")]


class TutorialFastAPI(Peer):
    label = "FastAPI, SQLModel"

    def command(self):
        return [str(VENV / "bin" / "python3"), "-B", str(HERE / "peers" / "fastapi_sqlmodel.py")]


class RawFastAPI(Peer):
    label = "FastAPI, raw"

    def command(self):
        return [str(VENV / "bin" / "python3"), "-B", str(HERE / "peers" / "fastapi_raw.py")]


def options():
    parser = argparse.ArgumentParser(prog="Server/Benchmarks/Lists/run.sh", description="The first page of 20 moods: Keepsake, Express, FastAPI twice.")
    parser.add_argument("--rounds", type=int, default=9, help="measured rounds (default 9); one more warms up")
    parser.add_argument("--seconds", type=float, default=5, help="seconds for each server in each round (default 5)")
    parser.add_argument("--connections", type=int, default=16, help="persistent connections, each with one request at a time (default 16)")
    parser.add_argument("--moods", type=int, default=10_000, help="moods of the user (default 10,000)")
    parser.add_argument("--quick", action="store_true", help="3 rounds of 2 s, to check that everything works")
    parser.add_argument("--keepsake", type=Path, help="another keepsake binary")
    parser.add_argument("--skip-build", action="store_true", help="use the existing binaries (run.sh)")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for lists.md, .json, .png")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.rounds, chosen.seconds = 3, 2
    return chosen


def prepare(folder, core, moods):
    """Starts a Keepsake server with one user and their moods; returns the running server and the settings for the peers."""
    server = Listed(folder, core).start()
    account, data = server.account, folder / "kept"
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/.well-known/jwks.json") as answer:
        keys = json.load(answer)
    server.folder, made = data, server.folder
    server.process.terminate()
    server.process.wait(12)
    shutil.move(made, data)
    fill(data / "keepsake.sqlite", account["user_id"], moods)
    shutil.copy(data / "keepsake.sqlite", folder / "moods.sqlite")
    server.start_on(data)
    claims = json.loads(base64.urlsafe_b64decode(account["access_token"].split(".")[1] + "=="))
    rows = sqlite3.connect(folder / "moods.sqlite")
    secrets = dict(rows.execute("SELECT name, value FROM server_secret"))
    rows.close()
    return server, {
        "database": str(folder / "moods.sqlite"), "url": URL, "keys": keys, "issuer": claims["iss"], "audience": claims["aud"],
        "linkSecret": secrets["links"].hex(), "cursorSecret": secrets["cursors"].hex()}


def ask(server, path, token=None):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def check(servers, path, account):
    """Checks that all servers give the same response, and that they refuse a missing token, a forged token and another user's path."""
    expected = None
    for server in servers:
        status, body = ask(server, path, account["access_token"])
        page = json.loads(body)
        if status != 200 or len(page["moods"]) != 20:
            raise Failure(f"{server.label} answered {status}: {body[:500]}")
        expected = expected or page
        if page != expected:
            raise Failure(f"{server.label} gives another response than {servers[0].label}: {body[:2000]}\n\n{json.dumps(expected)[:2000]}")
        head, claims, signature = account["access_token"].split(".")
        forged = f"{head}.{claims}.{'A' * 4}{signature[4:]}"
        for name, wrong, token in [("no token", path, None), ("a forged token", path, forged)]:
            if (found := ask(server, wrong, token)[0]) != 401:
                raise Failure(f"{server.label} answered {found} to {name}")
        if (found := ask(server, path.replace(account["user_id"], "somebody"), account["access_token"])[0]) != 403:
            raise Failure(f"{server.label} answered {found} to another user")
    return len(ask(servers[0], path, account["access_token"])[1])


def load(server, path, token, chosen, core):
    """Returns (requests a second, p50 in ms, p99 in ms, the server's processor time for a request in µs)."""
    before = processor_seconds(server.pid)
    run = subprocess.run(
        ["taskset", "-c", str(core), "wrk", "--threads", "1", "--connections", str(chosen.connections), "--duration", f"{chosen.seconds:g}s",
         "--latency", "--timeout", "10s", "--header", f"Authorization: Bearer {token}", f"http://127.0.0.1:{server.port}{path}"],
        capture_output=True, text=True)
    text = run.stdout
    if run.returncode != 0 or "Non-2xx" in text or "Socket errors" in text:
        raise Failure(f"wrk on {server.label}: {text}{run.stderr}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    count = int(re.search(r"(\d+) requests in", text).group(1))
    return rate, milliseconds(text, 50), milliseconds(text, 99), (processor_seconds(server.pid) - before) / count * 1e6


def processor_seconds(process):
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def milliseconds(text, percent):
    value, unit = re.search(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s)\s*$", text, re.M).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def measure(servers, path, token, chosen, core):
    """Returns label → results of `load` for each round. The servers take turns, in a new order in each round."""
    found = {server.label: [] for server in servers}
    for number in range(chosen.rounds + 1):
        print(f"\r· round {number}/{chosen.rounds}", end="", file=sys.stderr, flush=True)
        for server in random.sample(servers, len(servers)):
            one = load(server, path, token, chosen, core)
            if number > 0:
                found[server.label].append(one)
            time.sleep(0.2)
    print(file=sys.stderr)
    return found


def table(head, *rows):
    return ["", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def judge(found, verdicts):
    lines = table(
        ["", "requests a second: median (min–max)", "ms, p50: median", "ms, p99: median (min–max)",
         "processor µs a request: median"],
        *[[label, spread([one[0] for one in values]), f"{statistics.median(one[1] for one in values):.1f}",
           spread([one[2] for one in values], "{:.1f}"), f"{statistics.median(one[3] for one in values):.0f}"] for label, values in found.items()])
    rows = []
    for label, bar in BARS.items():
        ratios = [ours[0] / theirs[0] for ours, theirs in zip(found["Keepsake"], found[label])]
        verdicts.append(verdict(statistics.median(ratios), bar))
        rows.append([f"requests a second of {label}, round by round: median (min–max)", f"{spread(ratios, '{:.2f}')} ×", f"≥ {bar}", verdicts[-1]])
    slowest = statistics.median(one[2] for one in found["Keepsake"])
    verdicts.append(verdict(slowest, P99_BAR, at_least=False))
    rows.append(["p99, ms", f"{slowest:.1f}", f"≤ {P99_BAR}", verdicts[-1]])
    return lines + table(["Keepsake against", "", "target", ""], *rows)


def plot(found, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 2.3), width_ratios=[2, 1])
    labels = list(found)[::-1]
    for axis, column, form in ((axes[0], 0, "{:.0f}"), (axes[1], 2, "{:.1f}")):
        for at, label in enumerate(labels):
            values = [one[column] for one in found[label]]
            middle = statistics.median(values)
            axis.barh(at, middle, height=0.62, color="#2f6f4f" if label == "Keepsake" else "#9aa5b1", alpha=0.85)
            axis.plot(values, [at] * len(values), "o", color="#1b1f24", markersize=3, alpha=0.55)
            axis.text(max(values) * 1.02, at, form.format(middle), va="center", color="#1b1f24", fontsize=9, fontweight="bold")
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    ours = labels.index("Keepsake")
    for level, (label, bar) in enumerate(BARS.items()):
        goal = bar * statistics.median(one[0] for one in found[label])
        axes[0].plot([goal, goal], [ours - 0.42, ours + 0.42], color="#c0392b", linewidth=2)
        axes[0].text(goal, ours + 0.46 + 0.3 * (level % 2), f"{bar} × {label}", color="#c0392b", fontsize=7, ha="center", va="bottom")
    axes[0].set_ylim(-0.6, len(labels) + 0.1)
    axes[1].set_ylim(axes[0].get_ylim())
    for axis in axes:
        axis.set_xlim(left=0)
    axes[0].set_yticks(range(len(labels)), labels)
    axes[1].set_yticks(range(len(labels)), [""] * len(labels))
    axes[0].set_title("requests a second on one core", loc="left", fontsize=10)
    axes[1].set_title("p99, ms", loc="left", fontsize=10)
    axes[0].set_xlabel("bar = median, dot = round, red = Keepsake's target", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def versions():
    python = VENV / "bin" / "python3"
    listed = subprocess.run([str(VENV / "bin" / "pip"), "list", "--format", "json"], capture_output=True, text=True).stdout
    packages = {one["name"].lower(): one["version"] for one in json.loads(listed)}
    express = json.loads((MODULES / "express" / "package.json").read_text())["version"]
    jose = json.loads((MODULES / "jose" / "package.json").read_text())["version"]
    sqlite = first_line([str(NODE), "--no-warnings", "-p", "process.versions.sqlite"])
    return {
        "Express": f"{express} on Node {first_line([str(NODE), '--version'])}, its own node:sqlite (SQLite {sqlite}), jose {jose}; no etag, no log",
        "FastAPI": f"with SQLModel {packages['sqlmodel']} in FastAPI's threads, as in its tutorial, and with raw sqlite3 on the event loop; "
                   f"{packages['fastapi']}, uvicorn {packages['uvicorn']} with uvloop and httptools, pydantic {packages['pydantic']}, "
                   f"PyJWT {packages['pyjwt']}, {first_line([str(python), '--version'])} with SQLite "
                   f"{first_line([str(python), '-c', 'import sqlite3; print(sqlite3.sqlite_version)'])}; no log"}


def main():
    chosen = options()
    if chosen.keepsake:
        Listed.binary = chosen.keepsake.resolve()
    cores = sorted(os.sched_getaffinity(0))
    core, client_core = cores[0], cores[-1]
    folder = WORK / "lists-data"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    servers = []
    try:
        ours, told = prepare(folder, core, chosen.moods)
        servers.append(ours)
        for kind in (Express, TutorialFastAPI, RawFastAPI):
            servers.append(kind(folder, core, told))
            servers[-1].start()
        path = f"/api/users/user/{ours.account['user_id']}/moods"
        byte_count = check(servers, path, ours.account)
        found = measure(servers, path, ours.account["access_token"], chosen, client_core)
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)

    facts = {name: value for name, value in machine_facts(WORK).items() if name in ("processor", "kernel")} | versions()
    facts["load"] = (f"wrk {first_line(['wrk', '-v']).split()[1]} on core {client_core}, {chosen.connections} connections, each sends its next request as soon "
                     f"as it has a response; every server on core {core}" + (", the same" if core == client_core else ""))
    facts["page"] = f"the newest 20 of {chosen.moods:,} moods, {byte_count:,} bytes; one SQLite file in WAL mode, with a copy for each server"
    verdicts = []
    lines = judge(found, verdicts)
    chosen.out.mkdir(parents=True, exist_ok=True)
    plot(found, chosen.out / "lists.png")
    head = ["# A page of 20 moods, signed in", "",
            "Each request verifies the token's ES256 signature and claims, reads its session's row, reads the page and its files, signs a link for each "
            "file, and writes JSON. All servers give exactly the same response, which the benchmark checks first. They take turns in a new order in "
            f"each of {chosen.rounds} rounds of {chosen.seconds:g} s. "
            "From `Server/Benchmarks/Lists/run.sh`.", ""]
    text = "\n".join(head + [f"- {name}: {value}" for name, value in facts.items()] + ["", "![requests a second](lists.png)"] + lines) + "\n"
    (chosen.out / "lists.md").write_text(text)
    (chosen.out / "lists.json").write_text(json.dumps({"facts": facts, "rounds": found}, indent=1) + "\n")
    print(text)
    return 1 if chosen.strict and "MISS" in verdicts else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"bench: {failure}")
