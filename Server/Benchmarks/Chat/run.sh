#!/usr/bin/env bash
# The benchmark of chat: downloads and builds its dependencies (into .build-bench and .build-release), then runs run.py.
#
#   Server/Benchmarks/Chat/run.sh [--quick] [--skip-build] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=.build-bench
mkdir -p "$work"
source Server/Benchmarks/fetch.sh

has --help "$@" && exec python3 -B Server/Benchmarks/Chat/run.py --help

missing=()
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
installPackages "${missing[@]}"
fetchGo

sources=Server/Benchmarks/Chat
buildGo 0 "$work/chat-load" "$sources/load.go"
buildGo 0 "$work/chat-proxy" "$sources/proxy.go"

has --skip-build "$@" || buildKeepsake
exec "$work/venv/bin/python3" -B Server/Benchmarks/Chat/run.py "$@"
