import { createHash } from 'node:crypto';

/** `child_lock` as `Child lock`. */
export function humanized(id: string): string {
  const words = id.replaceAll(/[_\s]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** How long an ident may be before it is shortened; the tree allows more, but nobody can read it. */
const IDENT_LIMIT = 120;

/**
 * A stable ident for a unique id. Two different ids never have the same ident: if characters had to be replaced,
 * the ident ends with a part of the hash of the id.
 */
export function identFor(component: string, id: string): string {
  const clean = id.replaceAll(/[^A-Za-z0-9_]/g, '_');
  const isExact = clean === id && !clean.includes('__') && clean.length <= IDENT_LIMIT;
  return `${component}_${isExact ? clean : `${clean.slice(0, IDENT_LIMIT)}_${hashOf(id)}`}`;
}

/** A short hash, for names that must differ. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
