import { type TUnsafe, Type } from '@sinclair/typebox';

/** A property that is one of some words; `words` must not hold signs of regular expressions. */
export function enumProperty<T extends string>(words: readonly T[], standard: T): TUnsafe<T> {
  // The pattern is what is checked, and its text says what may stand there; `enum` is for those who read the schema.
  return Type.Unsafe<T>(
    Type.String({ enum: [...words], pattern: `^(?:${words.join('|')})$`, default: standard }),
  );
}

/** What an output becomes when something happens to it or to what commands it: it stays what it is, or the value named. */
export const statePolicies = ['hold', 'inactive', 'active'] as const;
export type StatePolicy = (typeof statePolicies)[number];
