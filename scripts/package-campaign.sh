#!/usr/bin/env bash
# package-campaign.sh: installs, starts, upgrades, removes and purges the Debian package in a new Debian system, which is in a folder. Run
# it by `make campaign NAME=package`. It needs root, dpkg-dev and debootstrap.
#
# systemd does not run there. A recorder replaces systemctl and shows that the package's scripts start, restart and stop the service;
# run_unit.py runs the unit's ExecStart under the unit's restrictions.
#
# KEEPSAKE_PROGRAMS=FOLDER: package an existing build (keepsake, keepsake-media, libkeepsake-phone.so). Default: a release build in .build-release.
# KEEPSAKE_PACKAGE_PORT: the port that the installed server listens on; default 18099.
set -euo pipefail
cd "$(dirname "$0")/.."
((EUID == 0)) || { echo "The package campaign needs root: it makes a file system and mounts." >&2; exit 69; }
scripts/packages.sh dist
# The campaign mounts into its folder, in a mount namespace that exists only while the campaign runs. The folder is deleted outside of that
# namespace, where the mounts do not exist: inside, rm would follow a mount out of the folder and delete what is there.
if [[ -z ${KEEPSAKE_PACKAGE_WORK:-} ]]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/keepsake-package.XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
    KEEPSAKE_PACKAGE_WORK=$work unshare --mount --propagation private scripts/package-campaign.sh
    exit
fi

port=${KEEPSAKE_PACKAGE_PORT:-18099}
work=$KEEPSAKE_PACKAGE_WORK
root=$work/root
run_unit=$PWD/Server/Tests/EndToEndTests/Package/run_unit.py
photo=$PWD/Server/Tests/Fixtures/photo.jpg
server=''
finish() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
}
trap finish EXIT
trap 'exit 143' TERM INT

said=0
step() { printf '\n== %s\n' "$*"; }
ok() { said=$((said + 1)); echo "ok      $*"; }
fail() { echo "FAILED  $*" >&2; exit 1; }
check() { local what=$1; shift; if "$@" >"$work/said" 2>&1; then ok "$what"; else cat "$work/said" >&2; fail "$what"; fi; }
inside() { DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"; }

# MARK: - Packages

step "packages"
version=$(sed -n 's/^ *static let version = "\(.*\)"$/\1/p' Server/Apps/keepsake/Version.swift)
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)}
programs=${KEEPSAKE_PROGRAMS:+--programs $KEEPSAKE_PROGRAMS}
# The older package's version has a tilde at the end, because Debian sorts such a version before the one without it.
older=$version~campaign
scripts/dist.sh $programs --version "$older" --compression none --out "$work/older" >/dev/null
scripts/dist.sh $programs --compression gzip --out "$work/newer" >/dev/null
scripts/dist.sh $programs --compression gzip --out "$work/again" >/dev/null
cmp "$work/newer/keepsake-$version.sha256" "$work/again/keepsake-$version.sha256" || fail "the same programs give the same packages"
ok "the same programs give the same packages, byte for byte"
rm -rf "$work/again"
ok "$(du -h "$work/newer/keepsake_${version}_$architecture.deb" | cut -f1) package, $(dpkg-deb -f "$work/newer"/*.deb Installed-Size) KB installed"

# MARK: - A new Debian

