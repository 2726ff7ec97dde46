#!/usr/bin/env bash
# dist.sh [--programs FOLDER] [--version VERSION] [--compression xz|gzip|none] [--out FOLDER]: writes keepsake-VERSION-linux-ARCHITECTURE.tar.gz and
# keepsake_VERSION_ARCHITECTURE.deb, which need no compiler and no Swift runtime, and their SHA-256 hashes. Both have the same files.
#
#   --programs   an existing build; default: a release build in .build-release, which takes a quarter of an hour on two cores
#   --version    default: that of Server/Apps/keepsake/Version.swift
#   --out        default: .build-dist
#
# The same programs give the same packages, byte for byte. SOURCE_DATE_EPOCH is the time of all files; default: that of the last commit.
set -euo pipefail
cd "$(dirname "$0")/.."
programs='' out=.build-dist compression=xz
version=$(sed -n 's/^ *static let version = "\(.*\)"$/\1/p' Server/Apps/keepsake/Version.swift)
while (($#)); do
    case $1 in
    --programs) programs=$2 ;;
    --version) version=$2 ;;
    --compression) compression=$2 ;;
    --out) out=$2 ;;
    *) sed -n 's/^# \{0,1\}//;2,10p' "$0" >&2; exit 64 ;;
    esac
    shift 2
done
for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v "$tool" >/dev/null || { echo "dist.sh needs $tool: sudo apt-get install dpkg-dev binutils" >&2; exit 69; }
done
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Server/Apps/keepsake/Version.swift)}
export LC_ALL=C TZ=UTC SWIFT_BACKTRACE=enable=no
umask 022

if [[ -z $programs ]]; then
    # These are RELEASE_FLAGS of the Makefile, with which `make run` and `make bench` build, so all of them share this build. The programs
    # contain Swift's runtime.
    flags=(--package-path Server --explicit-target-dependency-import-check error -c release --static-swift-stdlib
        --scratch-path "$PWD/.build-release")
    for product in keepsake keepsake-media keepsake-phone; do swift build "${flags[@]}" --product "$product"; done
    programs=$(swift build "${flags[@]}" --show-bin-path)
fi
architecture=$(dpkg --print-architecture)
mkdir -p "$out"
out=$(cd "$out" && pwd) programs=$(cd "$programs" && pwd -P)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# MARK: - Files

root=$stage/root
library=$root/usr/lib/keepsake
share=$root/usr/share
# The server finds the other two files in its own folder, even if it is started through the link.
install -d "$root/usr/bin" "$library" "$root/etc/keepsake"
for program in keepsake keepsake-media; do
    install -m 0755 "$programs/$program" "$library/$program"
    strip --strip-all --remove-section=.comment "$library/$program"
done
install -m 0644 "$programs/libkeepsake-phone.so" "$library/libkeepsake-phone.so"
strip --strip-unneeded --remove-section=.comment "$library/libkeepsake-phone.so"
ln -s ../lib/keepsake/keepsake "$root/usr/bin/keepsake"
install -D -m 0644 deploy/keepsake.service "$root/usr/lib/systemd/system/keepsake.service"
install -D -m 0644 deploy/debian/sysusers.conf "$root/usr/lib/sysusers.d/keepsake.conf"
# The service's group does not exist yet, so postinst later lets the service read this file.
install -m 0640 deploy/debian/keepsake.yaml "$root/etc/keepsake/keepsake.yaml"

# The manual page and the completions are generated from the programs' own table of commands and options.
keepsake=$programs/keepsake
install -d "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
"$keepsake" --experimental-dump-help | scripts/manual.py "$version" "$SOURCE_DATE_EPOCH" | gzip -9n >"$share/man/man1/keepsake.1.gz"
"$keepsake" --generate-completion-script bash >"$share/bash-completion/completions/keepsake"
"$keepsake" --generate-completion-script zsh >"$share/zsh/vendor-completions/_keepsake"
"$keepsake" --generate-completion-script fish >"$share/fish/vendor_completions.d/keepsake.fish"

documents=$share/doc/keepsake
install -d "$documents/licenses" "$documents/examples"
install -m 0644 LICENSE README.md "$documents"
install -m 0644 deploy/debian/copyright "$documents/copyright"
# Puts the operators' pages where the README's links expect them.
install -D -m 0644 --target-directory="$documents/docs" docs/operations.md docs/shared-resources.md
install -D -m 0644 --target-directory="$documents/docs/operations" docs/operations/*.md
install -m 0644 deploy/nginx.conf deploy/Caddyfile deploy/alerts.yaml deploy/grafana.json "$documents/examples"
# Adds the licences of the fonts, lists and Swift packages that are a part of the programs.
install -m 0644 docs/licences/*.txt "$documents/licenses"
checkouts=$(cd "$programs/../.." && pwd)/checkouts
if [[ -d $checkouts ]]; then
    for folder in "$checkouts"/*/; do
        for file in "$folder"LICENSE* "$folder"NOTICE*; do
            [[ ! -f $file ]] || install -m 0644 "$file" "$documents/licenses/$(basename "$folder")-$(basename "$file")"
        done
    done
fi
touched() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

# MARK: - Tarball

archive() { tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$1" "$2"; }
name=keepsake-$version-linux-$(uname -m)
# The tarball has the same tree, but without `usr`, so that it can be unpacked into /usr/local or anywhere else.
install -d "$stage/$name"
cp -a "$root/usr/." "$stage/$name/"
install -D -m 0644 deploy/debian/keepsake.yaml "$stage/$name/etc/keepsake.yaml"
if [[ $compression == none ]]; then level=-1; else level=-6; fi
archive "$stage" "$name" | gzip -n "$level" >"$out/$name.tar.gz"

# MARK: - Debian package

# dpkg-shlibdeps reads which libraries the programs are linked with, and the lowest versions that have the symbols that the programs use. It
# requires a source package, so the script makes an empty one. It warns about the link in the rpath of libraries that are beside the
# programs.
install -d "$root/DEBIAN" "$stage/source/debian"
printf 'Source: keepsake\n\nPackage: keepsake\nArchitecture: any\n' >"$stage/source/debian/control"
libraries=$(cd "$stage/source" && dpkg-shlibdeps -O -e"$library/keepsake" -e"$library/keepsake-media" -e"$library/libkeepsake-phone.so" \
    2>"$stage/warnings" | sed -n 's/^shlibs:Depends=//p') || { cat "$stage/warnings" >&2; exit 70; }
[[ -n $libraries ]] || { echo "dist.sh: dpkg-shlibdeps found no libraries" >&2; exit 70; }

size=$(find "$root" -path "$root/DEBIAN" -prune -o -type f -printf '%s\n' | awk '{ kilobytes += int(($1 + 1023) / 1024) } END { print kilobytes }')
sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$architecture|" -e "s|@INSTALLED_SIZE@|$size|" -e "s|@LIBRARIES@|$libraries|" \
    deploy/debian/control.in >"$root/DEBIAN/control"
echo /etc/keepsake/keepsake.yaml >"$root/DEBIAN/conffiles"
install -m 0755 deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm "$root/DEBIAN"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
touched "$root"
# Use one thread, because the number of threads changes the compressed bytes.
dpkg-deb --root-owner-group --threads-max=1 -Z"$compression" --build "$root" "$out/keepsake_${version}_$architecture.deb" >/dev/null

cd "$out"
sha256sum "$name.tar.gz" "keepsake_${version}_$architecture.deb" | tee "keepsake-$version.sha256"
