import { type TUnsafe, Type } from '@sinclair/typebox';

/** A property that is one of some words; `words` must not hold signs of regular expressions. */
export function choice<T extends string>(words: readonly T[], standard: T): TUnsafe<T> {
  // The pattern is what is checked, and its text says what may stand there; `enum` is for those who read the schema.
  return Type.Unsafe<T>(
    Type.String({ enum: [...words], pattern: `^(?:${words.join('|')})$`, default: standard }),
  );
}
