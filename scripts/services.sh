#!/usr/bin/env bash
# services.sh start|restart|kill|stop|pause|resume|address [postgres|clamd]: controls the real services that tests use, on loopback, with
# their own files in a temporary folder. Without a name the command applies to all services. PostgreSQL is durable. clamd knows one
# signature, our own of EICAR's test string, anywhere in a file. `kill` simulates a crash: SIGKILL to every process. `pause` stops clamd
# (SIGSTOP), `resume` continues it. `start` does nothing for a service that runs already.
set -euo pipefail

folder=${KEEPSAKE_SERVICES:-/tmp/keepsake-services-$(id -u)}
# Below the range of ephemeral ports, because an outgoing connection could be using one of those.
port=${KEEPSAKE_POSTGRES_PORT:-15432}
data=$folder/postgres
log=$folder/postgres.log
# Debian does not put the server's programs in PATH.
programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
programs=${programs:-$(dirname "$(command -v initdb || echo /usr/bin/initdb)")}

scanner=$folder/clamd
scannerPort=${KEEPSAKE_CLAMD_PORT:-13310}

# PostgreSQL refuses to run as root.
as() { if [[ $(id -u) == 0 ]]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
runs() { "$programs/pg_isready" -q -h 127.0.0.1 -p "$port"; }

# A service outlives this script. It must not keep inherited descriptors open: a lock, or the pipe by which the caller sees the script end.
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
# Durable commits, as in production: tests that kill PostgreSQL depend on that.
fsync = on
# Autovacuum would only scan the short-lived schemas of tests.
autovacuum_naptime = 10min
C
    fi
    as "$programs/pg_ctl" -D "$data" -w -t 180 -l "$log" start </dev/null >/dev/null 2>&1 || {
        tail -20 "$log" >&2
        return 1
    }
}

# Prints clamd's whole response to a command.
ask() { (
    exec {line}<>"/dev/tcp/127.0.0.1/$scannerPort" && printf 'z%s\0' "$1" >&"$line" && IFS= read -r -d '' -t 2 answer <&"$line" && echo "$answer"
) 2>/dev/null; }
scans() { [[ $(ask PING) == PONG ]]; }
scannerProcess() { cat "$scanner/clamd.pid" 2>/dev/null; }

# In a container without an init process, an ended process remains as a zombie. Treat it as ended.
isGone() { [[ ! -r /proc/$1/stat || $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -c1) =~ ^[ZX]?$ ]]; }

startClamd() {
    if scans; then return; fi
    local user eicar
    user=$(id -un)
    # clamd reads untrusted bytes, so it must not run as root.
    if [[ $user == root ]]; then user=clamav; fi
    mkdir -p "$folder" "$scanner/signatures" "$scanner/tmp"
    chmod 755 "$folder"
    # Written in two halves, so that no virus scanner reports this script.
    eicar='X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-'
    eicar+='ANTIVIRUS-TEST-FILE!$H+H*'
    # Format: name:file type (0: any):offset (*: anywhere):bytes in hexadecimal
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
# All three must allow the largest upload and its unpacked content. Above MaxFileSize clamd reports OK for the part that it did not read.
StreamMaxLength ${KEEPSAKE_CLAMD_LIMIT:-400M}
MaxFileSize ${KEEPSAKE_CLAMD_FILE_LIMIT:-400M}
MaxScanSize 1000M
AlertExceedsMax ${KEEPSAKE_CLAMD_ALERTS:-yes}
# Simultaneous connections; more than one Keepsake node opens.
MaxQueue 200
C
    if [[ $(id -u) == 0 ]]; then chown -R "$user" "$scanner"; fi
    # clamd's own daemon mode waits for a signal that some callers have blocked.
    (cd / && exec setsid clamd --foreground -c "$scanner/clamd.conf") </dev/null >"$scanner/out" 2>&1 &
    for _ in {1..2000}; do
        if scans; then return; fi
        if isGone $!; then break; fi
        sleep 0.05
    done
    cat "$scanner/out" >&2
    return 1
}

# $1: TERM or KILL. Returns when clamd has ended.
endClamd() {
    local main
    main=$(scannerProcess) || return 0
    kill "-$1" "$main" 2>/dev/null || true
    # A paused process gets the signal when it continues.
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
        # In a container without an init process, its zombie would look like a running server.
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
