import { coded } from '../../../src/base/codes/coded-text.js';
import type { Cancel, Clock } from '../../../src/base/clock.js';
import { codeOf, type Fault, faultFrom, messageOf, codedMessageOf } from '../../../src/base/fault.js';
import type { KeeperConnection, KeeperLine } from '../keeper/keeper-connection.js';
import type { LineInterrupts } from './interrupts.js';
import type { Guard, InputLine, LineLocation, OutputLine, OutputOptions } from './line.js';

/** The settings of the lines of a request. */
interface Configuration {
  flags: number;
  values?: bigint;
  debounceUs?: number;
}

/** The arguments of a line request. */
export interface RequestOptions extends Configuration {
  offsets: number[];
  consumer: string;
  eventBuffer?: number;
}

/** One or more lines that the kernel granted; a class of the addon (`native/request.c`). */
export interface Request {
  get(mask: bigint): bigint;
  set(mask: bigint, bits: bigint): void;
  configure(configuration: Configuration): void;
  watch(onEvents: (count: number) => void, onEnd: (code: string) => void): ArrayBuffer;
  pause(isPaused: boolean): void;
  close(): void;
}

/** The mask of a request's only line: each request of the gateway holds one. */
export const LINE_BIT = 1n;

/** The request of a line, and the line's value when it was requested. */
export interface OpenRequest {
  readonly request: Request;
  readonly initial: boolean;
}

/** Takes over an output from the line keeper, and drives it only if its value has to change. */
export function adoptOutput(
  location: LineLocation,
  request: Request,
  { boot }: Pick<OutputOptions, 'boot'>,
): OpenRequest {
  try {
    const present = request.get(LINE_BIT) === LINE_BIT;
    const initial = boot === 'hold' ? present : boot === 'active';
    if (initial !== present) request.set(LINE_BIT, valueBits(initial));
    return { request, initial };
  } catch (thrown) {
    request.close();
    throw translateError(location.name, thrown);
  }
}

interface CdevLineOptions extends OpenRequest {
  readonly location: LineLocation;
  readonly onClosed: () => void;
}

/** A line that is requested through the character device. */
export class CdevLine implements InputLine, OutputLine {
  readonly location: LineLocation;
  readonly initial: boolean;
  readonly request: Request;
  readonly #onClosed: () => void;
  #interrupts: LineInterrupts | undefined;
  #isClosed = false;
  #cancelPause: Cancel | undefined;

  constructor({ location, initial, request, onClosed }: CdevLineOptions) {
    this.location = location;
    this.initial = initial;
    this.request = request;
    this.#onClosed = onClosed;
  }

  /** Whether the line keeper guards this line. */
  get isGuarded(): boolean {
    return false;
  }

  async get(): Promise<boolean> {
    this.#throwIfClosed();
    return withTranslatedErrors(this.location.name, () => this.request.get(LINE_BIT) === LINE_BIT);
  }

  async set(active: boolean): Promise<void> {
    this.#throwIfClosed();
    try {
      this.request.set(LINE_BIT, valueBits(active));
    } catch (thrown) {
      throw translateError(this.location.name, thrown);
    }
  }

  /** Pauses the edges of a busy line so that more of them are read together. */
  pauseEvents(clock: Clock, ms: number): void {
    // The listener may have closed the line just now.
    if (ms === 0 || this.#isClosed || this.#cancelPause !== undefined) return;
    this.request.pause(true);
    this.#cancelPause = clock.after(ms, () => {
      this.#cancelPause = undefined;
      this.request.pause(false);
    });
  }

  async countInterrupts(): Promise<number | undefined> {
    this.#interrupts ??= new (await import('./interrupts.js')).LineInterrupts(this.location.offset);
    return this.#interrupts.count();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelPause?.();
    this.request.close();
    this.#onClosed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new DOMException(`${this.location.name} is closed`, 'AbortError');
  }
}

interface GuardOptions {
  readonly keeper: KeeperConnection;
  /** The line in the keeper's table format. */
  readonly entry: string;
  readonly guard: Guard;
  readonly onLost?: ((cause: Error) => void) | undefined;
}

/** An output that the line keeper guards whenever it is reachable. */
export class GuardedLine extends CdevLine implements KeeperLine {
  readonly entry: string;
  readonly #options: GuardOptions;
  #isGuarded: boolean;
  /** Why the line must not be driven. */
  #takenOver: Error | undefined;
  #isReported = false;

  constructor(line: CdevLineOptions, options: GuardOptions, isGuarded: boolean) {
    super(line);
    this.entry = options.entry;
    this.#options = options;
    this.#isGuarded = isGuarded;
  }

  override get isGuarded(): boolean {
    return this.#isGuarded;
  }

  setGuarded(isGuarded: boolean): void {
    this.#isGuarded = isGuarded;
  }

  suspend(cause: Error): void {
    this.#takenOver ??= cause;
  }

  onTakenOver(cause: Error): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#takenOver ??= cause;
    this.#options.onLost?.(this.#takenOver);
  }

  override async set(active: boolean): Promise<void> {
    const { keeper, guard } = this.#options;
    this.#throwIfTakenOver();
    const driven = super.set(active);
    if (keeper.isAlive()) return driven;
    await driven;
    // The process was stalled between the check and the system call: apply the keeper's policy again.
    if (guard.onDeath !== 'hold') await super.set(guard.onDeath === 'active');
    this.#throwIfTakenOver();
  }

  override async close(): Promise<void> {
    await super.close();
    this.#options.keeper.unregister(this);
  }

  #throwIfTakenOver(): void {
    this.#options.keeper.isAlive();
    if (this.#takenOver !== undefined) throw this.#takenOver;
  }
}

/** A value as the bits of a request of one line. */
export const valueBits = (active: boolean): bigint => (active ? LINE_BIT : 0n);

/** Runs an operation of the addon; its errors become faults that name `what`. */
export function withTranslatedErrors<T>(what: string, operation: () => T): T {
  try {
    return operation();
  } catch (thrown) {
    throw translateError(what, thrown);
  }
}

/** Maps an error of the kernel: to `DEVICE_OFFLINE` if waiting may help, otherwise to what has to change. */
export function translateError(what: string, thrown: unknown): Fault {
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENODEV':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`CHIP_GONE_OR_NO_INTERRUPT: ${what}: the GPIO chip is gone, or this line has no interrupt`,
      );
    case 'EACCES':
    case 'EPERM':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`PERMISSION_DENIED_GPIO: ${what}: permission denied; add the gateway's user to the group of /dev/gpiochip*`,
      );
    case 'EIO':
    case 'ETIMEDOUT':
    case 'EREMOTEIO':
      return faultFrom(thrown, 'DEVICE_REFUSED', `${what}: ${messageOf(thrown)}`);
    default:
      return faultFrom(
        thrown,
        'DEVICE_CONFIGURATION',
        coded`CHIP_DOES_NOT_SUPPORT: ${what}: this chip does not support that (${codedMessageOf(thrown)})`,
      );
  }
}
