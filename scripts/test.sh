#!/bin/bash
# Runs the tests that `swift build --build-tests` has built: first the suites that may run side by side, then the suites with the trait
# .runsBesideFew, three tests at a time, then those with the trait .runsAlone, one test after the other. Fails when any test fails.
#
#   scripts/test.sh            all
#   scripts/test.sh Moments    only MomentsTests, which are built when KEEPSAKE_TEST_ONLY=Moments is set
set -euo pipefail
cd "$(dirname "$0")/.."
folder=Server/Tests${1:+/${1}Tests}

# names TRAIT: the names of the types behind @Suite(… .TRAIT …), with | between them. In a test's identifier, the name of a type is a whole
# component.
names() {
    find "$folder" -name '*.swift' -print0 | TRAIT=$1 xargs -0 perl -0777 -ne '
    while (/^ *\@Suite\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\.$ENV{TRAIT}\b(?:[^()]|\([^()]*\))*\)\s*(?:final\s+)?(?:struct|class|actor|enum)\s+(\w+)/mg) {
        print "$1\n";
    }' | sort | paste -sd '|' -
}
alone=$(names runsAlone)
few=$(names runsBesideFew)

# How many tests run at the same time. While some tests wait, others use the processors. With more than this, tests with a time limit miss
# it.
width=${KEEPSAKE_TEST_WIDTH:-8}
# Swift Testing records a backtrace for each error that is thrown, also for each that the server or a test catches. It does not print them.
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0
status=0
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
output=$work/output
: > "$output"

# watch FILE: looks after a run of tests that writes its events to FILE. A test that waits for ever would stop the whole run, and nothing
# would say which test it is. So when no test has begun or ended for ten minutes, which none takes, this prints the tests that have not
# ended, and where their threads are, and kills their process. It writes to descriptor 3, because whoever reads the standard output would
# otherwise wait for its last `sleep`.
watch() {
    local tests begun=$SECONDS quiet
    while sleep 5; do
        quiet=$((SECONDS - begun))
        [[ ! -s $1 ]] || quiet=$(($(date +%s) - $(stat -c %Y "$1")))
        ((quiet > ${KEEPSAKE_TEST_QUIET:-600})) || continue
        {
            printf '\nNo test has begun or ended for a while. These have not ended:\n'
            scripts/failed-tests --unfinished "$1" | sed 's/^/  /' || true
            # `swift test` starts the process that runs the tests, with the same argument.
            tests=$(pgrep -n -f -- "$1") || return 0
            ! command -v gdb >/dev/null \
                || timeout 120 gdb -p "$tests" -batch -ex 'thread apply all backtrace 15' 2>/dev/null | grep -a -E '^(#|Thread)' || true
            # What they have started would keep the pipe to `tee` open.
            pkill -KILL -P "$tests" || true
            kill -KILL "$tests"
        } >&3
        return 0
    done
}

# run FILE …: runs tests, and writes their events to FILE. The script reads failures from the events, because names in the output do not
# identify a test.
run() {
    local watch
    watch "$1" </dev/null 3>&1 >/dev/null 2>&1 &
    watch=$!
    swift test --package-path Server --skip-build --disable-xctest --event-stream-output-path "$1" --event-stream-version 0 "${@:2}" 2>&1 | tee -a "$output" \
        || status=$?
    kill "$watch" 2>/dev/null || true
}

# endedRuns: how many runs have come to their end. A run that crashed or was killed does not.
endedRuns() { grep -a -c -E '^(✘|✔) Test run with' "$output" 2>/dev/null || true; }

# check NAME ARGUMENT …: runs a part of the tests. Other work on the machine, above all other tests, can make a test miss a time limit. So
# if at most ten tests failed, they run again alone, and only what fails there counts. If the run did not come to its end, the list of
# failed tests is incomplete, so nothing runs again.
check() {
    local name=$1 before=$status failed again ended
    ended=$(endedRuns)
    shift
    status=0
    run "$work/$name" "$@"
    if [[ $status -ne 0 && -s $work/$name ]]; then
        mapfile -t failed < <(scripts/failed-tests "$work/$name")
        if ((${#failed[@]} > 0 && ${#failed[@]} <= 10 && $(endedRuns) > ended)); then
            printf '\nFailed, and run again alone:\n'
            printf '  %s\n' "${failed[@]}"
            status=0
            run "$work/$name-again" --no-parallel --filter "^($(IFS='|'; echo "${failed[*]}"))"
            again=$(grep -a -o -E '^✔ Test run with [0-9]+' "$output" | tail -1 | grep -o -E '[0-9]+$' || true)
            [[ ${again:-0} -ge ${#failed[@]} ]] || status=1
        fi
    fi
    [[ $before -eq 0 ]] || status=$before
}

check together --experimental-maximum-parallelization-width "$width" --skip "\\.(${alone:-none}|${few:-none})/"
[[ -z $few ]] || check few --experimental-maximum-parallelization-width 3 --filter "\\.($few)/"
[[ -z $alone ]] || check alone --no-parallel --filter "\\.($alone)/"

# The parts print some thousand lines. Print the failures together at the end, where even a shortened log still has them.
if [[ $status -ne 0 ]]; then
    printf '\nWhat failed:\n'
    grep -a -A 8 -E '^✘ .*(recorded an issue|failed after)|error: Exited|Fatal error' "$output" | grep -a -v -E '^(✔|◇)' | cut -c1-1000 | tail -n 120
fi
exit $status
