import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** How long a signature is valid, s; RFC 8292 §2 allows a day. */
const VALID_S = 12 * 60 * 60;
/** Who is responsible, which a push service may require (RFC 8292 §2.1): it must be an https URL. */
const SUBJECT = 'https://stellwerk.example/';

/** The key with which a gateway identifies itself to push services (VAPID, RFC 8292). */
export class VapidKey {
  readonly #key: KeyObject;
  /** As browsers expect it: the uncompressed point, base64url. */
  readonly publicKey: string;

  private constructor(key: KeyObject) {
    this.#key = key;
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    this.publicKey = Buffer.concat(point).toString('base64url');
  }

  /** Reads a key as PEM. Throws if it is not one for P-256. */
  static read(pem: string): VapidKey {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('it is not a key for P-256');
    return new VapidKey(key);
  }

  /** A new key as PEM. */
  static create(): string {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  }

  /** The `Authorization` header for a request to the push service at this endpoint. */
  authorization(endpoint: string, nowMs: number): string {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      aud: new URL(endpoint).origin,
      exp: Math.floor(nowMs / 1000) + VALID_S,
      sub: SUBJECT,
    };
    const signed = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `vapid t=${signed}.${signature.toString('base64url')}, k=${this.publicKey}`;
  }
}
