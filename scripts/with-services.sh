#!/usr/bin/env bash
# with-services.sh [--while COMMAND] COMMAND …: starts the services of scripts/services.sh, runs the command, and stops the services that did
# not run before. Its exit code is that of the command. The S3 server is emptied first. The command after --while, one line for a shell, runs
# while the services start; if it fails, the script exits with its code and does not run the other one.
set -euo pipefail
services=$(cd "$(dirname "$0")" && pwd)/services.sh

mapfile -t before < <("$services" running)
stopStarted() {
    local name
    for name in s3 clamd postgres; do
        [[ " ${before[*]} " == *" $name "* ]] || "$services" stop "$name" || echo "with-services.sh: $name could not be stopped" >&2
    done
}
trap stopStarted EXIT
# Ends at once on Ctrl-C, by way of the trap above.
trap 'exit 130' INT TERM

meanwhile=
if [[ ${1:-} == --while ]]; then
    meanwhile=$2
    shift 2
fi

# Earlier runs left objects in its store, which is in memory.
"$services" stop s3
if [[ -n $meanwhile ]]; then
    "$services" start &
    start=$!
    bash -c "$meanwhile" || { status=$?; wait "$start" || true; exit "$status"; }
    wait "$start"
else
    "$services" start
fi
"$@"
