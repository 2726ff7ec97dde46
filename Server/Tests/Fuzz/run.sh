#!/bin/sh
# Fuzzes the multipart parser and the parsers of pictures' metadata: Server/Tests/Fuzz/run.sh [seconds for each, default 60]
# The corpora stay in .build-fuzz/. A crash is written to .build-fuzz/ and fails the run.
set -eu
cd "$(dirname "$0")/../../.."
seconds=${1:-60}
out=.build-fuzz
mkdir -p "$out/multipart-corpus" "$out/picture-corpus" "$out/CPlatform"

# SwiftPM generates this module map itself, but a bare swiftc needs one. It is not committed, because it would replace SwiftPM's.
printf 'module CPlatform { umbrella "%s/Server/Platform/CPlatform/include" export * }\n' "$PWD" >"$out/CPlatform/module.modulemap"

# The address sanitizer detects reads beyond a chunk, which -O no longer checks.
clang -O2 -fsanitize=address -c Server/Platform/CPlatform/cplatform.c -I Server/Platform/CPlatform/include -o "$out/cplatform.o"
swiftc -use-ld=lld -sanitize=fuzzer,address -parse-as-library -O -wmo -swift-version 6 -package-name keepsake -module-name MultipartFuzz \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility -warnings-as-errors \
    -I "$out/CPlatform" Server/Platform/Web/Multipart/*.swift Server/Tests/Fuzz/MultipartFuzz.swift "$out/cplatform.o" -o "$out/multipart"

# run NAME MAX_LENGTH OPTION_OR_CORPUS…
run() {
    name=$1 log="$out/$1.log" length=$2 status=0
    shift 2
    SWIFT_BACKTRACE=enable=no "$out/$name" -max_total_time="$seconds" -max_len="$length" -artifact_prefix="$out/" -print_final_stats=1 \
        "$out/$name-corpus" "$@" >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log"
        exit "$status"
    fi
    awk -v name="$name" '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { rate = $2 }
        END { print name ": " runs " runs, " rate " runs/s, no findings" }' "$log"
}

run multipart 600 -dict=Server/Tests/Fuzz/multipart.dict Server/Tests/Fuzz/corpus/multipart

# Compiles the parsers of keepsake-media, with the part of its protocol's module that they use.
frames=Server/Platform/Media/Frames
swiftc -sanitize=fuzzer,address -parse-as-library -O -wmo -swift-version 6 -package-name keepsake -module-name MediaFrames \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility \
    -c -emit-module -emit-module-path "$out/MediaFrames.swiftmodule" \
    "$frames"/PictureKind.swift "$frames"/PictureLimits.swift "$frames"/MediaRefusal.swift "$frames"/CaptureTime.swift -o "$out/MediaFrames.o"
parsers=
for name in TIFF EXIF PositionWords PictureFile JPEGCoding JPEGFile PNGFile WebPFile HEIFFile ISOBoxes MediaRefused; do
    parsers="$parsers Server/Apps/keepsake-media/$name.swift"
done
# shellcheck disable=SC2086
swiftc -use-ld=lld -sanitize=fuzzer,address -parse-as-library -O -wmo -swift-version 6 -package-name keepsake -module-name PictureFuzz \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility \
    -warnings-as-errors -I "$out" $parsers Server/Tests/Fuzz/PictureFuzz.swift "$out/MediaFrames.o" -o "$out/picture"

# Each seed is a fixture after the byte that chooses its format: the index of the format in PictureKind.
seed() { printf "$1" | cat - "$2" >"$out/picture-corpus/seed-$(basename "$2")"; }
for file in Server/Tests/PlatformTests/Media/Fixtures/*position*; do
    case $file in
    *.jpg) seed '\000' "$file" ;;
    *.png) seed '\001' "$file" ;;
    *.webp) seed '\002' "$file" ;;
    *.heic) seed '\004' "$file" ;;
    esac
done
run picture 4096
