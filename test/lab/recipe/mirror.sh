#!/bin/bash
# mirror.sh SUITE: the address that this machine's own apt fetches SUITE from; the lab takes its packages there too.
# For a release of Debian that this apt does not have, it is the address of the one that it has.
set -euo pipefail
find_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' "$@" | sed 1q
}
mirror=$(find_mirror "Codename: $1")
# apt names only the sources whose lists are there.
[ -n "$mirror" ] || { apt-get -qq update >&2 && mirror=$(find_mirror "Codename: $1"); }
case $1 in
*-*) ;;
*) [ -n "$mirror" ] || mirror=$(find_mirror 'Label: Debian') ;;
esac
[ -n "$mirror" ] || { echo "apt on this machine does not know $1: add its source on a Debian $1" >&2; exit 1; }
echo "$mirror"
