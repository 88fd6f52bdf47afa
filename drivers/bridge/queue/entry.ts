import type { Value, VariableType } from '../../../src/device/module.js';

/** From the one that is kept longest to the one that is dropped first. */
export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

/** Why values were dropped; names of the metric `stellwerk_forward_dropped_total`. */
export const dropReasons = [
  /** The queue was full; a value of the lowest priority, the oldest first. */
  'full',
  /** Older than the queue keeps values. */
  'age',
  /** The disk could not be written, and the memory was full. */
  'disk',
  /** The receiver rejected the value. */
  'rejected',
  /** A text that is too long for the queue. */
  'size',
  /** A file of the queue was damaged. */
  'damaged',
  /** Not on the disk when the power failed: an upper limit. */
  'powerCut',
] as const;
export type DropReason = (typeof dropReasons)[number];

/** The time of a value by a clock that was not synchronised, which can be corrected later. */
export interface UntrustedTime {
  /** Identifies the run of the kernel that the monotonic time belongs to. */
  readonly boot: string;
  readonly monotonicMs: number;
}

/** A value as a variable reported it. */
export interface NewEntry {
  /** Idents of the objects from the root to the variable. */
  readonly path: string;
  readonly type: VariableType;
  /** Undefined if there is none. */
  readonly value: Value | undefined;
  /** 0 good, 1 stale, 2 bad. */
  readonly quality: 0 | 1 | 2;
  /** The code of the quality; empty if it is good. */
  readonly reason: string;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** Set while the clock was not synchronised: `atMs` may be wrong. */
  readonly untrusted?: UntrustedTime;
}

/** A value in the queue. */
export interface Entry extends NewEntry {
  /** Counts the values of one bridge from 1; no number is used twice. */
  readonly seq: number;
}
