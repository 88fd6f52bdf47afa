#!/bin/bash
# mirror.sh SUITE: the address that this machine's own apt fetches SUITE from; the lab takes its packages there too.
set -euo pipefail
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $1" 'Component: main' | sed 1q)
[ -n "$mirror" ] || { echo "apt on this machine does not know $1: run apt-get update on a Debian $1" >&2; exit 1; }
echo "$mirror"
