import type { Clock } from '../../../src/base/clock.js';
import { coded } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import type { ByteStream } from '../../../src/device/byte-stream.js';
import { withTimeout } from '../../../src/device/toolkit/timeout.js';
import { rejectionText } from '../telegram-texts.js';
import { TextParser } from '../text/text-parser.js';
import type { Telegram } from '../telegram.js';
import { continuationOf, INITIAL_BAUD, modeCCharacter } from './baud-rates.js';

/** A meter identifies itself within 1.5 s (IEC 62056-21, annex A); the identification takes 0.8 s. */
const IDENTIFICATION_MS = 3000;
/** Between two characters of a readout, and before its first one, a meter waits for at most 1.5 s. */
const SILENCE_MS = 3000;
/** A readout of 32 KiB at 9,600 baud takes 34 s; at 300 baud, 4,500 bytes take 150 s. */
const READOUT_MS = 180_000;
/**
 * The minimum reaction time: the meter receives nothing for this long after its identification (6.3.14,
 * note).
 */
const REACTION_MS = 200;
/** Start bit, seven data bits, parity, stop bit. */
const BITS_PER_CHARACTER = 10;

const ACK = '\x06';

/** What a readout needs. */
interface ReadoutOptions {
  readonly stream: ByteStream;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The address of the meter; empty if it is the only one. */
  readonly address: string;
  /** The highest baud rate to change to. */
  readonly maxBaud: number;
  /** The baud rate of the port, at which the meter expects requests. */
  readonly initialBaud: number;
  observe(what: string, bytes: Uint8Array): void;
}

/**
 * Requests one readout (modes A, B and C): request, identification, acknowledgement, data. The port has its
 * baud rate again afterwards. Rejects with `TIMED_OUT` if the meter is silent, `DEVICE_REFUSED` for
 * invalid data, `DEVICE_OFFLINE` if the stream is gone.
 */
export async function readOut(options: ReadoutOptions): Promise<Telegram> {
  const { stream, signal } = options;
  const identified = Promise.withResolvers<string>();
  identified.promise.catch(() => undefined); // not awaited if the request cannot be sent
  const done = Promise.withResolvers<Telegram>();
  done.promise.catch(() => undefined); // awaited later, or not if the meter does not identify itself
  const silence = new SilenceTimer(options, () => done.reject(silent()));
  const parser = new TextParser({
    onIdentification: identified.resolve,
    onTelegram: done.resolve,
    onRejected: (reason) => done.reject(fault('DEVICE_REFUSED', rejectionText('IEC 62056-21', reason))),
  });
  const unsubscribe = stream.onData((bytes) => {
    options.observe('received', bytes);
    silence.restart();
    parser.push(bytes);
  });
  // What follows on another connection does not complete this readout: its block check is one byte.
  const offBreak = stream.onBreak?.(() => {
    const lost = fault(
      'DEVICE_OFFLINE',
      coded`READOUT_CUT: ${stream.name} was disconnected during the readout`,
    );
    identified.reject(lost);
    done.reject(lost);
  });
  try {
    await stream.send(Buffer.from(`/?${options.address}!\r\n`));
    const identification = await withTimeout(
      options.clock,
      { ms: IDENTIFICATION_MS, what: silenceText(), signal },
      identified.promise,
    );
    await proceed(options, identification);
    silence.restart();
    return await withTimeout(
      options.clock,
      { ms: READOUT_MS, what: coded`METER_READOUT: the readout of the meter`, signal },
      done.promise,
    );
  } finally {
    unsubscribe();
    offBreak?.();
    silence.stop();
    await restoreBaudRate(options);
  }
}

/** Acknowledges the identification in mode C, and changes the baud rate in modes B and C. */
async function proceed(options: ReadoutOptions, identification: string): Promise<void> {
  const { stream, maxBaud, initialBaud } = options;
  const { mode, baudRate } = continuationOf(identification);
  if (mode === 'A') return;
  if (mode === 'B') return changeTo(options, baudRate);
  // Without a port whose baud rate can change, the meter is asked to stay at the present one.
  const limit = stream.changeBaudRate === undefined ? INITIAL_BAUD : Math.min(baudRate, maxBaud);
  const { character, baudRate: chosen } = modeCCharacter(limit);
  await pause(options, REACTION_MS);
  const acknowledgement = Buffer.from(`${ACK}0${character}0\r\n`);
  await stream.send(acknowledgement);
  if (chosen === initialBaud) return;
  // The port has accepted the bytes, which are not transmitted yet.
  await pause(options, (acknowledgement.length * BITS_PER_CHARACTER * 1000) / initialBaud);
  await changeTo(options, chosen);
}

async function changeTo({ stream }: ReadoutOptions, baudRate: number): Promise<void> {
  await stream.changeBaudRate?.(baudRate);
}

/** The next request needs the initial baud rate, also after a readout that was cancelled. */
async function restoreBaudRate({ stream, initialBaud, signal }: ReadoutOptions): Promise<void> {
  try {
    await stream.changeBaudRate?.(initialBaud);
  } catch (thrown) {
    // The port was closed together with the meter; it is opened with its own baud rate.
    if (!signal.aborted) throw thrown;
  }
}

function pause({ clock, signal }: ReadoutOptions, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    const abort = () => {
      cancel();
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

const silenceText = () => coded`METER_REPLY: the reply of the meter`;
const silent = () => fault('TIMED_OUT', silenceText());

/** Ends a readout in which the meter falls silent. */
class SilenceTimer {
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor({ clock }: Pick<ReadoutOptions, 'clock'>, onSilence: () => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  restart(): void {
    this.#cancel?.();
    if (!this.#isStopped) this.#cancel = this.#clock.after(SILENCE_MS, this.#onSilence);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }
}
