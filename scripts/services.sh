#!/usr/bin/env bash
# services.sh start|restart|kill|stop|pause|resume|address [postgres|clamd]: the real services that tests run against, on loopback, with
# files of their own in a temporary folder; none named means all. PostgreSQL is durable; clamd knows one signature, our own of EICAR's
# test string, anywhere in a file. `kill` is a crash: SIGKILL for every process. `pause` leaves clamd deaf (SIGSTOP), `resume` lets it go
# on. Starting what runs already does nothing.
set -euo pipefail

folder=${KEEPSAKE_SERVICES:-/tmp/keepsake-services-$(id -u)}
# Below those that outgoing connections are given: one of them could have it just now.
port=${KEEPSAKE_POSTGRES_PORT:-15432}
data=$folder/postgres
log=$folder/postgres.log
# Debian keeps the server's programs out of PATH.
programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
programs=${programs:-$(dirname "$(command -v initdb || echo /usr/bin/initdb)")}

scanner=$folder/clamd
scannerPort=${KEEPSAKE_CLAMD_PORT:-13310}

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

startPostgres() {
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
    as "$programs/pg_ctl" -D "$data" -w -t 180 -l "$log" start </dev/null >/dev/null 2>&1 || {
        tail -20 "$log" >&2
        return 1
    }
}

# What it answers to a command, read to the end of it.
ask() { (
    exec {line}<>"/dev/tcp/127.0.0.1/$scannerPort" && printf 'z%s\0' "$1" >&"$line" && IFS= read -r -d '' -t 2 answer <&"$line" && echo "$answer"
) 2>/dev/null; }
scans() { [[ $(ask PING) == PONG ]]; }
scannerProcess() { cat "$scanner/clamd.pid" 2>/dev/null; }

# Where nobody buries the dead (a container without an init), a process that ended keeps its number: it is a zombie, and gone for us.
isGone() { [[ ! -r /proc/$1/stat || $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -c1) =~ ^[ZX]?$ ]]; }

startClamd() {
    if scans; then return; fi
    local user eicar
    user=$(id -un)
    # It reads hostile bytes: not as root.
    if [[ $user == root ]]; then user=clamav; fi
    mkdir -p "$folder" "$scanner/signatures" "$scanner/tmp"
    chmod 755 "$folder"
    # In two halves, so that no scanner takes this file for one.
    eicar='X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-'
    eicar+='ANTIVIRUS-TEST-FILE!$H+H*'
    # name:type of file (0: any):offset (*: anywhere):the bytes in hexadecimal
    printf 'Eicar-Test-Signature:0:%s:%s\n' "${KEEPSAKE_CLAMD_OFFSET:-*}" "$(printf '%s' "$eicar" | od -An -v -tx1 | tr -d ' \n')" \
        >"$scanner/signatures/eicar.ndb"
    cat >"$scanner/clamd.conf" <<C
DatabaseDirectory $scanner/signatures
TemporaryDirectory $scanner/tmp
LocalSocket $scanner/clamd.sock
LocalSocketMode 666
FixStaleSocket yes
TCPSocket $scannerPort
TCPAddr 127.0.0.1
PidFile $scanner/clamd.pid
LogFile $scanner/clamd.log
User $user
SelfCheck 86400
# All three must admit the largest upload and what it unpacks to: past MaxFileSize clamd answers OK for what it did not read.
StreamMaxLength ${KEEPSAKE_CLAMD_LIMIT:-400M}
MaxFileSize ${KEEPSAKE_CLAMD_FILE_LIMIT:-400M}
MaxScanSize 1000M
AlertExceedsMax ${KEEPSAKE_CLAMD_ALERTS:-yes}
# Connections it serves at a time; above the most that a keepsake opens.
MaxQueue 200
C
    if [[ $(id -u) == 0 ]]; then chown -R "$user" "$scanner"; fi
    # Its own way into the background waits for a signal that some callers have blocked.
    (cd / && exec setsid clamd --foreground -c "$scanner/clamd.conf") </dev/null >"$scanner/out" 2>&1 &
    for _ in {1..2000}; do
        if scans; then return; fi
        if isGone $!; then break; fi
        sleep 0.05
    done
    cat "$scanner/out" >&2
    return 1
}

# $1: TERM or KILL. Answers when it has ended.
endClamd() {
    local main
    main=$(scannerProcess) || return 0
    kill "-$1" "$main" 2>/dev/null || true
    # A paused one hears it when it goes on.
    kill -CONT "$main" 2>/dev/null || true
    for _ in {1..1200}; do
        if isGone "$main"; then break; fi
        sleep 0.05
    done
    isGone "$main" || return 1
    rm -f "$scanner/clamd.pid" "$scanner/clamd.sock"
}

onPostgres() {
    case $1 in
    start) startPostgres ;;
    restart) as "$programs/pg_ctl" -D "$data" -w -t 180 -l "$log" -m immediate restart </dev/null >/dev/null 2>&1 ;;
    kill)
        main=$(head -1 "$data/postmaster.pid")
        mapfile -t children < <(pgrep -P "$main")
        kill -KILL "$main" "${children[@]}"
        # Where nobody buries the dead (a container without an init), its number would pass for a server that runs.
        rm -f "$data/postmaster.pid"
        ;;
    stop) if runs; then as "$programs/pg_ctl" -D "$data" -w -m fast stop >/dev/null; fi ;;
    address) ;;
    *) usage ;;
    esac
    case $1 in start | address) echo "postgres://postgres@127.0.0.1:$port/postgres" ;; esac
}

onClamd() {
    case $1 in
    start) startClamd ;;
    restart) endClamd KILL && startClamd ;;
    kill) endClamd KILL ;;
    stop) endClamd TERM ;;
    pause) kill -STOP "$(scannerProcess)" ;;
    resume) kill -CONT "$(scannerProcess)" ;;
    address) ;;
    *) usage ;;
    esac
    case $1 in start | address) echo "tcp:127.0.0.1:$scannerPort" ;; esac
}

usage() {
    echo "usage: services.sh start|restart|kill|stop|pause|resume|address [postgres|clamd]" >&2
    exit 64
}

letGo 2>/dev/null
case ${2:-all} in
postgres) onPostgres "${1:-}" ;;
clamd) onClamd "${1:-}" ;;
all)
    onPostgres "${1:-}"
    onClamd "${1:-}"
    ;;
*) usage ;;
esac
