#!/usr/bin/env python3
"""The upload benchmark. run.sh downloads and builds its dependencies; README.md describes the method."""

import argparse
import random
import shutil
import signal
import sys
from pathlib import Path

from load import Load, Progress, measure_memory
from report import MB, Report, machine_facts
from servers import REPO, WORK, C, CRaw, Failure, Go, Keepsake, Nginx

# Targets for the ratio of Keepsake's MB/s to a peer's; None prints the ratio without a verdict.
BARS_ON_DISK = [("plain C", 0.85), ("Go net/http", 1.2)]
BARS_PINNED = [("nginx PUT", 0.55), ("plain C", None), ("Go net/http", None)]
BARS_IN_MEMORY = [("plain C", None), ("Go net/http", None)]
MEMORY_BAR = 32  # MiB above idle, while eight requests arrive


def options():
    parser = argparse.ArgumentParser(prog="Server/Benchmarks/run.sh", description="Upload benchmark: Keepsake, a plain C program, Go's net/http.")
    parser.add_argument("--quick", action="store_true", help="3 rounds of 20 MB, to check that everything works")
    parser.add_argument("--rounds", type=int, default=11, help="measured rounds (default 11)")
    parser.add_argument("--warm-ups", type=int, default=2, help="rounds to warm up, not counted (default 2)")
    parser.add_argument("--megabytes", type=float, default=100, help="MB (10⁶ bytes) a request, in two files (default 100)")
    parser.add_argument("--at-once", type=int, default=8, help="concurrent requests in the second part (default 8; 0 skips it)")
    parser.add_argument("--peers-only", action="store_true", help="without Keepsake, to see what this machine can do")
    parser.add_argument("--tmpfs", action="store_true", help="data in memory instead of on the repository's disk")
    parser.add_argument("--pin", action="store_true", help="servers on core 0, client on core 1; adds nginx's WebDAV PUT")
    parser.add_argument("--keepsake", type=Path, help="another keepsake binary")
    parser.add_argument("--skip-build", action="store_true", help="use the existing keepsake binary (run.sh)")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for upload.md, .json, .png")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.rounds, chosen.warm_ups, chosen.megabytes = 3, 1, 20
    if chosen.rounds < 1 or not 1 <= chosen.megabytes <= 104:
        parser.error("--rounds must be at least 1, --megabytes 1 to 104")  # a file may have 50 MiB
    return chosen


def shown_arguments():
    """Returns the arguments that affect the result, without paths of this machine."""
    words, hidden = iter(sys.argv[1:]), {"--out": 1, "--keepsake": 1, "--skip-build": 0}
    for word in words:
        if word in hidden:
            for _ in range(hidden[word]):
                next(words, None)
        elif not word.startswith(("--out=", "--keepsake=")):
            yield word


def rounds(chosen, running, load, count, progress, name):
    """Runs interleaved rounds, each in a new order. Returns label → seconds of each measured round."""
    walls = {server.label: [] for server in running}
    for number in range(chosen.warm_ups + chosen.rounds):
        for server in random.sample(running, len(running)):
            progress.step(f"{name}: {server.label}")
            wall, _ = load.send(server, count)
            if number >= chosen.warm_ups:
                walls[server.label].append(wall)
    return walls


def main():
    chosen = options()
    if chosen.keepsake:
        Keepsake.binary = chosen.keepsake.resolve()
    kinds = ([] if chosen.peers_only else [Keepsake]) + [C, Go]
    if not chosen.peers_only and not Keepsake.binary.exists():
        raise Failure(f"{Keepsake.binary} does not exist: build it, or use --peers-only")
    core = client_core = None
    if chosen.pin:
        core, client_core = 0, 1
        if Nginx.is_usable():
            kinds.append(Nginx)
        else:
            print("· skipping nginx: no nginx with the dav module found", file=sys.stderr)
    parent = Path("/dev/shm/keepsake-bench-data") if chosen.tmpfs else WORK / "data"
    shutil.rmtree(parent, ignore_errors=True)
    parent.mkdir(parents=True)

    size = int(chosen.megabytes * MB / 2)
    bars = BARS_PINNED if chosen.pin else BARS_IN_MEMORY if chosen.tmpfs else BARS_ON_DISK
    steps = (chosen.warm_ups + chosen.rounds) * (len(kinds) + 1 + (len(kinds) if chosen.at_once else 0))
    steps += 2 * len([kind for kind in kinds if kind is not Nginx]) if chosen.at_once else 0
    progress = Progress(steps)
    load = Load(size, 2, client_core)
    running = []
    try:
        where = "in memory (tmpfs)" if chosen.tmpfs else "on disk, and syncs every file and then the folder before it responds"
        cores = "Each server runs on one core, the client on another" if chosen.pin else "Servers and client share all cores"
        report = Report(
            f"Uploads of {chosen.megabytes:g} MB, two files of {chosen.megabytes / 2:g} MB in one multipart request",
            f"Each server stores the files {where}. {cores}. The servers take turns in a new order each round: {chosen.warm_ups} "
            f"round{'' if chosen.warm_ups == 1 else 's'} to warm up and {chosen.rounds} that count, each with new bytes. A time runs from "
            "before the connect until the client has read the response. Afterwards the benchmark finds the acknowledged files in the folder "
            "by their hash. MB are 10⁶ bytes. From `Server/Benchmarks/run.sh"
            + "".join(f" {word}" for word in shown_arguments()) + "`.",
            machine_facts(parent), chosen.out)
        # Measure memory first, on freshly started servers, while no other server runs.
        if chosen.at_once:
            found = {kind.label: measure_memory(kind, parent, core, load, chosen.at_once, progress) for kind in kinds if kind is not Nginx}
        for kind in [*kinds, CRaw]:
            server = kind(parent, core)
            running.append(server)
            server.start()
        report.throughput(
            "one", "One at a time", 2 * size, rounds(chosen, running, load, 1, progress, "one at a time"), bars)
        if chosen.at_once:
            count = chosen.at_once
            walls = rounds(chosen, [s for s in running if not isinstance(s, CRaw)], load, count, progress, f"{count} at once")
            report.throughput("many", f"{count} at once", 2 * size * count, walls, bars)
            report.memory(f"Memory while {count} arrive at once", found, MEMORY_BAR)
    finally:
        progress.end()
        for server in running:
            server.stop()
        load.close()
        shutil.rmtree(parent, ignore_errors=True)
    print(report.text())
    print()
    name = "upload" + ("-tmpfs" if chosen.tmpfs else "") + ("-pinned" if chosen.pin else "")
    for path in report.write(name):
        print(f"wrote {path.relative_to(REPO) if path.is_relative_to(REPO) else path}")
    return 1 if chosen.strict and "MISS" in report.verdicts else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        sys.exit(70)
    except KeyboardInterrupt:
        sys.exit(130)
