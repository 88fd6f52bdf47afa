import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Maximum memory that a configured hash may need, bytes: a mistyped one must not exhaust the machine. */
const HASH_MEMORY_LIMIT = 256 * 1024 * 1024;

/** The minimum length of a new password, characters: shorter ones are guessed. */
export const PASSWORD_LENGTH = 8;

/** A parsed password hash `scrypt$N$r$p$salt$key`: the parameters of scrypt (RFC 7914), salt and key. */
interface PasswordHash {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** Parses a hash; undefined if it is invalid or too expensive. */
export function readPasswordHash(hash: string): PasswordHash | undefined {
  const match = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w+/]+={0,2})\$([\w+/]+={0,2})$/.exec(hash);
  if (match === null) return undefined;
  const [N = 0, r = 0, p = 0] = match.slice(1, 4).map(Number);
  const salt = Buffer.from(match[4] ?? '', 'base64');
  const key = Buffer.from(match[5] ?? '', 'base64');
  // N is a power of two (RFC 7914 §6).
  const isUsable = N > 1 && Number.isInteger(Math.log2(N)) && r > 0 && p > 0 && key.length > 0;
  return isUsable && 128 * N * r * p <= HASH_MEMORY_LIMIT ? { N, r, p, salt, key } : undefined;
}

/**
 * 16 MiB and about 0.1 s on a PC, 0.4 s on a Raspberry Pi 4: paid once, since verified pairs are remembered.
 */
const COST = { N: 16_384, r: 8, p: 1 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Hashes a password for the configuration: `scrypt$N$r$p$salt$key`, salt and key in Base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, { ...COST, salt, length: KEY_BYTES });
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$');
}

/**
 * Whether the password is the one of the hash, compared in constant time, off the event loop. An invalid hash
 * matches nothing.
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const read = readPasswordHash(hash);
  if (read === undefined) return false;
  const { key, ...settings } = read;
  try {
    return timingSafeEqual(await derive(password, { ...settings, length: key.length }), key);
  } catch {
    // Parameters that scrypt rejects.
    return false;
  }
}

interface Derivation {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly length: number;
}

function derive(password: string, { N, r, p, salt, length }: Derivation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: HASH_MEMORY_LIMIT * 2 };
    scrypt(password.normalize('NFC'), salt, length, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
