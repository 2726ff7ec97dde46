#!/usr/bin/env bash
# packages.sh run|test|bench|pictures|dist: checks that the system packages for this target are installed. As root it installs missing packages;
# otherwise it prints the command that installs them.
set -euo pipefail

# These packages are needed to build and run, in addition to Swift. libvips, ffmpeg: the media worker's decoders · tesseract: reads the text
# in pictures · poppler-utils, poppler-data: read PDF, also with Asian fonts · catdoc: reads Word's older format · zlib1g-dev: unpacks
# documents
packages=(libsqlite3-dev libphonenumber-dev libpq-dev libvips-dev zlib1g-dev ffmpeg tesseract-ocr tesseract-ocr-eng poppler-utils poppler-data catdoc)
case ${1:-run} in
run) ;;
# libvips-tools: an independent check of the worker's copies · postgresql, clamav: real servers on loopback · zip, unzip: nested archives
# flite: generates speech to transcribe · pocketsphinx: a transcription engine that works offline
# ceph-mon, ceph-osd, radosgw, ceph-common: an S3 server
# strace: shows the order of syncs · eatmydata: disables syncs for a control · e2fsprogs: the power cut's file system · chromium: the browser
# dpkg-dev: builds the Debian package · libseccomp2: the systemd unit's filter of system calls
# prometheus: reads the metrics page, and evaluates the queries of the dashboard and the alert rules
# python3-websockets, python3-httpx, nghttp2-client, slowhttptest: other implementations of the protocols · python3-venv: for schemathesis
test) packages+=(libvips-tools postgresql clamav-daemon zip unzip openssl curl strace eatmydata e2fsprogs chromium python3-websockets
    python3-httpx python3-h2 nghttp2-client slowhttptest python3-venv flite pocketsphinx pocketsphinx-en-us
    ceph-mon ceph-osd radosgw ceph-common dpkg-dev libseccomp2 prometheus) ;;
# the browser, the WebP encoder, and openssl for tokens with phone numbers
pictures) packages+=(chromium openssl libvips-tools python3-venv flite pocketsphinx pocketsphinx-en-us) ;;
# ceph-mon, ceph-osd, radosgw, ceph-common: an S3 server
bench) packages+=(postgresql curl gcc libssl-dev openssl python3-venv wrk ceph-mon ceph-osd radosgw ceph-common) ;;
# dpkg-dev: which packages contain the linked libraries · debootstrap: the campaign that installs the package
dist) packages+=(dpkg-dev binutils debootstrap curl) ;;
*) echo "usage: packages.sh run|test|bench|pictures|dist" >&2; exit 64 ;;
esac

command -v swift >/dev/null || { echo "Swift 6.2 or later is needed: https://www.swift.org/install/" >&2; exit 69; }
command -v apt-get >/dev/null || exit 0 # macOS has SQLite; on other systems the build reports missing libraries

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
# Retry if a mirror is unreachable or its list is older than its packages. Wait while another program holds apt's lock.
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
