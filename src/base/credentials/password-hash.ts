/** Maximum memory that a configured hash may need, bytes: a mistyped one must not exhaust the machine. */
export const HASH_MEMORY_LIMIT = 256 * 1024 * 1024;

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
