#!/usr/bin/env bash
# nginx.sh: prints the path of an nginx. If none is installed, it unpacks Debian's package into .build-tools without installing it, so that
# no service starts.
set -euo pipefail
cd "$(dirname "$0")/.."
for path in "$(command -v nginx || true)" /usr/sbin/nginx; do
    if [[ -x $path ]]; then echo "$path"; exit 0; fi
done
folder=$PWD/.build-tools/nginx
if [[ ! -x $folder/usr/sbin/nginx ]]; then
    mkdir -p "$folder"
    # An old package list names versions that no longer exist, and a mirror may be unreachable for a moment. So update the list and retry.
    fetch() { (cd "$folder" && rm -f nginx_*.deb && apt-get download -qq -o Acquire::Retries=3 nginx 2>/dev/null); }
    for pause in 1 5 15 45 none; do
        if fetch; then break; fi
        [[ $pause != none ]] || { echo "nginx cannot be downloaded" >&2; exit 69; }
        sleep "$pause"
        [[ $(id -u) != 0 ]] || apt-get update -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 >&2 || true
    done
    dpkg -x "$folder"/nginx_*.deb "$folder"
fi
echo "$folder/usr/sbin/nginx"
