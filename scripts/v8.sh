#!/usr/bin/env bash
# Puts the prebuilt V8 static library where the `v8` crate's build script looks before it downloads, so that a machine
# which reaches only package registries can build. Every make target runs this first; it is silent when nothing is to do.
set -euo pipefail

# What the archive in third_party/v8 was made from; it fits this version of the `v8` crate and no other.
version=150.4.0
triple=x86_64-unknown-linux-gnu
name=librusty_v8_simdutf_release_$triple.a

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The archive is for glibc: musl has no `getconf GNU_LIBC_VERSION`.
if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ] || ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
  echo "v8.sh: no library for this platform in third_party/v8; the v8 crate will download its own"
  exit 0
fi

# The build script of another version would not find the archive and would download: say so here, where the reason is known.
locked=$(awk '$1 == "name" { name = $3 } $1 == "version" && name == "\"v8\"" { gsub(/"/, "", $3); print $3; exit }' "$root/Cargo.lock")
if [ "$locked" != "$version" ]; then
  echo "v8.sh: third_party/v8 holds V8 for version $version of the v8 crate, but Cargo.lock has '${locked:-none}'" >&2
  echo "hint: make a new archive with scripts/build-v8.sh, then change the version in both scripts" >&2
  exit 1
fi

# The build script names the file after the address it would download, with every other character than a letter or digit
# as `_`. It takes a plain archive as well as a gzipped one, whatever the name says.
url=https://github.com/denoland/rusty_v8/releases/download/v$version/$name.gz
cache=${CARGO_HOME:-$HOME/.cargo}/.rusty_v8
target=$cache/${url//[^A-Za-z0-9]/_}
if [ -s "$target" ]; then
  exit 0
fi

for tool in xz sha256sum; do
  if ! command -v "$tool" >/dev/null; then
    echo "v8.sh: '$tool' is needed to unpack third_party/v8 (Debian: apt-get install xz-utils coreutils)" >&2
    exit 1
  fi
done

# The checksum covers the packed archive: what is unpacked below is then what was committed.
if ! (cd "$root/third_party/v8" && sha256sum --status --check "$name.xz.sha256"); then
  echo "v8.sh: third_party/v8/$name.xz does not match its checksum" >&2
  echo "hint: restore it with: git checkout -- third_party/v8" >&2
  exit 1
fi

# Unpacked beside the target under a name of this process, then renamed: a second run at the same time, or one that is
# cut short, never leaves half a library under the name that the build script reads.
mkdir -p "$cache"
part=$(mktemp "$target.XXXXXX")
trap 'rm -f "$part"' EXIT
xz --decompress --stdout "$root/third_party/v8/$name.xz" > "$part"
chmod 644 "$part"
mv -f "$part" "$target"
echo "v8.sh: V8 for v8 $version is in $cache"
