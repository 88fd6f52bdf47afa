# boot.cmd: chooses a slot and starts its kernel. U-Boot executes it on each board.
#
# RAUC and U-Boot exchange the boot state in two copies of one 512-byte sector each, a checksum first, at 1 MiB and 2 MiB of the
# disk, in front of the first partition:
#   BOOT_ORDER    the slots in the order in which they are tried, "A B"
#   BOOT_A_LEFT   how many attempts slot A has left; `rauc status mark-good` sets it back
#   BOOT_B_LEFT
# An attempt is counted before the kernel starts. A slot without attempts is skipped. If no slot has any, both get three and
# are in the order again, so that a box never stays off: a slot that was marked as bad may be the only one with a system.
setexpr state_at ${scriptaddr} + 0x80000
setenv vars BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
setenv BOOT_ORDER; setenv BOOT_A_LEFT; setenv BOOT_B_LEFT
${devtype} dev ${devnum}
if ${devtype} read ${state_at} 0x800 1 && env import -c ${state_at} 0x200 ${vars}; then
  echo "box: boot state from copy 1"
elif ${devtype} read ${state_at} 0x1000 1 && env import -c ${state_at} 0x200 ${vars}; then
  echo "box: boot state from copy 2"
else
  echo "box: no boot state, defaults"
fi
test -n "${BOOT_ORDER}" || setenv BOOT_ORDER "A B"
test -n "${BOOT_A_LEFT}" || setenv BOOT_A_LEFT 3
test -n "${BOOT_B_LEFT}" || setenv BOOT_B_LEFT 3

setenv slot
for name in ${BOOT_ORDER}; do
  if test -n "${slot}"; then
    true
  elif test "${name}" = A && test ${BOOT_A_LEFT} -gt 0; then
    setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1
    setenv slot A; setenv part 2
  elif test "${name}" = B && test ${BOOT_B_LEFT} -gt 0; then
    setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1
    setenv slot B; setenv part 3
  fi
done
if test -z "${slot}"; then
  echo "box: no attempts left, both slots get three"
  setenv BOOT_A_LEFT 3; setenv BOOT_B_LEFT 3
  test "${BOOT_ORDER}" = "B A" || setenv BOOT_ORDER "A B"
fi
# The first copy is complete before the second is written.
env export -c -s 0x200 ${state_at} ${vars}
${devtype} write ${state_at} 0x800 1
${devtype} write ${state_at} 0x1000 1
test -n "${slot}" || reset

echo "box: slot ${slot}, order ${BOOT_ORDER}, attempts left A ${BOOT_A_LEFT} B ${BOOT_B_LEFT}"
part uuid ${devtype} ${devnum}:${part} uuid
# panic=10: a kernel panic restarts the box after 10 s.
setenv bootargs "root=PARTUUID=${uuid} ro rauc.slot=${slot} init=/usr/lib/stellwerk-box/early-init panic=10"
# box.txt on the FAT partition: kernel arguments of the board.
if load ${devtype} ${devnum}:1 ${state_at} box.txt; then
  env import -t ${state_at} ${filesize} console_args
  setenv bootargs "${bootargs} ${console_args}"
fi
# The Pi's addresses are too close together for Debian's kernel of 33 MB.
if test "${vendor}" = raspberrypi; then
  setenv ramdisk_addr_r 0x0a000000
fi
if load ${devtype} ${devnum}:${part} ${kernel_addr_r} /boot/vmlinuz && load ${devtype} ${devnum}:${part} ${ramdisk_addr_r} /boot/initrd; then
  booti ${kernel_addr_r} ${ramdisk_addr_r}:${filesize} ${fdt_addr}
fi
echo "box: slot ${slot} does not start"
reset
