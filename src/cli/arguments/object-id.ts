import type { AnyFunction, Client } from '../../client/index.js';

/**
 * Resolves a command-line argument to an object's id: a number, or a path of idents and names from the root.
 * Rejects with the gateway's error, which lists the existing names.
 */
export async function resolveId(gateway: Client<AnyFunction>, word: string): Promise<number> {
  if (/^\d+$/.test(word)) return Number(word);
  const { ObjectID } = (await gateway.call('SVC_GetObject', asPath(word))) as { ObjectID: number };
  return ObjectID;
}

/** A path in the form that the gateway accepts in place of an id: with a `/`. */
export const asPath = (word: string): string => (word.includes('/') ? word : `/${word}`);
