#!/bin/bash
# Does what README tells a newcomer to do: clones the repository, runs `make run`, uploads a first photo with curl, and runs the client's
# first steps on a terminal. Run it by `make campaign NAME=newcomer`. It uses port 8080, as README does, and only committed files. The build
# takes a quarter of an hour on two cores.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/keepsake-newcomer.XXXXXX")
server=
# `make run` leads its own process group, which also contains the server. So this ends the whole group.
trap '[[ -z $server ]] || { kill -- "-$server" 2>/dev/null; wait "$server"; } || true; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config

if curl -s -o /dev/null http://127.0.0.1:8080/; then
    echo "newcomer-campaign.sh: another server uses port 8080; stop it first" >&2
    exit 69
fi
git clone --quiet "file://$root" "$work/keepsake"
cd "$work/keepsake"
cp "$root/Server/Tests/Fixtures/photo.jpg" .
setsid make run >"$work/run.log" 2>&1 &
server=$!
until curl -sf -o /dev/null http://127.0.0.1:8080/health/ready; do
    kill -0 "$server" 2>/dev/null || { tail -n 30 "$work/run.log" >&2; echo "newcomer-campaign.sh: make run has ended" >&2; exit 70; }
    sleep 1
done
echo "make run: the server is ready after $SECONDS s"

# block COMMAND: prints the first code block of README that contains the command.
block() { awk -v command="$1" '/^```sh$/ { text = ""; inside = 1; next } /^```$/ { if (inside && text ~ command) { printf "%s", text; exit } inside = 0 } inside { text = text $0 "\n" }' README.md; }
{ echo 'set -eu'; block '^curl -K'; } >"$work/photo.sh"
{ echo 'set -eu'; block 'keepsake login'; } >"$work/steps.sh"
sh "$work/photo.sh" | grep -q '"fileId"'
script --quiet --return --command "sh '$work/steps.sh'" /dev/null | tee "$work/output"
for part in 'signed in to http://127.0.0.1:8080' '████ 100 %' 'image/jpeg' 'kept the mood' '  mood ' 'note: By the'; do
    grep -q -- "$part" "$work/output" || { echo "newcomer-campaign.sh: \"$part\" is missing" >&2; exit 1; }
done
echo "newcomer campaign: every step ran as README prints it"
