#!/usr/bin/env bash
# fonts.sh: makes the console's fonts in Server/Console/App/fonts from Debian's packages fonts-inter and fonts-vollkorn. It downloads the
# packages and does not install them. The fonts keep Latin letters, punctuation, and the typographic features that the console uses.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/Server/Console/App/fonts
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

(cd "$place" && apt-get download --quiet=2 fonts-inter fonts-vollkorn && for package in *.deb; do dpkg-deb --extract "$package" files; done)
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: fonttools==4.60.1 brotli==1.1.0

# The fonts contain ASCII, Latin-1, Latin Extended-A, Romanian letters, accents, punctuation, arrows, and signs of mathematics and money.
letters=U+0000-017F,U+0192,U+0218-021B,U+02C6,U+02DA,U+02DC,U+0300-0304,U+0306-030C,U+1E9E,U+2000-206F,U+20AC,U+2122,U+2190-2193,U+2212,U+2248,U+2260,U+2264-2265
# The name entries 0, 7, 13 and 14 hold the copyright, the trademark, the licence and its address, which must stay in the files.
subset() {
    "$place/venv/bin/pyftsubset" "$place/files/usr/share/fonts/$1" --output-file="$out/$2" --flavor=woff2 --unicodes="$letters" \
        --layout-features=kern,mark,mkmk,ccmp,locl,liga,calt,tnum --name-IDs=0,1,2,4,5,7,13,14 --desubroutinize
}
mkdir -p "$out"
subset opentype/inter/Inter-Regular.otf inter-400.woff2
subset opentype/inter/Inter-Medium.otf inter-500.woff2
subset opentype/inter/Inter-SemiBold.otf inter-600.woff2
subset opentype/inter/Inter-Bold.otf inter-700.woff2
subset truetype/vollkorn/Vollkorn-SemiBold.ttf vollkorn-600.woff2
stat --format='%s %n' "$out"/*.woff2
