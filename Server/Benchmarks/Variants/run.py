#!/usr/bin/env python3
"""The benchmark of small copies. run.sh downloads and builds its dependencies; Server/Benchmarks/README.md describes the method."""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parent.parent.parent
WORK = REPO / ".build-bench"
RELEASE = REPO / ".build-release/release"
sys.path.insert(0, str(HERE.parent))

from likeness import compare  # noqa: E402
from report import machine_facts, spread, verdict  # noqa: E402

FORMATS = ("jpeg", "webp")
BARS = {"vipsthumbnail": 1.2, "thumbor": 0.9}
# One step of quality, from 80 to 79, lowers a JPEG's SSIM by 0.003 and a WebP's by 0.002. A fraction of that is invisible.
NOISE = 0.0005
MEMORY_BAR = 60  # MiB of the server and one worker, idle
MiB = 1024 * 1024


class Lines:
    """A running process on one core that answers each line with a line."""

    def __init__(self, core, *command):
        self.process = subprocess.Popen(
            ["taskset", "-c", str(core), *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"bench: {self.process.args[3]} has died")
        return answer.strip()

    def make(self, format, folder):
        return float(self.ask(f"{format} {folder}"))

    def stop(self):
        self.process.stdin.close()
        self.process.wait(30)


class Vipsthumbnail:
    """vipsthumbnail: one process for all files, which is its intended use. Starting it takes a hundredth of the time."""

    options = {"jpeg": "[Q=80,optimize-coding,strip]", "webp": "[Q=80,effort=2,strip]"}

    def __init__(self, core, files):
        self.core, self.files = core, [str(file) for file in files]

    def make(self, format, folder):
        command = ["taskset", "-c", str(self.core), "vipsthumbnail", "--size", "300x300", "-o", f"{folder}/%s.{format}{self.options[format]}"]
        begun = time.monotonic()
        subprocess.run(command + self.files, check=True, env={**os.environ, "VIPS_CONCURRENCY": "1"})
        return time.monotonic() - begun

    def stop(self):
        pass


def memory(process):
    """Returns a process's Pss and Rss in bytes."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return {name: int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M).group(1)) * 1024 for name in ("Pss", "Rss")}


def idle_server(binary):
    """Returns the memory of `keepsake serve` five seconds after its start, and the memory of its child processes."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([str(binary), "serve", "--host", "127.0.0.1", "--port", "0", "--data", folder], stdout=subprocess.PIPE, text=True)
        try:
            while "listening on" not in (line := process.stdout.readline()):
                if not line:
                    raise SystemExit("bench: keepsake did not start")
            time.sleep(5)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            return memory(process.pid), [memory(child) for child in children]
        finally:
            process.terminate()
            process.wait(20)


def options():
    parser = argparse.ArgumentParser(prog="Server/Benchmarks/Variants/run.sh", description="12-megapixel JPEG to 300 pixels: Keepsake, vipsthumbnail, thumbor.")
    parser.add_argument("--rounds", type=int, default=11, help="measured rounds (default 11); one more warms up")
    parser.add_argument("--quick", action="store_true", help="3 rounds over 10 pictures, to check that everything works")
    parser.add_argument("--core", type=int, default=1 if (os.cpu_count() or 1) > 1 else 0, help="the core that all programs run on")
    parser.add_argument("--worker", type=Path, default=RELEASE / "keepsake-media", help="another worker binary")
    parser.add_argument("--server", type=Path, default=RELEASE / "keepsake", help="another server binary, for its idle memory")
    parser.add_argument("--skip-build", action="store_true", help="use the existing binaries (run.sh)")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for variants.md, .json, .png")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.rounds = 3
    return chosen


def measure(makers, folders, rounds, count):
    """Returns format → label → milliseconds for a picture in each round, and the largest memory of the worker after a round. The programs
    take turns, in a new order in each round."""
    found, used = {format: {label: [] for label in makers} for format in FORMATS}, []
    for number in range(rounds + 1):
        print(f"\r· round {number}/{rounds}", end="", file=sys.stderr, flush=True)
        for format in FORMATS:
            for label in random.sample(list(makers), len(makers)):
                seconds = makers[label].make(format, folders[label])
                if number > 0:
                    found[format][label].append(seconds / count * 1000)
            # The pool may just have replaced the worker, so use the maximum.
            used.append(memory(makers["Keepsake"].ask("worker")))
    print(file=sys.stderr)
    return found, max(used, key=lambda one: one["Rss"])


def table(head, *rows):
    return ["", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def judge(times, likenesses, verdicts):
    lines = []
    for format in FORMATS:
        likeness, walls = likenesses[format], times[format]
        mean = {label: {key: statistics.mean(values) for key, values in found.items()} for label, found in likeness.items()}
        lines += ["", f"## 300 × 225 pixels, {format}, quality 80"] + table(
            ["", "ms a picture: median (min–max)", "SSIM of luma: mean (least)", "SSIM of RGB: mean (least)", "bytes"],
            *[[label, spread(walls[label], "{:.1f}"), f"{mean[label]['luma']:.4f} ({min(likeness[label]['luma']):.4f})",
               f"{mean[label]['rgb']:.4f} ({min(likeness[label]['rgb']):.4f})", f"{mean[label]['bytes']:.0f}"] for label in walls])
        rows = []
        for label, bar in BARS.items():
            if label not in walls:
                continue
            ratios = [theirs / ours for ours, theirs in zip(walls["Keepsake"], walls[label])]
            verdicts.append(verdict(statistics.median(ratios), bar))
            rows.append([f"speed of {label}, round by round: median (min–max)", f"{spread(ratios, '{:.2f}')} ×", f"≥ {bar}", verdicts[-1]])
            for key in ("luma", "rgb"):
                difference = mean["Keepsake"][key] - mean[label][key]
                allowed = -NOISE if label == "vipsthumbnail" else 0
                verdicts.append(verdict(difference, allowed))
                rows.append([f"SSIM ({key}) above {label}'s", f"{difference:+.4f}", f"≥ {allowed}", verdicts[-1]])
        lines += table(["Keepsake against", "", "target", ""], *rows)
    return lines


def plot(times, likenesses, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(9, 4.2), width_ratios=[2, 1], squeeze=False)
    for row, format in enumerate(FORMATS):
        labels = list(times[format])[::-1]
        left, right = axes[row]
        for at, label in enumerate(labels):
            colour, values = "#2f6f4f" if label == "Keepsake" else "#9aa5b1", times[format][label]
            middle = statistics.median(values)
            left.barh(at, middle, height=0.62, color=colour, alpha=0.85)
            left.plot(values, [at] * len(values), "o", color="#1b1f24", markersize=3, alpha=0.55)
            left.text(middle * 0.015, at, f"{middle:.1f}", va="center", color="white", fontsize=9, fontweight="bold")
            right.plot(likenesses[format][label]["luma"], [at] * len(likenesses[format][label]["luma"]), "o", color=colour, markersize=3, alpha=0.6)
            right.plot([statistics.mean(likenesses[format][label]["luma"])], [at], "|", color="#1b1f24", markersize=18)
            if label in BARS:
                goal, ours = middle / BARS[label], labels.index("Keepsake")
                left.plot([goal, goal], [ours - 0.42, ours + 0.42], color="#c0392b", linewidth=2)
        left.set_yticks(range(len(labels)), labels)
        left.set_title(f"{format}: ms a picture on one core", loc="left", fontsize=10)
        right.set_yticks(range(len(labels)), [""] * len(labels))
        right.set_title("SSIM of luma", loc="left", fontsize=10)
        for axis in (left, right):
            for side in ("top", "right"):
                axis.spines[side].set_visible(False)
    axes[1][0].set_xlabel("bar = median, dot = round, red = Keepsake's target")
    axes[1][1].set_xlabel("dot = picture, line = mean")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    chosen = options()
    pictures = sorted((WORK / "photos").glob("*.jpg"))[: 10 if chosen.quick else None]
    scratch = Path(tempfile.mkdtemp(prefix="variants-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    makers = {"Keepsake": Lines(chosen.core, RELEASE / "variant-bench", chosen.worker, *pictures), "vipsthumbnail": Vipsthumbnail(chosen.core, pictures)}
    try:
        import thumbor
        makers["thumbor"] = Lines(chosen.core, sys.executable, "-B", HERE / "peers.py", *pictures)
    except ImportError:
        print("· no thumbor", file=sys.stderr)
    try:
        time.sleep(1)
        worker = makers["Keepsake"].ask("worker")
        fresh = memory(worker)
        folders = {label: scratch / label for label in makers}
        for folder in folders.values():
            folder.mkdir()
        times, used = measure(makers, folders, chosen.rounds, len(pictures))
        print("· SSIM", file=sys.stderr)
        likenesses = {format: compare(pictures, folders, format) for format in FORMATS}
    finally:
        for maker in makers.values():
            maker.stop()
        shutil.rmtree(scratch)

    verdicts = []
    facts = machine_facts(WORK)
    facts = {name: facts[name] for name in ("processor", "kernel")}
    facts["libraries"] = subprocess.run(["vips", "--version"], capture_output=True, text=True).stdout.strip() + ", libjpeg-turbo and libwebp of the system"
    if "thumbor" in makers:
        from PIL import Image, features
        facts["thumbor"] = f"{thumbor.__version__}, Pillow {Image.__version__} with its own libjpeg-turbo {features.version('libjpeg_turbo')}, libwebp {features.version('webp')}"
    facts["pictures"] = f"{len(pictures)} of 4000 × 3000 pixels, {sum(p.stat().st_size for p in pictures) / len(pictures) / 1e6:.1f} MB on average"
    lines = judge(times, likenesses, verdicts)
    rows = [["one worker, fresh", f"{fresh['Rss'] / MiB:.1f}", f"{fresh['Pss'] / MiB:.1f}"], ["one worker, the most after a round", f"{used['Rss'] / MiB:.1f}", f"{used['Pss'] / MiB:.1f}"]]
    lines += ["", "## Idle memory, MiB"]
    if chosen.server.exists():
        server, children = idle_server(chosen.server)
        rows.insert(0, [f"keepsake serve, idle for 5 s{', with ' + str(len(children)) + ' worker counted separately' if children else ''}", f"{server['Rss'] / MiB:.1f}", f"{server['Pss'] / MiB:.1f}"])
        both = (server["Rss"] + fresh["Rss"]) / MiB
        verdicts.append(verdict(both, MEMORY_BAR, at_least=False))
        rows.append(["server and one fresh worker, Rss", f"{both:.1f}", f"≤ {MEMORY_BAR}: {verdicts[-1]}"])
    lines += table(["", "Rss", "Pss"], *rows)
    chosen.out.mkdir(parents=True, exist_ok=True)
    plot(times, likenesses, chosen.out / "variants.png")
    head = ["# A 12-megapixel JPEG becomes 300 pixels", "",
            f"Each program runs as one warm process on core {chosen.core}. They take turns in a new order in each of {chosen.rounds} rounds. A round is all "
            "pictures, from opening the first file to writing the last copy to memory. From `Server/Benchmarks/Variants/run.sh`.", ""]
    text = "\n".join(head + [f"- {name}: {value}" for name, value in facts.items()] + ["", "![ms a picture and SSIM](variants.png)"] + lines) + "\n"
    (chosen.out / "variants.md").write_text(text)
    (chosen.out / "variants.json").write_text(json.dumps({"facts": facts, "milliseconds": times, "likeness": likenesses}, indent=1) + "\n")
    print(text)
    return 1 if chosen.strict and "MISS" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
