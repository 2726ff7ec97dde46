#!/bin/sh
# Makes the pictures in Fixtures for the orientation tests: the same small picture, stored in each of EXIF's eight orientations, and
# a HEIC that both its container and its EXIF rotate, as an iPhone writes it. The results are committed. Debian 12:
#   apt-get install libvips-tools libheif-examples imagemagick libimage-exiftool-perl webp
set -eu
convert() { "${CONVERT:-/usr/bin/convert}" "$@"; }
cd "$(dirname "$0")/Fixtures"
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

# 96 by 64 pixels, four quarters of different colours: no two of the eight orientations look alike.
convert -size 48x32 xc:red xc:lime +append "$t/top.png"
convert -size 48x32 xc:blue xc:white +append "$t/bottom.png"
convert "$t/top.png" "$t/bottom.png" -append -strip "$t/upright.png"

# Stores the picture so that applying EXIF's orientation makes it upright again.
stored() {
    case $1 in
    1) convert "$t/upright.png" "$2" ;;
    2) convert "$t/upright.png" -flop "$2" ;;
    3) convert "$t/upright.png" -rotate 180 "$2" ;;
    4) convert "$t/upright.png" -flip "$2" ;;
    5) convert "$t/upright.png" -transpose "$2" ;;
    6) convert "$t/upright.png" -rotate 270 "$2" ;;
    7) convert "$t/upright.png" -transverse "$2" ;;
    8) convert "$t/upright.png" -rotate 90 "$2" ;;
    esac
}
for n in 1 2 3 4 5 6 7 8; do
    stored $n "$t/$n.png"
    convert "$t/$n.png" -quality 90 -sampling-factor 4:4:4 -strip "upright-$n.jpg"
    cp "$t/$n.png" "upright-$n.png"
    cwebp -quiet -lossless "$t/$n.png" -o "upright-$n.webp"
    for kind in jpg png webp; do
        exiftool -q -overwrite_original -n -Orientation=$n -GPSLatitudeRef=N -GPSLatitude=52.5163 -GPSLongitudeRef=E \
            -GPSLongitude=13.3777 -Make=Keepsake "-DateTimeOriginal=2025:06:14 18:30:12" "upright-$n.$kind"
    done
done

# HEIC. heif-enc 1.15 keeps the given EXIF but writes no `irot`; an iPhone writes both. So turn-heic.py adds the box.
vips heifsave "$t/6.png" "$t/plain.heic" --compression hevc --Q 60
python3 ../turn-heic.py "$t/plain.heic" upright-irot.heic
cp upright-irot.heic upright-irot-exif.heic
exiftool -q -overwrite_original -n -Orientation=6 upright-irot-exif.heic || echo "exiftool could not write into the HEIC" >&2

# A wide-gamut picture with a profile: the red of Display P3 lies outside sRGB.
vips icc_transform "$t/upright.png" "$t/p3.png" p3 --input-profile srgb
vips copy "$t/p3.png" wide.png
