import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { ipv6Groups, ipVersion } from '../../base/addresses.js';

/** What a certificate is issued for. */
interface CertificateOptions {
  /** Host names and addresses; the first is the subject. */
  readonly names: readonly string[];
  readonly from: Date;
  readonly until: Date;
}

/**
 * Makes a self-signed certificate for a TLS server (X.509 v3, RFC 5280) on a new P-256 key, both as PEM.
 * Written here because it is sixty lines of DER, and the libraries for it bring a dozen packages.
 */
export function selfSigned({ names, from, until }: CertificateOptions): { certificate: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(1, 2, 840, 10_045, 4, 3, 2)); // ecdsa-with-SHA256
  const name = sequence(element(SET, sequence(oid(2, 5, 4, 3), element(UTF8, Buffer.from(names[0] ?? '')))));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and of full length
  const body = sequence(
    element(context(0), element(INTEGER, Buffer.from([2]))), // version 3
    element(INTEGER, serial),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(context(3), sequence(...extensions(names))),
  );
  const signature = sign('sha256', body, privateKey);
  return {
    certificate: pem('CERTIFICATE', sequence(body, algorithm, bits(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** RFC 5280 §4.2.1: usable as a server's certificate for these names, and as nothing else. */
function extensions(names: readonly string[]): Buffer[] {
  const critical = element(BOOLEAN, Buffer.from([0xff]));
  const octets = (content: Buffer) => element(OCTETS, content);
  return [
    sequence(oid(2, 5, 29, 19), critical, octets(sequence())), // no certificate authority
    sequence(oid(2, 5, 29, 15), critical, octets(element(BITS, Buffer.from([7, 0x80])))), // digital signature
    sequence(oid(2, 5, 29, 37), octets(sequence(oid(1, 3, 6, 1, 5, 5, 7, 3, 1)))), // TLS server
    sequence(oid(2, 5, 29, 17), octets(sequence(...names.map(alternativeName)))),
  ];
}

function alternativeName(name: string): Buffer {
  const groups = ipv6Groups(name);
  if (ipVersion(name) === 4) return element(0x87, Buffer.from(name.split('.').map(Number)));
  if (groups !== undefined)
    return element(0x87, Buffer.from(groups.flatMap((group) => [group >> 8, group & 255])));
  return element(0x82, Buffer.from(name));
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BITS = 0x03;
const OCTETS = 0x04;
const OID = 0x06;
const UTF8 = 0x0c;
const TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
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

/** UTCTime, which is valid until 2049 (RFC 5280 §4.1.2.5). */
function time(at: Date): Buffer {
  return element(TIME, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
