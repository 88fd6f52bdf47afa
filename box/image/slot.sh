#!/bin/bash
# Builds the file system of one slot, which is also the content of an update:
#   slot.sh BOARD USERLAND.tar KERNEL_DIRECTORY INITRD BUNDLE.tar.gz CA.pem VERSION OUT.ext4 [OVERLAY_DIRECTORY...]
# It contains userland, kernel, gateway, the files of overlay/, and those of further overlays (of tests). It is made from a
# directory; nothing is mounted. The same input gives the same bytes.
set -euo pipefail
board=$1 userland=$2 kernel=$3 initrd=$4 bundle=$5 ca=$6 version=$7 out=$8 here=$(cd "$(dirname "$0")" && pwd)
shift 8
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
root=$(mktemp -d) unpacked=$(mktemp -d)
trap 'rm -rf "$root" "$unpacked"' EXIT
tar -C "$root" -xpf "$userland" --numeric-owner

# The modules, less those that no gateway needs. RAUC needs loop, squashfs and dm-verity.
release=$(cat "$kernel/version")
mkdir -p "$root/usr/lib/modules" "$root/data" "$root/media/stick"
unneeded=(
  drivers/{gpu,media,infiniband,staging,isdn,message,target,ata,mtd,nvme,accel,iommu,hwtracing,crypto,vfio,vhost,xen,hid,input}
  drivers/{platform,soundwire,bluetooth} 'drivers/scsi/*'
  drivers/net/wireless/{ath,intel,marvell,mediatek,ralink,realtek,rsi,st,ti,atmel,cisco,intersil,legacy,microchip}
  drivers/net/wireless/{purelifi,quantenna,silabs,zydas,admtek}
  drivers/net/ethernet/{mellanox,chelsio,qlogic,intel,hisilicon,cavium,sfc,netronome,emulex,amazon,aquantia,marvell,freescale}
  drivers/net/ethernet/{amd,pensando,brocade,huawei,mediatek,qualcomm,renesas,ti}
  drivers/net/{dsa,can/usb,wwan,hamradio,team,bonding,ieee802154}
  fs/{ocfs2,xfs,btrfs,nfs,nfsd,smb,ceph,gfs2,jfs,f2fs,nilfs2,reiserfs,ubifs,jffs2,orangefs,afs,9p,lockd,dlm,cachefiles}
  fs/{fscache,hfs,hfsplus,ufs,udf,minix,sysv,omfs,affs,befs,bfs,efs,ecryptfs,coda,quota}
  net/{bluetooth,sunrpc,batman-adv,ceph,tipc,rds,sctp,openvswitch,ieee802154,6lowpan,mac802154,nfc,9p,dccp,l2tp,mpls}
  net/{rxrpc,smc,vmw_vsock,netfilter/ipvs,appletalk,ax25,lapb,x25}
  sound 'lib/test_*'
)
# Memory sticks are SCSI disks.
needed=(drivers/scsi/{scsi_common,scsi_mod,sd_mod}.ko)
# Network of PCs. The initramfs brings what their disks need.
if [ "$board" = generic-x64 ]; then needed+=(drivers/net/ethernet/{intel,aquantia,marvell}'/***'); fi
rsync -a "${needed[@]/#/--include=/kernel/}" "${unneeded[@]/#/--exclude=/kernel/}" --exclude=/build --exclude=/source "$kernel/lib/modules/$release/" \
  "$root/usr/lib/modules/$release/"
depmod -b "$root" "$release" 2>/dev/null
cp "$kernel/boot/vmlinuz-$release" "$root/boot/vmlinuz"
cp "$initrd" "$root/boot/initrd"

tar -C "$unpacked" --strip-components=1 -xzf "$bundle"
"$unpacked/install.sh" --destdir "$root" >/dev/null
# Not rsync: since 3.5 it rejects a directory where the userland has a link (/lib).
for overlay in "$here/overlay" $(ls -d "$here/overlay-$board" 2>/dev/null) "$@"; do
  tar -C "$overlay" --owner=0 --group=0 -c . | tar -C "$root" -xp --keep-directory-symlink
done
sed -i "s/@COMPATIBLE@/stellwerk-box-$board/" "$root/etc/rauc/system.conf"
mkdir -p "$root/etc/ssh/keys" "$root/var/log/journal" "$root/var/lib/"{stellwerk,stellwerk-update}
install -m 0644 "$ca" "$root/etc/rauc/ca.pem"
systemd-sysusers --root="$root" 2>/dev/null
chown 851:851 "$root/var/lib/stellwerk"
chmod 0750 "$root/var/lib/stellwerk"
chown 0:851 "$root/etc/stellwerk" "$root/etc/stellwerk/gateway.yaml"
chmod 0750 "$root/etc/stellwerk"
chmod 0640 "$root/etc/stellwerk/gateway.yaml"
systemctl --root="$root" --quiet enable stellwerk.service stellwerk-keeper.service box-confirm.service box-setup.service box-update.path stellwerk-chips.path \
  systemd-networkd.service systemd-resolved.service systemd-timesyncd.service
# apply-setup starts SSH if there is a key.
systemctl --root="$root" --quiet disable ssh.service wpa_supplicant.service
ln -sf ../run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
echo stellwerk >"$root/etc/hostname"
: >"$root/etc/fstab"
printf 'IMAGE_ID=stellwerk-box\nIMAGE_VERSION=%s\n' "$version" >>"$root/usr/lib/os-release"
rm -f "$root"/etc/{passwd,group,shadow,gshadow}- "$root/etc/.pwd.lock" "$root/var/cache/ldconfig/aux-cache"

find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
"$here/make-ext4.sh" "$root" "${SLOT_MB:-640}" "$(printf '%s %s' "$board" "$version" | sha256sum | cut -c1-64)" "$out"
echo "slot: $out, $(du -sm "$root" | cut -f1) MB of files"
