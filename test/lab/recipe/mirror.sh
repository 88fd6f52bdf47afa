#!/bin/bash
# mirror.sh SUITE: the address that this machine's own apt fetches SUITE from; the lab takes its packages there too.
set -euo pipefail
find_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $1" 'Component: main' | sed 1q
}
mirror=$(find_mirror "$1")
# apt names only the sources whose lists are there.
[ -n "$mirror" ] || { apt-get -qq update >&2 && mirror=$(find_mirror "$1"); }
[ -n "$mirror" ] || { echo "apt on this machine does not know $1: add its source on a Debian $1" >&2; exit 1; }
echo "$mirror"
