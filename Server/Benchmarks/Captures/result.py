"""Judges and shows the results of the benchmark of captures: Markdown, and a picture."""

import statistics
import textwrap

from report import machine_facts, paragraph, spread, table, verdict
from servers import WORK

OURS, GO = "Keepsake", "Go, one log"
DELAYED_BAR = 5_000  # acknowledgements a second, each sync delayed by 2 ms
RATIO = 0.5  # of the Go program's rate, without the delay
BACKLOG_BAR = 2  # seconds until a backlog is acknowledged


def facts(chosen):
    found = machine_facts(WORK)
    found["load"] = (
        "64 sockets of 64 accounts, from a Go client (load.go) on the same cores; a capture has 102 letters of text. Each server is started "
        f"for each round on empty data, {chosen.seconds / 4:g} s warm it up, then the clock runs for {chosen.seconds:g} s")
    found["Keepsake"] = "SQLite, default settings, log level info; without rate limits, except for the backlog"
    return found


class Judge:
    def __init__(self):
        self.verdicts = []

    def row(self, what, values, form, bar, at_least=True, unit=""):
        self.verdicts.append(verdict(statistics.median(values), bar, at_least))
        return [what, spread(values, form) + unit, f"{'≥' if at_least else '≤'} {bar:,}{unit}", self.verdicts[-1]]


def named(key):
    delay, window = (int(part) for part in key.split("/"))
    return (f"each sync {delay // 1000} ms later" if delay else "syncs as they are") + f", {window} at a time"


def of(rounds, name):
    return [one[name] for one in rounds]


def ratios(work):
    return [ours["rate"] / theirs["rate"] for ours, theirs in zip(work[OURS], work[GO])]


def markdown(found, chosen):
    judge = Judge()
    lines = ["# Acknowledgements of captures", ""] + paragraph(
        "A capture is acknowledged when its row, its event and its job are durable. The Go program (peer.go) speaks the same WebSocket protocol and "
        "appends the same three records to one file, which it syncs once for all captures that have arrived meanwhile. The servers take turns in a new "
        f"order in each of {chosen.rounds} rounds, after one round to warm up. Keepsake runs its jobs at the same time; the Go program only stores "
        "them. After each round the server is killed, and what it acknowledged is counted in its database or log. "
        f"From `Server/Benchmarks/Captures/run.sh{' --quick' if chosen.quick else ''}`.") + [""]
    for name, value in found["facts"].items():
        lines += textwrap.wrap(f"- {name}: {value}", 160, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    lines += ["", "![Captures](captures.png)", "", "## Acknowledgements a second", ""] + paragraph(
        "A delayed sync is one that takes 2 ms longer, by a library that is loaded before the C library (delay.c); the Go program waits that long itself. "
        "\"16 at a time\": a socket has at most 16 captures that are not acknowledged yet. Processor time is that of the server and its children for each "
        "capture, jobs that ran meanwhile included. \"Client\" is the client's share of the two cores.")
    rows, targets = [], []
    for key, work in found["rates"].items():
        for label, rounds in work.items():
            syncs = [one["acks"] / one["syncs"] for one in rounds if one["syncs"]]
            rows.append([
                named(key), label, spread(of(rounds, "rate")), spread(of(rounds, "cpu")), f"{statistics.median(of(rounds, 'p50')):.1f}",
                f"{statistics.median(of(rounds, 'p99')):.1f}", f"{statistics.median(syncs):.1f}" if syncs else "",
                f"{statistics.median([one['client'] / one['seconds'] / 2 for one in rounds]) * 100:.0f} %"])
        if key.startswith("0/"):
            targets.append(judge.row(f"{named(key)}: as a multiple of {GO}", ratios(work), "{:.2f}", RATIO, unit=" ×"))
        else:
            targets.append(judge.row(f"{named(key)}: acknowledgements a second", of(work[OURS], "rate"), "{:.0f}", DELAYED_BAR))
    lines += table(["", "", "a second: median (min–max)", "processor µs", "ms, p50", "ms, p99", "acknowledged a sync", "client"], rows)
    lines += table(["Keepsake, round by round: median (min–max)", "", "target", ""], targets)
    lines += ["", "## One phone's backlog of 1,000", ""] + paragraph(
        "One socket sends 1,000 captures at once, to a server with its usual rate limits. The clock runs from the first byte to the last acknowledgement.")
    lines += table(["Keepsake, round by round: median (min–max)", "", "target", ""], [
        judge.row("each sync 2 ms later" if int(delay) else "syncs as they are", of(rounds, "seconds"), "{:.2f}", BACKLOG_BAR, False, " s")
        for delay, rounds in found["backlog"].items()])
    lines += ["", "## What a capture costs", ""] + paragraph(
        "Processor time of the server and its children from the first byte until all captures are processed by the local engine: acknowledgement, "
        "analysis, contacts, index, its hour, `memory_processed`; with a photo also the upload, its scan by type, and the reading of its text.")
    acknowledged = next((work[OURS] for key, work in found["rates"].items() if key == "0/16"), None)
    rows = [["acknowledgement alone, with the jobs that ran meanwhile", "", f"{statistics.median(of(acknowledged, 'cpu')) / 1e3:.2f}", ""]] \
        if acknowledged else []
    rows += [[name, f"{one['count']:,}", f"{one['cpu']:.2f}", f"{one['count'] / one['seconds']:.0f}"] for name, one in found["processing"].items()]
    lines += table(["", "captures", "processor ms a capture", "processed a second"], rows)
    return "\n".join(lines) + "\n", judge.verdicts


def plot(found, path):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 4.4), squeeze=False)
    for axis, (key, work) in zip(axes.flat, found["rates"].items()):
        goal = RATIO * statistics.median(of(work[GO], "rate")) if key.startswith("0/") else DELAYED_BAR
        most = goal
        for at, label in enumerate((GO, OURS)):
            values = of(work[label], "rate")
            axis.barh(at, statistics.median(values), height=0.6, color="#2f6f4f" if label == OURS else "#9aa5b1", alpha=0.85)
            axis.plot(values, [at] * len(values), "o", color="#1b1f24", markersize=2.5, alpha=0.5)
            axis.text(max(values), at, f"  {statistics.median(values):,.0f}", va="center", fontsize=8, fontweight="bold")
            most = max(most, *values)
        axis.plot([goal, goal], [0.6, 1.4], color="#c0392b", linewidth=2)
        axis.set_yticks([0, 1], [GO, OURS], fontsize=8)
        axis.set_xlim(0, most * 1.18)
        axis.tick_params(axis="x", labelsize=7)
        axis.set_title(f"{named(key)}: acknowledgements a second", loc="left", fontsize=9)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    figure.text(0.01, 0.002, "bar = median, dot = round, red = Keepsake's target", fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
