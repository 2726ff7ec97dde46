#!/usr/bin/env bash
# python.sh: makes .build-tools/venv with what the tests' requirements.txt pin, and prints the folder of its programs. What is there
# already is left alone. A download that fails is tried again.
set -euo pipefail
cd "$(dirname "$0")/.."
# schemathesis, which makes requests of the API's description · playwright and axe, which drive and judge the console
wanted=$(cat Server/Tests/OpenAPI/requirements.txt Server/Tests/EndToEndTests/Console/browser/requirements.txt)
venv=$PWD/.build-tools/venv

if [[ $wanted != "$(cat "$venv/requirements.txt" 2>/dev/null)" ]]; then
    for pause in 5 15 45 none; do
        rm -rf "$venv"
        if python3 -m venv "$venv" >&2 \
            && "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 5 --timeout 60 --only-binary :all: \
                -r <(echo "$wanted") >&2; then
            # Last: a folder without it is begun anew.
            echo "$wanted" >"$venv/requirements.txt"
            break
        fi
        [[ $pause != none ]] || exit 69
        echo "pip failed; trying again in $pause seconds" >&2
        sleep "$pause"
    done
fi
echo "$venv/bin"
