#!/usr/bin/env bash
# with-services.sh [--while COMMAND] COMMAND …: starts the services of scripts/services.sh, runs the command, and stops the services that it
# started. Its exit code is the command's. The S3 server starts empty. The command after --while, one line for a shell, runs while the
# services start. If it fails, the script exits with its code and does not run the other command.
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
# On Ctrl-C, the script ends at once, and the trap above stops the services.
trap 'exit 130' INT TERM

meanwhile=
if [[ ${1:-} == --while ]]; then
    meanwhile=$2
    shift 2
fi

# Stop the S3 server, whose memory still holds objects of earlier runs.
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
