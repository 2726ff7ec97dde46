#!/usr/bin/env bash
# dependencies.sh: has SwiftPM fetch what Server/Package.swift names, into Server/.build. What is there already is left alone; a download that fails is
# tried again.
set -euo pipefail
cd "$(dirname "$0")/.."
for pause in 5 15 45 none; do
    if swift package --package-path Server resolve; then exit 0; fi
    [[ $pause != none ]] || exit 69
    echo "fetching packages failed; trying again in $pause seconds" >&2
    sleep "$pause"
done
