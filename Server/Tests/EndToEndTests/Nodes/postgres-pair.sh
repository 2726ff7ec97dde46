#!/usr/bin/env bash
# postgres-pair.sh FOLDER COMMAND …: controls two PostgreSQL servers on loopback for the failover campaign, each in FOLDER/NAME.
#   primary NAME PORT               creates a server and starts it
#   standby NAME PORT FROM          creates a standby that copies the server on port FROM, and starts it
#   wait PORT sync|async            waits until a standby of the server on PORT streams
#   sync PORT NAME                  commits on PORT wait until the standby NAME has them on its disk; '' ends that
#   kill NAME                       SIGKILL to every process of the server
#   promote NAME PORT               makes the standby a primary
#   stop NAME
set -euo pipefail

folder=$1
command=$2
shift 2
programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
programs=${programs:-$(dirname "$(command -v initdb || echo /usr/bin/initdb)")}

# PostgreSQL refuses to run as root.
as() { if [[ $(id -u) == 0 ]]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
ask() { "$programs/psql" -h 127.0.0.1 -p "$1" -U postgres -d postgres -X -A -t -q -c "$2"; }

# A server outlives this script and must not keep the caller's pipes open.
for descriptor in /dev/fd/*; do
    descriptor=${descriptor##*/}
    if ((descriptor > 2 && descriptor != 255)); then eval "exec $descriptor>&-"; fi
done 2>/dev/null

start() {
    as "$programs/pg_ctl" -D "$folder/$1" -w -t 120 -l "$folder/$1.log" start </dev/null >/dev/null 2>&1 || {
        tail -20 "$folder/$1.log" >&2
        return 1
    }
}

prepare() {
    rm -rf "${folder:?}/$1"
    mkdir -p "$folder/$1"
    touch "$folder/$1.log"
    if [[ $(id -u) == 0 ]]; then
        chmod 755 "$folder"
        chown postgres "$folder/$1" "$folder/$1.log"
    fi
    chmod 700 "$folder/$1"
}

case $command in
primary)
    prepare "$1"
    as "$programs/initdb" -D "$folder/$1" -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
    cat >>"$folder/$1/postgresql.conf" <<C
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 64MB
fsync = on
wal_level = replica
hot_standby = on
max_wal_senders = 8
wal_keep_size = 256MB
wal_receiver_timeout = 5s
autovacuum_naptime = 10min
C
    as sh -c "echo \"port = $2\" >>'$folder/$1/postgresql.auto.conf'"
    start "$1"
    ;;
standby)
    prepare "$1"
    as "$programs/pg_basebackup" -h 127.0.0.1 -p "$3" -U postgres -D "$folder/$1" -X stream -c fast --no-sync
    # Later lines win. A promoted standby has no standby yet, so its commits must not wait for one.
    as sh -c "cat >>'$folder/$1/postgresql.auto.conf'" <<C
port = $2
primary_conninfo = 'host=127.0.0.1 port=$3 user=postgres application_name=$1'
synchronous_standby_names = ''
C
    as touch "$folder/$1/standby.signal"
    start "$1"
    ;;
wait)
    for _ in {1..600}; do
        if [[ $(ask "$1" "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'") == *$2* ]]; then exit 0; fi
        sleep 0.1
    done
    echo "no standby of port $1 is $2" >&2
    exit 1
    ;;
sync)
    ask "$1" "ALTER SYSTEM SET synchronous_standby_names = '$2'"
    ask "$1" "SELECT pg_reload_conf()" >/dev/null
    ;;
kill)
    main=$(head -1 "$folder/$1/postmaster.pid")
    mapfile -t children < <(pgrep -P "$main")
    kill -KILL "$main" "${children[@]}"
    ;;
promote)
    as "$programs/pg_ctl" -D "$folder/$1" -w -t 60 promote >/dev/null
    ;;
stop)
    if [[ -f $folder/$1/postmaster.pid ]]; then as "$programs/pg_ctl" -D "$folder/$1" -m immediate stop >/dev/null 2>&1 || true; fi
    ;;
*) exit 64 ;;
esac
