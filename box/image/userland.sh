#!/bin/bash
# Builds a Debian userland for the box, with systemd as init and without a kernel: userland.sh SUITE ARCH OUT.tar. ARCH is one
# of dpkg's names. The same packages and SOURCE_DATE_EPOCH give the same bytes. Needs root and mmdebstrap, and for another
# architecture than this machine's qemu-user-static and binfmt_misc (test/lab/recipe/binfmt.sh).
set -euo pipefail
suite=$1 arch=$2 out=$3 here=$(cd "$(dirname "$0")" && pwd)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# What would start by itself on a read-only system, or write to it.
masked=(apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
  systemd-firstboot.service)

customize=$(mktemp)
trap 'rm -f "$customize"' EXIT
cat >"$customize" <<HOOK
#!/bin/bash
set -e
root=\$1
rm -rf "\$root"/var/lib/apt/lists/* "\$root"/var/cache/* "\$root"/var/log/* "\$root"/tmp/* "\$root"/etc/ssh/ssh_host_*
rm -rf "\$root"/var/lib/dpkg/*-old "\$root"/etc/*-
: >"\$root/etc/machine-id"
chroot "\$root" passwd -l root >/dev/null
for unit in ${masked[*]}; do ln -sf /dev/null "\$root/etc/systemd/system/\$unit"; done
HOOK
chmod +x "$customize"

# The hook makes /bin, /lib and /sbin links. Otherwise the package usrmerge does, which needs the 56 MB of Perl.
mmdebstrap --mode=root --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --variant=minbase \
  --architectures="$arch" --include="$(paste -sd, "$here/packages.txt")" \
  --aptopt='APT::Install-Recommends "false"' --dpkgopt='force-unsafe-io' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook="$customize" "$suite" "$out" \
  "deb [signed-by=$keyring] $("$here/../../test/lab/recipe/mirror.sh" "$suite") $suite main" \
  "deb [signed-by=$keyring] $("$here/../../test/lab/recipe/mirror.sh" "$suite-security") $suite-security main"
