#!/bin/bash
# Downloads packages of another architecture and unpacks them, without their dependencies and without installing them:
# download.sh SUITE ARCH OUTPUT_DIRECTORY PACKAGE... The package `kernel` is the kernel of today's linux-image-ARCH; its
# version is then in OUTPUT_DIRECTORY/version.
set -euo pipefail
suite=$1 arch=$2 out=$3 here=$(cd "$(dirname "$0")" && pwd)
shift 3
mirror=$here/../../test/lab/recipe/mirror.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

apt_root=$work/apt
mkdir -p "$apt_root"/{etc/apt/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d},var/lib/apt/lists/partial,var/lib/dpkg,var/cache/apt/archives/partial}
: >"$apt_root/var/lib/dpkg/status"
from="deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
cat >"$apt_root/etc/apt/sources.list" <<LIST
$from $("$mirror" "$suite") $suite main non-free-firmware
$from $("$mirror" "$suite-security") $suite-security main
LIST
cat >"$work/apt.conf" <<CONF
Dir "$apt_root";
Dir::State::status "$apt_root/var/lib/dpkg/status";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$work/apt.conf
apt-get -qq update

rm -rf "$out.new"
mkdir -p "$out.new"
packages=()
for package in "$@"; do
  if [ "$package" = kernel ]; then
    # Security updates change the name of the kernel's package.
    package=$(apt-cache depends "linux-image-$arch" | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | head -1)
    echo "${package#linux-image-}" >"$out.new/version"
  fi
  packages+=("$package")
done
(cd "$work" && apt-get -qq download "${packages[@]}")
for deb in "$work"/*.deb; do dpkg -x "$deb" "$out.new"; done
[ ! -e "$out.new/version" ] || depmod -b "$out.new" "$(cat "$out.new/version")" 2>/dev/null
rm -rf "$out"
mv "$out.new" "$out"
