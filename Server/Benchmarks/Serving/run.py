#!/usr/bin/env python3
"""The serving benchmark. run.sh downloads and builds its dependencies; Server/Benchmarks/README.md describes the method."""

import argparse
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "Lists")]

import result as report  # noqa: E402
from contenders import LARGE, SMALL, BareGo, Express, Go, Nginx, Ours, OursSecure, certificate, upload  # noqa: E402
from measures import SLOW, files, interleaved, memory_of, requests  # noqa: E402
from rows import fill  # noqa: E402
from servers import REPO, WORK, Failure  # noqa: E402

PARTS = ("small", "large", "memory", "postgres")
ON_REQUEST = ("mixed",)  # runs only if it is named, because it takes an hour
KINDS = ("plain", "tls", "h2")


def options():
    parser = argparse.ArgumentParser(
        prog="Server/Benchmarks/Serving/run.sh", description="Files and small responses: Keepsake, Go's net/http twice, nginx, Express.")
    parser.add_argument("--quick", action="store_true", help="2 rounds of 1 s, to check that everything works")
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds (default 5); one more warms up")
    parser.add_argument("--seconds", type=float, default=3, help="seconds for each server in each round (default 3)")
    parser.add_argument("--memory-seconds", type=float, default=8, help="seconds that the clients read while memory is measured (default 8)")
    parser.add_argument("--mixed-seconds", type=float, default=3600, help="seconds of the part mixed (default 3600)")
    parser.add_argument("--connections", type=int, default=16, help="connections for small responses (default 16)")
    parser.add_argument("--moods", type=int, default=10_000, help="moods of the user (default 10,000)")
    parser.add_argument("--part", choices=(*PARTS, *ON_REQUEST), action="append", help="only this part; may be repeated")
    parser.add_argument("--cores", choices=("one", "both"), help="only with the servers on one core, or on all")
    parser.add_argument("--log", default="info", help="Keepsake's log level (default info, which writes a line for each request)")
    parser.add_argument("--keepsake", type=Path, help="another keepsake binary")
    parser.add_argument("--skip-build", action="store_true", help="use the existing keepsake binary (run.sh)")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a target is missed")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder for serving.md, .json, .png")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.rounds, chosen.seconds, chosen.memory_seconds = 2, 1, 5
    chosen.part = chosen.part or PARTS
    return chosen


# MARK: - Data


def prepare(folder, core, moods):
    """Lets Keepsake create its database, accept three files and delete one of them. Returns the settings for all servers."""
    ours = Ours(folder / "first", [core], None).start()
    try:
        small, large, deleted = upload(ours, "small.mp4", SMALL), upload(ours, "large.mp4", LARGE), upload(ours, "deleted.mp4", SMALL)
        owner = ours.account["user_id"]
        status, _, answer = ours.request(
            f"/api/users/user/{owner}/multimedia/{name_of(deleted)}", ours.authorization, "DELETE")
        if status not in (200, 204):
            raise Failure(f"Keepsake answered {status} to a deletion: {answer[:500]}")
        ours.process.terminate()
        ours.process.wait(30)
        data = folder / "data"
        shutil.copytree(ours.folder, data)
    finally:
        ours.stop()
    fill(data / "keepsake.sqlite", owner, moods)  # also empties the WAL, so that the file is complete
    database = folder / "keepsake.sqlite"
    shutil.copy(data / "keepsake.sqlite", database)
    rows = sqlite3.connect(database)
    secret = rows.execute("SELECT value FROM server_secret WHERE name = 'links'").fetchone()[0]
    blobs = dict(rows.execute("SELECT id, blob FROM media WHERE id IN (?, ?)", (name_of(small), name_of(large))))
    rows.close()
    return {
        "data": str(data), "database": str(database), "blobs": str(data / "blobs"), "linkSecret": secret.hex(), "owner": owner,
        "folder": small.partition("?")[0].rpartition("/")[0], "small": small, "large": large, "deleted": deleted, "page": {},
        "files": {name: str(data / "blobs" / blob[:2] / blob) for name, blob in blobs.items()}, **certificate(folder)}


def name_of(link):
    return link.partition("?")[0].rpartition("/")[2]


def check(servers, told):
    """Checks that all servers send the same bytes. Servers that check links must refuse wrong links."""
    wanted = {link: digest(Path(told["files"][name_of(link)]).read_bytes()) for link in (told["small"], told["large"])}
    for server in servers:
        for kind in server.runs:
            scheme, version = ("http" if kind == "plain" else "https"), ("--http2" if kind == "h2" else "--http1.1")
            for link, expected in wanted.items():
                run = subprocess.run(
                    ["curl", "--silent", "--show-error", "--fail", "--insecure", version, f"{scheme}://127.0.0.1:{server.ports[kind]}{link}"],
                    capture_output=True)
                if run.returncode != 0 or digest(run.stdout) != expected:
                    raise Failure(f"{server.label} sends other bytes over {kind}: {len(run.stdout)}, {run.stderr.decode()[-500:]}")
        if not isinstance(server, (Ours, Express, Go)) or isinstance(server, (BareGo, OursSecure)):
            continue
        path, _, query = told["small"].partition("?")
        signature = query.rpartition("=")[2]
        forged = told["small"][:-len(signature)] + ("B" if signature[0] == "A" else "A") + signature[1:]
        for name, link, expected in [
            ("no signature", path, 401), ("a forged signature", forged, 403), ("a deleted file", told["deleted"], 404),
            ("another file's signature", f"{told['large'].partition('?')[0]}?{query}", 403),
        ]:
            if (found := server.request(link)[0]) != expected:
                raise Failure(f"{server.label} answered {found} to {name}")


def digest(data):
    return hashlib.sha256(data).hexdigest()


