import { coded } from '../../base/codes/coded-text.js';
import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseCertificateFor } from '../../base/credentials/certificate-key-pair.js';
import { faultFrom, messageOf } from '../../base/fault.js';
import type { CertificateAuthority } from './certificate-authority.js';

/**
 * Where a listener's certificate comes from: the paths of two PEM files, or `auto` for one that the gateway
 * creates.
 */
export type TlsSource = 'auto' | { readonly certificate: string; readonly key: string };

/** A certificate, ready to be used. */
export interface LoadedTls {
  readonly cert: string;
  readonly key: string;
  /** The names in the certificate. */
  readonly names: readonly string[];
  /** When it expires, unix ms. */
  readonly untilMs: number;
}

/**
 * Reads a certificate, or has one issued for this machine and the additional host names. Throws
 * `LISTEN_FAILED` with the reason.
 */
export async function loadTls(
  source: TlsSource,
  authority: CertificateAuthority,
  hosts: readonly string[],
): Promise<LoadedTls> {
  if (source === 'auto') return authority.issue(hosts);
  try {
    const [cert, key] = await Promise.all([
      readFile(source.certificate, 'utf8'),
      readFile(source.key, 'utf8'),
    ]);
    return loadedTls(cert, key);
  } catch (thrown) {
    throw faultFrom(thrown, 'LISTEN_FAILED', coded`TLS: TLS with ${source.certificate}`, messageOf(thrown));
  }
}

/** A certificate as PEM, with its key. Throws if they do not belong together. */
export function loadedTls(cert: string, key: string): LoadedTls {
  const certificate = parseCertificateFor(cert, key);
  return { cert, key, names: namesOf(certificate), untilMs: Date.parse(certificate.validTo) };
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"\s]+)/g)].map(([, name = '']) => name);
}
