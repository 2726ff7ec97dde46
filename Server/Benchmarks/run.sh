#!/usr/bin/env bash
# The upload benchmark: downloads and builds its dependencies (into .build-bench and .build-release), then runs run.py.
#
#   Server/Benchmarks/run.sh [--quick] [--peers-only] [--skip-build] [--tmpfs --pin] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../.."
work=.build-bench
mkdir -p "$work"
source Server/Benchmarks/fetch.sh

has --help "$@" && exec python3 -B Server/Benchmarks/run.py --help

# System packages.
missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
[[ -e /usr/include/openssl/evp.h ]] || missing+=(libssl-dev)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
installPackages "${missing[@]}"

# Debian's nginx is unpacked but not installed, so that no service starts.
if has --pin "$@" && ! command -v nginx >/dev/null && [[ ! -x $work/nginx/usr/sbin/nginx ]]; then
    echo "· fetching nginx" >&2
    mkdir -p "$work/nginx"
    # An outdated package list may name versions that no longer exist: update it and retry once.
    fetch() { (cd "$work/nginx" && apt-get download -qq nginx 2>/dev/null); }
    fetch || { ((EUID)) || apt-get update -qq >&2; fetch; }
    dpkg -x "$work"/nginx/nginx_*.deb "$work/nginx"
fi
fetchGo

# Builds the other programs that the benchmark measures (the peers). Each has its language's usual release settings.
peers=Server/Benchmarks/peers
[[ $work/receive -nt $peers/receive.c ]] || gcc -O2 -Wall -Wextra -o "$work/receive" "$peers/receive.c" -lcrypto -lpthread
[[ $work/send -nt $peers/send.c ]] || gcc -O2 -Wall -Wextra -o "$work/send" "$peers/send.c" -lpthread
buildGo 0 "$work/receive-go" "$peers/receive.go"

has --peers-only "$@" || has --skip-build "$@" || buildKeepsake
exec "$work/venv/bin/python3" -B Server/Benchmarks/run.py "$@"
