#!/bin/bash
# Makes a feature in a copy of the tree, builds it, and runs the tests that were generated with it. Run it by `make campaign
# NAME=new-feature`.
#
# If root runs it, the copy contains Server/.build, too. The files of that build name the sources by absolute path. So the script mounts the
# copy over the real path, in its own mount namespace, and the compiler builds only what the new feature changes. Without root it compiles
# everything.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d "${TMPDIR:-/tmp}/keepsake-new-feature.XXXXXX")
trap 'rm -rf "$copy"' EXIT

cd "$root"
# Copies all files of the tree, including those that are not committed yet. It keeps modification times, because they decide what is
# compiled again.
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
