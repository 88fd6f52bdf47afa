#!/bin/bash
# Assembles the image that is written to a card: disk.sh BOARD SLOT.ext4 OUT.img. It has an MBR, because the Pi's ROM, U-Boot and
# a PC's firmware read it:
#   1 MiB, 2 MiB   the two copies of the boot state, U-Boot writes them at the first start
#   4 MiB          1 FAT: boot.scr, box.txt, and the owner's box-setup.txt; on a Pi also firmware, U-Boot and device trees,
#                  on a PC GRUB instead of boot.scr, and the boot state in two files
#   then           2 slot A, 3 slot B (empty), 4 data, which grows to the end of the card at the first start
# SLOT_MB is the size of the partitions of the slots, which every later update must fit in. CONSOLE_ARGS replaces the kernel
# arguments in box.txt. FIRMWARE is, for a Pi, the unpacked raspi-firmware and u-boot-rpi, and KERNEL the unpacked kernel; for a
# PC it is the unpacked GRUB. The same input gives the same bytes.
set -euo pipefail
board=$1 slot=$2 out=$3 here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The order of * is that of the files in the FAT.
export LC_ALL=C SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
slot_mb=${SLOT_MB:-640} fat_mb=64 data_mb=64
[ "$(stat -c %s "$slot")" -le $((slot_mb * 1048576)) ] || { echo "disk.sh: $slot has more than $slot_mb MiB" >&2 && exit 1; }
a=$((4 + fat_mb)) b=$((4 + fat_mb + slot_mb)) d=$((4 + fat_mb + 2 * slot_mb))
fat_type=$([ "$board" = generic-x64 ] && echo ef || echo c)
id=53574b31 uuid=53574b31-0000-4000-8000-000000000004
rm -f "$out"
truncate -s $((d + data_mb))M "$out"
sfdisk -q "$out" <<TABLE
label: dos
label-id: 0x$id
start=4MiB, size=${fat_mb}MiB, type=$fat_type, bootable
start=${a}MiB, size=${slot_mb}MiB, type=83
start=${b}MiB, size=${slot_mb}MiB, type=83
start=${d}MiB, size=${data_mb}MiB, type=83
TABLE

mkdir "$work/fat"
[ "$board" = generic-x64 ] || mkimage -A arm64 -T script -C none -n box -d "$here/boot.cmd" "$work/fat/boot.scr" >/dev/null
case $board in
generic-arm64) console='console=ttyAMA0' ;;
rpi)
  console='console=ttyS1,115200 console=tty0'
  cp "$FIRMWARE"/usr/lib/raspi-firmware/{bootcode.bin,start.elf,fixup.dat,start4.elf,fixup4.dat} "$work/fat/"
  cp "$FIRMWARE/usr/lib/u-boot/rpi_arm64/u-boot.bin" "$work/fat/"
  cp "$KERNEL/usr/lib/linux-image-$(cat "$KERNEL/version")/broadcom/"bcm2{711,837}*.dtb "$work/fat/"
  printf 'arm_64bit=1\nenable_uart=1\nupstream_kernel=1\nkernel=u-boot.bin\n' >"$work/fat/config.txt"
  ;;
generic-x64)
  console='console=ttyS0,115200 console=tty0'
  "$here/grub.sh" "$FIRMWARE" "$work/fat" "$out"
  ;;
*) echo "disk.sh: unknown board $board" >&2 && exit 2 ;;
esac
# U-Boot would keep the quotation marks; GRUB needs them.
quote=$([ "$board" != generic-x64 ] || echo '"')
echo "console_args=$quote${CONSOLE_ARGS:-$console}$quote" >"$work/fat/box.txt"
find "$work/fat" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
truncate -s ${fat_mb}M "$work/fat.img"
mkfs.vfat --invariant -i $id -F 32 -s 1 -n STELLWERK "$work/fat.img" >/dev/null
if [ "$board" = generic-x64 ]; then
  # The first files of the file system, 1 MiB apart: always at the places that fw_setenv writes to.
  (cd "$work" && head -c 1024 /dev/zero | tr '\000' '#' | tee state-1 >state-2 && truncate -s $((1048576 - 1024)) reserved)
  touch -d "@$SOURCE_DATE_EPOCH" "$work"/{state-1,reserved,state-2}
  TZ=UTC mmd -i "$work/fat.img" ::grub
  TZ=UTC mcopy -m -i "$work/fat.img" "$work"/{state-1,reserved,state-2} ::grub/
fi
TZ=UTC mcopy -s -m -i "$work/fat.img" "$work/fat"/* ::
E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH mke2fs -q -t ext4 -b 4096 -J size=8 -m 1 -O ^metadata_csum_seed -U $uuid \
  -E "hash_seed=$uuid,lazy_itable_init=0,root_owner=0:0,offset=$((d * 1048576))" -L data -F "$out" $((data_mb * 1024))k
dd if="$work/fat.img" of="$out" bs=1M seek=4 conv=notrunc,sparse status=none
dd if="$slot" of="$out" bs=1M seek=$a conv=notrunc,sparse status=none
if [ "$board" = generic-x64 ]; then
  box=usr/lib/stellwerk-box
  DISK=$out DEFAULTS=$here/overlay/$box/boot-state.defaults "$here/overlay-generic-x64/$box/fw_setenv" BOOT_ORDER 'A B'
  for copy in state-1 state-2; do
    mtype -i "$out@@4M" "::grub/$copy" | grep -q '^BOOT_ORDER=A B$' || { echo "disk.sh: $copy is not where it is expected" >&2 && exit 1; }
  done
fi
