import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A certificate in PEM that belongs to a private key in PEM. Throws an Error that says what is wrong with them. */
export function parseCertificateFor(cert: string, key: string): X509Certificate {
  const certificate = new X509Certificate(cert);
  if (!certificate.checkPrivateKey(createPrivateKey(key)))
    throw new Error("the key is not the certificate's");
  return certificate;
}
