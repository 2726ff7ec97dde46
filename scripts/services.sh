#!/usr/bin/env bash
# services.sh start|restart|kill|stop|pause|resume|address|running [postgres|clamd|s3]: controls the real services that tests use, on loopback,
# with their own files in a temporary folder. Without a name the command applies to all services. PostgreSQL is durable. clamd has one
# signature, our own, which finds EICAR's test string anywhere in a file. `kill` simulates a crash: SIGKILL to every process. `pause` stops
# clamd (SIGSTOP), `resume` continues it. `start` does nothing for a service that runs already. `running` prints the names of those that
# run.
#
# s3 is Ceph: one monitor, one OSD and radosgw, its S3 server. `restart`, `kill`, `pause` and `resume` apply to radosgw alone, so that the
# stored objects survive. By default the objects are in memory. With KEEPSAKE_S3_STORE=bluestore they are in a file, so `stop` and `start`
# keep them too. KEEPSAKE_S3_SIZE is the size limit of the store in bytes, by default 16 GiB in a file and 2 GiB in memory.
set -euo pipefail

folder=${KEEPSAKE_SERVICES:-/tmp/keepsake-services-$(id -u)}
# The port is below the range of ephemeral ports, because an outgoing connection could be using a port of that range.
port=${KEEPSAKE_POSTGRES_PORT:-15432}
data=$folder/postgres
log=$folder/postgres.log
# Debian does not put PostgreSQL's server programs in PATH.
programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
programs=${programs:-$(dirname "$(command -v initdb || echo /usr/bin/initdb)")}

scanner=$folder/clamd
scannerPort=${KEEPSAKE_CLAMD_PORT:-13310}

ceph=$folder/ceph
s3Port=${KEEPSAKE_S3_PORT:-17480}
s3Store=${KEEPSAKE_S3_STORE:-memstore}
# These are the keys that tests use. The second pair belongs to a user who may not read the bucket.
s3Bucket=keepsake-tests
s3Key=KEEPSAKETESTKEY00001
s3Secret=keepsaketestsecret000000000000000000001
strangerKey=KEEPSAKETESTKEY00002
strangerSecret=keepsaketestsecret000000000000000000002

# Runs a command as the user postgres if root calls it, because PostgreSQL refuses to run as root.
as() { if [[ $(id -u) == 0 ]]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
runs() { "$programs/pg_isready" -q -h 127.0.0.1 -p "$port"; }

# Closes inherited descriptors. A service outlives this script and must not keep them open: a lock, or the pipe by which the caller notices
# the script's end.
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
# Commits are durable, as in production, because tests that kill PostgreSQL depend on that.
fsync = on
# Autovacuum is for the catalogs, which grow with each schema that a test makes. Statistics of the tests' own tables would change query
# plans, and tests do not use such tables again.
autovacuum_naptime = 10min
autovacuum_vacuum_threshold = 20000
autovacuum_vacuum_insert_threshold = -1
autovacuum_analyze_threshold = 1000000
C
    fi
    controlPostgres start
}