# MARK: - Parts


def small_parts(servers, told, chosen, client):
    """Returns name → label → rounds."""
    plain = [server for server in servers if "plain" in server.runs]
    ours = next(server for server in plain if isinstance(server, Ours))
    checking = [server for server in plain if not isinstance(server, (BareGo, Nginx))]
    bare = next(server for server in plain if isinstance(server, BareGo))
    owner = told["owner"]
    tags = {}
    for server in plain:
        _, header, _ = server.request(told["small"])
        tag = header["ETag"]
        # BareGo has no entity tag, because http.ServeContent compares the time.
        tags[server] = {"If-None-Match": tag} if tag else {"If-Modified-Since": header["Last-Modified"]}
        if (found := server.request(told["small"], tags[server])[0]) != 304:
            raise Failure(f"{server.label} answered {found} to {tags[server]}")
    page = f"/api/users/user/{owner}/moods"
    nothing = lambda server: {}
    signed_in = lambda server: server.authorization if server is ours else {}
    works = [
        ("20 KB", plain, told["small"], nothing, 200), ("304", plain, told["small"], lambda server: tags[server], 304),
        ("401", checking, told["small"].partition("?")[0], nothing, 401), ("404", checking, told["deleted"], nothing, 404),
        ("/health/live", [ours, bare], "/health/live", nothing, 200), ("/user/me", [ours], "/user/me", signed_in, 200),
        ("page of 20 moods", [ours, bare], page, signed_in, 200),
    ]
    return {
        name: interleaved(
            name, those, lambda server: requests(server, path, fields(server), status, chosen, client), chosen)
        for name, those, path, fields, status in works
    }


def large_parts(servers, told, chosen, client):
    """Returns protocol → label → rounds."""
    return {
        kind: interleaved(
            f"50 MB, {kind}", [server for server in servers if kind in server.runs],
            lambda server: files(server, kind, told["large"], chosen, client), chosen)
        for kind in KINDS
    }


def memory_parts(folder, told, chosen, cores):
    """Returns a list of [protocol, connections, rate, label → bytes]."""
    found = []
    for kind in KINDS:
        for connections in (64, 512):
            for rate in (0, SLOW):
                own = {}
                for contender in (OursSecure if kind != "plain" else Ours, Go, Nginx, Express):
                    if kind not in contender.runs:
                        continue
                    print(f"· memory: {kind}, {connections} clients, {'slow' if rate else 'fast'}, {contender.label}", file=sys.stderr, flush=True)
                    own[contender.label] = memory_of(
                        contender(folder / "memory", cores, told), kind, told["large"], connections, rate, chosen.memory_seconds, cores)
                found.append([kind, connections, rate, own])
    return found


def start(kinds, folder, cores, told):
    servers = []
    try:
        for kind in kinds:
            servers.append(kind(folder, cores, told))
            servers[-1].start()
        return servers
    except BaseException:
        stop(servers)
        raise


def stop(servers):
    for server in servers:
        server.stop()


def page_of(server, told):
    """Returns Keepsake's own page of moods, which the Go server then holds in memory."""
    status, _, body = server.request(f"/api/users/user/{told['owner']}/moods", server.authorization)
    page = json.loads(body)
    if status != 200 or len(page["moods"]) != 20:
        raise Failure(f"Keepsake answered {status} to a page: {body[:500]}")
    return page


def measure(folder, chosen, all_cores):
    found = {"facts": report.facts(chosen, all_cores), "cores": {}, "memory": [], "postgres": {}, "mixed": None}
    told = prepare(folder, all_cores[0], chosen.moods)
    layouts = {"one": all_cores[:1], "both": all_cores}
    for name, cores in layouts.items():
        if chosen.cores not in (None, name):
            continue
        client = all_cores[-1:] if name == "one" else all_cores
        print(f"· servers on {name} core{'s' if name == 'both' else ''}", file=sys.stderr)
        if {"small", "large"} & set(chosen.part):
            servers = start([Ours], folder, cores, told)
            try:
                told["page"] = page_of(servers[0], told)
                servers += start([OursSecure, Go, BareGo, Nginx, Express], folder, cores, told)
                check(servers, told)
                own = found["cores"][name] = {}
                if "small" in chosen.part:
                    own["small"] = small_parts(servers, told, chosen, client)
                if "large" in chosen.part:
                    own["large"] = large_parts(servers, told, chosen, client)
            finally:
                stop(servers)
        if "postgres" in chosen.part:
            import moods
            found["postgres"][name] = moods.run(folder / "postgres", cores, client, chosen)
    if "memory" in chosen.part:
        found["memory"] = memory_parts(folder, told, chosen, all_cores)
    if "mixed" in chosen.part:
        import mixed
        found["mixed"] = mixed.run(folder / "mixed", all_cores, chosen.mixed_seconds)
    return found


def main():
    chosen = options()
    if chosen.keepsake:
        Ours.binary = chosen.keepsake.resolve()
    Ours.log_level = chosen.log
    if not Ours.binary.exists():
        raise Failure(f"{Ours.binary} does not exist: build it, or name one with --keepsake")
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise Failure("this benchmark needs two cores: one for the servers, one for the client")
    folder = WORK / "serving-data"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        found = measure(folder, chosen, cores)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text, verdicts = report.markdown(found, chosen)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "serving.json").write_text(json.dumps(found, indent=1) + "\n")
    (chosen.out / "serving.md").write_text(text)
    report.plot(found, chosen.out / "serving.png")
    print(text)
    for kind in ("md", "json", "png"):
        path = chosen.out / f"serving.{kind}"
        print(f"wrote {path.relative_to(REPO) if path.is_relative_to(REPO) else path}")
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
