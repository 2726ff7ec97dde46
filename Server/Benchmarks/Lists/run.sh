#!/usr/bin/env bash
# The list benchmarks: downloads and builds their dependencies (into .build-bench and .build-release), then runs run.py and coves.py.
#
#   Server/Benchmarks/Lists/run.sh [--quick] [--skip-build] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=.build-bench
mkdir -p "$work"
source Server/Benchmarks/fetch.sh

missing=()
command -v wrk >/dev/null || missing+=(wrk)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
installPackages "${missing[@]}"
fetchExpress
fetchNode

has --skip-build "$@" || has --help "$@" || buildKeepsake list-bench
has --help "$@" || { [[ ! -x .build-release/release/list-bench ]] || .build-release/release/list-bench; }
"$work/lists/bin/python3" -B Server/Benchmarks/Lists/run.py "$@"
has --help "$@" || exec "$work/lists/bin/python3" -B Server/Benchmarks/Lists/coves.py "$@"
