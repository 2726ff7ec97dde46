#!/usr/bin/env bash
# screenshots.sh [FOLDER]: starts a new server, fills it with a month of sample data, and takes a picture of each view of the console into
# docs/pictures/console or FOLDER. Needs a debug build and the packages of `packages.sh pictures`.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-docs/pictures/console}
place=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$place"' EXIT

# A machine without a desktop has only plain fonts; use fonts like those of users' machines.
cat >"$place/fonts.conf" <<'CONF'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include>/etc/fonts/fonts.conf</include>
  <match target="pattern"><test name="family"><string>system-ui</string></test><edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>
  <match target="pattern"><test name="family"><string>sans-serif</string></test><edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
  <match target="pattern"><test name="family"><string>serif</string></test><edit name="family" mode="prepend" binding="strong"><string>Vollkorn</string></edit></match>
</fontconfig>
CONF
export FONTCONFIG_FILE=$place/fonts.conf PYTHONDONTWRITEBYTECODE=1

programs=$(scripts/python.sh)
KEEPSAKE_RATE_LIMITS=off KEEPSAKE_TRANSCRIBER=pocketsphinx Server/.build/debug/keepsake serve --port 0 --data "$place/data" --log error >"$place/said" &
server=$!
until grep -q 'listening on' "$place/said"; do kill -0 "$server"; sleep 0.05; done
"$programs/python" Server/Tests/EndToEndTests/Console/browser/pictures.py "$(sed -n 's/^listening on //p' "$place/said")" "$folder"
