import { createCipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';

/** The keys of a subscription: the browser's public key (uncompressed P-256), and a secret. */
interface SubscriptionKeys {
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}

/** What is chosen for each message; tests give it. */
interface MessageSecrets {
  readonly salt: Buffer;
  readonly sender: ECDH;
}

/** The one record of a message, bytes; what is encrypted must be 103 bytes shorter (RFC 8291 §4). */
const RECORD_SIZE = 4096;

/**
 * Encrypts a message for a browser (RFC 8291, `aes128gcm` of RFC 8188): only the browser can read it, not the
 * push service that forwards it. Throws if the keys of the subscription are not valid.
 */
export function encryptPush(
  plain: Buffer,
  { p256dh, auth }: SubscriptionKeys,
  { salt, sender }: MessageSecrets = newSecrets(),
): Buffer {
  const publicKey = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey]);
  const secret = derive(sender.computeSecret(p256dh), auth, [info, 32]);
  const key = derive(secret, salt, [Buffer.from('Content-Encoding: aes128gcm\0'), 16]);
  const nonce = derive(secret, salt, [Buffer.from('Content-Encoding: nonce\0'), 12]);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // 2: the last record.
  const record = Buffer.concat([cipher.update(plain), cipher.update(Buffer.from([2])), cipher.final()]);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_SIZE);
  sizes.writeUInt8(publicKey.length, 4);
  return Buffer.concat([salt, sizes, publicKey, record, cipher.getAuthTag()]);
}

function newSecrets(): MessageSecrets {
  const sender = createECDH('prime256v1');
  sender.generateKeys();
  return { salt: randomBytes(16), sender };
}

/** HKDF of RFC 5869 with SHA-256. */
function derive(secret: Buffer, salt: Buffer, [info, length]: readonly [Buffer, number]): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
