import type { QualityProblem, Value } from '../../src/device/module.js';

/** What a look at a device says of a variable: its value, or why there is none. */
export type ChipReading =
  | { readonly ident: string; readonly value: Value; readonly doubt?: never }
  | { readonly ident: string; readonly doubt: QualityProblem; readonly value?: never };

/** A device of a family, over its files. Rejects with what the kernel says (errno), or with a fault. One call at a time. */
export interface Chip {
  /** Whether a look takes as long as a measurement. */
  readonly isSlow: boolean;
  read(): Promise<readonly ChipReading[]>;
  /** A wish for one of its variables. Throws `CANNOT_CONVERT`, `READ_ONLY`. */
  write?(ident: string, value: Value): Promise<void>;
}
