#!/usr/bin/env bash
# nginx.sh: prints the path of an nginx. Where none is installed, Debian's own is unpacked into .build-tools and not installed: nothing of
# it starts by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
for path in "$(command -v nginx || true)" /usr/sbin/nginx; do
    if [[ -x $path ]]; then echo "$path"; exit 0; fi
done
folder=$PWD/.build-tools/nginx
if [[ ! -x $folder/usr/sbin/nginx ]]; then
    mkdir -p "$folder"
    # An old package list names versions that are gone: bring it up to date and ask once more.
    fetch() { (cd "$folder" && apt-get download -qq nginx 2>/dev/null); }
    fetch || { [[ $(id -u) != 0 ]] || apt-get update -qq >&2; fetch; }
    dpkg -x "$folder"/nginx_*.deb "$folder"
fi
echo "$folder/usr/sbin/nginx"
