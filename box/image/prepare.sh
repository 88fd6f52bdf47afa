#!/bin/bash
# Fetches and builds what all versions of an image have in common: prepare.sh ARCH DIRECTORY. Leaves userland.tar, kernel/,
# initrd.gz and, firmware/ (of the Pi; of a PC: GRUB) in DIRECTORY/ARCH. A part is built again only if one of its inputs has
# changed, the list of packages above all; delete DIRECTORY to get Debian's updates.
set -euo pipefail
arch=$1 here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2/$arch"
cd "$2/$arch"
suite=bookworm

# part NAME OUTPUT INPUT... -- COMMAND...
part() {
  local name=$1 output=$2 inputs=() key begin=$SECONDS
  shift 2
  while [ "$1" != -- ]; do
    inputs+=("$1")
    shift
  done
  shift
  # Without the paths: the directory can be a cache of several checkouts.
  key=$(cat "${inputs[@]}" <(echo "$suite ${*##*/}") | sha256sum)
  if [ -e "$output" ] && [ "$(cat "$name.key" 2>/dev/null)" = "$key" ]; then return; fi
  rm -f "$name.key"
  "$@" >"$name.log" 2>&1 || { tail -n 20 "$name.log" >&2 && exit 1; }
  echo "$key" >"$name.key"
  echo "image: $name, $((SECONDS - begin)) s"
}

"$here/../../test/lab/recipe/binfmt.sh"
part userland userland.tar "$here/packages.txt" "$here/userland.sh" -- "$here/userland.sh" $suite "$arch" userland.tar
part kernel kernel/version "$here/download.sh" -- "$here/download.sh" $suite "$arch" kernel kernel
part initrd initrd.gz "$here/init.c" "$here/initramfs.sh" kernel/version -- "$here/initramfs.sh" kernel initrd.gz
if [ "$arch" = arm64 ]; then
  part firmware firmware/usr "$here/download.sh" -- "$here/download.sh" $suite "$arch" firmware raspi-firmware u-boot-rpi
else
  part firmware firmware/usr "$here/download.sh" -- "$here/download.sh" $suite "$arch" firmware grub-pc-bin grub-efi-amd64-bin
fi
