import type { en } from './en.js';

/** Replaces literal texts by `string`, so that another language may say something else. */
export type Widened<T> = T extends string
  ? string
  : T extends (...parameters: infer P) => string
    ? (...parameters: P) => string
    : { readonly [K in keyof T]: Widened<T[K]> };

/** All texts of the residents' front: English is the model, the compiler finds what another language lacks. */
export type Texts = Widened<typeof en>;
