/**
 * What the GPIO modules need of a machine's lines: one contract, kept by the character device (`cdev.ts`), by sysfs
 * (`sysfs.ts`) and by the simulated board (`simulated.ts`), and held to it by `test/contract/gpio.ts`.
 *
 * A value is active or inactive, never a level: `activeLow` is applied below this contract. What is wrong rejects with
 * a `Fault`: `DEVICE_CONFIGURATION` when only another setting can help (no such line, not supported here),
 * `DEVICE_OFFLINE` when waiting can (chip not there, line in use, chip gone), `DEVICE_REFUSED` when the kernel would
 * not take a value. A closed line rejects with an `AbortError`: that is us stopping.
 */
import type { StatePolicy } from '../../../src/device/toolkit/enum-property.js';

export const backendNames = ['cdev', 'sysfs', 'simulated'] as const;
export type BackendName = (typeof backendNames)[number];

export const drives = ['push-pull', 'open-drain', 'open-source'] as const;
export type Drive = (typeof drives)[number];

export const biases = ['as-is', 'disabled', 'pull-up', 'pull-down'] as const;
export type Bias = (typeof biases)[number];

/** What an output becomes when its gateway is not there; the line keeper sees to it (`docs/hardware/safe-outputs.md`). */
export interface Guard {
  /** When the machine boots, before there is a gateway. */
  readonly boot: StatePolicy;
  readonly onDeath: StatePolicy;
  readonly onStop: StatePolicy;
  readonly onUpdate: StatePolicy;
  /** Seconds after which a hold ends and the output becomes inactive; 0: never. */
  readonly holdForS: number;
}

/** The most edges that one line delivers in one turn of the event loop, so that a flood on it starves no other. */
export const EDGES_PER_TURN = 64;

/** Edges the kernel keeps for a line until they are read: the most that uAPI v2 grants to a request. */
export const EVENT_BUFFER_SIZE = 1024;

/**
 * Below this the kernel's debouncing is not to be trusted: it works in timer ticks (4 ms where HZ is 250, 10 ms at 100), and
 * merges what is faster without a word.
 */
export const MIN_KERNEL_DEBOUNCE_US = 10_000;

/** The name under which our lines show up in `gpioinfo` and in the other bindings' texts. */
export const CONSUMER = 'stellwerk';

/** A GPIO controller. Its label is the same at every boot; `name` (`gpiochip0`) and numbers need not be. */
export interface Chip {
  readonly name: string;
  readonly label: string;
  /** How many lines it has; their offsets are 0 … lines − 1. */
  readonly lines: number;
}

/** A line as it can be seen without requesting it. */
export interface LineInfo {
  readonly offset: number;
  /** Empty where the machine names none. */
  readonly name: string;
  /** True while anybody, the kernel's own drivers included, holds it. */
  readonly used: boolean;
  /** Who holds it, where that is known. */
  readonly consumer: string;
  /** What it is now, whoever made it so; `unknown` where the backend can't tell. */
  readonly direction: LineDirection;
}

export type LineDirection = 'input' | 'output' | 'unknown';

/** Where a line is. */
export interface LineLocation {
  readonly chip: Chip;
  readonly offset: number;
  /** Its name, or `label/offset`: for texts. */
  readonly name: string;
}

/** A change of an input. */
export interface Edge {
  /** The new value. */
  readonly active: boolean;
  /** When it happened: CLOCK_MONOTONIC, nanoseconds, taken by the kernel where the backend is one that counts. */
  readonly atNs: bigint;
  /**
   * The edge's number on this line since the request, from 1. A gap (a first number above 1 is one) means that the event
   * buffer overflowed and that many of the oldest edges were dropped. Edges may also merge *before* they are numbered,
   * which nobody can see. 0 where the backend doesn't number them: nothing may be concluded then.
   */
  readonly lineSeqno: number;
}

/** Who requests an input hears of it here. Neither is called before the request resolved, nor after `close()`. */
export interface InputListener {
  /** 1 … EDGES_PER_TURN edges in their order; the last one kept is never lost, so the last value is right. */
  edges(edges: readonly Edge[]): void;
  /** The chip is gone, and said so. Not every kernel does: see `RequestedLine.get`. At most once. */
  lost(cause: Error): void;
}

export interface OutputOptions {
  readonly activeLow: boolean;
  readonly drive: Drive;
  /** What it is when it is taken: as it was found, or the value named. */
  readonly boot: StatePolicy;
  /** Absent: nobody keeps it when the gateway is not there. */
  readonly guard?: Guard;
  /** The line keeper has taken the line over: what it is now shows when it is requested anew. At most once. */
  onLost?(cause: Error): void;
}

export interface InputOptions {
  readonly activeLow: boolean;
  readonly bias: Bias;
  /** Microseconds for which a value must last before it counts; 0 is off. See `GpioBinding.debouncesFromUs`. */
  readonly debounceUs: number;
  /** Edges kept until they are read; EVENT_BUFFER unless said. */
  readonly eventBuffer?: number;
}

/** A line that nobody else can have while it is held. */
export interface RequestedLine extends AsyncDisposable {
  readonly location: LineLocation;
  /** The value it had when it was taken. Of an output: the wish's, or with `hold` the one found. Of an input: no edge. */
  readonly initial: boolean;
  /** The value now. Also how a chip's disappearance is noticed where the kernel doesn't tell: rejects with `DEVICE_OFFLINE`. */
  get(): Promise<boolean>;
  /** Releases it; drives nothing. What a released output does then is its controller's business. Twice is fine. */
  close(): Promise<void>;
}

export interface OutputLine extends RequestedLine {
  /** Resolves when the kernel took the value. */
  set(active: boolean): Promise<void>;
}

/** Every change of it after `initial` is told to the listener. */
export interface InputLine extends RequestedLine {
  /**
   * How often the kernel was interrupted for this line since this was first asked, which is at least as often as it numbered
   * an edge; undefined where that can't be known. Says nothing while the kernel debounces.
   */
  interrupts?(): Promise<number | undefined>;
}

/** A way to a machine's lines. Holds nothing but the lines that were requested through it. */
export interface GpioBackend {
  readonly name: BackendName;
  /** From this period on, microseconds, `InputWish.debounceUs` is kept to; Infinity where it is refused. */
  readonly minDebounceUs: number;
  /** Lines requested and not yet closed. */
  readonly heldCount: number;
  /** They themselves. */
  requestedLines(): Iterable<RequestedLine>;
  /** Outputs held, and how many of them the line keeper keeps; absent where the lines end with the process. */
  readonly outputs?: { readonly held: number; readonly kept: number };
  /** All chips, by name. */
  chips(): Promise<readonly Chip[]>;
  /** The lines of a chip, by offset. */
  lines(chip: Chip): Promise<readonly LineInfo[]>;
  /** Takes a line and drives it with its first value in one step: no other value shows in between. */
  requestOutput(place: LineLocation, wish: OutputOptions): Promise<OutputLine>;
  requestInput(place: LineLocation, wish: InputOptions, listener: InputListener): Promise<InputLine>;
}
