#!/bin/bash
# initramfs.sh KERNEL_DIR OUT.cpio.gz: init.c and the modules that lie between the stock kernel and its ext4 disk.
set -euo pipefail
kernel=$1 out=$2 here=$(cd "$(dirname "$0")" && pwd)
modules=$kernel/root/lib/modules/$(cat "$kernel/version")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{modules,root,dev,proc,sys}

# Without crc32c_generic ext4 refuses its own superblock. A module that is built in has no line in modules.dep.
order=()
for name in crc32c_generic virtio_pci virtio_blk ext4; do
  line=$(grep -m1 -E "/${name//_/[-_]}\.ko(\.xz)?:" "$modules/modules.dep" || true)
  [ -n "$line" ] || continue
  for file in $(tr ' ' '\n' <<<"${line#*:}" | tac) "${line%%:*}"; do
    [[ " ${order[*]} " == *" $file "* ]] || order+=("$file")
  done
done
index=10
for file in "${order[@]}"; do
  target=$work/modules/$((index++))_$(basename "${file%.xz}")
  case $file in
    *.xz) xz -dc "$modules/$file" >"$target" ;;
    *) cp "$modules/$file" "$target" ;;
  esac
done

cross=$([ "$(uname -m)" = aarch64 ] || echo aarch64-linux-gnu-)
"${cross}gcc" -static -O1 -Wall -Wextra -Werror -o "$work/init" "$here/init.c"
(cd "$work" && find . | cpio -o -H newc --quiet | gzip -1) >"$out"
