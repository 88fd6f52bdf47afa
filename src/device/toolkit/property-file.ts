import { coded } from '../../base/codes/coded-text.js';
import type { Cancel } from '../../base/clock.js';
import { codedMessageOf, faultFrom } from '../../base/fault.js';
import { readNamedFile } from '../../base/named-file.js';
import type { Host } from '../module.js';

/** How often a certificate is checked for renewal, ms. */
const RENEWAL_INTERVAL_MS = 60_000;

/** Reads the file that a property names. Throws `DEVICE_CONFIGURATION` with the property's name. */
export async function readPropertyFile(property: string, path: string): Promise<Buffer> {
  try {
    return await readNamedFile(path);
  } catch (thrown) {
    throw faultFrom(
      thrown,
      'DEVICE_CONFIGURATION',
      coded`CANNOT_BE_READ: ${property} cannot be read: ${codedMessageOf(thrown)}`,
    );
  }
}

/**
 * Reads the certificate and the key that `CertificateFile` and `KeyFile` name, as PEM. Throws as
 * {@link readPropertyFile}.
 */
export async function readCertificatePair(
  certificateFile: string,
  keyFile: string,
): Promise<{ readonly cert: Buffer; readonly key: Buffer }> {
  const [cert, key] = await Promise.all([
    readPropertyFile('CertificateFile', certificateFile),
    readPropertyFile('KeyFile', keyFile),
  ]);
  return { cert, key };
}

/**
 * Calls `renew` once a minute to load a renewed certificate. While `renew` rejects, the instance has a
 * problem. Returns a function that stops this.
 */
export function renewCertificateRegularly(
  host: Pick<Host, 'clock' | 'setProblem'>,
  renew: () => Promise<void>,
): Cancel {
  const attempt = () =>
    renew().then(
      () => host.setProblem('CERTIFICATE', undefined),
      (thrown: unknown) =>
        host.setProblem(
          'CERTIFICATE',
          coded`RENEWED_CERTIFICATE_UNUSABLE: the renewed certificate cannot be used: ${codedMessageOf(thrown)}`,
        ),
    );
  return host.clock.every(RENEWAL_INTERVAL_MS, () => void attempt());
}
