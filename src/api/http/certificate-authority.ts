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
  #issued: { readonly tls: LoadedTls; readonly hosts: readonly string[] } | undefined;

  constructor(context: AuthorityContext, machine: () => MachineNames = machineNames) {
    this.#context = context;
    this.#machine = machine;
  }

  /** The authority's certificate; undefined as long as no listener uses it. */
  get certificate(): AuthorityCertificate | undefined {
    if (this.#authority === undefined) return undefined;
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
      const authority = (this.#authority ??= await this.#loadAuthority());
      // Missing or damaged: a new one is issued.
      const stored = this.#issued?.tls ?? (await this.#read(SERVER).catch(() => undefined));
      const tls = stored && this.#isGood(stored, hosts) ? stored : await this.#renew(authority, hosts);
      this.#issued = { tls, hosts };
      return tls;
    });
  }

  /** Whether the issued certificate expires soon, or this machine has got another name or address. */
  isRenewalDue(): boolean {
    return this.#issued !== undefined && !this.#isGood(this.#issued.tls, this.#issued.hosts);
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
    if (!own.checkIssued(authority) || !own.verify(authority.publicKey)) return false;
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
    await this.#save(SERVER, chain);
    this.#context.log.info({ names: names.length, until: until.toISOString() }, 'issued a new certificate');
    return loadedTls(chain.certificate, key);
  }

  async #loadAuthority(): Promise<KeyedCertificate> {
    const { directory, log } = this.#context;
    try {
      const { cert, key } = await this.#read(AUTHORITY);
      const certificate = parseCertificateFor(cert, key);
      if (certificate.ca && this.#isCurrent(certificate, AUTHORITY_RENEW_DAYS))
        return { certificate: cert, key };
      log.warn(
        {},
        'the certificate authority of this gateway expires soon; devices have to trust the new one',
      );
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENOENT')
        log.warn({ error: messageOf(thrown) }, `the authority in ${directory} is not usable; making another`);
    }
    return this.#createAuthority();
  }

  async #createAuthority(): Promise<KeyedCertificate> {
    const { host } = this.#machine();
    const authority = createCertificate({
      subject: commonName(`stellwerk CA ${host}`),
      permitted: [...new Set([...HOME_DOMAINS, host.toLowerCase()])],
      // Not from now: the clock may be wrong, and the certificate must be valid when it is right.
      from: new Date(EARLIEST_MS),
      until: new Date(this.#nowMs + AUTHORITY_DAYS * DAY_MS),
    });
    await this.#save(AUTHORITY, authority);
    const { fingerprint256 } = new X509Certificate(authority.certificate);
    this.#context.log.info(
      { fingerprint: fingerprint256 },
      'made the certificate authority of this gateway; the page /tls says how devices trust it',
    );
    return authority;
  }

  async #read(name: string): Promise<LoadedTls> {
    const { directory } = this.#context;
    const cert = await readFile(join(directory, `${name}-cert.pem`), 'utf8');
    return loadedTls(cert, await readFile(join(directory, `${name}-key.pem`), 'utf8'));
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
