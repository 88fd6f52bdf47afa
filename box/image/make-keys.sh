#!/bin/bash
# Makes a certificate authority and two signers of updates: make-keys.sh DIRECTORY. A box trusts ca.pem and thereby both signers.
# `make-keys.sh DIRECTORY NAME` adds a further signer to an authority. The directory never belongs to a checkout; ca.key is needed
# only to make another signer and belongs on no build machine.
set -euo pipefail
directory=$(realpath -m "$1") further=${2:-} here=$(cd "$(dirname "$0")" && pwd)
case $directory/ in "$(cd "$here/../.." && pwd)"/*)
  case $directory in */.work/*) ;; *) echo 'make-keys.sh: keys do not belong in the checkout' >&2 && exit 2 ;; esac
  ;;
esac
ec=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
make_signer() {
  openssl req "${ec[@]}" -keyout "$1.key" -out "$1.csr" -subj "/O=stellwerk/CN=$1" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 -out "$1.pem" -extfile <(
    printf 'keyUsage=critical,digitalSignature\nextendedKeyUsage=emailProtection,codeSigning\n'
  ) 2>/dev/null
  rm "$1.csr"
}

umask 077
if [ -n "$further" ]; then
  [ -e "$directory/ca.key" ] || { echo "make-keys.sh: $directory has no ca.key; run make-keys.sh $1 first" >&2 && exit 1; }
  [ ! -e "$directory/$further.key" ] || { echo "make-keys.sh: $directory has the signer $further already" >&2 && exit 1; }
  cd "$directory"
  make_signer "$further"
  exit
fi
[ ! -e "$directory/ca.key" ] || { echo "make-keys.sh: $directory has keys already" >&2 && exit 1; }
mkdir -p "$directory"
cd "$directory"
openssl req -x509 "${ec[@]}" -days 7300 -keyout ca.key -out ca.pem -subj '/O=stellwerk/CN=updates' 2>/dev/null
make_signer signer-1
make_signer signer-2
