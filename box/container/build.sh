#!/bin/bash
# Builds the container image of a bundle with podman: build.sh BUNDLE.tar.gz IMAGE_NAME DIRECTORY. Its root consists of Debian's
# packages, without a base image of a registry. DIRECTORY keeps root.tar for the next build. As root, mmdebstrap needs nothing;
# other users need uidmap and a range in /etc/subuid.
set -euo pipefail
bundle=$(realpath "$1") name=$2 directory=$(realpath -m "$3") here=$(cd "$(dirname "$0")" && pwd)
suite=bookworm keyring=/usr/share/keyrings/debian-archive-keyring.gpg
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
mkdir -p "$directory"
source() { echo "deb [signed-by=$keyring] $("$here/../../test/lab/recipe/mirror.sh" "$1") $1 main"; }
if [ ! -e "$directory/root.tar" ]; then
  # Node needs libstdc++; the recipe and bin/stellwerk need a shell.
  mmdebstrap --quiet --variant=minbase --include=libstdc++6,ca-certificates,tzdata \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/*' \
    "$suite" "$directory/new.tar" "$(source "$suite")" "$(source "$suite-security")"
  mv "$directory/new.tar" "$directory/root.tar"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{opt/stellwerk,etc/stellwerk,var/lib/stellwerk}
tar -C "$work/opt/stellwerk" --strip-components=1 -xzf "$bundle"
cp "$work/opt/stellwerk/docs/start/sample/gateway.yaml" "$work/etc/stellwerk/"
options=(--sort=name "--mtime=@$SOURCE_DATE_EPOCH" --numeric-owner)
tar -C "$work" "${options[@]}" --owner=0 --group=0 -cf "$directory/gateway.tar" opt
tar -C "$work" "${options[@]}" --owner=851 --group=851 -rf "$directory/gateway.tar" etc/stellwerk var/lib/stellwerk
podman build --quiet --format docker --file "$here/Containerfile" --tag "$name" "$directory"
