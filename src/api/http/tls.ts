import { X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { parseCertificateFor } from '../../base/certificate-key-pair.js';
import { faultFrom, messageOf } from '../../base/fault.js';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { selfSigned } from './self-signed.js';

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
}

/** Options for `auto`. */
interface AutoCertificateOptions {
  /** Where the gateway's own certificate is kept. */
  readonly directory: string;
  readonly nowMs: number;
  /**
   * Called with the reason if a new certificate can't be saved: it is then in memory only, until the next
   * start.
   */
  readonly onSaveFailed: (why: string) => void;
}

const DAY_MS = 86_400_000;
/** Apple's systems reject certificates that are valid for more than 825 days. */
const VALID_DAYS = 820;
const RENEW_DAYS = 30;
/** Readable by the gateway's user only. */
const PRIVATE = 0o600;

/** Reads or creates a certificate. Throws `LISTEN_FAILED` with the reason. */
export async function loadTls(source: TlsSource, options: AutoCertificateOptions): Promise<LoadedTls> {
  if (source === 'auto') return (await loadOwn(options)) ?? createOwn(options);
  try {
    const [cert, key] = await Promise.all([
      readFile(source.certificate, 'utf8'),
      readFile(source.key, 'utf8'),
    ]);
    return checked(cert, key);
  } catch (thrown) {
    throw faultFrom(thrown, 'LISTEN_FAILED', `TLS with ${source.certificate}`, messageOf(thrown));
  }
}

function checked(cert: string, key: string): LoadedTls {
  return { cert, key, names: namesOf(parseCertificateFor(cert, key)) };
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"\s]+)/g)].map(([, name = '']) => name);
}

/** The gateway's own certificate, if there is one that remains valid for some time. */
async function loadOwn({ directory, nowMs }: AutoCertificateOptions): Promise<LoadedTls | undefined> {
  try {
    const cert = await readFile(join(directory, 'auto-cert.pem'), 'utf8');
    const loaded = checked(cert, await readFile(join(directory, 'auto-key.pem'), 'utf8'));
    const { validFrom, validTo } = new X509Certificate(cert);
    const isGood = Date.parse(validFrom) <= nowMs && nowMs < Date.parse(validTo) - RENEW_DAYS * DAY_MS;
    return isGood && loaded.names.includes(hostname()) ? loaded : undefined;
  } catch {
    // Missing or damaged: a new one is created.
    return undefined;
  }
}

async function createOwn({ directory, nowMs, onSaveFailed }: AutoCertificateOptions): Promise<LoadedTls> {
  const addresses = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  );
  const own = hostname();
  const names = [
    own,
    `${own}.local`,
    'localhost',
    ...addresses.map((address) => address.replace(/%.*$/, '')),
  ];
  // Valid from one day ago: clients' clocks may be behind.
  const from = new Date(nowMs - DAY_MS);
  const until = new Date(nowMs + VALID_DAYS * DAY_MS);
  const { certificate, key } = selfSigned({ names: [...new Set(names)], from, until });
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFileAtomically(join(directory, 'auto-key.pem'), key, PRIVATE);
    await writeFileAtomically(join(directory, 'auto-cert.pem'), certificate, PRIVATE);
  } catch (thrown) {
    // A full or damaged disk must not prevent the gateway from serving its API.
    onSaveFailed(messageOf(thrown));
  }
  return checked(certificate, key);
}
