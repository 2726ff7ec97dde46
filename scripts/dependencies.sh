#!/usr/bin/env bash
# dependencies.sh: downloads the packages that Server/Package.swift names into Server/.build, with SwiftPM. It skips packages that are there
# already, and retries failed downloads.
set -euo pipefail
cd "$(dirname "$0")/.."
for pause in 5 15 45 none; do
    if swift package --package-path Server resolve; then exit 0; fi
    [[ $pause != none ]] || exit 69
    echo "downloading packages failed; trying again in $pause seconds" >&2
    sleep "$pause"
done
