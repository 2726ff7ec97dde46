#!/usr/bin/env python3
"""A page of 20 events of a cove: Keepsake against Express, on SQLite and on PostgreSQL. run.sh starts it after the list benchmark."""

import argparse
import base64
import json
import os
import random
import shutil
import sqlite3
import statistics
import sys
import urllib.request
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from report import first_line, machine_facts, spread, verdict  # noqa: E402
from run import MODULES, NODE, URL, Listed, Peer, ask, measure, table  # noqa: E402
from servers import WORK, Failure  # noqa: E402
from tables import fill_postgres, fill_sqlite, new_database, postgres_secrets  # noqa: E402

# The target for the ratio of Keepsake's requests a second to Express's.
BAR = 2
ENGINES = ("SQLite", "PostgreSQL")
DATABASE = "keepsake_bench"
NOW = 1_796_070_000_000_000  # microseconds


class CoveListed(Listed):
    database = None

    def environment(self):
        return {**super().environment(), **({"KEEPSAKE_DATABASE": self.database} if self.database else {})}


class CoveExpress(Peer):
    label = "Express"

    def command(self):
        return [str(NODE), "--no-warnings", str(HERE / "peers" / "coves.cjs")]

    def environment(self):
        if not self.told["database"].startswith("postgres:"):
            return super().environment()
        peer = self.folder / "peer.json"
        peer.write_text(json.dumps(self.told))
        return {**os.environ, "PEER": str(peer), "NODE_PATH": str(MODULES), "NODE_ENV": "production"}


