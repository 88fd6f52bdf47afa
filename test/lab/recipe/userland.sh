#!/bin/bash
# userland.sh SUITE PACKAGES OUT.tar: a small arm64 Debian with systemd as init and no kernel in it.
# PACKAGES is a file with one package a line. Needs root, qemu-user-static and binfmt_misc (binfmt.sh).
set -euo pipefail
suite=$1 packages=$2 out=$3
mirror=$("$(dirname "$0")/mirror.sh" "$suite")

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
include=$(paste -sd, "$packages")

# Timers and helpers that would wake up in the middle of a measurement, or that no box without a user needs.
masked=(
  apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
  systemd-firstboot.service systemd-timesyncd.service getty@tty1.service
)

customize=$(mktemp)
trap 'rm -f "$customize"' EXIT
cat >"$customize" <<HOOK
#!/bin/bash
set -e
root=\$1
rm -rf "\$root"/var/lib/apt/lists/* "\$root"/var/cache/apt/*
echo gw >"\$root/etc/hostname"
echo '127.0.0.1 localhost gw' >"\$root/etc/hosts"
echo '/dev/vda / ext4 defaults,noatime 0 1' >"\$root/etc/fstab"
: >"\$root/etc/machine-id"
chroot "\$root" passwd -d root >/dev/null
for unit in ${masked[*]}; do ln -sf /dev/null "\$root/etc/systemd/system/\$unit"; done
rm -f "\$root/etc/systemd/system/multi-user.target.wants/mosquitto.service"
HOOK
chmod +x "$customize"

mmdebstrap --mode=root --variant=minbase --architectures=arm64 --include="$include" \
  --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='force-unsafe-io' \
  --customize-hook="$customize" \
  "$suite" "$out" \
  "deb [signed-by=$keyring] $mirror $suite main"
