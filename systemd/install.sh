#!/bin/sh
# Installs stellwerk from an unpacked bundle, as root. Safe to run again; over an older version it is an upgrade that
# keeps the data and the configuration.
set -eu
# The user of the gateway reads what root installs. With root's own umask, that user may not be able to enter a new directory.
umask 022

usage() {
  cat <<'EOF'
usage: install.sh [--no-start] [--prefix DIR] [--destdir DIR]
       install.sh --uninstall [--prefix DIR]

Puts the program into /opt/stellwerk/VERSION (with --prefix: DIR/lib/stellwerk/VERSION), points the link "current"
there, and sets up the user, the device rules and the service. Never touches an existing
/etc/stellwerk/gateway.yaml nor the data in /var/lib/stellwerk; neither does --uninstall.

  --no-start    install only: do not enable or start the service
  --destdir D   put everything below D (to build a package): no user, no service, nothing run
  --uninstall   stop the service, take out the program and what was set up around it

Exit codes: 0 done, 1 failed, 2 wrong usage.
EOF
}

prefix='' destdir='' start=yes action=install
while [ $# -gt 0 ]; do
  case $1 in
  --prefix) prefix=${2:?} && shift ;;
  --destdir) destdir=${2:?} && shift ;;
  --no-start) start=no ;;
  --uninstall) action=uninstall ;;
  --help | -h) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

here=$(dirname "$(readlink -f "$0")")
if [ -n "$prefix" ]; then
  home=$prefix/lib/stellwerk config=$prefix/lib bin=$prefix/bin share=$prefix/share
else
  home=/opt/stellwerk config=/etc bin=/usr/local/bin share=/usr/local/share
fi
unit_files='stellwerk.service stellwerk-keeper.service stellwerk-chips.path stellwerk-chips.service'
units=$config/systemd/system sysusers=$config/sysusers.d tmpfiles=$config/tmpfiles.d
doc=$share/doc/stellwerk
catalog=$([ -n "$prefix" ] && echo "$prefix/lib/systemd/catalog" || echo /usr/local/lib/systemd/catalog)/stellwerk.catalog
rules=$([ -n "$prefix" ] && echo "$prefix/lib/udev/rules.d" || echo /etc/udev/rules.d)

backoff=$units/stellwerk.service.d/10-backoff.conf

# The path at which a shell looks for its completion script.
completion() {
  case $1 in
  bash) echo "$share/bash-completion/completions/stellwerk" ;;
  zsh) echo "$share/zsh/site-functions/_stellwerk" ;;
  fish) echo "$share/fish/vendor_completions.d/stellwerk.fish" ;;
  esac
}

# With DESTDIR, start nothing: the files are for another machine.
live() { [ -z "$destdir" ]; }
# Whether systemd is running; it is not in a chroot.
booted() { live && [ -d /run/systemd/system ]; }

live && [ "$(id -u)" != 0 ] && fail 'run it as root'

uninstall() {
  if booted; then
    systemctl disable --now stellwerk.service 2>/dev/null || true
    systemctl disable --now stellwerk-keeper.service stellwerk-chips.path 2>/dev/null || true
    rm -rf /run/stellwerk-keeper /run/stellwerk-chips
  fi
  for unit in $unit_files; do rm -f "$destdir$units/$unit"; done
  rm -f "$destdir$sysusers/stellwerk.conf" "$destdir$tmpfiles/stellwerk.conf"
  rm -f "$destdir$rules/60-stellwerk.rules" "$destdir$bin/stellwerk" "$destdir$backoff" "$destdir$catalog"
  rmdir "$(dirname "$destdir$backoff")" 2>/dev/null || true
  rm -f "$destdir$doc"
  for shell in bash zsh fish; do rm -f "$destdir$(completion $shell)"; done
  rm -rf "$destdir$home"
  if booted; then
    systemctl daemon-reload
    journalctl --update-catalog || true
    udevadm control --reload || true
  fi
  echo 'stellwerk was removed. Kept: /etc/stellwerk, /var/lib/stellwerk and the user stellwerk.'
}

