#!/bin/bash
# image.sh USERLAND.tar KERNEL_DIR OUT.img: an ext4 disk with the userland, the kernel's modules (less those that no gateway
# needs) and the lab's own files. Made by mke2fs from a folder: no loop device, nothing mounted.
set -euo pipefail
userland=$1 kernel=$2 out=$3 here=$(cd "$(dirname "$0")" && pwd)
version=$(cat "$kernel/version")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

tar -C "$root" -xpf "$userland" --numeric-owner
mkdir -p "$root/lib/modules"
unneeded=(
  drivers/{gpu,media,net/wireless,net/ethernet,infiniband,scsi,staging,isdn,message,md,target,ata,crypto,nvme,mtd}
  fs/{ocfs2,xfs,btrfs,nfs,smb,ceph,gfs2,jfs} net/{netfilter,bluetooth,mac80211,sunrpc,batman-adv} sound
)
rsync -a "${unneeded[@]/#/--exclude=}" "$kernel/root/lib/modules/$version" "$root/lib/modules/"
depmod -b "$root" "$version" 2>/dev/null

rsync -aK "$here/overlay/" "$root/"
for unit in "$root"/etc/systemd/system/lab-*.service; do
  ln -s "../$(basename "$unit")" "$root/etc/systemd/system/multi-user.target.wants/$(basename "$unit")"
done
cross=$([ "$(uname -m)" = aarch64 ] || echo aarch64-linux-gnu-)
"${cross}gcc" -static -O2 -Wall -Wextra -Werror -o "$root/opt/lab/edges" "$here/edges.c"
"${cross}gcc" -static -O2 -Wall -Wextra -Werror -o "$root/opt/lab/i2c-word" "$here/i2c-word.c"

rm -f "$out"
truncate -s 1600M "$out"
mke2fs -q -t ext4 -L root -E root_owner=0:0 -d "$root" "$out"
