import { X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { parseCertificateFor } from '../../base/credentials/certificate-key-pair.js';
import { ipVersion } from '../../base/addresses.js';
import type { Clock } from '../../base/clock.js';
import { codeOf, messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import { SerialQueue } from '../../base/serial-queue.js';
import { loadedTls, type LoadedTls } from './tls.js';
import { createCertificate, isPermitted, type KeyedCertificate } from './x509.js';

interface AuthorityContext {
  /** Where the gateway's own certificates are kept. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'nowMs' | 'isTrusted'>;
  readonly log: Log;
}

/** The names of this machine; tests give others. */
export interface MachineNames {
  readonly host: string;
  readonly addresses: readonly string[];
}

/** A certificate and its key, as their files contain them. */
interface StoredPair {
  readonly cert: string;
  readonly key: string;
}

/** The authority's certificate as devices install it. */
export interface AuthorityCertificate {
  readonly pem: string;
  readonly der: Buffer;
  readonly name: string;
  /** SHA-256 of the certificate, in hexadecimal digits with colons, as devices show it. */
  readonly fingerprint: string;
}

const DAY_MS = 86_400_000;
/** Devices keep the authority: it outlives them. */
const AUTHORITY_DAYS = 20 * 365;
/** The lifetime of a server's certificate, days; browsers reject those above 398. */
const VALID_DAYS = 397;
/** A certificate is renewed this long before it expires, days; an authority outlives what it signs. */
const RENEW_DAYS = 30;
const AUTHORITY_RENEW_DAYS = 2 * VALID_DAYS;
/** This code is newer: a clock before it is wrong (a machine without a battery starts in 1970 or 2000). */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
/** Addresses in a certificate; a machine with many virtual networks would fill it. */
const ADDRESSES_LIMIT = 32;
/** Domains of home networks (RFC 6762, RFC 8375, ICANN's .internal, what routers use). */
const HOME_DOMAINS = ['local', 'localhost', 'home.arpa', 'internal', 'lan', 'home', 'fritz.box'];
/** Readable by the gateway's user only. */
const PRIVATE = 0o600;
/** Its content is the certificate of the server and then that of the authority. */
const SERVER = 'auto';
const AUTHORITY = 'ca';

/**
 * The gateway's own certificate authority, which signs the certificate of `tls: auto`. Devices that trust it
 * accept every later certificate. It is made with the first use, once per data directory.
 */
export class CertificateAuthority {
  readonly #context: AuthorityContext;
  readonly #machine: () => MachineNames;
  readonly #queue = new SerialQueue();
  #authority: KeyedCertificate | undefined;
  /** Its files cannot be read now: the authority is in memory only, and they are read again later. */
  #isTemporary = false;
  #issued: { readonly tls: LoadedTls; readonly hosts: readonly string[] } | undefined;

  constructor(context: AuthorityContext, machine: () => MachineNames = machineNames) {
    this.#context = context;
    this.#machine = machine;
  }

  /** The authority's certificate; undefined as long as no listener uses it, or its files cannot be read. */
  get certificate(): AuthorityCertificate | undefined {
    if (this.#authority === undefined || this.#isTemporary) return undefined;
    const { certificate: pem } = this.#authority;
    const { raw, subject, fingerprint256 } = new X509Certificate(pem);
    return { pem, der: raw, name: subject.replace(/^CN=/, ''), fingerprint: fingerprint256 };
  }

  /**
   * A certificate for this machine and additional host names, by default those of the last call: the present
   * one as long as it is good.
   */
  issue(ofCall?: readonly string[]): Promise<LoadedTls> {
    return this.#queue.run(async () => {
      const hosts = ofCall ?? this.#issued?.hosts ?? [];
      if (this.#authority === undefined || this.#isTemporary) this.#authority = await this.#loadAuthority();
      const authority = this.#authority;
      const stored = this.#issued?.tls ?? (await this.#storedTls());
      const tls = stored && this.#isGood(stored, hosts) ? stored : await this.#renew(authority, hosts);
      this.#issued = { tls, hosts };
      return tls;
    });
  }

  /**
   * Whether the issued certificate expires soon, this machine has got another name or address, or the files of
   * the authority could not be read.
   */
  isRenewalDue(): boolean {
    if (this.#issued === undefined) return false;
    return this.#isTemporary || !this.#isGood(this.#issued.tls, this.#issued.hosts);
  }

  /** The time, as far as it is known; while it is not, certificates are not checked against it. */
  get #isTimeKnown(): boolean {
    const { clock } = this.#context;
    return clock.isTrusted() && clock.nowMs() >= EARLIEST_MS;
  }

  get #nowMs(): number {
    return Math.max(this.#context.clock.nowMs(), EARLIEST_MS);
  }

  #isGood({ cert, names }: LoadedTls, hosts: readonly string[]): boolean {
    if (this.#authority === undefined) return false;
    const [authority, own] = [new X509Certificate(this.#authority.certificate), new X509Certificate(cert)];
    // A certificate of the authority whose files cannot be read is better than one of the temporary authority.
    const isSigned = this.#isTemporary || (own.checkIssued(authority) && own.verify(authority.publicKey));
    if (!isSigned) return false;
    if (!this.#isCurrent(own, RENEW_DAYS)) return false;
    return this.#names(authority, hosts).every((name) =>
      ipVersion(name) === 0 ? names.includes(name) : own.checkIP(name) !== undefined,
    );
  }

  #isCurrent({ validFrom, validTo }: X509Certificate, days: number): boolean {
    if (!this.#isTimeKnown) return true;
    return Date.parse(validFrom) <= this.#nowMs && this.#nowMs < Date.parse(validTo) - days * DAY_MS;
  }

  /** The names of a certificate: those of this machine that the authority may sign. */
  #names(authority: X509Certificate, hosts: readonly string[]): string[] {
    const { host, addresses } = this.#machine();
    const short = host.replace(/\.local$/, '');
    const names = [short, `${short}.local`, 'localhost', ...hosts.filter((name) => !name.includes('*'))];
    const all = [...new Set(names.map((name) => name.toLowerCase())), ...addresses.slice(0, ADDRESSES_LIMIT)];
    return all.filter((name) => /^[\w.:-]+$/.test(name) && isPermitted(authority, name));
  }

  async #renew(authority: KeyedCertificate, hosts: readonly string[]): Promise<LoadedTls> {
    const names = this.#names(new X509Certificate(authority.certificate), hosts);
    // Valid from one day ago: clients' clocks may be behind.
    const from = new Date(this.#nowMs - DAY_MS);
    const until = new Date(from.getTime() + VALID_DAYS * DAY_MS);
    const subject = commonName(this.#machine().host);
    const { certificate, key } = createCertificate({ subject, names, from, until, issuer: authority });
    const chain = { certificate: certificate + authority.certificate, key };
    // Those of the authority whose files cannot be read are used again when they can.
    if (!this.#isTemporary) await this.#save(SERVER, chain);
    this.#context.log.info({ names: names.length, until: until.toISOString() }, 'issued a new certificate');
    return loadedTls(chain.certificate, key);
  }

  /** The stored authority; another one if there is none, it is invalid, or it expires soon. */
  async #loadAuthority(): Promise<KeyedCertificate> {
    const { directory, log } = this.#context;
    let stored: StoredPair | undefined;
    try {
      stored = await this.#read(AUTHORITY);
    } catch (thrown) {
      // Not replaced: all devices would lose their trust, although the files may be readable later.
      if (!this.#isTemporary)
        log.error(
          { error: messageOf(thrown) },
          `the authority in ${directory} cannot be read; restore ca-key.pem, or delete ca-cert.pem for a new one`,
        );
      this.#authority ??= this.#makeAuthority();
      this.#isTemporary = true;
      return this.#authority;
    }
    this.#isTemporary = false;
    if (stored === undefined) return this.#createAuthority();
    try {
      const certificate = parseCertificateFor(stored.cert, stored.key);
      if (certificate.ca && this.#isCurrent(certificate, AUTHORITY_RENEW_DAYS))
        return { certificate: stored.cert, key: stored.key };
      log.warn(
        {},
        'the certificate authority of this gateway expires soon; devices have to trust the new one',
      );
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, `the authority in ${directory} is not usable; making another`);
    }
    return this.#createAuthority();
  }

  #makeAuthority(): KeyedCertificate {
    const { host } = this.#machine();
    return createCertificate({
      subject: commonName(`stellwerk CA ${host}`),
      permitted: [...new Set([...HOME_DOMAINS, host.toLowerCase()])],
      // Not from now: the clock may be wrong, and the certificate must be valid when it is right.
      from: new Date(EARLIEST_MS),
      until: new Date(this.#nowMs + AUTHORITY_DAYS * DAY_MS),
    });
  }

  async #createAuthority(): Promise<KeyedCertificate> {
    const authority = this.#makeAuthority();
    await this.#save(AUTHORITY, authority);
    const { fingerprint256 } = new X509Certificate(authority.certificate);
    this.#context.log.info(
      { fingerprint: fingerprint256 },
      'made the certificate authority of this gateway; the page /tls says how devices trust it',
    );
    return authority;
  }

  /** The certificate of the listeners; undefined if there is none, or its files are damaged. */
  async #storedTls(): Promise<LoadedTls | undefined> {
    try {
      const stored = await this.#read(SERVER);
      return stored && loadedTls(stored.cert, stored.key);
    } catch {
      return undefined; // a new one is issued
    }
  }

  /** Undefined if there is no certificate. Rejects if one of the files cannot be read. */
  async #read(name: string): Promise<StoredPair | undefined> {
    const { directory } = this.#context;
    const cert = await readFile(join(directory, `${name}-cert.pem`), 'utf8').catch((thrown: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(thrown) ?? '')) return undefined;
      throw thrown;
    });
    if (cert === undefined) return undefined;
    return { cert, key: await readFile(join(directory, `${name}-key.pem`), 'utf8') };
  }

  /** A full or damaged disk must not prevent the gateway from serving its API. */
  async #save(name: string, { certificate, key }: KeyedCertificate): Promise<void> {
    const { directory, log } = this.#context;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFileAtomically(join(directory, `${name}-key.pem`), key, PRIVATE);
      await writeFileAtomically(join(directory, `${name}-cert.pem`), certificate, PRIVATE);
    } catch (thrown) {
      log.warn(
        { error: messageOf(thrown) },
        `the new certificate could not be saved in ${directory}; the next start will create another one`,
      );
    }
  }
}

/** X.509 allows 64 characters (RFC 5280, ub-common-name); others than these would have to be escaped. */
function commonName(name: string): string {
  return name.replace(/[^\w .-]/g, '-').slice(0, 64);
}

/** The host name, and all addresses but those that are valid on one link only; IPv4 first. */
function machineNames(): MachineNames {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address)
    .filter((address) => !/^fe80:|%/i.test(address));
  return {
    host: hostname(),
    addresses: [...new Set(addresses)].toSorted((a, b) => ipVersion(a) - ipVersion(b)),
  };
}
