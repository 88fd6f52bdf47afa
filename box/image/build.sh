#!/bin/bash
# Builds an image and its update: build.sh BOARD BUNDLE.tar.gz KEYS OUTPUT_DIRECTORY. BOARD is generic-arm64, generic-x64 or
# rpi. KEYS is a directory of make-keys.sh: boxes trust its ca.pem; without its signer-1.key, no update is made.
# WORK is a directory for what can be used again (default .work/image of the checkout).
set -euo pipefail
board=$1 bundle=$(realpath "$2") keys=$3 output=$(realpath -m "$4") here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-$(realpath -m "$here/../../.work/image")}
[ -e "$keys/ca.pem" ] || { echo "build.sh: KEYS=$keys has no ca.pem; box/image/make-keys.sh makes keys" >&2 && exit 2; }
case $board in
generic-arm64 | rpi) arch=arm64 bundle_arch=arm64 ;;
generic-x64) arch=amd64 bundle_arch=x64 ;;
*) echo "build.sh: unknown board $board; give generic-arm64, generic-x64 or rpi" >&2 && exit 2 ;;
esac
version=$(basename "$bundle" | sed -n "s/^stellwerk-\(.*\)-linux-$bundle_arch\.tar\.gz$/\1/p")
[ -n "$version" ] || { echo "build.sh: $bundle is not a bundle for $bundle_arch" >&2 && exit 2; }

"$here/prepare.sh" $arch "$work"
parts=$work/$arch name=$output/stellwerk-box-$board-$version
mkdir -p "$output"
slot=$work/slot-$board.ext4
"$here/slot.sh" "$board" "$parts/userland.tar" "$parts/kernel" "$parts/initrd.gz" "$bundle" "$keys/ca.pem" "$version" "$slot"
FIRMWARE=$parts/firmware KERNEL=$parts/kernel "$here/disk.sh" "$board" "$slot" "$name.img"
if [ -e "$keys/signer-1.key" ]; then
  "$here/update-bundle.sh" "$board" "$slot" "$version" "$keys/signer-1.key" "$keys/signer-1.pem" "$keys/ca.pem" "$name.raucb"
  # What `updates.url` of a gateway refers to: published next to the update, under the same name for each version.
  printf '{"version":"%s","update":"%s"}\n' "$version" "$(basename "$name").raucb" >"$output/stellwerk-box-$board.json"
fi
# One thread: several give other bytes on a machine with another number of processors.
xz -T1 "-${COMPRESSION_LEVEL:-6}" -kf "$name.img"
tar -xOf "$parts/userland.tar" ./var/lib/dpkg/status | sed -n 's/^Package: //p; s/^Version: //p' | paste - - >"$name.packages"
(cd "$output" && sha256sum "$(basename "$name")".{img.xz,packages} >"$name.sha256")
ls -l "$name".*
