#!/bin/bash
# Puts GRUB on the disk of a PC, without mounts and without installing it on this machine: grub.sh MODULES FAT_DIRECTORY DISK.
# MODULES is the unpacked grub-pc-bin and grub-efi-amd64-bin. A BIOS finds it in the first sector and the gap in front of 1 MiB,
# UEFI as EFI/BOOT/BOOTX64.EFI. The same input gives the same bytes.
set -euo pipefail
modules=$1/usr/lib/grub fat=$2 disk=$3 here=$(cd "$(dirname "$0")" && pwd)
core=$(mktemp)
trap 'rm -f "$core"' EXIT
common=(part_msdos fat ext2 normal configfile linux loadenv test true regexp echo serial terminal reboot probe)
mkdir -p "$fat/EFI/BOOT" "$fat/grub"
cp "$here/grub.cfg" "$fat/grub/grub.cfg"
grub-mkimage -O x86_64-efi -d "$modules/x86_64-efi" -p /grub -o "$fat/EFI/BOOT/BOOTX64.EFI" "${common[@]}" efi_gop all_video
grub-mkimage -O i386-pc -d "$modules/i386-pc" -p '(,msdos1)/grub' -o "$core" "${common[@]}" biosdisk
[ "$(stat -c %s "$core")" -lt $((2047 * 512)) ] || { echo 'grub.sh: core.img does not fit in front of the boot state' >&2 && exit 1; }
# The first sector's code, without the table of partitions.
dd if="$modules/i386-pc/boot.img" of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$core" of="$disk" bs=512 seek=1 conv=notrunc status=none
