#!/usr/bin/env bash
# The S3 benchmark: downloads and builds its dependencies (into .build-bench and .build-release), then runs run.py, which starts Ceph's radosgw.
#
#   Server/Benchmarks/S3/run.sh [--quick] [--skip-build] [--result FILE] …   (run.py --help lists all options)
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=.build-bench
mkdir -p "$work"
source Server/Benchmarks/fetch.sh

has --help "$@" && exec python3 -B Server/Benchmarks/S3/run.py --help

missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
[[ -e /usr/include/openssl/ssl.h ]] || missing+=(libssl-dev)
for program in ceph-mon ceph-osd radosgw; do command -v "$program" >/dev/null || missing+=("$program"); done
command -v ceph >/dev/null || missing+=(ceph-common)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
installPackages "${missing[@]}"

# The AWS command line client and its library come from PyPI, because Debian's versions are from 2022.
if ! cmp -s Server/Benchmarks/S3/requirements.txt "$work/s3/requirements.txt"; then
    echo "· fetching the AWS command line client" >&2
    rm -rf "$work/s3"
    python3 -m venv "$work/s3"
    "$work/s3/bin/pip" install --quiet --disable-pip-version-check -r Server/Benchmarks/S3/requirements.txt
    # This file is written last. If it is missing, the next run fetches the folder again.
    cp Server/Benchmarks/S3/requirements.txt "$work/s3/requirements.txt"
fi
[[ $work/send -nt Server/Benchmarks/peers/send.c ]] || gcc -O2 -Wall -Wextra -o "$work/send" Server/Benchmarks/peers/send.c -lpthread
reader=Server/Benchmarks/Serving/peers/read.c
[[ $work/read -nt $reader ]] || gcc -O2 -Wall -Wextra -o "$work/read" "$reader" -lssl -lcrypto

has --skip-build "$@" || buildKeepsake
exec "$work/s3/bin/python3" -B Server/Benchmarks/S3/run.py "$@"
