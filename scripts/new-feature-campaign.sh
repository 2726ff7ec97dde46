#!/bin/bash
# Makes a feature in a copy of the tree, builds it, and runs the tests that were generated with it. `make campaign NAME=new-feature`.
#
# The copy takes over Server/.build. What is in there names its sources by absolute path, so a root user mounts the copy over the real path,
# in a mount namespace of its own: then only what the new feature changes is compiled. Without root the copy is built from the start.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d "${TMPDIR:-/tmp}/keepsake-new-feature.XXXXXX")
trap 'rm -rf "$copy"' EXIT

cd "$root"
# Also files that are not committed yet. Modification times decide what is compiled again, so they stay.
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' path; do
    [[ ! -e $path ]] || cp -a --parents "$path" "$copy"
done
"$copy/scripts/new-feature" Postcards

run='cd Server && export KEEPSAKE_TEST_ONLY=Postcards
swift build --build-tests --explicit-target-dependency-import-check error -Xcxx -O1 -Xswiftc -O -Xswiftc -gnone
swift test --skip-build --no-parallel --filter PostcardsTests'
if [[ $EUID == 0 && -d Server/.build ]] && unshare -m true 2>/dev/null; then
    cp -a Server/.build "$copy/Server/.build"
    unshare -m --propagation private bash -euc "mount --bind '$copy' '$root' && cd '$root' && $run"
else
    (cd "$copy" && bash -euc "$run")
fi
