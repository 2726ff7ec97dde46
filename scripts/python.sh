#!/usr/bin/env bash
# python.sh: makes .build-tools/venv with what Tests/OpenAPI/requirements.txt pins, and prints the folder of its programs. What is there
# already is left alone. A download that fails is tried again.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=Tests/OpenAPI/requirements.txt
venv=$PWD/.build-tools/venv

if ! cmp -s "$wanted" "$venv/requirements.txt"; then
    for pause in 5 15 45 none; do
        rm -rf "$venv"
        if python3 -m venv "$venv" >&2 \
            && "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 5 --timeout 60 --only-binary :all: -r "$wanted" >&2; then
            # Last: a folder without it is begun anew.
            cp "$wanted" "$venv/requirements.txt"
            break
        fi
        [[ $pause != none ]] || exit 69
        echo "pip failed; trying again in $pause seconds" >&2
        sleep "$pause"
    done
fi
echo "$venv/bin"
