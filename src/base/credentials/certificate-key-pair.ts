import { createPrivateKey, X509Certificate } from 'node:crypto';

/**
 * Parses a PEM certificate and checks that it belongs to a PEM private key. Throws an Error that says what is
 * wrong.
 */
export function parseCertificateFor(cert: string, key: string): X509Certificate {
  const certificate = new X509Certificate(cert);
  if (!certificate.checkPrivateKey(createPrivateKey(key)))
    throw new Error('the private key does not belong to the certificate');
  return certificate;
}
