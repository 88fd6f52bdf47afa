/**
 * The contract between the GPIO modules and the lines of a machine. It is implemented by the character device
 * (`cdev.ts`), by sysfs (`sysfs.ts`) and by the simulated board (`simulated.ts`);
 * `test/contract/gpio/suite.ts` runs against all three.
 *
 * A value is active or inactive, never a level: `activeLow` is applied below this contract. Failures reject
 * with a `Fault`: `DEVICE_CONFIGURATION` if only other settings can help (no such line, not supported here),
 * `DEVICE_OFFLINE` if waiting can (chip missing, line in use, chip removed), `DEVICE_REFUSED` if the kernel
 * rejected a value. A closed line rejects with an `AbortError`, because then the gateway itself stopped.
 */
import type { StatePolicy } from '../../../src/device/toolkit/enum-property.js';

export const backendNames = ['cdev', 'sysfs', 'simulated'] as const;
export type BackendName = (typeof backendNames)[number];

export const drives = ['push-pull', 'open-drain', 'open-source'] as const;
export type Drive = (typeof drives)[number];

export const biases = ['as-is', 'disabled', 'pull-up', 'pull-down'] as const;
export type Bias = (typeof biases)[number];

/**
 * What the line keeper does with an output while its gateway is not running
 * (`docs/hardware/safe-outputs.md`).
 */
export interface Guard {
  /** When the machine boots, before the gateway starts. */
  readonly boot: StatePolicy;
  readonly onDeath: StatePolicy;
  readonly onStop: StatePolicy;
  readonly onUpdate: StatePolicy;
  /** Seconds after which a held output becomes inactive; 0 for never. */
  readonly holdForS: number;
}

/**
 * Maximum number of edges that one line delivers per turn of the event loop, so that it cannot starve other
 * lines.
 */
export const EDGES_PER_TURN = 64;

/**
 * Edges that the kernel buffers for a line until they are read: the maximum that uAPI v2 grants to a request.
 */
export const EVENT_BUFFER_SIZE = 1024;

/**
 * The shortest debounce period that is left to the kernel. The kernel debounces in timer ticks (4 ms if HZ is
 * 250, 10 ms at 100) and silently coalesces anything faster.
 */
export const MIN_KERNEL_DEBOUNCE_US = 10_000;

/** The consumer name of the gateway's lines, as shown by `gpioinfo` and in the errors of other libraries. */
export const CONSUMER = 'stellwerk';

/** A GPIO controller. Its label is the same after every boot; `name` (`gpiochip0`) and numbers may differ. */
export interface Chip {
  readonly name: string;
  readonly label: string;
  /** Number of lines; their offsets are 0 … lines − 1. */
  readonly lines: number;
}

/** What is known about a line without requesting it. */
export interface LineInfo {
  readonly offset: number;
  /** Empty if the kernel has no name for the line. */
  readonly name: string;
  /** True while any consumer, including the kernel's own drivers, holds the line. */
  readonly isUsed: boolean;
  /** The consumer, if known. */
  readonly consumer: string;
  /** The current direction, whoever set it; `unknown` if the backend does not report it. */
  readonly direction: LineDirection;
}

export type LineDirection = 'input' | 'output' | 'unknown';

/** A line's chip and offset. */
export interface LineLocation {
  readonly chip: Chip;
  readonly offset: number;
  /** The line's name, or `label/offset`; for messages. */
  readonly name: string;
}

/** A change of an input. */
export interface Edge {
  /** The new value. */
  readonly active: boolean;
  /** CLOCK_MONOTONIC in nanoseconds, taken by the kernel if the backend numbers edges. */
  readonly atNs: bigint;
  /**
   * The number of the edge on this line since the request, from 1. A gap (also a first number above 1) means
   * that the event buffer overflowed and that many of the oldest edges were dropped. Edges may also coalesce
   * *before* they are numbered, which is not visible here. 0 if the backend does not number edges: then
   * nothing is known about drops.
   */
  readonly lineSeqno: number;
}

/**
 * Receives what happens to a requested input. Never called before the request has resolved, nor after
 * `close()`.
 */
export interface InputListener {
  /**
   * 1 … EDGES_PER_TURN edges in order. The newest edge is never dropped, so the last value is always right.
   */
  onEdges(edges: readonly Edge[]): void;
  /**
   * The chip is gone and the kernel said so. Not every kernel does: see `RequestedLine.get`. Called at most
   * once.
   */
  onLost(cause: Error): void;
}

export interface OutputOptions {
  readonly activeLow: boolean;
  readonly drive: Drive;
  /** The value when the line is requested: unchanged, or the one named. */
  readonly boot: StatePolicy;
  /** Absent if the line keeper should not guard this output. */
  readonly guard?: Guard;
  /**
   * The line keeper has taken the line over; its value is known only after a new request. Called at most
   * once.
   */
  onLost?(cause: Error): void;
  /** The chip is gone, if that is known before the next `set` or `get`. Called at most once. */
  onGone?(cause: Error): void;
}

export interface InputOptions {
  readonly activeLow: boolean;
  readonly bias: Bias;
  /** Microseconds that a value must last before it counts; 0 is off. See `GpioBackend.minDebounceUs`. */
  readonly debounceUs: number;
  /** Edges buffered until they are read; EVENT_BUFFER_SIZE by default. */
  readonly eventBuffer?: number;
}

/** A line that is held exclusively until it is closed. */
export interface RequestedLine extends AsyncDisposable {
  readonly location: LineLocation;
  /**
   * The value when it was requested. For an output: from its options, or the present one if held. For an
   * input: no edge.
   */
  readonly initial: boolean;
  /**
   * The current value. Rejects with `DEVICE_OFFLINE` if the chip is gone; some kernels report that in no
   * other way.
   */
  get(): Promise<boolean>;
  /** Releases the line without driving it; its chip decides what it becomes. May be called twice. */
  close(): Promise<void>;
}

export interface OutputLine extends RequestedLine {
  /** Resolves when the kernel has accepted the value. */
  set(active: boolean): Promise<void>;
}

/** An input; every change after `initial` goes to its listener. */
export interface InputLine extends RequestedLine {
  /**
   * Interrupts that the kernel has counted for this line since the first call: at least one for every edge it
   * numbered. Resolves to undefined if that is unknown. Meaningless while the kernel debounces.
   */
  countInterrupts?(): Promise<number | undefined>;
}

/** Access to the GPIO lines of a machine. Holds nothing but the lines that were requested through it. */
export interface GpioBackend {
  readonly name: BackendName;
  /**
   * The shortest `InputOptions.debounceUs` that it supports, microseconds; Infinity if it rejects debouncing.
   */
  readonly minDebounceUs: number;
  /** The lines that are requested and not yet closed. */
  requestedLines(): Iterable<RequestedLine>;
  /** All chips, sorted by name. */
  chips(): Promise<readonly Chip[]>;
  /** The lines of a chip, by offset. */
  lines(chip: Chip): Promise<readonly LineInfo[]>;
  /** Requests a line and drives it with its first value in one step, without a glitch in between. */
  requestOutput(location: LineLocation, options: OutputOptions): Promise<OutputLine>;
  requestInput(location: LineLocation, options: InputOptions, listener: InputListener): Promise<InputLine>;
}
