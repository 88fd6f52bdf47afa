/** Not part of any client identifier or topic that the broker accepts. */
export const KEY_SEPARATOR = '\n';

/** The number at the end of the key of a queued or acknowledged message; 0 for other records. */
export function keyNumber(key: string): number {
  if (key.startsWith('p')) return Number(key.slice(1));
  return key.startsWith('q') ? Number(key.slice(key.lastIndexOf(KEY_SEPARATOR) + 1)) : 0;
}
