#!/usr/bin/env bash
# screenshots.sh [FOLDER [NAME…]]: starts a new server, fills it with a month of sample data, and takes a picture of each view of the
# console, or of the views with those names. It writes the pictures into docs/pictures/console or FOLDER. It needs a debug build and the
# packages of `packages.sh pictures`.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-docs/pictures/console}
shift || true
place=$(mktemp -d)
trap 'kill "${server:-}" "${phones:-}" "${entrance:-}" "${mails:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$place"' EXIT

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

# This second server mails a code before it creates an account.
mkdir "$place/mails"
"$browser/mails.py" --data "$place/mails" >"$place/mails/said" &
mails=$!
smtp=$(address "$place/mails/said" "$mails")
KEEPSAKE_VERIFY_EMAIL=on KEEPSAKE_SMTP="smtp://${smtp#http://}?tls=off" KEEPSAKE_MAIL_FROM='Keepsake <no-reply@example.org>' \
    KEEPSAKE_RATE_LIMITS=off Server/.build/debug/keepsake serve --port 0 --data "$place/entrance" --log error >"$place/entrance.said" &
entrance=$!
export KEEPSAKE_ENTRANCE=$(address "$place/entrance.said" "$entrance")
KEEPSAKE_DATA=$place/data "$programs/python" "$browser/pictures.py" "$url" "$folder" "$@"
