#!/usr/bin/env python3
"""The S3 benchmark. run.sh downloads and builds its dependencies; Server/Benchmarks/README.md describes the method."""

import argparse
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from load import Load, Progress, measure_memory, mp4_head  # noqa: E402
from report import MB, Report, machine_facts  # noqa: E402
from servers import REPO, WORK, Failure  # noqa: E402
from store import PORT, Copy, Ours, Store, Warm, link_of, read  # noqa: E402

# Targets for the ratio of Keepsake's MB/s to a peer's; None prints the ratio without a verdict.
UPLOAD_BARS = [("aws s3 cp", 0.8), ("aws's transfer library, warm", None)]
READ_BARS = [("radosgw", 0.7)]
MEMORY_BAR = 48  # MiB above idle, while eight requests arrive
LARGE = 50 * MB


def options():
    parser = argparse.ArgumentParser(
        prog="Server/Benchmarks/S3/run.sh", description="Keepsake with its files in radosgw, compared with aws s3 cp and with radosgw itself.")
    parser.add_argument("--quick", action="store_true", help="2 rounds, to check that everything works")
    parser.add_argument("--rounds", type=int, default=7, help="measured rounds (default 7)")
    parser.add_argument("--warm-ups", type=int, default=1, help="rounds to warm up, not counted (default 1)")
    parser.add_argument("--megabytes", type=float, default=100, help="MB (10⁶ bytes) a request, in two files (default 100)")
    parser.add_argument("--at-once", type=int, default=8, help="concurrent uploads in the second part (default 8)")
    parser.add_argument("--seconds", type=float, default=3, help="seconds that each server is read in a round (default 3)")
    parser.add_argument("--store", choices=("memstore", "bluestore"), default="memstore", help="where Ceph keeps objects (default memstore: memory)")
    parser.add_argument("--gigabytes", type=int, default=6, help="size of that store in GiB (default 6)")
    parser.add_argument("--keepsake", type=Path, help="another keepsake binary")
    parser.add_argument("--skip-build", action="store_true", help="use the existing keepsake binary (run.sh)")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for s3.md, .json, .png")
    parser.add_argument("--result", type=Path, help="also write the Markdown to this file and the picture beside it: docs/results/023-s3.md")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.rounds, chosen.seconds = 2, 1
    if chosen.rounds < 1 or not 1 <= chosen.megabytes <= 104:
        parser.error("--rounds must be at least 1, --megabytes 1 to 104")  # a file may have 50 MiB
    return chosen


def rounds(chosen, running, measure, progress, name):
    """Runs interleaved rounds, each in a new order. Returns label → seconds of each measured round."""
    walls = {label: [] for label, _ in running}
    for number in range(chosen.warm_ups + chosen.rounds):
        for label, one in random.sample(running, len(running)):
            progress.step(f"{name}: {label}")
            wall = measure(one)
            if number >= chosen.warm_ups:
                walls[label].append(wall)
    return walls


def reading(chosen, store, ours, folder, progress, report):
    """Measures reads of a file of 50 MB: Keepsake's by a signed link, radosgw's by a presigned one."""
    path = folder / "film.mp4"
    head = mp4_head(LARGE)
    path.write_bytes(head + random.randbytes(LARGE - len(head)))
    link = link_of(ours, path)
    store.client.upload_file(str(path), store.bucket, "read/film.mp4")
    signed = store.client.generate_presigned_url("get_object", {"Bucket": store.bucket, "Key": "read/film.mp4"}, ExpiresIn=36_000)
    places = [("Keepsake", (ours.port, link)), ("radosgw", (PORT, "/" + signed.split("/", 3)[3]))]
    for _, (port, place) in places:
        found = subprocess.run(["curl", "--silent", "--fail", f"http://127.0.0.1:{port}{place}"], capture_output=True).stdout
        if found != path.read_bytes():
            raise Failure(f"the server at port {port} sends other bytes: {len(found)}")
    for connections in (1, 4):
        name = f"GET of 50 MB, {connections} connection{'s' if connections > 1 else ''}"
        walls = rounds(chosen, places, lambda place: read(*place, LARGE, connections, chosen.seconds), progress, name)
        report.throughput(f"get-{connections}", name, LARGE, walls, READ_BARS)


