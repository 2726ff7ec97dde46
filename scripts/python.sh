#!/usr/bin/env bash
# python.sh [models|client|generators]: creates .build-tools/venv with the packages that the tests' requirements.txt files pin, and prints
# the folder of its programs. With a name it creates a different folder: `models` has a llama.cpp server for `make campaign NAME=models`,
# `client` has the generator of a Python client, and `generators` has generators of clients in other languages for `make campaign
# NAME=generators`. It keeps a folder that is complete, and retries failed downloads.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
"")
    # schemathesis generates requests from the API description · playwright drives the console, axe checks its accessibility · icalendar
    # reads calendar feeds
    wanted=$(cat Server/Tests/OpenAPI/requirements.txt Server/Tests/EndToEndTests/Console/browser/requirements.txt \
        Server/Tests/EndToEndTests/Coves/requirements.txt)
    venv=$PWD/.build-tools/venv
    ;;
models)
    # xllamacpp contains the llama.cpp server, compiled · gguf writes the file of a model
    wanted=$(cat Server/Tests/EndToEndTests/Models/requirements.txt)
    venv=$PWD/.build-tools/venv-models
    ;;
client)
    # openapi-python-client generates a client, ruff formats it · websockets sends captures, for which OpenAPI has no words
    wanted=$(cat Server/Tests/EndToEndTests/GeneratedClient/requirements.txt)
    venv=$PWD/.build-tools/venv-client
    ;;
generators)
    # openapi-generator, with its own Java
    wanted=$(cat Server/Tests/EndToEndTests/GeneratedClient/generators.txt)
    venv=$PWD/.build-tools/venv-generators
    ;;
*)
    echo "usage: python.sh [models|client|generators]" >&2
    exit 64
    ;;
esac

# Suites that run side by side may call this script at the same time; the second call waits for the first.
if command -v flock >/dev/null; then
    mkdir -p "$(dirname "$venv")"
    exec 9>"$venv.lock"
    flock 9
fi
if [[ $wanted != "$(cat "$venv/requirements.txt" 2>/dev/null)" ]]; then
    for pause in 5 15 45 none; do
        rm -rf "$venv"
        if python3 -m venv "$venv" >&2 \
            && "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 5 --timeout 60 --only-binary :all: \
                -r <(echo "$wanted") >&2; then
            # This file is written last. If it is missing, the next call creates the folder again.
            echo "$wanted" >"$venv/requirements.txt"
            break
        fi
        [[ $pause != none ]] || exit 69
        echo "pip failed; trying again in $pause seconds" >&2
        sleep "$pause"
    done
fi
echo "$venv/bin"
