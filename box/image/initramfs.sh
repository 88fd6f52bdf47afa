#!/bin/bash
# Builds the initramfs of the box: initramfs.sh KERNEL_DIRECTORY OUT.cpio.gz. It contains init.c and the modules between
# Debian's kernel and an ext4 slot, on qemu's machines, on the Raspberry Pi 3 and 4, and on PCs (SATA, NVMe, USB, eMMC), and their
# watchdogs.
# The same input gives the same bytes.
set -euo pipefail
kernel=$1 out=$2 here=$(cd "$(dirname "$0")" && pwd)
arch=$(sed 's/.*-//' "$kernel/version")
modules=$kernel/lib/modules/$(cat "$kernel/version")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{modules,root,dev,proc,sys}

# Without crc32c_generic, ext4 rejects its own superblock. A module that is built in has no line in modules.dep.
order=()
names=(i6300esb bcm2835_wdt crc32c_generic virtio_pci virtio_mmio virtio_blk sdhci_iproc bcm2835)
if [ "$arch" = amd64 ]; then
  names+=(iTCO_wdt sp5100_tco virtio_scsi ahci nvme sd_mod xhci_pci ehci_pci usb_storage uas mmc_block sdhci_pci sdhci_acpi)
fi
for name in "${names[@]}" ext4 overlay; do
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

machine=$([ "$arch" = amd64 ] && echo x86_64 || echo aarch64)
cross=$([ "$(uname -m)" = "$machine" ] || echo "$machine-linux-gnu-")
"${cross}gcc" -static -O1 -Wall -Wextra -Werror -o "$work/init" "$here/init.c"
"${cross}strip" "$work/init"
find "$work" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-1767225600}" {} +
(cd "$work" && find . | LC_ALL=C sort | cpio -o -H newc --quiet --reproducible --owner=0:0 | gzip -n -9) >"$out"
