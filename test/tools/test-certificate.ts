import { createCertificate } from '../../src/api/http/x509.js';

const DAY_MS = 86_400_000;

/** A self-signed certificate for a host name or address, valid since yesterday and until tomorrow, and its key. */
export const testCertificate = (name: string): { readonly certificate: string; readonly key: string } =>
  createCertificate({
    subject: name,
    names: [name],
    from: new Date(Date.now() - DAY_MS),
    until: new Date(Date.now() + DAY_MS),
  });
