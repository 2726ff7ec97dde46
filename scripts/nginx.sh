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
    # An old package list names versions that are gone: bring it up to date and ask again, as where a mirror is away for a moment.
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
