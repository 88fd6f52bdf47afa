import type { Cancel, Clock } from '../../../src/base/clock.js';
import { codeOf, type Fault, faultFrom, messageOf } from '../../../src/base/fault.js';
import type { KeeperConnection, KeeperLine } from '../keeper/keeper-connection.js';
import type { LineInterrupts } from './interrupts.js';
import type { Guard, InputLine, OutputLine, OutputOptions, LineLocation } from './line.js';

/** How a request's lines are set. */
export interface Configuration {
  flags: number;
  values?: bigint;
  debounceUs?: number;
}

/** What is requested. */
export interface RequestOptions extends Configuration {
  offsets: number[];
  consumer: string;
  eventBuffer?: number;
}

/** One line, or several, as the kernel gave them. */
export interface Request {
  get(mask: bigint): bigint;
  set(mask: bigint, bits: bigint): void;
  configure(wish: Configuration): void;
  watch(onEvents: (count: number) => void, onEnd: (code: string) => void): ArrayBuffer;
  pause(isPaused: boolean): void;
  close(): void;
}

/** Each of our requests holds one line: bit 0. */
export const LINE_BIT = 1n;

/** A line's request, and the value that it had when it was taken. */
export interface OpenRequest {
  readonly request: Request;
  readonly initial: boolean;
}

/** A line that the keeper has: it is driven only where the wish is another value than the one there is. */
export function adoptOutput(place: LineLocation, request: Request, { boot }: OutputOptions): OpenRequest {
  try {
    const found = request.get(LINE_BIT) === LINE_BIT;
    const initial = boot === 'hold' ? found : boot === 'active';
    if (initial !== found) request.set(LINE_BIT, valueBits(initial));
    return { request, initial };
  } catch (thrown) {
    request.close();
    throw translateError(place.name, thrown);
  }
}

/** What a line is made of. */
export interface CdevLineOptions extends OpenRequest {
  readonly place: LineLocation;
  readonly onClosed: () => void;
}

/** A requested line. */
export class CdevLine implements InputLine, OutputLine {
  readonly location: LineLocation;
  readonly initial: boolean;
  readonly request: Request;
  /** True while the line keeper keeps it too. */
  kept = false;
  readonly #onClosed: () => void;
  #interrupts: LineInterrupts | undefined;
  #closed = false;
  #lingering: Cancel | undefined;

  constructor(held: CdevLineOptions) {
    this.location = held.place;
    this.initial = held.initial;
    this.request = held.request;
    this.#onClosed = held.onClosed;
  }

  async get(): Promise<boolean> {
    return this.#ask(() => this.request.get(LINE_BIT) === LINE_BIT);
  }

  async set(active: boolean): Promise<void> {
    this.#ask(() => this.request.set(LINE_BIT, valueBits(active)));
  }

  /** Lets edges of a busy line gather for a moment. */
  pauseEvents(clock: Clock, ms: number): void {
    if (ms === 0 || this.#closed || this.#lingering !== undefined) return; // its listener may have closed it just now
    this.request.pause(true);
    this.#lingering = clock.after(ms, () => {
      this.#lingering = undefined;
      this.request.pause(false);
    });
  }

  async interrupts(): Promise<number | undefined> {
    this.#interrupts ??= new (await import('./interrupts.js')).LineInterrupts(this.location.offset);
    return this.#interrupts.count();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#lingering?.();
    this.request.close();
    this.#onClosed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ask<T>(question: () => T): T {
    if (this.#closed) throw new DOMException(`${this.location.name} is closed`, 'AbortError');
    return withTranslatedErrors(this.location.name, question);
  }
}

/** By whom an output is kept, and as what. */
export interface GuardOptions {
  readonly keeper: KeeperConnection;
  readonly entry: string;
  readonly guard: Guard;
  readonly wish: OutputOptions;
}

/** An output that the line keeper keeps, or will as soon as it is there. */
export class GuardedLine extends CdevLine implements KeeperLine {
  readonly entry: string;
  readonly #by: GuardOptions;
  #taken: Error | undefined;

  constructor(held: CdevLineOptions, by: GuardOptions) {
    super(held);
    this.entry = by.entry;
    this.#by = by;
  }

  onTakenOver(cause: Error): void {
    if (this.#taken !== undefined) return;
    this.#taken = cause;
    this.#by.wish.onLost?.(cause);
  }

  override async set(active: boolean): Promise<void> {
    const { keeper, guard } = this.#by;
    this.#throwIfTaken();
    await super.set(active);
    if (keeper.isAlive()) return;
    // The process stood still between the look and the kernel's call: what the keeper has done is done again.
    if (guard.onDeath !== 'hold') await super.set(guard.onDeath === 'active');
    this.#throwIfTaken();
  }

  override async close(): Promise<void> {
    await super.close();
    this.#by.keeper.unregister(this);
  }

  #throwIfTaken(): void {
    this.#by.keeper.isAlive();
    if (this.#taken !== undefined) throw this.#taken;
  }
}

/** A value as the bits of a request of one line. */
export const valueBits = (active: boolean): bigint => (active ? LINE_BIT : 0n);

/** What the call gives; its error in this driver's terms. */
export function withTranslatedErrors<T>(what: string, call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw translateError(what, thrown);
  }
}

/** The kernel's errors in this driver's terms: what can be waited for, and what needs another setting. */
export function translateError(what: string, thrown: unknown): Fault {
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENODEV':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        `${what}: the GPIO chip is gone, or this line has no interrupt`,
      );
    case 'EACCES':
    case 'EPERM':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        `${what}: no permission; the gateway's user must be in the group of /dev/gpiochip*`,
      );
    case 'EIO':
    case 'ETIMEDOUT':
    case 'EREMOTEIO':
      return faultFrom(thrown, 'DEVICE_REFUSED', `${what}: ${messageOf(thrown)}`);
    default:
      return faultFrom(
        thrown,
        'DEVICE_CONFIGURATION',
        `${what}: this chip can't do that (${messageOf(thrown)})`,
      );
  }
}
