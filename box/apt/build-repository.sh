#!/bin/bash
# Builds a signed apt repository: build-repository.sh PACKAGE_DIRECTORY OUTPUT_DIRECTORY. Any web server can serve the output.
#
# SIGNING_KEY is the id or the address of a secret key in the keyring of gpg (GNUPGHOME); it never belongs to a checkout.
set -euo pipefail
packages=$(realpath "$1") output=$(realpath -m "$2")
[ -n "${SIGNING_KEY:-}" ] || { echo 'build-repository.sh: set SIGNING_KEY to a secret key of gpg (see docs/use/packages.md)' >&2 && exit 2; }
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}

rm -rf "$output.new"
mkdir -p "$output.new/pool"
cp "$packages"/*.deb "$output.new/pool/"
cd "$output.new"
for arch in amd64 arm64; do
  list=dists/stable/main/binary-$arch
  mkdir -p "$list"
  apt-ftparchive --arch "$arch" packages pool >"$list/Packages"
  xz -k "$list/Packages"
done
release=APT::FTPArchive::Release
apt-ftparchive -o $release::Origin=stellwerk -o $release::Label=stellwerk -o $release::Suite=stable -o $release::Codename=stable \
  -o $release::Components=main -o "$release::Architectures=amd64 arm64" release dists/stable >"$output.release"
mv "$output.release" dists/stable/Release
gpg --batch --quiet --yes --local-user "$SIGNING_KEY" --clearsign --output dists/stable/InRelease dists/stable/Release
gpg --batch --quiet --yes --output stellwerk.gpg --export "$SIGNING_KEY"
# A mirror that copies while this runs gets the old repository or the new one.
if [ -d "$output" ]; then mv "$output" "$output.old"; fi
mv "$output.new" "$output"
rm -rf "$output.old"
echo "repository: $output, signed by $SIGNING_KEY"