def options():
    parser = argparse.ArgumentParser(prog="Server/Benchmarks/Lists/coves.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="measured rounds (default 9); one more warms up")
    parser.add_argument("--seconds", type=float, default=5, help="seconds for each server in each round (default 5)")
    parser.add_argument("--connections", type=int, default=16, help="persistent connections, each with one request at a time (default 16)")
    parser.add_argument("--events", type=int, default=10_000, help="events of the cove (default 10,000)")
    parser.add_argument("--engine", choices=ENGINES, help="only this engine")
    parser.add_argument("--quick", action="store_true", help="3 rounds of 2 s, to check that everything works")
    parser.add_argument("--keepsake", type=Path, help="another keepsake binary")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for coves.md and .json")
    # run.sh passes all of its own arguments to this program, so ignore unknown ones.
    chosen, _ = parser.parse_known_args()
    if chosen.quick:
        chosen.rounds, chosen.seconds = 3, 2
    return chosen


def rows(viewer, events, seed=2):
    """Makes a cove with a cover, 500 members with names, `events` events (some with covers), and answers to them. Returns the cove's id and
    a list of (table, columns, rows)."""
    chance = random.Random(seed)
    identifier = lambda: str(uuid.UUID(int=chance.getrandbits(128), version=4))
    cove, people = identifier(), [identifier() for _ in range(500)]
    return cove, [
        ("account", "id, created_at", [(person, 1) for person in people]),
        ("profile", "account, name, created_at",
         [(person, chance.choice(["Jörg", "Ada Lovelace", "李小龍", "Marie"]), 1) for person in [viewer, *people]]),
        ("cove", "id, creator, name, description, location, cover, cover_owner, joining, member_count, event_count, row_bytes, created_at",
         [(cove, viewer, "Schachclub Berlin", "Jeden Dienstag", "Berlin", identifier(), viewer, "id", 501, events, 0, 1)]),
        ("cove_member", "id, cove, account, role, joined_at",
         [(identifier(), cove, person, "MEMBER", number) for number, person in enumerate([viewer, *people])]),
        ("cove_event", "id, cove, host, name, description, date, location, cover, cover_owner, going_count, row_bytes, created_at, changed_at",
         made := [
             (identifier(), cove, host := chance.choice(people), f"Spieleabend Nr. {number}",
              None if number % 3 == 0 else "Bring a board \"if you have one\", and something to eat.",
              NOW + chance.randrange(10 ** 9) * 1000, "Café am Ufer", *((identifier(), host) if number % 2 else (None, None)), number % 40, 0,
              NOW - number, NOW - number) for number in range(events)]),
        ("cove_rsvp", "id, event, cove, account, status, created_at",
         [(identifier(), event[0], cove, person, chance.choice(["GOING", "MAYBE", "NOT_GOING"]), NOW + number)
          for number, event in enumerate(made) for person in ([viewer] if number % 3 else []) + chance.sample(people, 3)]),
    ]


def prepare(engine, folder, core, events):
    """Starts a Keepsake server with a cove; returns the running server, the settings for the peer, and the cove's id."""
    server = CoveListed(folder, core)
    if engine == "PostgreSQL":
        server.database = new_database(DATABASE)
    server.start()
    account, data = server.account, folder / "kept"
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/.well-known/jwks.json") as answer:
        keys = json.load(answer)
    cove, tables = rows(account["user_id"], events)
    if engine == "PostgreSQL":
        fill_postgres(server.database, tables)
        secrets = postgres_secrets(server.database)
        database = server.database
    else:
        server.folder, made = data, server.folder
        server.process.terminate()
        server.process.wait(12)
        shutil.move(made, data)
        fill_sqlite(data / "keepsake.sqlite", tables)
        shutil.copy(data / "keepsake.sqlite", folder / "moods.sqlite")
        server.start_on(data)
        connection = sqlite3.connect(folder / "moods.sqlite")
        secrets = {name: value.hex() for name, value in connection.execute("SELECT name, value FROM server_secret")}
        connection.close()
        database = str(folder / "moods.sqlite")
    claims = json.loads(base64.urlsafe_b64decode(account["access_token"].split(".")[1] + "=="))
    return server, {
        "database": database, "url": URL, "keys": keys, "issuer": claims["iss"], "audience": claims["aud"],
        "linkSecret": secrets["links"], "cursorSecret": secrets["cursors"]}, cove


def check(servers, path, token):
    """Checks that both servers give the same response, and that they refuse a missing token, a forged token and a user who is not a
    member."""
    expected = None
    head, claims, signature = token.split(".")
    forged = f"{head}.{claims}.{'A' * 4}{signature[4:]}"
    for server in servers:
        status, body = ask(server, path, token)
        page = json.loads(body)
        if status != 200 or len(page["events"]) != 20:
            raise Failure(f"{server.label} answered {status}: {body[:500]}")
        if page != (expected := expected or page):
            raise Failure(f"{server.label} gives another response than {servers[0].label}: {body[:2000]}\n\n{json.dumps(expected)[:2000]}")
        for name, wrong in [("no token", None), ("a forged token", forged)]:
            if (found := ask(server, path, wrong)[0]) != 401:
                raise Failure(f"{server.label} answered {found} to {name}")
        if (found := ask(server, "/cove-events?coveId=unknown&limit=20", token)[0]) not in (403, 404):
            raise Failure(f"{server.label} answered {found} for another cove")
    return len(ask(servers[0], path, token)[1])


def run(engine, folder, chosen, core, client_core):
    servers = []
    try:
        ours, told, cove = prepare(engine, folder, core, chosen.events)
        servers.append(ours)
        servers.append(CoveExpress(folder, core, told).start())
        path, token = f"/cove-events?coveId={cove}&limit=20", ours.account["access_token"]
        byte_count = check(servers, path, token)
        print(f"· {engine}", file=sys.stderr)
        return measure(servers, path, token, chosen, client_core), byte_count
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def judge(engine, found, verdicts):
    ratios = [ours[0] / theirs[0] for ours, theirs in zip(found["Keepsake"], found["Express"])]
    verdicts.append(verdict(statistics.median(ratios), BAR))
    lines = ["", f"## {engine}"] + table(
        ["", "requests a second: median (min–max)", "ms, p50: median", "ms, p99: median (min–max)", "processor µs a request: median"],
        *[[label, spread([one[0] for one in values]), f"{statistics.median(one[1] for one in values):.1f}",
           spread([one[2] for one in values], "{:.1f}"), f"{statistics.median(one[3] for one in values):.0f}"] for label, values in found.items()])
    return lines + table(
        ["Keepsake against", "", "target", ""],
        ["requests a second of Express, round by round: median (min–max)", f"{spread(ratios, '{:.2f}')} ×", f"≥ {BAR}", verdicts[-1]])


def main():
    chosen = options()
    if chosen.keepsake:
        CoveListed.binary = chosen.keepsake.resolve()
    cores = sorted(os.sched_getaffinity(0))
    core, client_core = cores[0], cores[-1]
    results, verdicts, lines, byte_count = {}, [], [], 0
    for engine in [chosen.engine] if chosen.engine else ENGINES:
        folder = WORK / "coves-data"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        results[engine], byte_count = run(engine, folder, chosen, core, client_core)
        lines += judge(engine, results[engine], verdicts)
    facts = {name: value for name, value in machine_facts(WORK).items() if name in ("processor", "kernel")}
    facts["load"] = (f"wrk {first_line(['wrk', '-v']).split()[1]} on core {client_core}, {chosen.connections} connections; both servers on core {core}; "
                     "PostgreSQL on any core, for both")
    facts["page"] = f"the first 20 of {chosen.events:,} events of a cove, {byte_count:,} bytes"
    head = ["# A page of 20 events of a cove, signed in", "",
            "Each request verifies the token's ES256 signature and claims, reads its session's row, reads the events with the member's own answers and the "
            "names and pictures that the member may see, signs a link for each picture, and writes JSON. Both servers run the same statement and give exactly "
            f"the same response, which the benchmark checks first. They take turns in a new order in each of {chosen.rounds} rounds of {chosen.seconds:g} s. "
            "From `Server/Benchmarks/Lists/coves.py`.", ""]
    text = "\n".join(head + [f"- {name}: {value}" for name, value in facts.items()] + lines) + "\n"
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "coves.md").write_text(text)
    (chosen.out / "coves.json").write_text(json.dumps({"facts": facts, "rounds": results}, indent=1) + "\n")
    print(text)
    return 1 if chosen.strict and "MISS" in verdicts else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"bench: {failure}")