step "a new Debian in a folder"
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# Find the mirror that this machine uses.
mirror=$(apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(REPO_URI)' | awk -v suite="$suite" '$1 == "Packages" && $2 == suite { print $3; exit }')
mirror=${mirror%%dists/*}
[[ -n $mirror ]] || fail "apt has no mirror of $suite"
proxy=$(apt-config shell url Acquire::http::Proxy)
eval "$proxy"
[[ -z ${url:-} ]] || export http_proxy=$url
keep=.build-tools/debootstrap-$suite-$architecture.tar
if [[ ! -e $keep ]]; then
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/debootstrap" 2>&1 || { tail -20 "$work/debootstrap" >&2; fail "debootstrap"; }
    mkdir -p .build-tools
    tar -C "$root" -cf "$keep.part" . && mv "$keep.part" "$keep"
else
    mkdir "$root" && tar -C "$root" -xf "$keep"
fi
# Give apt the same sources and settings as on this machine, except the sources of other vendors.
rm -f "$root/etc/apt/sources.list"
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/debian.list; do
    [[ ! -e $file ]] || cp "$file" "$root$file"
done
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
cp -a /usr/share/keyrings/. "$root/usr/share/keyrings/" 2>/dev/null || true
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t sysfs sysfs "$root/sys" 2>/dev/null || mount --rbind /sys "$root/sys"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
inside apt-get update -qq -o Acquire::Retries=3 >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "apt-get update"; }
ok "$suite, $(inside dpkg-query -f '.\n' -W | wc -l) packages"

# MARK: - Install

step "install"
cp "$work/older/keepsake_${older}_$architecture.deb" "$work/newer/keepsake_${version}_$architecture.deb" "$root/root/"
# Most of the time goes into this: it downloads and installs what the package needs.
inside apt-get install -y -qq --no-install-recommends -o Acquire::Retries=3 systemd >"$work/said" 2>&1 || { tail -30 "$work/said" >&2; fail "systemd"; }
# From here on, systemctl records its calls. The folder makes the package's scripts believe that systemd runs.
inside dpkg-divert --quiet --local --rename --add /usr/bin/systemctl 2>/dev/null
cat >"$root/usr/bin/systemctl" <<'RECORDER'
#!/bin/sh
echo "$*" >>/run/systemctl.log
# deb-systemd-helper enables the unit by `preset`, which needs no running systemd. deb-systemd-invoke asks whether it may be started.
case "$*" in *preset*) exec /usr/bin/systemctl.distrib "$@" ;; *is-enabled*) echo enabled ;; *is-active*) echo active ;; *show*) echo loaded ;; esac
exit 0
RECORDER
chmod 755 "$root/usr/bin/systemctl"
# policy-rc.d would forbid the start that this campaign checks.
rm "$root/usr/sbin/policy-rc.d"
mkdir -p "$root/run/systemd/system"
asked() { grep -qE -- "$1 .*keepsake\.service" "$root/run/systemctl.log"; }

: >"$root/run/systemctl.log"
inside apt-get install -y -qq --no-install-recommends -o Acquire::Retries=3 "/root/keepsake_${older}_$architecture.deb" >"$work/said" 2>&1 ||
    { tail -30 "$work/said" >&2; fail "apt-get install"; }
ok "apt installs it with the libraries that it names"
check "the service is started" asked start
check "the service is enabled" test -L "$root/etc/systemd/system/multi-user.target.wants/keepsake.service"
check "the user exists" inside id keepsake
owner() { [[ $(inside stat -c '%U:%G %a' "$1") == "$2" ]]; }
check "only root and the service read the settings" owner /etc/keepsake/keepsake.yaml "root:keepsake 640"
check "only the service reads the data" owner /var/lib/keepsake "keepsake:keepsake 700"
runtime=$(ldd "$root/usr/lib/keepsake/keepsake" | sed -n 's/.*=> \(.*\)\/libswiftCore.so .*/\1/p')
if [[ -z $runtime ]]; then
    check "no compiler and no Swift runtime is needed" inside sh -c '! command -v swift gcc cc && ! ldd /usr/lib/keepsake/* | grep libswift'
else
    echo "note    these programs were not linked with --static-swift-stdlib: they use this machine's Swift runtime"
    # Copy the files; do not use a bind mount: at its end, this script deletes everything below $root, and so would delete what is mounted
    # there.
    mkdir -p "$root$runtime"
    cp "$runtime"/*.so "$root$runtime/"
fi
check "every library is found" inside sh -c '! ldd /usr/lib/keepsake/* | grep "not found"'
check "the program says its version" inside sh -c "keepsake version | grep -F 'keepsake $version'"
check "the manual is there" test -s "$root/usr/share/man/man1/keepsake.1.gz"
check "the operators' pages are there" test -s "$root/usr/share/doc/keepsake/docs/operations/upgrades.md"
check "systemd accepts the unit" inside systemd-analyze verify --man=no /usr/lib/systemd/system/keepsake.service

# MARK: - Start

unit=$root/usr/lib/systemd/system/keepsake.service
start() {
    "$run_unit" --root "$root" "$unit" >"$work/server" 2>"$work/server.log" &
    server=$!
    for _ in $(seq 600); do
        if grep -q '^ready$' "$work/server"; then return; fi
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    tail -5 "$work/server.log" "$work/server" >&2
    fail "the server does not report that it is ready"
}
stop() { kill "$server" && wait "$server"; local status=$?; server=''; return $status; }
# The package's commands run as the service's user, with the service's settings, from any folder.
operator() { inside runuser -u keepsake -- keepsake "$@"; }
get() { curl --silent --show-error --fail --max-time 20 "$@"; }

step "start"
# This is an administrator's change, which the upgrade must keep.
echo "port: $port" >>"$root/etc/keepsake/keepsake.yaml"
start
ok "ExecStart runs under the unit's restrictions and reports readiness"
check "the server answers" get -o /dev/null "http://127.0.0.1:$port/health/ready"
# These are the first commands of docs/operations/install.md.
check "the operator makes an account" operator token --email ada@example.org --admin
check "and sets its password" operator users reset --email ada@example.org --password-stdin <<<"correct horse battery staple"
check "with which it signs in" get -H 'Content-Type: application/json' -d '{"email":"ada@example.org","password":"correct horse battery staple"}' \
    "http://127.0.0.1:$port/auth/password/login"
operator token --email ada@example.org --json >"$work/token" || fail "keepsake token"
field() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p' "$work/token"; }
printf 'header = "Authorization: Bearer %s"\n' "$(field access_token)" >"$work/curl"
get -K "$work/curl" -F "file=@$photo" "http://127.0.0.1:$port/api/users/user/$(field user_id)/multimedia/swift" >"$work/uploaded" || fail "the upload"
link=$(sed -n 's/.*"url" *: *"\([^"]*\)".*/\1/p' "$work/uploaded" | sed 's/\\//g')
# Links begin with the public URL, where nothing listens, so keep only the path.
link=/${link#*://*/}
same() { get "http://127.0.0.1:$port$link" | cmp - "$photo"; }
check "a photo is stored and sent" same
check "the media worker makes a small copy" get -o "$work/small" "http://127.0.0.1:$port$link&w=64&format=webp"
doctor() { "$run_unit" --root "$root" "$@" "$unit" /usr/bin/keepsake doctor; }
check "doctor finds nothing wrong, under the unit's restrictions" doctor
# These controls remove a restriction or a dependency: doctor must then fail. Otherwise the checks above would prove nothing.
if doctor --without seccomp >"$work/said" 2>&1; then fail "control: doctor passes without the system call that the worker's sandbox needs"; fi
ok "control: without the call seccomp, doctor fails: $(grep -m 1 FAILED "$work/said" | cut -c1-80)"

# MARK: - Upgrade

step "upgrade"
: >"$root/run/systemctl.log"
inside apt-get install -y -qq --no-install-recommends "/root/keepsake_${version}_$architecture.deb" >"$work/said" 2>&1 || { tail -30 "$work/said" >&2; fail "upgrade"; }
ok "apt upgrades it from $older to $version"
check "the service is restarted" asked restart
not() { ! "$@"; }
check "it is not stopped before" not asked stop
check "the old server works until then" same
stop || fail "the old server did not end by itself"
start
check "the new server has the photo, on the port that the administrator chose" same
check "the account's session is still valid" get -K "$work/curl" -o /dev/null "http://127.0.0.1:$port/user/me"

# MARK: - Remove, purge, install again

step "remove and purge"
stop || fail "the server did not end by itself"
: >"$root/run/systemctl.log"
count() { find "$root/var/lib/keepsake/blobs" -type f | wc -l; }
before=$(count)
inside apt-get remove -y -qq keepsake >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "apt-get remove"; }
check "the service is stopped" asked stop
check "the programs are gone" test ! -e "$root/usr/bin/keepsake" -a ! -e "$root/usr/lib/keepsake"
check "settings and files stay" test -e "$root/etc/keepsake/keepsake.yaml" -a "$before" = "$(count)" -a "$before" -gt 0
echo "KEY=secret" >"$root/etc/keepsake/environment"
inside apt-get purge -y -qq keepsake >"$work/purged" 2>&1 || { cat "$work/purged" >&2; fail "apt-get purge"; }
check "the settings are gone" test ! -e "$root/etc/keepsake"
check "files stay, and apt says where" grep -q "still in /var/lib/keepsake" "$work/purged"
check "no file is lost" test "$before" = "$(count)"
inside apt-get install -y -qq --no-install-recommends "/root/keepsake_${version}_$architecture.deb" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "install again"; }
echo "port: $port" >>"$root/etc/keepsake/keepsake.yaml"
start
check "an installation on the old files has the photo" same
stop || fail "the server did not end by itself"

step "control: a package that names too few libraries"
inside dpkg --remove --force-depends libpq5 >/dev/null 2>&1
if operator version >"$work/said" 2>&1; then fail "control: the program starts without libpq5"; fi
ok "control: without libpq5, which the package names, it does not start: $(tail -1 "$work/said" | cut -c1-90)"

printf '\npackage: %d checks passed\n' "$said"
