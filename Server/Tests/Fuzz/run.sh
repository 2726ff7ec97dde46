#!/bin/sh
# Fuzzes the multipart parser: Server/Tests/Fuzz/run.sh [seconds, default 60]
# The corpus stays in .build-fuzz/multipart-corpus. A crash is written to .build-fuzz/ and fails the run.
set -eu
cd "$(dirname "$0")/../../.."
seconds=${1:-60}
out=.build-fuzz
mkdir -p "$out/multipart-corpus" "$out/CPlatform"

# SwiftPM generates this module map itself, but a bare swiftc needs one. It is not committed, because it would replace SwiftPM's.
printf 'module CPlatform { umbrella "%s/Server/Platform/CPlatform/include" export * }\n' "$PWD" >"$out/CPlatform/module.modulemap"

# The address sanitizer detects reads beyond a chunk, which -O no longer checks.
clang -O2 -fsanitize=address -c Server/Platform/CPlatform/cplatform.c -I Server/Platform/CPlatform/include -o "$out/cplatform.o"
swiftc -use-ld=lld -sanitize=fuzzer,address -parse-as-library -O -wmo -swift-version 6 -package-name keepsake -module-name MultipartFuzz \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility -warnings-as-errors \
    -I "$out/CPlatform" Server/Platform/Web/Multipart/*.swift Server/Tests/Fuzz/MultipartFuzz.swift "$out/cplatform.o" -o "$out/multipart"

log="$out/multipart.log"
status=0
SWIFT_BACKTRACE=enable=no "$out/multipart" -max_total_time="$seconds" -max_len=600 -dict=Server/Tests/Fuzz/multipart.dict \
    -artifact_prefix="$out/" -print_final_stats=1 "$out/multipart-corpus" Server/Tests/Fuzz/corpus/multipart >"$log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
    tail -n 40 "$log"
    exit "$status"
fi
awk '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { rate = $2 } END { print runs " runs, " rate " runs/s, no findings" }' "$log"