def main():
    chosen = options()
    if chosen.keepsake:
        Ours.binary = chosen.keepsake.resolve()
    if not Ours.binary.exists():
        raise Failure(f"{Ours.binary} does not exist: build it, or name one with --keepsake")
    parent = WORK / "s3-data"
    shutil.rmtree(parent, ignore_errors=True)
    parent.mkdir(parents=True)
    size = int(chosen.megabytes * MB / 2)
    turns = chosen.warm_ups + chosen.rounds
    progress = Progress(turns * (3 + 3 + 2 + 2) + 2)
    load = Load(size, 2)
    store = Store(chosen.store, chosen.gigabytes << 30)
    running = []
    try:
        progress.step("starting radosgw")
        store.start()
        facts = machine_facts(parent)
        facts["store"] = (f"radosgw of {store.version()}, one monitor, one OSD with "
                          + ("objects in memory (memstore)" if chosen.store == "memstore" else "objects in a file (bluestore)"))
        aws = subprocess.run([str(Path(sys.executable).parent / "aws"), "--version"], capture_output=True, text=True).stdout.split()
        facts["AWS client"] = f"{aws[0] if aws else 'aws'}, default settings, without the checksums that this radosgw does not know"
        words = [word for word in sys.argv[1:] if word.startswith("--quick") or word in ("--store", "bluestore")]
        report = Report(
            f"Files in an object store: uploads of {chosen.megabytes:g} MB and reads of 50 MB",
            f"Keepsake stores its files in radosgw, Ceph's S3 server, on the same machine. The peers send the same files to the same radosgw: "
            f"`aws s3 cp --recursive` of a folder with the two files, one process for each upload, and the library behind it (boto3) in processes that "
            f"run already. Keepsake receives both files as one multipart request, hashes and inspects them, sends them on, and responds when "
            f"they and their rows are stored. All of them take turns in a new order in each of {chosen.rounds} rounds, after {chosen.warm_ups} to warm up, "
            "each with new bytes. Afterwards the benchmark reads every object back, compares its hash, and deletes it. MB are 10⁶ bytes. "
            f"From `Server/Benchmarks/S3/run.sh{''.join(' ' + word for word in words)}`.",
            facts, chosen.out)
        Ours.store = store
        # Measure memory first, on a fresh server.
        found = {"Keepsake": measure_memory(Ours, parent, None, load, chosen.at_once, progress)}
        ours, copy, warm = Ours(parent), Copy(store), Warm(store, chosen.at_once)
        for one in (ours, copy, warm):
            running.append(one)
            one.start()
        contenders = [(one.label, one) for one in running]
        for name, heading, count in (("one", "One upload at a time", 1), ("many", f"{chosen.at_once} uploads at once", chosen.at_once)):
            walls = rounds(chosen, contenders, lambda one: one.upload(load, count), progress, heading)
            report.throughput(name, heading, 2 * size * count, walls, UPLOAD_BARS)
        report.memory(f"Memory while {chosen.at_once} uploads arrive at once", found, MEMORY_BAR)
        reading(chosen, store, ours, load.folder, progress, report)
    finally:
        progress.end()
        for one in running:
            one.stop()
        store.stop()
        load.close()
        shutil.rmtree(parent, ignore_errors=True)
        shutil.rmtree(store.folder, ignore_errors=True)
    print(report.text())
    print()
    for path in report.write("s3"):
        print(f"wrote {path.relative_to(REPO) if path.is_relative_to(REPO) else path}")
    if chosen.result:
        shutil.copy(chosen.out / "s3.md", chosen.result)
        if (chosen.out / "s3.png").exists():
            shutil.copy(chosen.out / "s3.png", chosen.result.parent / "s3.png")
        print(f"wrote {chosen.result}")
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
