#!/bin/bash
# kernel.sh SUITE OUT_DIR: Debian's own arm64 kernel of SUITE; gpio-sim, the IIO dummy and i2c-stub built from Debian's own source of
# that very kernel, and our own w1-sim for it.
# Leaves in OUT_DIR: vmlinuz, root/ (the package's modules, ours under extra/), version.
set -euo pipefail
suite=$1 out=$2 here=$(cd "$(dirname "$0")" && pwd)
mirror=$("$here/mirror.sh" "$suite")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An apt of its own, for two architectures: the kernel is arm64, the programs that build modules for it are this machine's.
apt_root=$work/apt host=$(dpkg --print-architecture)
mkdir -p "$apt_root"/{etc/apt/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d},var/lib/apt/lists/partial,var/lib/dpkg,var/cache/apt/archives/partial}
: >"$apt_root/var/lib/dpkg/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
  >"$apt_root/etc/apt/sources.list"
cat >"$work/apt.conf" <<CONF
Dir "$apt_root";
Dir::State::status "$apt_root/var/lib/dpkg/status";
APT::Architecture "arm64";
APT::Architectures { "arm64"; "$host"; };
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$work/apt.conf
apt-get -qq update

# The meta package names today's kernel; security updates change that name, so it is never written down.
depends() { apt-cache depends "$1" | sed -n "s/.*Depends: \($2\)/\1/p" | head -1; }
image=$(depends linux-image-arm64 'linux-image-.*')
version=${image#linux-image-}
series=$(cut -d. -f1,2 <<<"$version")
(
  cd "$work"
  apt-get -qq download "$image" "linux-headers-$version" "$(depends "linux-headers-$version" 'linux-headers-.*-common')" \
    "linux-kbuild-$series:$host" "linux-source-$series"
)
rm -rf "$out"
mkdir -p "$out/root" "$work/headers" "$work/source" "$work/module"
dpkg -x "$work"/linux-image-*.deb "$out/root"
for deb in "$work"/linux-headers-*.deb "$work"/linux-kbuild-*.deb; do dpkg -x "$deb" "$work/headers"; done
dpkg -x "$work"/linux-source-*.deb "$work/source"

# Stock kernels leave gpio-sim out, and irq_sim that it stands on.
tree=linux-source-$series
tar -C "$work/source" -xf "$work/source/usr/src/$tree.tar.xz" \
  "$tree/drivers/gpio/gpio-sim.c" "$tree/drivers/gpio/gpiolib.h" "$tree/kernel/irq/irq_sim.c" \
  "$tree/drivers/iio" \
  "$tree/drivers/i2c/i2c-stub.c"
cp "$work/source/$tree/drivers/gpio/"{gpio-sim.c,gpiolib.h} "$work/source/$tree/kernel/irq/irq_sim.c" "$work/module/"
# irq_to_desc() is not exported to modules; generic_handle_irq() is, and reaches the same handler.
sed -i 's/handle_simple_irq(irq_to_desc(irqnum))/generic_handle_irq(irqnum)/' "$work/module/irq_sim.c"
printf '\n#include <linux/module.h>\nMODULE_LICENSE("GPL");\n' >>"$work/module/irq_sim.c"
cp "$here/w1-sim.c" "$work/module/"
# Sensors: the IIO dummy with its buffer, and the modules that they need, unless the kernel has them; chips on I2C that are only registers.
cp "$work/source/$tree/drivers/iio/dummy/"iio_simple_dummy{,_buffer}.c "$work/source/$tree/drivers/iio/dummy/iio_simple_dummy.h" \
  "$work/source/$tree/drivers/i2c/i2c-stub.c" "$work/module/"
objects='irq_sim.o gpio-sim.o w1-sim.o iio_dummy.o i2c-stub.o'
for file in industrialio-{configfs,sw-device,sw-trigger} buffer/kfifo_buf trigger/iio-trig-{hrtimer,sysfs}; do
  name=$(basename "$file")
  if [ -z "$(find "$out/root/lib/modules" -name "$name.ko*")" ]; then
    cp "$work/source/$tree/drivers/iio/$file.c" "$work/module/"
    objects+=" $name.o"
  fi
done
cat >"$work/module/Kbuild" <<KBUILD
obj-m += $objects
iio_dummy-y := iio_simple_dummy.o iio_simple_dummy_buffer.o
ccflags-y += -DCONFIG_IIO_SIMPLE_DUMMY_BUFFER
KBUILD

headers=$work/headers/usr/src/linux-headers-$version
sed -i "s#/usr/src/#$work/headers/usr/src/#" "$headers/Makefile"
cross=$([ "$(uname -m)" = aarch64 ] || echo aarch64-linux-gnu-)
make -s -C "$headers" M="$work/module" ARCH=arm64 CROSS_COMPILE="$cross" CONFIG_DEBUG_INFO_BTF_MODULES= modules
mkdir -p "$out/root/lib/modules/$version/extra"
for module in "$work"/module/*.ko; do
  "${cross}strip" --strip-debug "$module"
  cp "$module" "$out/root/lib/modules/$version/extra/"
done

depmod -b "$out/root" "$version" 2>/dev/null
cp "$out/root/boot/vmlinuz-$version" "$out/vmlinuz"
echo "$version" >"$out/version"
