#!/usr/bin/env bash
# python.sh: makes .build-tools/venv with what the tests' requirements.txt pin, and prints the folder of its programs. What is there
# already is left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
# schemathesis, which makes requests of the API's description · playwright and axe, which drive and judge the console
wanted=$(cat Tests/OpenAPI/requirements.txt Tests/EndToEndTests/Console/browser/requirements.txt)
venv=$PWD/.build-tools/venv

if [[ $wanted != "$(cat "$venv/requirements.txt" 2>/dev/null)" ]]; then
    rm -rf "$venv"
    python3 -m venv "$venv" >&2
    "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r <(echo "$wanted") >&2
    echo "$wanted" >"$venv/requirements.txt"
fi
echo "$venv/bin"
