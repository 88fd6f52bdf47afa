import type { SimulatedPeer } from '../../../drivers/serial/simulated-ports.js';
import type { ManualClock } from '../../../src/base/clock.js';

/** The reaction time of a meter, ms. */
const REACTION_MS = 220;

/** A meter that responds to requests of IEC 62056-21 at the baud rate that it expects. */
export class SimulatedIecMeter {
  /** What it received at which baud rate. */
  readonly requests: string[] = [];
  /** It does not respond. */
  isSilent = false;
  readonly #line: SimulatedPeer;
  readonly #clock: ManualClock;
  readonly #identification: string;
  #data: Buffer;

  constructor(
    { line, clock }: { line: SimulatedPeer; clock: ManualClock },
    identification: string,
    data: Buffer,
  ) {
    this.#line = line;
    this.#clock = clock;
    this.#identification = identification;
    this.#data = data;
    line.onReceived.on((bytes) => this.#receive(bytes.toString('latin1')));
  }

  set data(data: Buffer) {
    this.#data = data;
  }

  #receive(text: string): void {
    this.requests.push(`${this.#baudRate} ${JSON.stringify(text)}`);
    if (this.isSilent) return;
    if (text.startsWith('/?') && this.#baudRate === 300) this.#identify();
    const rate = text.startsWith('\x06') ? /^0([0-6])0\r\n$/.exec(text.slice(1))?.[1] : undefined;
    if (rate !== undefined) this.#sendAt([300, 600, 1200, 2400, 4800, 9600, 19_200][Number(rate)]);
  }

  #identify(): void {
    this.#send(Buffer.from(`/${this.#identification}\r\n`));
    const rate = this.#identification.charAt(3);
    if (rate === 'E') this.#sendAt(9600);
    else if (!/[0-9]/.test(rate)) this.#sendAt(300);
  }

  /** Sends the data; at another baud rate than that of the port, nothing legible arrives. */
  #sendAt(baudRate: number | undefined): void {
    this.#clock.after(2 * REACTION_MS, () => {
      this.#send(baudRate === this.#baudRate ? this.#data : Buffer.alloc(this.#data.length, 0xfe));
    });
  }

  #send(bytes: Buffer): void {
    this.#clock.after(REACTION_MS, () => {
      for (let at = 0; at < bytes.length; at += 64) this.#line.send(bytes.subarray(at, at + 64));
    });
  }

  get #baudRate(): number {
    return this.#line.settings?.baudRate ?? 0;
  }
}

/** A data block with STX, ETX and its block check. */
export function dataBlock(lines: readonly string[]): Buffer {
  const text = `${lines.map((line) => `${line}\r\n`).join('')}!\r\n\x03`;
  const check = Buffer.from(text).reduce((sum, byte) => sum ^ byte, 0);
  return Buffer.concat([Buffer.from(`\x02${text}`), Buffer.from([check])]);
}
