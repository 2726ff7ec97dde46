#!/usr/bin/env bash
# screenshots.sh [FOLDER]: starts a new server, fills it with a month of sample data, and takes a picture of each view of the console into
# docs/pictures/console or FOLDER. Needs a debug build and the packages of `packages.sh pictures`.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-docs/pictures/console}
place=$(mktemp -d)
trap 'kill "${server:-}" "${phones:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$place"' EXIT

export PYTHONDONTWRITEBYTECODE=1

programs=$(scripts/python.sh)
browser=Server/Tests/EndToEndTests/Console/browser

# address FILE PROCESS: waits until the process has written that it listens, and prints where.
address() {
    until grep -qs 'listening on' "$1"; do kill -0 "$2"; sleep 0.05; done
    sed -n 's/^listening on //p' "$1"
}

mkdir "$place/phones"
"$browser/phones.py" --data "$place/phones" >"$place/phones/said" &
phones=$!
export KEEPSAKE_PHONES=$place/phones/phones.pem
KEEPSAKE_FIREBASE_PROJECT_ID=keepsake-console KEEPSAKE_FIREBASE_JWKS_URL=$(address "$place/phones/said" "$phones") KEEPSAKE_RATE_LIMITS=off \
    KEEPSAKE_TRANSCRIBER=pocketsphinx Server/.build/debug/keepsake serve --port 0 --data "$place/data" --log error >"$place/said" &
server=$!
url=$(address "$place/said" "$server")
operator=$(Server/.build/debug/keepsake token --data "$place/data" --email operator@example.org --admin --json)
export KEEPSAKE_OPERATOR_TOKEN=$(sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p' <<<"$operator")
"$programs/python" "$browser/pictures.py" "$url" "$folder"
