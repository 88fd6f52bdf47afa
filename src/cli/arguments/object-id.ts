import type { AnyFunction, Client } from '../../client/index.js';

/**
 * The id that a command-line argument denotes: a number, or a path of idents and names from the root
 * down. Rejects as the gateway does, with what there is.
 */
export async function resolveId(gateway: Client<AnyFunction>, word: string): Promise<number> {
  if (/^\d+$/.test(word)) return Number(word);
  const { ObjectID } = (await gateway.call('SVC_GetObject', asPath(word))) as { ObjectID: number };
  return ObjectID;
}

/** A path as the gateway understands it in place of an id: a text with `/` in it. */
export const asPath = (word: string): string => (word.includes('/') ? word : `/${word}`);
