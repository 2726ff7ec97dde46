#!/usr/bin/env bash
# packages.sh run|test|bench|pictures: makes sure that the system packages the target needs are there. Root installs what is missing;
# anybody else is told the one line that does.
set -euo pipefail

# What building and running needs beside Swift itself. libvips, ffmpeg: what the media worker decodes with
packages=(libsqlite3-dev libpq-dev libvips-dev ffmpeg)
case ${1:-run} in
run) ;;
# libvips-tools: other eyes on what the worker made · postgresql, clamav: real servers on loopback · zip, unzip: files within files
# flite: speech to be transcribed · pocketsphinx: an engine that hears it without a network
# strace: the order of syncs · eatmydata: the control without syncs · e2fsprogs: the power cut's file system · chromium: the browser
# python3-websockets, python3-httpx, nghttp2-client, slowhttptest: other implementations of the protocols · python3-venv: schemathesis
test) packages+=(libvips-tools postgresql clamav-daemon zip unzip openssl curl strace eatmydata e2fsprogs chromium python3-websockets
    python3-httpx python3-h2 nghttp2-client slowhttptest python3-venv flite pocketsphinx pocketsphinx-en-us) ;;
# the browser, what writes WebP, and the fonts that the pictures are set in
pictures) packages+=(chromium libvips-tools python3-venv fonts-inter fonts-vollkorn flite pocketsphinx pocketsphinx-en-us) ;;
bench) packages+=(postgresql curl gcc libssl-dev python3-venv wrk) ;;
*) echo "usage: packages.sh run|test|bench|pictures" >&2; exit 64 ;;
esac

command -v swift >/dev/null || { echo "Swift 6.2 or later is needed: https://www.swift.org/install/" >&2; exit 69; }
command -v apt-get >/dev/null || exit 0 # macOS has SQLite; elsewhere the build says what it lacks

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[[ ${#missing[@]} == 0 ]] && exit 0

if [[ $(id -u) != 0 ]]; then
    echo "Some system packages are missing. Install them with:" >&2
    echo "  sudo apt-get install -y ${missing[*]}" >&2
    exit 69
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# A mirror that is away for a moment, or whose list is older than its packages, is asked again; another program's lock is waited for.
for pause in 5 15 45 none; do
    if apt-get update -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
        && apt-get install -y -qq --no-install-recommends -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "${missing[@]}" >/dev/null; then
        exit 0
    fi
    if [[ $pause != none ]]; then
        echo "apt-get failed; trying again in $pause seconds" >&2
        sleep "$pause"
    fi
done
exit 69
