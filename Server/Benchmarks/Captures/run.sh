#!/usr/bin/env bash
# The benchmark of captures: downloads and builds its dependencies (into .build-bench and .build-release), then runs run.py.
#
#   Server/Benchmarks/Captures/run.sh [--quick] [--skip-build] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=.build-bench
mkdir -p "$work"
source Server/Benchmarks/fetch.sh

has --help "$@" && exec python3 -B Server/Benchmarks/Captures/run.py --help

missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
installPackages "${missing[@]}"
fetchGo

sources=Server/Benchmarks/Captures
[[ $work/delay.so -nt $sources/delay.c ]] || gcc -O2 -Wall -Wextra -shared -fPIC -o "$work/delay.so" "$sources/delay.c" -ldl
buildGo 0 "$work/captures-peer" "$sources/peer.go"
buildGo 0 "$work/captures-load" "$sources/load.go"

has --skip-build "$@" || buildKeepsake
exec "$work/venv/bin/python3" -B Server/Benchmarks/Captures/run.py "$@"
