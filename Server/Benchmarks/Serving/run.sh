#!/usr/bin/env bash
# The serving benchmark: downloads and builds its dependencies (into .build-bench and .build-release), then runs run.py.
#
#   Server/Benchmarks/Serving/run.sh [--quick] [--skip-build] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=.build-bench
mkdir -p "$work"
source Server/Benchmarks/fetch.sh

has --help "$@" && exec python3 -B Server/Benchmarks/Serving/run.py --help

missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
command -v wrk >/dev/null || missing+=(wrk)
command -v openssl >/dev/null || missing+=(openssl)
[[ -e /usr/include/openssl/ssl.h ]] || missing+=(libssl-dev)
[[ -e /usr/include/sqlite3.h ]] || missing+=(libsqlite3-dev)
[[ -d /usr/lib/postgresql ]] || missing+=(postgresql)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
installPackages "${missing[@]}"
fetchGo
fetchExpress
fetchNode
nginx=$(scripts/nginx.sh)
export NGINX=$nginx

peers=Server/Benchmarks/Serving/peers
[[ $work/read -nt $peers/read.c ]] || gcc -O2 -Wall -Wextra -o "$work/read" "$peers/read.c" -lssl -lcrypto
buildGo 1 "$work/serve-go" "$peers/serve.go" "$peers/sqlite.go"

has --skip-build "$@" || buildKeepsake
exec "$work/venv/bin/python3" -B Server/Benchmarks/Serving/run.py "$@"
