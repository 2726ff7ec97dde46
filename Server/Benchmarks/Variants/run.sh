#!/usr/bin/env bash
# The benchmark of small copies: downloads and builds its dependencies (into .build-bench and .build-release), then runs run.py.
#
#   Server/Benchmarks/Variants/run.sh [--quick] [--skip-build] [--out FOLDER] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=.build-bench
mkdir -p "$work"

has() { local wanted=$1; shift; local word; for word in "$@"; do [[ $word == "$wanted" ]] && return 0; done; return 1; }

missing=()
command -v vipsthumbnail >/dev/null || missing+=(libvips-tools)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if ((${#missing[@]})); then
    if ((EUID)); then
        echo "This needs: sudo apt-get install ${missing[*]}" >&2
        exit 69
    fi
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}" >&2
fi

[[ -x $work/venv/bin/python3 ]] || python3 -m venv "$work/venv"
pip=("$work/venv/bin/pip" install --quiet --disable-pip-version-check)
"$work/venv/bin/python3" -c 'import numpy, scipy, skimage, PIL, matplotlib' 2>/dev/null || "${pip[@]}" numpy scipy scikit-image pillow matplotlib
"$work/venv/bin/python3" -c 'import thumbor' 2>/dev/null || "${pip[@]}" thumbor || echo "· skipping thumbor: it cannot be installed" >&2

if ! has --skip-build "$@" && ! has --help "$@"; then
    echo "· building the media worker for release" >&2
    for product in keepsake-media variant-bench keepsake keepsake-phone; do
        swift build --package-path Server -c release --static-swift-stdlib --product "$product" --scratch-path "$PWD/.build-release" >&2
    done
fi
echo "· generating pictures of 12 megapixels, once" >&2
"$work/venv/bin/python3" -B Server/Benchmarks/Variants/corpus.py "$work/photos"
exec "$work/venv/bin/python3" -B Server/Benchmarks/Variants/run.py "$@"
