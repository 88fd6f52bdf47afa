#!/bin/sh
# Waits until the gateway of this machine is healthy after an update. Healthy: for STEADY seconds without interruption, the
# same process of stellwerk.service is alive (`stellwerk health --alive`), and the line keeper, which guards the outputs, runs.
# Sensors, the clock and the disk do not matter: they are no reason to roll back to the previous version.
set -u

usage='usage: health-gate.sh [--limit SECONDS] [--steady SECONDS]
Exit codes: 0 healthy, 1 not healthy within the limit, or it crashed five times, 2 wrong usage, 78 its configuration has errors.'
limit=180 steady=10 crashes=5
while [ $# -gt 0 ]; do
  case $1 in
  --limit) limit=${2:?} && shift ;;
  --steady) steady=${2:?} && shift ;;
  --help) echo "$usage" && exit 0 ;;
  *) echo "$usage" >&2 && exit 2 ;;
  esac
  shift
done
here=$(dirname "$(readlink -f "$0")")

# Not the wall clock, which jumps when the network comes.
uptime() { cut -d. -f1 /proc/uptime; }
show() { systemctl show -P "$1" stellwerk.service; }
is_alive() {
  [ "$(show ActiveState)" = active ] &&
    systemctl --quiet is-active stellwerk-keeper.service &&
    "$here/../bin/stellwerk" health --alive >/dev/null 2>&1
}

end=$(($(uptime) + limit)) pid='' since='' checked=''
while [ "$(uptime)" -lt "$end" ]; do
  now=$(show MainPID)
  if [ "$now" != 0 ] && is_alive; then
    if [ "$now" != "$pid" ]; then since=$(uptime); fi
    pid=$now
    [ $(($(uptime) - since)) -lt "$steady" ] || exit 0
  else
    pid=''
    # A gateway that rejects its configuration exits with 78 at every start. `stellwerk check --start` returns the same code
    # and is asked instead: on a slow machine, this loop never sees the service between its exit and its next start.
    if [ "$(show NRestarts)" -ge 2 ] && [ -z "$checked" ]; then
      checked=1
      "$here/../bin/stellwerk" check --start >/dev/null 2>&1
      [ $? != 78 ] || exit 78
    fi
    [ "$(show NRestarts)" -lt "$crashes" ] || exit 1
  fi
  sleep 1
done
exit 1