# Runs pg_ctl with these arguments and waits. Prints the end of PostgreSQL's log if it fails.
controlPostgres() {
    as "$programs/pg_ctl" -D "$data" -w -t 180 -l "$log" "$@" </dev/null >/dev/null 2>&1 || {
        echo "services.sh: pg_ctl $* failed. The end of $log:" >&2
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

# In a container without an init process, a process that has ended remains as a zombie. Treat it as ended.
isGone() { [[ ! -r /proc/$1/stat || $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -c1) =~ ^[ZX]?$ ]]; }

startClamd() {
    if scans; then return; fi
    local user eicar
    user=$(id -un)
    # clamd reads untrusted bytes, so it must not run as root.
    if [[ $user == root ]]; then user=clamav; fi
    mkdir -p "$folder" "$scanner/signatures" "$scanner/tmp"
    chmod 755 "$folder"
    # The text is written in two halves, so that no virus scanner reports this script.
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
# This limits simultaneous connections; one Keepsake node opens fewer.
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

# endClamd TERM|KILL: sends the signal, and returns when clamd has ended.
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

answersS3() { curl -s -o /dev/null --max-time 2 "http://127.0.0.1:$s3Port/"; }

# cephProcess mon|osd|rgw: prints the id of the process with this name, if it runs.
cephProcess() {
    local main
    main=$(cat "$ceph/$1.process" 2>/dev/null) || return 1
    [[ -n $main ]] && ! isGone "$main" && echo "$main"
}

# Starts one of Ceph's programs with its arguments. By default such a program changes its user and forks; a plain process in a folder needs
# neither.
runCeph() {
    local name=$1
    shift
    (cd / && exec setsid "$@" -f -c "$ceph/ceph.conf") </dev/null >>"$ceph/$name.log" 2>&1 &
    echo $! >"$ceph/$name.process"
}

configureCeph() {
    local id
    id=$(cat /proc/sys/kernel/random/uuid)
    rm -rf "$ceph"
    mkdir -p "$ceph"/{run,mon,osd,rgw}
    cat >"$ceph/ceph.conf" <<C
[global]
fsid = $id
mon host = v2:127.0.0.1:$((s3Port + 1))
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
# All parts are on loopback, so they use no keys among each other. The keys of S3 requests are still checked.
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc secure
ms mon service mode = crc secure
ms mon cluster mode = crc secure
ms client mode = crc secure
keyring = /dev/null
run dir = $ceph/run
log file = $ceph/\$name.log
admin socket = $ceph/run/\$name.asok
crash dir = $ceph/run
mon initial members = a
# Store one copy of everything.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
# The start changes the cluster's map dozens of times. By default, each change waits a second.
paxos propose interval = 0.02
paxos min wait = 0.01
# Lower these limits, because the test machine's disk may be nearly full.
mon data avail crit = 1
mon data avail warn = 2
osd objectstore = $s3Store
memstore device bytes = ${KEEPSAKE_S3_SIZE:-2147483648}
# The store's file grows as objects are added.
bluestore block size = ${KEEPSAKE_S3_SIZE:-17179869184}
bluestore cache autotune = false
bluestore cache size = 134217728
osd memory target = 939524096
[mon]
mon data = $ceph/mon
[osd]
osd data = $ceph/osd
[client.rgw]
rgw data = $ceph/rgw
rgw frontends = beast endpoint=127.0.0.1:$s3Port
# This allows addresses with the bucket in the host name: BUCKET.localhost
rgw dns name = localhost
rgw enable usage log = false
rgw thread pool size = 64
# Free the memory of deleted objects soon.
rgw gc obj min wait = 5
rgw gc processor period = 10
C
    monmaptool --create --clobber --fsid "$id" --addv a "[v2:127.0.0.1:$((s3Port + 1))]" "$ceph/monmap" >/dev/null
    ceph-mon --mkfs -i a --monmap "$ceph/monmap" -c "$ceph/ceph.conf" >>"$ceph/mon.log" 2>&1
    runCeph mon ceph-mon -i a
    id=$(cat /proc/sys/kernel/random/uuid)
    timeout 60 ceph -c "$ceph/ceph.conf" osd new "$id" >/dev/null 2>>"$ceph/osd.log"
    ceph-osd -i 0 -c "$ceph/ceph.conf" --mkfs --osd-uuid "$id" >>"$ceph/osd.log" 2>&1
}

startRadosgw() {
    if cephProcess rgw >/dev/null && answersS3; then return; fi
    endCeph rgw KILL
    rm -f "$ceph/run/client.rgw.asok"
    runCeph rgw radosgw -n client.rgw
    for _ in {1..1200}; do
        if answersS3; then return; fi
        cephProcess rgw >/dev/null || break
        sleep 0.05
    done
    tail -20 "$ceph/rgw.log" >&2
    return 1
}

startCeph() {
    if [[ -f $ceph/made ]] && answersS3; then return; fi
    mkdir -p "$folder"
    chmod 755 "$folder"
    if ! cephProcess mon >/dev/null || ! cephProcess osd >/dev/null; then
        for name in rgw osd mon; do endCeph "$name" KILL; done
        # A store in memory loses its objects with its process, so only a store in a file is started again.
        if [[ -f $ceph/made && $s3Store == bluestore && $(cat "$ceph/made") == bluestore ]]; then
            runCeph mon ceph-mon -i a
        else
            configureCeph
        fi
        runCeph osd ceph-osd -i 0
    fi
    startRadosgw
    if [[ -f $ceph/made ]]; then return; fi
    local user
    for user in "keepsake $s3Key $s3Secret" "stranger $strangerKey $strangerSecret"; do
        set -- $user
        timeout 60 radosgw-admin -n client.rgw -c "$ceph/ceph.conf" user create --uid="$1" --display-name="$1" --access-key="$2" \
            --secret-key="$3" >/dev/null 2>>"$ceph/rgw.log" || true # a start that was interrupted may have made the user
    done
    # The server requires this header, the SHA-256 of an empty body, but curl leaves it out.
    curl -sf --retry 5 --retry-all-errors --aws-sigv4 aws:amz:us-east-1:s3 --user "$s3Key:$s3Secret" \
        -H "x-amz-content-sha256: $(sha256sum </dev/null | cut -d' ' -f1)" -X PUT "http://127.0.0.1:$s3Port/$s3Bucket"
    echo "$s3Store" >"$ceph/made"
}

# endCeph mon|osd|rgw TERM|KILL: sends the signal, and returns when the process has ended.
endCeph() {
    local main
    main=$(cephProcess "$1") || return 0
    kill "-$2" "$main" 2>/dev/null || true
    kill -CONT "$main" 2>/dev/null || true
    for _ in {1..600}; do
        if isGone "$main"; then break; fi
        sleep 0.05
    done
    isGone "$main" || kill -KILL "$main"
    rm -f "$ceph/$1.process"
}

onPostgres() {
    case $1 in
    start) startPostgres ;;
    restart) controlPostgres -m immediate restart ;;
    kill)
        main=$(head -1 "$data/postmaster.pid")
        mapfile -t children < <(pgrep -P "$main")
        kill -KILL "$main" "${children[@]}"
        # In a container without an init process, the zombie of the killed server would look like a running server.
        rm -f "$data/postmaster.pid"
        ;;
    stop) if runs; then as "$programs/pg_ctl" -D "$data" -w -m fast stop >/dev/null; fi ;;
    running) if runs; then echo postgres; fi ;;
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
    running) if scans; then echo clamd; fi ;;
    address) ;;
    *) usage ;;
    esac
    case $1 in start | address) echo "tcp:127.0.0.1:$scannerPort" ;; esac
}

