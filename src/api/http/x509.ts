import {
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { ipv6Groups, ipVersion } from '../../base/addresses.js';

/** A certificate and its private key, both as PEM. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

interface CertificateOptions {
  /** The common name; at most 64 letters, digits, dots, hyphens and spaces. */
  readonly subject: string;
  /** Host names and addresses of a server. */
  readonly names?: readonly string[];
  /**
   * Makes it an authority for servers of these domains and all below them, and of any address. An authority
   * signs no other authorities.
   */
  readonly permitted?: readonly string[];
  readonly from: Date;
  readonly until: Date;
  /** Who signs it; if absent, it is self-signed. */
  readonly issuer?: KeyedCertificate;
}

/**
 * Makes a certificate for a TLS server or for an authority (X.509 v3, RFC 5280) on a new P-256 key. Written
 * here because it is a hundred lines of DER, and the libraries for it bring a dozen packages.
 */
export function createCertificate({
  subject,
  names = [],
  permitted,
  from,
  until,
  issuer,
}: CertificateOptions): KeyedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = issuer === undefined ? undefined : new X509Certificate(issuer.certificate);
  const algorithm = sequence(oid(1, 2, 840, 10_045, 4, 3, 2)); // ecdsa-with-SHA256
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and of full length
  const body = sequence(
    element(context(0), element(INTEGER, Buffer.from([2]))), // version 3
    element(INTEGER, serial),
    algorithm,
    commonName(signer?.subject.replace(/^CN=/, '') ?? subject),
    sequence(time(from), time(until)),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(
      context(3),
      sequence(
        ...(permitted === undefined ? serverExtensions(names) : authorityExtensions(permitted)),
        sequence(oid(2, 5, 29, 37), octets(sequence(oid(1, 3, 6, 1, 5, 5, 7, 3, 1)))), // for TLS servers
        sequence(oid(2, 5, 29, 14), octets(element(OCTETS, keyId(publicKey)))),
        sequence(oid(2, 5, 29, 35), octets(sequence(element(0x80, keyId(signer?.publicKey ?? publicKey))))),
      ),
    ),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  return {
    certificate: pem('CERTIFICATE', sequence(body, algorithm, bits(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** Whether an authority made with {@link createCertificate} may sign for this host name or address. */
export function isPermitted(authority: X509Certificate, name: string): boolean {
  if (ipVersion(name) !== 0) return true;
  const labels = name.toLowerCase().split('.');
  return labels.some((_label, index) => authority.raw.includes(subtree(labels.slice(index).join('.'))));
}

const commonName = (name: string) =>
  sequence(element(SET, sequence(oid(2, 5, 4, 3), element(UTF8, Buffer.from(name)))));
const critical = () => element(BOOLEAN, Buffer.from([0xff]));
const octets = (content: Buffer) => element(OCTETS, content);
/** One entry of the permitted subtrees (RFC 5280 §4.2.1.10): a domain with all below it. */
const subtree = (domain: string) => sequence(element(DNS_NAME, Buffer.from(domain)));

/** Identifies a key, so that an authority is distinguished from an earlier one of the same name. */
function keyId(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}

/** RFC 5280 §4.2.1: usable as a server's certificate for these names, and as nothing else. */
function serverExtensions(names: readonly string[]): Buffer[] {
  return [
    sequence(oid(2, 5, 29, 19), critical(), octets(sequence())), // no certificate authority
    sequence(oid(2, 5, 29, 15), critical(), octets(element(BITS, Buffer.from([7, 0x80])))), // digital signature
    sequence(oid(2, 5, 29, 17), octets(sequence(...names.map(alternativeName)))),
  ];
}

/** An authority without further authorities below it, which signs certificates for these domains only. */
function authorityExtensions(permitted: readonly string[]): Buffer[] {
  const isAuthority = element(BOOLEAN, Buffer.from([0xff]));
  const pathLength = element(INTEGER, Buffer.from([0]));
  const domains = permitted.map((domain) => subtree(domain.toLowerCase()));
  return [
    sequence(oid(2, 5, 29, 19), critical(), octets(sequence(isAuthority, pathLength))),
    sequence(oid(2, 5, 29, 15), critical(), octets(element(BITS, Buffer.from([1, 0x06])))), // signs certificates
    sequence(oid(2, 5, 29, 30), critical(), octets(sequence(element(context(0), ...domains)))),
  ];
}

function alternativeName(name: string): Buffer {
  const groups = ipv6Groups(name);
  if (ipVersion(name) === 4) return element(0x87, Buffer.from(name.split('.').map(Number)));
  if (groups !== undefined)
    return element(0x87, Buffer.from(groups.flatMap((group) => [group >> 8, group & 255])));
  return element(DNS_NAME, Buffer.from(name));
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BITS = 0x03;
const OCTETS = 0x04;
const OID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
/** The tag of a host name among the alternative names (RFC 5280 §4.2.1.6). */
const DNS_NAME = 0x82;
const context = (number: number) => 0xa0 + number;

/** Tag, length, contents (X.690 §8.1). */
function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return element(SEQUENCE, ...contents);
}

function bits(content: Buffer): Buffer {
  return element(BITS, Buffer.from([0]), content);
}

/** Base 128, the highest bit set in all bytes of a number but its last (X.690 §8.19). */
function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const bytes = rest.flatMap((number) => {
    const digits = [number & 127];
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128);
    return digits;
  });
  return element(OID, Buffer.from([first * 40 + second, ...bytes]));
}

/** UTCTime until 2049, GeneralizedTime from then on (RFC 5280 §4.1.2.5). */
function time(at: Date): Buffer {
  const text = `${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return at.getUTCFullYear() < 2050
    ? element(UTC_TIME, Buffer.from(text.slice(2)))
    : element(GENERALIZED_TIME, Buffer.from(text));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
