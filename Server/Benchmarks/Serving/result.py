"""Judges and shows the results of the serving benchmark: Markdown, and a picture."""

import json
import statistics
import subprocess
import textwrap

from contenders import MODULES, NODE, WORK, nginx
from report import first_line, machine_facts, spread, verdict

GO, BARE, OURS, EXPRESS, NGINX = "Go net/http, equal work", "Go net/http, checks nothing", "Keepsake", "Express", "nginx"
# Targets for Keepsake's rate as a multiple of a peer's.
SMALL_RATIOS = {"20 KB": {GO: 0.6, EXPRESS: 3}, "page of 20 moods": {BARE: 0.45}}
LARGE_RATIOS = {"plain": {GO: 0.9, NGINX: 0.8}, "tls": {GO: 0.8}, "h2": {GO: 0.8}}
PAGE_RATIO = 2  # on PostgreSQL, as a multiple of Express's rate
CREATION_BAR = 400  # moods a second of one client on PostgreSQL
# Targets for Keepsake's processor time for a request, in µs.
COSTS = {"20 KB": 100, "304": 80, "401": 80, "404": 80, "/health/live": 40, "/user/me": 75}
MEMORY_BAR = 0.3  # MB (10⁶ bytes) of a connection above a fresh, idle server
IDLE_BARS = {"server": 45, "with its workers": 60}  # MB when idle; after a mixed load at most 1.5 times as much
PROTOCOLS = {"plain": "HTTP/1.1", "tls": "TLS", "h2": "HTTP/2 over TLS"}
CORES = {"one": "one core", "both": "both cores"}


def facts(chosen, cores):
    found = {name: value for name, value in machine_facts(WORK).items() if name in ("processor", "kernel", "compilers")}
    node = first_line([str(NODE), "--version"])
    express = json.loads((MODULES / "express" / "package.json").read_text())["version"]
    found["nginx"] = nginx_version()
    found["Express"] = f"{express} on Node {node}, one process a core"
    found["load"] = (
        f"wrk {first_line(['wrk', '-v']).split()[1]}, {chosen.connections} connections, each sends its next request as soon as it has a response; "
        f"for files of 50 MB a client that discards bytes (peers/read.c), 4 connections. Servers on core {cores[0]} and client on core {cores[-1]}, "
        "then all of them on both")
    found["Keepsake"] = f"default settings and limits, log level {chosen.log}, without rate limits"
    return found


def nginx_version():
    return subprocess.run([nginx(), "-v"], capture_output=True, text=True).stderr.strip().removeprefix("nginx version: ")


# MARK: - Judging


class Judge:
    """Collects targets: [what, found, target, verdict]."""

    def __init__(self):
        self.verdicts = []

    def ratio(self, what, found, peer, bar):
        ratios = [ours["rate"] / theirs["rate"] for ours, theirs in zip(found[OURS], found[peer])]
        return self.row(f"{what}: rate as a multiple of {peer}", spread(ratios, "{:.2f}") + " ×", statistics.median(ratios), bar)

    def cost(self, what, rounds, bar):
        values = [one["cpu"] for one in rounds]
        return self.row(f"{what}: µs of processor a request", spread(values), statistics.median(values), bar, at_least=False)

    def row(self, what, text, value, bar, at_least=True):
        self.verdicts.append(verdict(value, bar, at_least))
        return [what, text, f"{'≥' if at_least else '≤'} {bar}", self.verdicts[-1]]


