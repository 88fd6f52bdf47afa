#!/bin/bash
# Makes a certificate authority and two signers of updates: make-keys.sh DIRECTORY. A box trusts ca.pem and thereby both signers.
# The directory never belongs to a checkout; ca.key is needed only to make another signer and belongs on no build machine.
set -euo pipefail
directory=$(realpath -m "$1") here=$(cd "$(dirname "$0")" && pwd)
case $directory/ in "$(cd "$here/../.." && pwd)"/*)
  case $directory in */.work/*) ;; *) echo 'make-keys.sh: keys do not belong into the checkout' >&2 && exit 2 ;; esac
  ;;
esac
[ ! -e "$directory/ca.key" ] || { echo "make-keys.sh: $directory has keys already" >&2 && exit 1; }
umask 077
mkdir -p "$directory"
cd "$directory"
ec=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
openssl req -x509 "${ec[@]}" -days 7300 -keyout ca.key -out ca.pem -subj '/O=stellwerk/CN=updates' 2>/dev/null
for signer in signer-1 signer-2; do
  openssl req "${ec[@]}" -keyout $signer.key -out $signer.csr -subj "/O=stellwerk/CN=$signer" 2>/dev/null
  openssl x509 -req -in $signer.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 -out $signer.pem -extfile <(
    printf 'keyUsage=critical,digitalSignature\nextendedKeyUsage=emailProtection,codeSigning\n'
  ) 2>/dev/null
  rm $signer.csr
done
