import { type TUnsafe, Type } from '@sinclair/typebox';

/** A property whose value is one of `words`, which must not contain regular-expression characters. */
export function enumProperty<T extends string>(words: readonly T[], standard: T): TUnsafe<T> {
  // Values are checked by the pattern; `enum` is for readers of the schema and for error messages.
  return Type.Unsafe<T>(
    Type.String({ enum: [...words], pattern: `^(?:${words.join('|')})$`, default: standard }),
  );
}

/**
 * What happens to an output on an event such as a boot or a lost connection: it keeps its state, or goes to
 * the named one.
 */
export const statePolicies = ['hold', 'inactive', 'active'] as const;
export type StatePolicy = (typeof statePolicies)[number];