# A new directory next to the old one, then one rename: a power cut in between leaves the old version intact.
put_program() {
  version=$(sed -n 's/^ *"version": "\(.*\)".*/\1/p' "$here/package.json" | head -n 1)
  if [ -z "$version" ] || [ ! -x "$here/bin/node" ]; then fail "$here is not an unpacked bundle"; fi
  live && { "$here/bin/node" -e 0 || fail 'the Node in this bundle does not run here: is it for this architecture?'; }
  target=$destdir$home/$version
  mkdir -p "$destdir$home" "$destdir$bin"
  if [ "$here" != "$(readlink -f "$target" 2>/dev/null || true)" ]; then
    rm -rf "$target.new" "$target.old"
    # With its times: the gateway shows that of its build.
    cp -R --preserve=timestamps "$here/." "$target.new" || {
      rm -rf "$target.new"
      fail "cannot copy the program to $target: see the line above. Nothing was changed; free space if the disk is full, and run install.sh again"
    }
    chmod -R u=rwX,go=rX "$target.new"
    sync -f "$target.new" 2>/dev/null || sync
    [ ! -e "$target" ] || mv "$target" "$target.old"
    mv "$target.new" "$target"
    rm -rf "$target.old"
  fi
  before=$(readlink "$destdir$home/current" 2>/dev/null || true)
  ln -sfn "$version" "$destdir$home/current.new"
  mv -T "$destdir$home/current.new" "$destdir$home/current"
  ln -sfn "$home/current/bin/stellwerk" "$destdir$bin/stellwerk"
  # The previous version stays, to roll back to: `ln -sfn VERSION current`. Older ones are removed; a second run with this
  # version does not know which one that is, and removes nothing.
  [ "$before" != "$version" ] || return 0
  for old in "$destdir$home"/*/; do
    old=$(basename "$old")
    case $old in
    current | "$version" | "$before") ;;
    *) rm -rf "$destdir${home:?}/$old" ;;
    esac
  done
}

put_surroundings() {
  mkdir -p "$destdir$units" "$destdir$sysusers" "$destdir$tmpfiles" "$destdir$rules" "$destdir/etc/stellwerk"
  for unit in $unit_files; do
    sed "s#/opt/stellwerk/current#$home/current#g" "$here/systemd/$unit" >"$destdir$units/$unit"
    chmod 0644 "$destdir$units/$unit"
  done
  cp "$here/systemd/sysusers.conf" "$destdir$sysusers/stellwerk.conf"
  cp "$here/systemd/tmpfiles.conf" "$destdir$tmpfiles/stellwerk.conf"
  cp "$here/systemd/60-stellwerk.rules" "$destdir$rules/60-stellwerk.rules"
  chmod 0644 "$destdir$sysusers/stellwerk.conf" "$destdir$tmpfiles/stellwerk.conf" "$destdir$rules/60-stellwerk.rules"
  # Explains the messages (journalctl -x).
  mkdir -p "$(dirname "$destdir$catalog")"
  cp "$here/systemd/stellwerk.catalog" "$destdir$catalog"
  chmod 0644 "$destdir$catalog"
  if ! live || [ "$(systemctl --version | sed -n '1s/systemd \([0-9]*\).*/\1/p')" -ge 254 ]; then
    mkdir -p "$(dirname "$destdir$backoff")"
    cp "$here/systemd/backoff.conf" "$destdir$backoff"
  fi
  if [ ! -e "$destdir/etc/stellwerk/gateway.yaml" ]; then
    (umask 077 && sed "s#/usr/local/share/doc/stellwerk#$doc#g" "$here/systemd/gateway.yaml" >"$destdir/etc/stellwerk/gateway.yaml")
  fi
  mkdir -p "$(dirname "$destdir$doc")"
  # A directory there is from another package: it stays.
  if [ -L "$destdir$doc" ] || [ ! -e "$destdir$doc" ]; then ln -sfn "$home/current/docs" "$destdir$doc"; fi
  for shell in bash zsh fish; do
    [ -f "$here/completions/$shell" ] || continue
    mkdir -p "$(dirname "$destdir$(completion $shell)")"
    ln -sfn "$home/current/completions/$shell" "$destdir$(completion $shell)"
  done
}

# Restart the line keeper only if the update changes it; systemd keeps its lines meanwhile.
start_keeper() {
  running=$(systemctl show -P MainPID stellwerk-keeper.service)
  if [ "$running" != 0 ] && cmp -s "/proc/$running/exe" "$home/current/bin/stellwerk-keeper"; then return 0; fi
  systemctl restart stellwerk-keeper.service ||
    echo 'install.sh: the line keeper does not start, outputs are not protected: journalctl -u stellwerk-keeper' >&2
}

set_up_machine() {
  systemd-sysusers "$sysusers/stellwerk.conf"
  systemd-tmpfiles --create "$tmpfiles/stellwerk.conf"
  booted || return 0
  systemctl daemon-reload
  journalctl --update-catalog || true
  # The chips are there already: their rules are applied as if they had just come.
  udevadm control --reload || true
  udevadm trigger --settle --subsystem-match=gpio --subsystem-match=leds --subsystem-match=pwm --subsystem-match=w1 --subsystem-match=iio --action=add || true
  [ "$start" = yes ] || return 0
  systemctl enable --quiet stellwerk-keeper.service stellwerk-chips.path stellwerk.service
  start_keeper
  # Not essential: without it, the console names the command that enables a chip.
  systemctl start stellwerk-chips.path || true
  # The outputs get their OnUpdate, not their OnStop. The gateway's user owns the directory and could have made `updating` a
  # link to a file of root: a rename does not follow it. The update continues without the marker.
  if [ -d /run/stellwerk ] && touch /run/stellwerk-updating; then mv -fT /run/stellwerk-updating /run/stellwerk/updating || true; fi
  # systemctl returns when the gateway has reported that it is ready, or has failed.
  systemctl restart stellwerk.service || fail 'stellwerk does not start: journalctl -u stellwerk'
}

if [ "$action" = uninstall ]; then
  uninstall
  exit 0
fi
put_program
put_surroundings
if live; then set_up_machine; fi
if [ "$start" = yes ] && live && [ -f /run/stellwerk/claim-code ]; then
  echo 'It has no owner yet: open http://127.0.0.1:3777/ in a browser and enter the code of "sudo stellwerk setup --claim",'
  echo 'or set the password with "sudo stellwerk setup".'
fi
echo "stellwerk $version is in $home/$version, its configuration in /etc/stellwerk/gateway.yaml."
