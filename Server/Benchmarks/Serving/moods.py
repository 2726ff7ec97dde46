"""A page of 20 moods on PostgreSQL, by Keepsake and by Express on the same database; and how many moods one client creates a second."""

import base64
import json
import os
import shutil

from contenders import HERE, MODULES, NODE, URL, Contender, Failure, Ours
from measures import interleaved, requests
from rows import mood_tables
from tables import fill_postgres, new_database, postgres_secrets

DATABASE = "keepsake_bench"
CREATION = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "multipart/form-data; boundary=----KeepsakeBenchmark"
wrk.body = table.concat({
    '------KeepsakeBenchmark', 'Content-Disposition: form-data; name="mood"', '', 'calm',
    '------KeepsakeBenchmark', 'Content-Disposition: form-data; name="note"', '', 'A quiet morning by the lake.',
    '------KeepsakeBenchmark', 'Content-Disposition: form-data; name="tags"', '', 'summer,family',
    '------KeepsakeBenchmark--', ''}, '\\r\\n')
"""


class MoodExpress(Contender):
    label = "Express"

    def prepare(self):
        (self.folder / "peer.json").write_text(json.dumps(self.told | {"processes": len(self.cores)}))

    def environment(self):
        return {**os.environ, "PEER": str(self.folder / "peer.json"), "NODE_PATH": str(MODULES), "NODE_ENV": "production"}

    def command(self):
        return [str(NODE), "--no-warnings", str(HERE.parent / "Lists" / "peers" / "express.cjs")]


def check(servers, path, fields):
    """Checks that both servers give the same page, and that they refuse a missing token and a forged token."""
    token = fields["Authorization"].split()[1]
    head, claims, signature = token.split(".")
    forged = {"Authorization": f"Bearer {head}.{claims}.{'A' * 4}{signature[4:]}"}
    pages = []
    for server in servers:
        status, _, body = server.request(path, fields)
        if status != 200 or len(json.loads(body)["moods"]) != 20:
            raise Failure(f"{server.label} answered {status}: {body[:500]}")
        pages.append(json.loads(body))
        for name, wrong in [("no token", {}), ("a forged token", forged)]:
            if (found := server.request(path, wrong)[0]) != 401:
                raise Failure(f"{server.label} answered {found} to {name}")
    if pages[0] != pages[1]:
        raise Failure(f"the servers give different pages: {json.dumps(pages)[:3000]}")


def run(folder, cores, client, chosen):
    """Returns {"page": label → rounds, "create": {engine → rounds}}."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script = folder / "create.lua"
    script.write_text(CREATION)
    servers = []
    try:
        ours = Ours(folder, cores, None)
        ours.database = new_database(DATABASE)
        servers.append(ours)
        ours.start()
        fill_postgres(ours.database, mood_tables(ours.account["user_id"], chosen.moods))
        _, _, keys = ours.request("/.well-known/jwks.json")
        claims = json.loads(base64.urlsafe_b64decode(ours.account["access_token"].split(".")[1] + "=="))
        secrets = postgres_secrets(ours.database)
        servers.append(MoodExpress(folder, cores, {
            "database": ours.database, "url": URL, "keys": json.loads(keys), "issuer": claims["iss"], "audience": claims["aud"],
            "linkSecret": secrets["links"], "cursorSecret": secrets["cursors"]}).start())
        path, fields = f"/api/users/user/{ours.account['user_id']}/moods", ours.authorization
        check(servers, path, fields)
        found = {"page": interleaved(
            "page of 20 moods on PostgreSQL", servers, lambda server: requests(server, path, fields, 200, chosen, client), chosen)}
        sqlite = OnSQLite(folder, cores, None)
        servers.append(sqlite)
        sqlite.start()
        found["create"] = interleaved(
            "moods created by one client", [ours, sqlite],
            lambda server: requests(
                server, f"/api/users/user/{server.account['user_id']}/moods/swift", server.authorization, 200, chosen, client,
                connections=1, script=script), chosen)
        # Both results come from Keepsake, so label them by their engines.
        found["create"] = {"PostgreSQL": found["create"][ours.label], "SQLite": found["create"][sqlite.label]}
        return found
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


class OnSQLite(Ours):
    label = "Keepsake on SQLite"
