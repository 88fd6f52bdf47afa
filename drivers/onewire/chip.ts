import type { QualityProblem, Value } from '../../src/device/module.js';

/** The result of reading one variable: its value, or why there is none. */
export type ChipReading =
  | { readonly ident: string; readonly value: Value; readonly problem?: never }
  | { readonly ident: string; readonly problem: QualityProblem; readonly value?: never };

/**
 * A device of a family, accessed through its files. Rejects with a kernel error (errno) or a fault. Supports
 * one call at a time.
 */
export interface Chip {
  /** Whether reading takes as long as a measurement. */
  readonly isSlow: boolean;
  read(): Promise<readonly ChipReading[]>;
  /** Writes one of its variables. Throws `CANNOT_CONVERT` or `READ_ONLY`. */
  write?(ident: string, value: Value): Promise<void>;
}