onS3() {
    case $1 in
    start) startCeph ;;
    restart) endCeph rgw KILL && startRadosgw ;;
    kill) endCeph rgw KILL ;;
    # A graceful shutdown takes seconds, and a store in memory does not need it.
    stop) for name in rgw osd mon; do endCeph "$name" "$([[ $s3Store == bluestore ]] && echo TERM || echo KILL)"; done ;;
    pause) kill -STOP "$(cephProcess rgw)" ;;
    resume) kill -CONT "$(cephProcess rgw)" ;;
    running) if answersS3; then echo s3; fi ;;
    address) ;;
    *) usage ;;
    esac
    case $1 in start | address) echo "s3://$s3Bucket?endpoint=http://127.0.0.1:$s3Port AWS_ACCESS_KEY_ID=$s3Key AWS_SECRET_ACCESS_KEY=$s3Secret" ;; esac
}

usage() {
    echo "usage: services.sh start|restart|kill|stop|pause|resume|address|running [postgres|clamd|s3]" >&2
    exit 64
}

letGo 2>/dev/null
case ${2:-all} in
postgres) onPostgres "${1:-}" ;;
clamd) onClamd "${1:-}" ;;
s3) onS3 "${1:-}" ;;
all)
    onPostgres "${1:-}"
    onClamd "${1:-}"
    onS3 "${1:-}"
    ;;
*) usage ;;
esac
