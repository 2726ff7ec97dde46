#!/usr/bin/env bash
# services.sh start|restart|kill|stop|address: the real PostgreSQL that tests run against, on loopback, durable, with files of its own in
# a temporary folder. `kill` is a crash: SIGKILL for every process. Starting what runs already does nothing.
set -euo pipefail

folder=${KEEPSAKE_SERVICES:-/tmp/keepsake-services-$(id -u)}
# Below those that outgoing connections are given: one of them could have it just now.
port=${KEEPSAKE_POSTGRES_PORT:-15432}
data=$folder/postgres
log=$folder/postgres.log
# Debian keeps the server's programs out of PATH.
programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
programs=${programs:-$(dirname "$(command -v initdb || echo /usr/bin/initdb)")}

# The server refuses to run as root.
as() { if [[ $(id -u) == 0 ]]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
runs() { "$programs/pg_isready" -q -h 127.0.0.1 -p "$port"; }

# A server outlives us and must not keep what we inherited open: a lock, or the descriptor by which our caller sees us end.
letGo() {
    local descriptor
    for descriptor in /dev/fd/*; do
        descriptor=${descriptor##*/}
        if ((descriptor > 2 && descriptor != 255)); then eval "exec $descriptor>&-"; fi
    done
}

start() {
    if runs; then return; fi
    if [[ ! -f $data/PG_VERSION ]]; then
        mkdir -p "$folder"
        chmod 755 "$folder"
        rm -rf "$data"
        mkdir "$data"
        touch "$log"
        if [[ $(id -u) == 0 ]]; then chown postgres "$data" "$log"; fi
        chmod 700 "$data"
        as "$programs/initdb" -D "$data" -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
        cat >>"$data/postgresql.conf" <<C
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
max_connections = 200
shared_buffers = 128MB
max_wal_size = 1GB
# What is acknowledged is on the disk, as in production: tests that kill it count on that.
fsync = on
# A test's fresh schema is not worth a background scan.
autovacuum_naptime = 10min
C
    fi
    as "$programs/pg_ctl" -D "$data" -w -t 60 -l "$log" start </dev/null >/dev/null 2>&1
}

letGo 2>/dev/null
case ${1:-} in
start) start ;;
restart) as "$programs/pg_ctl" -D "$data" -w -t 60 -l "$log" -m immediate restart </dev/null >/dev/null 2>&1 ;;
kill)
    main=$(head -1 "$data/postmaster.pid")
    mapfile -t children < <(pgrep -P "$main")
    kill -KILL "$main" "${children[@]}"
    # Where nobody buries the dead (a container without an init), its number would pass for a server that runs.
    rm -f "$data/postmaster.pid"
    ;;
stop) if runs; then as "$programs/pg_ctl" -D "$data" -w -m fast stop >/dev/null; fi ;;
address) ;;
*) echo "usage: services.sh start|restart|kill|stop|address" >&2; exit 64 ;;
esac
case $1 in start | address) echo "postgres://postgres@127.0.0.1:$port/postgres" ;; esac
