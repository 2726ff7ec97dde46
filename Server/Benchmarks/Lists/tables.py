"""Inserts rows into Keepsake's databases: SQLite files, and databases of the PostgreSQL that scripts/services.sh starts."""

import sqlite3
import subprocess

from servers import REPO, Failure


def fill_sqlite(path, tables):
    """Inserts `tables`, a list of (table, columns, rows). It leaves no WAL, so that the file is complete."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    for name, columns, values in tables:
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"INSERT INTO {name} ({columns}) VALUES ({marks}) ON CONFLICT DO NOTHING", values)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def psql(address, text):
    run = subprocess.run(["psql", "-v", "ON_ERROR_STOP=1", "-qAt", address], input=text, capture_output=True, text=True)
    if run.returncode != 0:
        raise Failure(f"psql: {run.stderr[-1000:]}")
    return run.stdout.strip()


def fill_postgres(address, tables):
    def literal(value):
        return "NULL" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"

    lines = ["BEGIN;"]
    for name, columns, values in tables:
        for start in range(0, len(values), 500):
            part = ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in values[start:start + 500])
            lines.append(f"INSERT INTO {name} ({columns}) VALUES {part} ON CONFLICT DO NOTHING;")
    psql(address, "\n".join(lines + ["COMMIT;", "ANALYZE;"]))


def new_database(name):
    """Starts PostgreSQL if necessary. Returns the address of a new, empty database; deletes a database that has this name already."""
    services = REPO / "scripts" / "services.sh"
    subprocess.run([services, "start", "postgres"], check=True, capture_output=True)
    base = subprocess.run([services, "address", "postgres"], check=True, capture_output=True, text=True).stdout.strip()
    psql(base, f"DROP DATABASE IF EXISTS {name} WITH (FORCE);\nCREATE DATABASE {name};")
    return base.rsplit("/", 1)[0] + "/" + name


def postgres_secrets(address):
    """Returns Keepsake's secrets for links and cursors, in hexadecimal."""
    found = psql(address, "SELECT name || ' ' || encode(value, 'hex') FROM server_secret WHERE name IN ('links', 'cursors')")
    return dict(line.split(" ") for line in found.splitlines())
