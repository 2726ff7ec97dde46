#!/usr/bin/env bash
# python.sh: makes .build-tools/venv with what Tests/OpenAPI/requirements.txt pins, and prints the folder of its programs. What is there
# already is left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=Tests/OpenAPI/requirements.txt
venv=$PWD/.build-tools/venv

if ! cmp -s "$wanted" "$venv/requirements.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv" >&2
    "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$wanted" >&2
    cp "$wanted" "$venv/requirements.txt"
fi
echo "$venv/bin"
