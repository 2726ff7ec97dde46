#!/usr/bin/env python3
"""The benchmark of chat. run.sh downloads and builds its dependencies; Server/Benchmarks/README.md describes the method."""

import argparse
import json
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from load import processor_seconds  # noqa: E402
from report import machine_facts, paragraph, spread, table, verdict  # noqa: E402
from servers import WORK, Failure, Keepsake, Server, prepare_accounts  # noqa: E402

STREAMS = 64
RATE = 20  # frames a second of each stream
BAR = 5  # ms by which Keepsake's p99 may be above the proxy's
OURS, GO, DIRECT = "Keepsake", "Go reverse proxy", "the model itself"


def options():
    parser = argparse.ArgumentParser(
        prog="Server/Benchmarks/Chat/run.sh", description="Time from a model's frame to the client's: Keepsake, and a Go reverse proxy.")
    parser.add_argument("--quick", action="store_true", help="2 rounds of 2 s, to check that everything works")
    parser.add_argument("--rounds", type=int, default=7, help="measured rounds (default 7); one more warms up")
    parser.add_argument("--seconds", type=float, default=5, help="seconds for each server in each round (default 5)")
    parser.add_argument("--peers-only", action="store_true", help="without Keepsake, to see what this machine can do")
    parser.add_argument("--keepsake", type=Path, help="another keepsake binary")
    parser.add_argument("--skip-build", action="store_true", help="use the existing keepsake binary (run.sh)")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for chat.md and .json")
    parser.add_argument("--result", type=Path, help="also write the committed result to this file")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.rounds, chosen.seconds = 2, 2
    if chosen.keepsake:
        Keepsake.binary = chosen.keepsake.resolve()
    return chosen


class Ours(Keepsake):
    """Keepsake, started on a data folder with accounts. Its model is at a port of this machine."""

    label = OURS
    kind = "keepsake"

    def __init__(self, folder, model):
        super().__init__(folder)
        self.model = model

    def environment(self):
        return Keepsake.environment(self) | {
            "KEEPSAKE_CHAT_MODEL": "openai", "KEEPSAKE_CHAT_MODEL_URL": f"http://127.0.0.1:{self.model}", "KEEPSAKE_CHAT_MODEL_MODEL": "bench"}

    def start(self):
        self.tokens = [token for _, token in prepare_accounts(self.folder.with_name("accounts"), STREAMS)]
        return Server.start(self)

    def command(self):
        shutil.copytree(self.folder.with_name("accounts"), self.folder, dirs_exist_ok=True)
        return super().command()


class Proxy(Server):
    label = GO
    kind = "openai"
    tokens = ["none"] * STREAMS

    def __init__(self, folder, model):
        super().__init__(folder)
        self.model = model

    def command(self):
        return [str(WORK / "chat-proxy"), "0", str(self.model)]


class Direct:
    """No server at all: it measures the time that the model and the clients themselves take."""

    label = DIRECT
    kind = "openai"
    tokens = Proxy.tokens
    pid = None

    def __init__(self, model):
        self.port = model

    def start(self):
        return self

    def stop(self):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def measure(server, model, seconds):
    before = processor_seconds(server.pid) if server.pid else 0
    run = subprocess.run(
        [str(WORK / "chat-load"), str(model), str(server.port), server.kind, f"{seconds:g}"],
        input="".join(f"{token}\n" for token in server.tokens), capture_output=True, text=True)
    if run.returncode != 0:
        raise Failure(f"{server.label}: {run.stderr.strip()[-1000:]}")
    found = json.loads(run.stdout)
    found["cpu"] = (processor_seconds(server.pid) - before) / found["sent"] * 1e6 if server.pid else 0
    return found


def markdown(found, facts, chosen):
    def values(label, name):
        return [one[name] for one in found[label]]

    lines = ["# Streamed answers", ""] + paragraph(
        f"{STREAMS} clients read an answer each, of which a model writes {RATE} frames a second. The time runs from the model's write of a frame to the "
        "client's read of it; the model and the clients are one Go program (load.go) with one clock. Keepsake reads the model's protocol, stores the "
        "growing answer, numbers the frames for clients that resume, and writes them in another protocol, for 64 accounts. The Go program (proxy.go) is "
        f"`httputil.ReverseProxy`, which passes the bytes on. All take turns in a new order in each of {chosen.rounds} rounds of {chosen.seconds:g} s, "
        "after one round to warm up. A frame that is missing, comes twice or in another order ends the benchmark. "
        f"From `Server/Benchmarks/Chat/run.sh{' --quick' if chosen.quick else ''}`.") + [""]
    for name, value in facts.items():
        lines += textwrap.wrap(f"- {name}: {value}", 160, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    rows = [[
        label, spread(values(label, "p50"), "{:.2f}"), spread(values(label, "p99"), "{:.2f}"), spread(values(label, "max"), "{:.1f}"),
        spread(values(label, "cpu")) if any(values(label, "cpu")) else "",
        f"{statistics.median(one['client'] / (1.25 * one['seconds']) for one in found[label]) * 100:.0f} %",
    ] for label in found]
    lines += table(["", "ms, p50: median (min–max)", "ms, p99", "ms, longest", "processor µs a frame", "model and clients, of one core"], rows)
    verdicts = []
    if OURS in found:
        above = [ours["p99"] - theirs["p99"] for ours, theirs in zip(found[OURS], found[GO])]
        verdicts.append(verdict(statistics.median(above), BAR, at_least=False))
        lines += table(["Keepsake, round by round: median (min–max)", "", "target", ""], [
            [f"p99 above that of the {GO}", spread(above, "{:.2f}") + " ms", f"≤ {BAR} ms", verdicts[0]]])
    return "\n".join(lines) + "\n", verdicts


def main():
    chosen = options()
    if not chosen.peers_only and not Keepsake.binary.exists():
        raise Failure(f"{Keepsake.binary} does not exist; run without --skip-build")
    folder = Path(tempfile.mkdtemp(prefix="keepsake-chat-", dir=WORK))
    model = free_port()
    servers = [Proxy(folder, model), Direct(model)] + ([] if chosen.peers_only else [Ours(folder, model)])
    found = {server.label: [] for server in servers}
    try:
        for server in servers:
            server.start()
        for number in range(chosen.rounds + 1):
            print(f"\r· round {number}/{chosen.rounds}   ", end="", file=sys.stderr, flush=True)
            for server in random.sample(servers, len(servers)):
                one = measure(server, model, chosen.seconds)
                if number > 0:
                    found[server.label].append(one)
        print(file=sys.stderr)
        facts = machine_facts(WORK)
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    facts["Keepsake"] = "SQLite, default settings, log level info; without rate limits"
    text, verdicts = markdown(found, facts, chosen)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "chat.json").write_text(json.dumps({"facts": facts, "rounds": found}, indent=1) + "\n")
    (chosen.out / "chat.md").write_text(text)
    if chosen.result:
        chosen.result.write_text(text)
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
