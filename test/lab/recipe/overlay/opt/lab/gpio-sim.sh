#!/bin/bash
# gpio-sim.sh: one simulated chip, label "lab", 16 lines RELAY1..8 and SENSE1..8. Its lines are seen and moved from outside
# through /run/lab/gpio-sim/sim_gpioN/{value,pull} (N = offset: RELAY1 is 0, SENSE1 is 8).
set -euo pipefail
modprobe gpio-sim
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
chip=/sys/kernel/config/gpio-sim/lab
if [ ! -d $chip ]; then
  mkdir -p $chip/bank0
  echo lab >$chip/bank0/label
  echo 16 >$chip/bank0/num_lines
  for n in 1 2 3 4 5 6 7 8; do
    mkdir $chip/bank0/line$((n - 1)) $chip/bank0/line$((n + 7))
    echo RELAY$n >$chip/bank0/line$((n - 1))/name
    echo SENSE$n >$chip/bank0/line$((n + 7))/name
  done
  echo 1 >$chip/live
fi
mkdir -p /run/lab
ln -sfn "/sys/devices/platform/$(cat $chip/dev_name)/$(cat $chip/bank0/chip_name)" /run/lab/gpio-sim