def table(head, rows):
    return ["", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


TARGETS = ["Keepsake, round by round: median (min–max)", "", "target", ""]


def small(found, judge):
    rows, targets = [], []
    for name, work in found.items():
        for label, rounds in work.items():
            rows.append([name, label, spread([one["rate"] for one in rounds]), spread([one["cpu"] for one in rounds]),
                         f"{median(rounds, 'p50'):.2f}", f"{median(rounds, 'p99'):.2f}"])
        targets += [judge.ratio(name, work, peer, bar) for peer, bar in SMALL_RATIOS.get(name, {}).items()]
        if name in COSTS:
            targets.append(judge.cost(name, work[OURS], COSTS[name]))
    return table(["", "", "requests a second: median (min–max)", "processor µs a request", "ms, p50", "ms, p99"], rows) + table(TARGETS, targets)


def large(found, judge):
    rows, targets = [], []
    for kind, work in found.items():
        for label, rounds in work.items():
            rows.append([PROTOCOLS[kind], label, spread([one["rate"] / 1000 for one in rounds], "{:.2f}"),
                         spread([one["cpu"] for one in rounds], "{:.1f}"), f"{median(rounds, 'busy') * 100:.0f} %"])
        targets += [judge.ratio(f"50 MB, {PROTOCOLS[kind]}", work, peer, bar) for peer, bar in LARGE_RATIOS[kind].items()]
    return table(["50 MB", "", "GB/s: median (min–max)", "processor ms a file", "client busy"], rows) + table(TARGETS, targets)


def memory(found, judge):
    rows, targets = [], []
    for kind, connections, rate, work in found:
        what = f"{PROTOCOLS[kind]}, {connections} clients, {'100 KB/s' if rate else 'fast'}"
        for label, one in work.items():
            rows.append([what, label, *(f"{one[name] / 1e6:.1f}" for name in ("fresh", "warm", "peak", "anonymous")),
                         f"{each(one, 'fresh', connections):.3f}", f"{each(one, 'warm', connections):.3f}", f"{one['rate']:.0f}", str(one["starved"])])
        value, starved = each(work[OURS], "fresh", connections), work[OURS]["starved"]
        targets.append(judge.row(f"{what}: MB a connection above fresh idle", f"{value:.3f}", value, MEMORY_BAR, at_least=False))
        if starved:  # In this case, the memory belongs to fewer clients.
            targets.append(judge.row(f"{what}: clients that received nothing", str(starved), starved, 0, at_least=False))
    return table(
        ["", "", "MB, fresh", "after one file", "peak", "peak anonymous", "a connection, above fresh", "above after one", "MB/s", "clients without a byte"],
        rows) + table(["Keepsake", "", "target", ""], targets)


def each(one, idle, connections):
    return (one["peak"] - one[idle]) / 1e6 / connections


def postgres(found, judge):
    rows, targets = [], []
    for cores, work in found.items():
        for label, rounds in work["page"].items():
            rows.append([f"page of 20 moods on PostgreSQL, {CORES[cores]}", label, spread([one["rate"] for one in rounds]),
                         spread([one["cpu"] for one in rounds]), f"{median(rounds, 'p50'):.2f}", f"{median(rounds, 'p99'):.2f}"])
        for engine, rounds in work["create"].items():
            rows.append([f"moods created by one client on {engine}, {CORES[cores]}", OURS, spread([one["rate"] for one in rounds]),
                         spread([one["cpu"] for one in rounds]), f"{median(rounds, 'p50'):.2f}", f"{median(rounds, 'p99'):.2f}"])
        targets.append(judge.ratio(f"page of 20 moods on PostgreSQL, {CORES[cores]}", work["page"], EXPRESS, PAGE_RATIO))
        rates = [one["rate"] for one in work["create"]["PostgreSQL"]]
        targets.append(judge.row(
            f"moods a second of one client on PostgreSQL, {CORES[cores]}", spread(rates), statistics.median(rates), CREATION_BAR))
    return table(["", "", "a second: median (min–max)", "processor µs a request", "ms, p50", "ms, p99"], rows) + table(TARGETS, targets)


def mixed(found, judge):
    rows, targets = [], []
    for name, bar in IDLE_BARS.items():
        parts = ("server",) if name == "server" else ("server", "workers")
        idle, after, most = (
            sum(one[part] for part in parts) / 1e6
            for one in (found["idle"], found["after"], max(found["minutes"], key=lambda one: sum(one[part] for part in parts))))
        rows.append([name, f"{idle:.1f}", f"{most:.1f}", f"{after:.1f}"])
        targets += [
            judge.row(f"{name}, idle: MB", f"{idle:.1f}", idle, bar, at_least=False),
            judge.row(f"{name}, a minute after the load: MB", f"{after:.1f}", after, 1.5 * bar, at_least=False)]
    return table(["MB", "idle", "most, once a minute", "a minute after the load"], rows) + table(["Keepsake", "", "target", ""], targets)


def median(rounds, name):
    return statistics.median(one[name] for one in rounds)


def paragraph(text):
    return textwrap.wrap(text, 160, break_long_words=False, break_on_hyphens=False)


def markdown(found, chosen):
    judge = Judge()
    lines = ["# Serving files and small responses", ""] + paragraph(
        "Keepsake and Go's `http.ServeContent` check the same link, read the same row from SQLite and send the same file; so does Express with "
        "`response.sendFile`. A second Go and nginx check nothing. The servers take turns in a new order in each of "
        f"{chosen.rounds} rounds of {chosen.seconds:g} s, after one round to warm up. Processor time is utime and stime of the server's process and its "
        f"children. From `Server/Benchmarks/Serving/run.sh{' --quick' if chosen.quick else ''}`.") + [""]
    for name, value in found["facts"].items():
        lines += textwrap.wrap(f"- {name}: {value}", 160, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    lines += ["", "![Serving](serving.png)"]
    for cores, parts in found["cores"].items():
        where = "Servers on one core, the client on another" if cores == "one" else "Servers and client on both cores"
        lines += ["", f"## {where}"]
        if "small" in parts:
            lines += small(parts["small"], judge)
        if "large" in parts:
            lines += large(parts["large"], judge)
    if found["memory"]:
        lines += ["", "## Memory while clients read 50 MB", ""] + paragraph(
            f"Each server is started for each line, on both cores. Clients read for {chosen.memory_seconds:g} s, each from its own loopback address. MB are "
            "10⁶ bytes of the server's process (nginx and Express: of all their processes; Keepsake's media worker does not count): VmRSS at rest, VmHWM "
            "at the peak. The target applies to the peak above fresh idle, which is the stricter one.")
        lines += memory(found["memory"], judge)
    if found["postgres"]:
        lines += ["", "## Moods on PostgreSQL"] + postgres(found["postgres"], judge)
    if found["mixed"]:
        lines += ["", "## Memory after a mixed load", ""] + paragraph(
            f"Eight accounts upload photos of 12 megapixels, read smaller copies and originals, write moods, read lists, search and delete for "
            f"{found['mixed']['seconds'] / 60:.0f} minutes: {found['mixed']['requests']:,} requests. MB are 10⁶ bytes of VmRSS.")
        lines += mixed(found["mixed"], judge)
    return "\n".join(lines) + "\n", judge.verdicts


# MARK: - Picture


def plot(found, path):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return
    panels = []  # (title, [(label, values, is ours)], [(label of the row, target, text)])
    for cores, parts in found["cores"].items():
        if "small" in parts:
            work = parts["small"]["20 KB"]
            panels.append((f"20 KB, {CORES[cores]}: requests a second", bars(work, "rate"), goals(work, SMALL_RATIOS["20 KB"])))
        for kind, work in parts.get("large", {}).items():
            panels.append((f"50 MB over {PROTOCOLS[kind]}, {CORES[cores]}: GB/s", bars(work, "rate", 1e-3), goals(work, LARGE_RATIOS[kind], 1e-3)))
    for cores, parts in found["cores"].items():
        if "small" in parts:
            panels.append((
                f"Keepsake, {CORES[cores]}: processor µs a request",
                [(name, [one["cpu"] for one in work[OURS]], True) for name, work in parts["small"].items()],
                [(name, bar, "") for name, bar in COSTS.items()]))
    if found["memory"]:
        for connections in sorted({one[1] for one in found["memory"]}):
            rows = [(f"{PROTOCOLS[kind]}, {'100 KB/s' if rate else 'fast'}", [each(work[OURS], "fresh", connections)], True)
                    for kind, count, rate, work in found["memory"] if count == connections]
            panels.append((f"Keepsake, {connections} clients: MB a connection above idle", rows, [(row[0], MEMORY_BAR, "") for row in rows]))
    for cores, work in found["postgres"].items():
        panels.append((
            f"20 moods on PostgreSQL, {CORES[cores]}: pages a second", bars(work["page"], "rate"),
            goals(work["page"], {EXPRESS: PAGE_RATIO})))
    if found["mixed"]:
        values = [("idle", found["mixed"]["idle"]), *((f"minute {at + 1}", one) for at, one in list(enumerate(found["mixed"]["minutes"]))[9::10]),
                  ("a minute after", found["mixed"]["after"])]
        panels.append(("A mixed load: MB of the server", [(name, [one["server"] / 1e6], True) for name, one in values], []))
    columns = 2
    lines = -(-len(panels) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(11, 2.1 * lines), squeeze=False)
    for axis in axes.flat[len(panels):]:
        axis.set_axis_off()
    for axis, (title, rows, targets) in zip(axes.flat, panels):
        labels = [row[0] for row in rows][::-1]
        most = 0
        for at, (label, values, is_ours) in enumerate(rows[::-1]):
            middle = statistics.median(values)
            axis.barh(at, middle, height=0.62, color="#2f6f4f" if is_ours else "#9aa5b1", alpha=0.85)
            axis.plot(values, [at] * len(values), "o", color="#1b1f24", markersize=2.5, alpha=0.5)
            own = sorted((target for target in targets if target[0] == label), key=lambda target: target[1])
            for number, (_, goal, text) in enumerate(own):
                axis.plot([goal, goal], [at - 0.42, at + 0.42], color="#c0392b", linewidth=2)
                # Two targets may be close together, so their labels extend in opposite directions.
                side = "center" if len(own) == 1 else "right" if number == 0 else "left"
                axis.text(goal, at + 0.43, text if len(own) == 1 else f"{text}  " if number == 0 else f"  {text}", color="#c0392b", fontsize=6, ha=side, va="bottom")
            end = max([*values, *(target[1] for target in own)])
            most = max(most, end)
            form = "{:.0f}" if middle >= 100 else "{:.1f}" if middle >= 10 else "{:.2f}"
            axis.text(end, at, "  " + form.format(middle), va="center", fontsize=8, fontweight="bold")
        axis.set_yticks(range(len(labels)), labels, fontsize=8)
        axis.set_ylim(-0.6, len(labels) - 0.1)
        axis.set_xlim(0, most * 1.15)
        axis.tick_params(axis="x", labelsize=7)
        axis.set_title(title, loc="left", fontsize=9)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    figure.text(0.01, 0.002, "bar = median, dot = round, red = Keepsake's target", fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def bars(work, name, factor=1.0):
    return [(label, [one[name] * factor for one in rounds], label == OURS) for label, rounds in work.items()]


def goals(work, ratios, factor=1.0):
    return [(OURS, bar * median(work[peer], "rate") * factor, f"{bar} × {peer.removeprefix('Go net/http, ')}") for peer, bar in ratios.items()]
