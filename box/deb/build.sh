#!/bin/bash
# Builds the Debian package from a bundle: build.sh BUNDLE.tar.gz OUTPUT_DIRECTORY. The same bundle gives the same bytes.
# COMPRESSION: xz, COMPRESSION_LEVEL: 6.
#
# The package owns /usr/lib/stellwerk/package. The maintainer scripts make hard links of it to /usr/lib/stellwerk/VERSION,
# from where the gateway runs: dpkg never changes a version that runs, and the previous one stays for a rollback.
set -euo pipefail
tarball=$1 output=$2
here=$(cd "$(dirname "$0")" && pwd)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

mkdir "$work/bundle" "$root"
tar -C "$work/bundle" --strip-components=1 -xzf "$tarball"
version=$(sed -n 's/^ *"version": "\(.*\)".*/\1/p' "$work/bundle/package.json" | head -n 1)
case $tarball in
*-arm64.tar.gz) arch=arm64 ;;
*-x64.tar.gz) arch=amd64 ;;
*) echo "build.sh: $tarball does not name its architecture" >&2 && exit 2 ;;
esac

"$work/bundle/install.sh" --destdir "$root" --prefix /usr >/dev/null
home=$root/usr/lib/stellwerk share=$root/usr/share
rm "$home/current"
mv "$home/$version" "$home/package"
rm "$home/package/install.sh"
# Not a conffile: `stellwerk setup` and the owner change it.
install -D -m 0644 "$root/etc/stellwerk/gateway.yaml" "$share/stellwerk/gateway.yaml"
rm -r "${root:?}/etc"
# Below systemd 254, the increasing delays of backoff.conf only cause warnings.
for shell in bash-completion/completions/stellwerk zsh/site-functions/_stellwerk fish/vendor_completions.d/stellwerk.fish; do
  target=$(readlink "$share/$shell")
  ln -sfnr "$home/package/completions/$(basename "$target")" "$share/$shell"
done
ln -sfn ../lib/stellwerk/current/bin/stellwerk "$root/usr/bin/stellwerk"

doc=$share/doc/stellwerk
rm "$doc"
mkdir "$doc"
for page in "$home/package/docs"/*; do ln -sr "$page" "$doc/$(basename "$page")"; done
install -m 0644 "$here/copyright" "$doc/copyright"
mv "$home/package/THIRD-PARTY.txt" "$doc/THIRD-PARTY.txt"
ln -sr "$doc/THIRD-PARTY.txt" "$home/package/THIRD-PARTY.txt"
sed "s/@VERSION@/$version/; s/@DATE@/$(date -Ru -d "@$SOURCE_DATE_EPOCH")/" "$here/changelog" | gzip -9n >"$doc/changelog.gz"
install -D -m 0644 "$here/lintian-overrides" "$share/lintian/overrides/stellwerk"
mkdir -p "$share/man/man1"
sed "s/@VERSION@/$version/" "$here/stellwerk.1" | gzip -9n >"$share/man/man1/stellwerk.1.gz"

find "$root" -type d -exec chmod 0755 {} +
find "$home/package" -type f -exec chmod u=rwX,go=rX {} +
mkdir "$root/DEBIAN"
size=$(du -sk --apparent-size "$root" | cut -f1)
sed "s/@VERSION@/$version/; s/@ARCH@/$arch/; s/@SIZE@/$size/" "$here/control" >"$root/DEBIAN/control"
for script in preinst postinst prerm postrm; do
  sed "s/@VERSION@/$version/" "$here/$script" >"$root/DEBIAN/$script"
  chmod 0755 "$root/DEBIAN/$script"
done
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$output"
dpkg-deb --root-owner-group -Z"${COMPRESSION:-xz}" -z"${COMPRESSION_LEVEL:-6}" --build "$root" "$output/stellwerk_${version}_$arch.deb" >/dev/null
echo "deb: $output/stellwerk_${version}_$arch.deb, $(du -k "$output/stellwerk_${version}_$arch.deb" | cut -f1) KiB"
