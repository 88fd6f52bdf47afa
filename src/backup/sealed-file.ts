import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { coded, type Text } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import type { RecoveryKey } from './recovery-key.js';

/** What a sealed file contains. */
type SealedKind = 'chunk' | 'index';

const MAGIC = Buffer.from('STLWBKUP', 'latin1');
const VERSION = 1;
const KINDS: Readonly<Record<SealedKind, number>> = { chunk: 1, index: 2 };
const ID_BYTES = 8;
const SALT_BYTES = 32;
const HEADER_BYTES = MAGIC.length + 2 + ID_BYTES + SALT_BYTES;
/** Plain bytes of a segment; the last one may be shorter, and is empty only if the file is. */
const SEGMENT_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** Bounds what a file that claims to be compressed may expand to. */
const CONTENT_BYTES = 256 * 1024 * 1024;

/**
 * Compresses and encrypts a file: a header, then segments of AES-256-GCM whose nonces count them and mark the
 * last one, as age does (STREAM). docs/use/backup.md describes the format byte by byte.
 */
export function seal(key: RecoveryKey, kind: SealedKind, content: Uint8Array): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const fixed = Buffer.concat([MAGIC, Buffer.from([VERSION, KINDS[kind]]), Buffer.from(key.id, 'hex')]);
  const fileKey = key.fileKey(salt, fixed);
  const packed = deflateRawSync(content);
  const parts: Buffer[] = [fixed, salt];
  const count = Math.max(1, Math.ceil(packed.length / SEGMENT_BYTES));
  for (let i = 0; i < count; i++) {
    const cipher = createCipheriv('aes-256-gcm', fileKey, nonceOf(i, i === count - 1));
    const segment = packed.subarray(i * SEGMENT_BYTES, (i + 1) * SEGMENT_BYTES);
    parts.push(cipher.update(segment), cipher.final(), cipher.getAuthTag());
  }
  return Buffer.concat(parts);
}

/**
 * Decrypts a file completely before it returns any of it. Throws `BACKUP_DAMAGED` if it was changed or
 * truncated, or is of another version, and `RECOVERY_KEY_WRONG` if it was made with another key.
 */
export function unseal(key: RecoveryKey, kind: SealedKind, file: Uint8Array): Buffer {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  checkHeader(bytes, key, kind);
  const fixed = bytes.subarray(0, HEADER_BYTES - SALT_BYTES);
  const fileKey = key.fileKey(bytes.subarray(fixed.length, HEADER_BYTES), fixed);
  const body = bytes.subarray(HEADER_BYTES);
  const size = SEGMENT_BYTES + TAG_BYTES;
  const count = Math.ceil(body.length / size);
  const parts: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const segment = body.subarray(i * size, (i + 1) * size);
    parts.push(openSegment(fileKey, nonceOf(i, i === count - 1), segment));
  }
  if (count === 0) throw damaged(coded`SEALED_CUT: it ends too early`);
  try {
    return inflateRawSync(Buffer.concat(parts), { maxOutputLength: CONTENT_BYTES });
  } catch {
    // It is authenticated, so this is an error of the program that wrote it.
    throw damaged(coded`SEALED_PACKED: its compressed content is not valid`);
  }
}

function checkHeader(file: Buffer, key: RecoveryKey, kind: SealedKind): void {
  if (!file.subarray(0, MAGIC.length).equals(MAGIC))
    throw damaged(coded`SEALED_OTHER: it is not a file of a stellwerk backup`);
  if (file.length < HEADER_BYTES) throw damaged(coded`SEALED_CUT: it ends too early`);
  const version = file[MAGIC.length] ?? 0;
  if (version !== VERSION)
    throw damaged(
      coded`SEALED_VERSION: its format is version ${version}, but this stellwerk supports only version ${VERSION}; use a newer one`,
    );
  if (file[MAGIC.length + 1] !== KINDS[kind])
    throw damaged(coded`SEALED_KIND: it is not a file of the kind ${kind}`);
  const id = file.subarray(MAGIC.length + 2, MAGIC.length + 2 + ID_BYTES).toString('hex');
  if (id !== key.id)
    throw fault(
      'RECOVERY_KEY_WRONG',
      coded`OTHER_KEY: the backup was made with the key ${id}, not with ${key.id}`,
    );
}

function openSegment(fileKey: Buffer, nonce: Buffer, segment: Buffer): Buffer {
  if (segment.length < TAG_BYTES) throw damaged(coded`SEALED_CUT: it ends too early`);
  const decipher = createDecipheriv('aes-256-gcm', fileKey, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(segment.subarray(segment.length - TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(segment.subarray(0, segment.length - TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    // OpenSSL does not say more than that.
    throw damaged(coded`SEALED_CHANGED: it was changed, cut or reordered`);
  }
}

/** 11 bytes count the segments, the last byte is 1 for the last segment. */
function nonceOf(i: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(i, NONCE_BYTES - 7, 6);
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return nonce;
}

const damaged = (why: Text) => fault('BACKUP_DAMAGED', why);
