import { type TUnsafe, Type } from '@sinclair/typebox';

/** A property that is one of some words; `words` must not hold signs of regular expressions. */
export function choice<T extends string>(words: readonly T[], standard: T): TUnsafe<T> {
  // The pattern is what is checked, and its text says what may stand there; `enum` is for those who read the schema.
  return Type.Unsafe<T>(
    Type.String({ enum: [...words], pattern: `^(?:${words.join('|')})$`, default: standard }),
  );
}

/** What an output is when it is taken first after the machine has booted: as it was found, or the value named. */
export const boots = ['hold', 'inactive', 'active'] as const;
export type Boot = (typeof boots)[number];
