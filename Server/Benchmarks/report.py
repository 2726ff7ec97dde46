"""Writes the results as text for the terminal, Markdown for the docs, and a picture."""

import json
import os
import platform
import re
import statistics
import subprocess
import textwrap
from pathlib import Path

MB = 1_000_000
MiB = 1024 * 1024


def spread(values, form="{:.0f}"):
    """Formats values as "median (minimum–maximum)"."""
    return f"{form.format(statistics.median(values))} ({form.format(min(values))}–{form.format(max(values))})"


def verdict(value, bar, at_least=True):
    return "PASS" if (value >= bar if at_least else value <= bar) else "MISS"


def machine_facts(folder):
    """Describes the machine and its kernel, and measures what durability costs on the file system of `folder`."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", cpuinfo)
    sha = " with SHA instructions" if re.search(r"\bsha_ni\b|\bsha2\b", cpuinfo) else " without SHA instructions"
    mount = max(
        (line.split() for line in Path("/proc/self/mounts").read_text().splitlines()
         if Path(folder).resolve().is_relative_to(line.split()[1])), key=lambda fields: len(fields[1]))
    kind = f"{mount[2]} ({mount[3].split(',resuid')[0]})"
    block = Path("/sys/class/block") / Path(mount[0]).name / "queue"
    if block.exists():
        rotating = (block / "rotational").read_text().strip() == "1"
        cache = (block / "write_cache").read_text().strip()
        kind += f" on {Path(mount[0]).name} (reported as {'rotating' if rotating else 'solid state'}), {cache} cache"
    facts = {
        "processor": f"{model.group(1) if model else platform.machine()}, {len(os.sched_getaffinity(0))} cores{sha}",
        "kernel": f"{platform.system()} {platform.release()}",
        "data": kind,
        "disk alone": probe(folder),
        "compilers": ", ".join(filter(None, (first_line(["gcc", "--version"]), first_line([str(_go()), "version"]),
                                             first_line(["openssl", "version"])))),
    }
    return facts


def _go():
    from servers import WORK
    return WORK / "venv" / "bin" / "go"


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return ""


def probe(folder):
    """Times one program that writes and fsyncs 100 MB. This is the disk alone, without network and hashing."""
    import time
    noise, times = os.urandom(256 * 1024), []
    for _ in range(5):
        path = Path(folder) / "probe"
        begun = time.monotonic()
        with open(path, "wb", buffering=0) as file:
            for _ in range(100 * MB // len(noise)):
                file.write(noise)
            written = time.monotonic()
            os.fsync(file.fileno())
        times.append((time.monotonic() - begun, time.monotonic() - written))
        path.unlink()
        os.sync()
    whole, sync = sorted(times)[len(times) // 2]
    return f"100 MB written and fsynced in {whole * 1000:.0f} ms, {sync * 1000:.0f} ms of it the fsync"


def paragraph(text):
    """Returns the lines of a paragraph of Markdown."""
    return textwrap.wrap(text, 160, break_long_words=False, break_on_hyphens=False)


def table(head, rows):
    """Returns the lines of a Markdown table, after an empty line."""
    return ["", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


class Report:
    def __init__(self, title, intro, facts, out):
        self.title, self.intro, self.facts, self.out = title, intro, facts, Path(out)
        self.sections = []  # (heading, table rows, remarks)
        self.panels = []  # (heading, {label: [MB/s]}, [(label, ratio)])
        self.raw = {"facts": facts}
        self.verdicts = []

    def throughput(self, name, heading, byte_count, walls, bars):
        """Adds the results of one comparison. `walls`: label → seconds of each round, rounds in the same order for all; `bars`: Keepsake's
        targets, [(label, ratio or None)]."""
        rates = {label: [byte_count / MB / wall for wall in values] for label, values in walls.items()}
        rows = [["server", "ms: median (min–max)", "MB/s: median (min–max)"]]
        for label, values in walls.items():
            rows.append([label, spread([value * 1000 for value in values]), spread(rates[label])])
        judged = [["Keepsake against", "ratio of MB/s, round by round: median (min–max)", "target", ""]]
        for label, bar in bars:
            if "Keepsake" not in rates or label not in rates:
                continue
            ratios = [ours / theirs for ours, theirs in zip(rates["Keepsake"], rates[label])]
            outcome = verdict(statistics.median(ratios), bar) if bar else ""
            self.verdicts.append(outcome)
            judged.append([label, spread(ratios, "{:.2f}"), f"≥ {bar}" if bar else "", outcome])
        self.sections.append((heading, [rows, judged], []))
        self.panels.append((heading, rates, bars))
        self.raw[name] = walls

    def memory(self, heading, measured, bar):
        """Adds the memory of all servers. `measured`: label → {"before", "warm", "VmHWM", "RssAnon", "Pss", "workers"} in bytes."""
        rows = [["server", "idle, fresh", "idle, after one", "peak", "above fresh idle", "above warm idle", "peak anonymous", "peak Pss"]]
        for label, m in measured.items():
            rows.append([label] + [f"{value / MiB:.1f}" for value in (
                m["before"], m["warm"], m["VmHWM"], m["VmHWM"] - m["before"], m["VmHWM"] - m["warm"], m["RssAnon"], m["Pss"])])
        judged = [["Keepsake", "MiB", "target", ""]]
        remarks = ["MiB of the server's process. At rest it is VmRSS of /proc/PID/status; at the peak it is VmHWM (the kernel's high-water "
                   "mark, reset before). RssAnon and Pss are sampled every 20 ms. The target applies to the peak above fresh idle, which "
                   "is the stricter one."]
        if "Keepsake" in measured:
            m = measured["Keepsake"]
            above = (m["VmHWM"] - m["before"]) / MiB
            outcome = verdict(above, bar, at_least=False)
            self.verdicts.append(outcome)
            judged.append(["peak above fresh idle", f"{above:.1f}", f"≤ {bar}", outcome])
            if m["workers"]:
                remarks.append(f"Its worker processes, counted separately: {m['workers'] / MiB:.1f} MiB at their peak.")
        self.sections.append((heading, [rows, judged], remarks))
        self.raw["memory"] = measured

    # MARK: Writing

    def text(self):
        lines = [self.title, ""]
        lines += [f"  {name}: {value}" for name, value in self.facts.items()]
        for heading, tables, remarks in self.sections:
            lines += ["", heading]
            for table in tables:
                if len(table) > 1:
                    lines += [""] + _aligned(table)
            lines += [f"  {remark}" for remark in remarks]
        return "\n".join(lines)

    def markdown(self, picture):
        lines = [f"# {self.title}", "", self.intro, ""]
        lines += [f"- {name}: {value}" for name, value in self.facts.items()]
        if picture:
            lines += ["", f"![MB/s of each server, every round a dot]({picture})"]
        for heading, tables, remarks in self.sections:
            lines += ["", f"## {heading}"]
            for table in tables:
                if len(table) > 1:
                    head, *rows = table
                    lines += ["", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
                    lines += ["| " + " | ".join(row) + " |" for row in rows]
            lines += [""] + remarks if remarks else []
        return "\n".join(lines) + "\n"

    def write(self, name):
        self.out.mkdir(parents=True, exist_ok=True)
        picture = self.plot(self.out / f"{name}.png")
        (self.out / f"{name}.md").write_text(self.markdown(f"{name}.png" if picture else None))
        (self.out / f"{name}.json").write_text(json.dumps(self.raw, indent=1) + "\n")
        return [self.out / f"{name}.{kind}" for kind in ("md", "json", *(["png"] if picture else []))]

    def plot(self, path):
        try:
            import matplotlib
            matplotlib.use("Agg")
            from matplotlib import pyplot
        except ImportError:
            return False
        figure, axes = pyplot.subplots(
            len(self.panels), 1, figsize=(8, 0.6 + sum(0.75 + 0.42 * len(rates) for _, rates, _ in self.panels)),
            sharex=True, squeeze=False, height_ratios=[0.9 + len(rates) for _, rates, _ in self.panels])
        for axis, (heading, rates, bars) in zip(axes[:, 0], self.panels):
            labels = list(rates)[::-1]
            for row, label in enumerate(labels):
                colour = "#2f6f4f" if label == "Keepsake" else "#9aa5b1"
                middle = statistics.median(rates[label])
                axis.barh(row, middle, height=0.62, color=colour, alpha=0.85)
                axis.plot(rates[label], [row] * len(rates[label]), "o", color="#1b1f24", markersize=3, alpha=0.55)
                axis.text(middle * 0.015, row, f"{middle:.0f}", va="center", color="white", fontsize=9, fontweight="bold")
            if "Keepsake" in labels:
                row = labels.index("Keepsake")
                goals = sorted((ratio * statistics.median(rates[label]), f"{ratio} × {label}") for label, ratio in bars if label in rates and ratio)
                for number, (goal, text) in enumerate(goals):
                    axis.plot([goal, goal], [row - 0.42, row + 0.42], color="#c0392b", linewidth=2)
                    # Two targets may be close together, so their labels extend in opposite directions.
                    side = "center" if len(goals) == 1 else "right" if number == 0 else "left"
                    axis.text(goal, row + 0.5, text, color="#c0392b", fontsize=7, ha=side, va="bottom")
                axis.set_ylim(-0.6, len(labels) - 0.1)
            axis.set_yticks(range(len(labels)), labels)
            axis.set_title(heading, loc="left", fontsize=10)
            for side in ("top", "right"):
                axis.spines[side].set_visible(False)
        axes[-1, 0].set_xlim(left=0)
        axes[-1, 0].set_xlabel("MB/s: bar = median, dot = round, red = Keepsake's target")
        figure.tight_layout()
        figure.savefig(path, dpi=150)
        return True


def _aligned(table):
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return ["  " + "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                             for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in table]
