#!/bin/bash
# Makes the signed update from a slot: update-bundle.sh BOARD SLOT.ext4 VERSION SIGNER.key SIGNER.pem CA.pem OUT.raucb.
# Its format is `verity`: the box checks each block when it reads it.
set -euo pipefail
board=$1 slot=$2 version=$3 key=$4 certificate=$5 ca=$6 out=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/content"
ln "$slot" "$work/content/slot.ext4" 2>/dev/null || cp --sparse=always "$slot" "$work/content/slot.ext4"
cat >"$work/content/manifest.raucm" <<MANIFEST
[update]
compatible=stellwerk-box-$board
version=$version

[bundle]
format=verity

[image.rootfs]
filename=slot.ext4
MANIFEST
rm -f "$out"
rauc bundle --cert="$certificate" --key="$key" --keyring="$ca" \
  --mksquashfs-args="-b 1M -comp zstd -Xcompression-level ${COMPRESSION_LEVEL:-19}" "$work/content" "$out"
