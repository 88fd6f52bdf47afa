import type { Cancel, Clock } from '../../../src/base/clock.js';
import { type Fault, fault, messageOf } from '../../../src/base/fault.js';
import type { Log } from '../../../src/base/log.js';
import { OutputTableFile } from './output-table-file.js';
import { formatEntry, type GuardedOutputOptions, entryKey, lineKey } from './output-table.js';
import type { EndReason, KeeperPaths } from './keeper-client.js';
import { CONSUMER, type LineLocation } from '../backends/line.js';

const PROTOCOL = 1;
/** Of the deadline, how often a sign of life is sent: one late sign is no death. */
const ALIVE_EVERY = 1 / 5;
/** Of the deadline, when nothing is driven any more: the keeper's clock and ours tick apart a little. */
const OVERDUE = 0.9;
/** The keeper answers within a turn of its loop; one that does not hangs. */
const ANSWER_MS = 2000;
const LATE = 'the line keeper does not answer';
const RECONNECT_MS = 500;
/** An output that nobody took within this time of the start is no more in the configuration. */
const CONFIGURED_WITHIN_MS = 60_000;

/** Why a line can't be had, where the keeper's answer says so. */
function rejectionOf(answer: string | undefined): Fault | undefined {
  switch (answer) {
    case 'busy':
      return fault('DEVICE_OFFLINE', 'the line keeper keeps this line for another gateway');
    case 'refused':
      return fault('DEVICE_CONFIGURATION', "this line can't have that Drive");
    default:
      return undefined;
  }
}

/** The addon's part (`native/link.c`): whole messages, with requested lines beside them. */
export interface KeeperSocket {
  send(text: string, request?: unknown): void;
  close(): void;
}

/** Connects at once, or throws. */
export type ConnectKeeper = (
  socket: string,
  onMessage: (text: string, request: unknown) => void,
  onEnd: (code: string) => void,
) => KeeperSocket;

/** A line that this gateway has open. */
export interface KeeperLine {
  readonly entry: string;
  readonly request: unknown;
  /** True while the keeper has it too. */
  kept: boolean;
  /** The keeper has taken it over: it must be opened anew, and until then not be driven. At most once. */
  onTakenOver(cause: Error): void;
}

/** What a keeper is opened with. */
export interface KeeperConnectionOptions {
  readonly places: KeeperPaths;
  /** How long the keeper waits for a sign of life. */
  readonly deadlineMs: number;
  /** How long a line that was closed is kept. */
  readonly letGoMs: number;
  readonly link: ConnectKeeper;
  readonly clock: Clock;
  readonly log: Log;
  /** Why it can't be reached, for people. */
  tell(why: string): void;
}

/** So many questions wait for a keeper that hangs: more would fill the socket, and ours would be the end it sees. */
const WAITING_MOST = 32;

interface Reply {
  readonly text: string;
  readonly request: unknown;
}

/** A question. One that was given up stays in the line, as its answer still comes. */
interface PendingRequest {
  readonly resolve: (answer: Reply | undefined) => void;
  isGivenUp: boolean;
}

/** Opens the way to the keeper. Never fails: what can't be reached now is looked for again and again. */
export async function connectKeeper(parts: KeeperConnectionOptions): Promise<KeeperConnection> {
  const { places, clock, log } = parts;
  return new KeeperConnection(parts, await OutputTableFile.open({ path: places.table, clock, log }));
}

/**
 * The gateway's side of the line keeper (`keeper/main.c`): lines are asked for there first and given to it where they are
 * new, signs of life are sent from the event loop, and the table that it boots by is written.
 */
export class KeeperConnection {
  readonly #with: KeeperConnectionOptions;
  readonly #table: OutputTableFile;
  readonly #lines = new Map<string, KeeperLine>();
  /** Keys of lines that are open, or about to be. */
  readonly #open = new Set<string>();
  /** Lines whose instance is closed, and what ends the wait for it. */
  readonly #lingering = new Map<string, Cancel>();
  readonly #waiting: PendingRequest[] = [];
  #link: KeeperSocket | undefined;
  #greeted: Promise<boolean> = Promise.resolve(false);
  #aliveNs = 0n;
  #ended = false;
  /** The keeper hangs: it has not answered in time. */
  #isLate = false;
  /** Why the link was lost last; empty while all is well. */
  #why = '';
  #cancelAlive: Cancel = () => undefined;
  #cancelConnect: Cancel = () => undefined;
  #cancelForget: Cancel;

  constructor(parts: KeeperConnectionOptions, table: OutputTableFile) {
    this.#with = parts;
    this.#table = table;
    this.#cancelForget = parts.clock.after(CONFIGURED_WITHIN_MS, () =>
      table.retain((key) => this.#lines.has(key) || this.#lingering.has(key)),
    );
    this.#connect();
  }

  /** A line in the keeper's words: `nth` is its chip's place among those of its label. */
  formatEntry(place: LineLocation, nth: number, wish: GuardedOutputOptions): string {
    return formatEntry(place, nth, wish);
  }

  /**
   * The request of a line that the keeper has, to be ours too. Throws where somebody else in this gateway has it open, and
   * where it is another gateway's. The line is the caller's from now on, until it is `closed` or forgone.
   */
  async request(entry: string, name: string): Promise<unknown> {
    const key = entryKey(entry);
    if (this.#open.has(key)) throw fault('DEVICE_OFFLINE', `${name} is in use by ${CONSUMER}`);
    this.#open.add(key);
    this.#stay(key);
    const answer = (await this.#greeted) ? await this.#ask(`take ${entry}`) : undefined;
    const refusal = rejectionOf(answer?.text);
    if (refusal === undefined) return answer?.request;
    this.cancelRequest(entry);
    throw refusal;
  }

  /** A line that was taken could not be opened. */
  cancelRequest(entry: string): void {
    this.#open.delete(entryKey(entry));
  }

  /** This line is open from now on; one that the keeper has not got is given to it. */
  async register(line: KeeperLine): Promise<void> {
    const key = entryKey(line.entry);
    this.#lines.set(key, line);
    this.#table.add(line.entry);
    if (!line.kept && (await this.#greeted)) await this.#give(line);
  }

  /** The line was closed; the keeper keeps it until it is clear that it is not opened anew. */
  unregister(line: KeeperLine): void {
    const key = entryKey(line.entry);
    if (this.#lines.get(key) !== line) return;
    this.#lines.delete(key);
    this.#open.delete(key);
    if (this.#ended) return;
    this.#lingering.set(
      key,
      this.#with.clock.after(this.#with.letGoMs, () => void this.#letGo(key)),
    );
  }

  /** A line that nobody has open here is free from now on, for who asks for it. */
  async release(place: LineLocation, nth: number): Promise<void> {
    await this.#letGo(lineKey(place, nth));
  }

  async #letGo(key: string): Promise<void> {
    if (this.#open.has(key)) return;
    this.#stay(key);
    this.#table.retain((one) => one !== key);
    if (await this.#greeted) await this.#ask(`release ${key}`);
  }

  /**
   * Whether the gateway may still count itself alive. Where it does not, the keeper has given the outputs their policy,
   * or is about to: they are lost, and nothing may be driven.
   */
  isAlive(): boolean {
    if (this.#link === undefined) return true;
    if (Number(this.#with.clock.monotonicNs() - this.#aliveNs) / 1e6 < this.#with.deadlineMs * OVERDUE)
      return true;
    this.#taken();
    return false;
  }

  async goodbye(how: EndReason): Promise<void> {
    this.#ended = true;
    for (const cancel of this.#lingering.values()) cancel();
    this.#lingering.clear();
    this.#cancelForget();
    this.#cancelConnect();
    await this.#table.close();
    await this.#ask(`goodbye ${how}`);
    this.#drop();
  }

  /* ---- the link ---- */

  #connect(): void {
    const { link, places, clock, tell } = this.#with;
    if (this.#ended) return;
    try {
      this.#link = link(
        places.socket,
        (text, request) => this.#heard({ text, request }),
        (code) => this.#lostLink(`the line keeper has gone (${code})`),
      );
    } catch (thrown) {
      tell(`the line keeper can't be reached: ${messageOf(thrown)}`);
      this.#cancelConnect = clock.after(RECONNECT_MS, () => this.#connect());
      return;
    }
    this.#greeted = this.#greet();
  }

  /** Says hello and gives the lines that are open already; true when this keeper can be worked with. */
  async #greet(): Promise<boolean> {
    const { clock, log, deadlineMs } = this.#with;
    this.#aliveNs = clock.monotonicNs();
    const answer = await this.#ask(`hello ${PROTOCOL} ${deadlineMs}`);
    if (answer?.text !== `hello ${PROTOCOL}`) {
      const other = 'the line keeper speaks another version: restart stellwerk-keeper.service';
      this.#lostLink(answer === undefined ? LATE : other);
      return false;
    }
    this.#cancelAlive = clock.every(deadlineMs * ALIVE_EVERY, () => this.#alive());
    log.info({}, 'the line keeper is there');
    this.#why = '';
    for (const line of this.#lines.values()) void this.#give(line);
    return true;
  }

  #alive(): void {
    if (!this.isAlive()) return;
    if (this.#waiting.length < WAITING_MOST) void this.#ask('alive');
    this.#aliveNs = this.#with.clock.monotonicNs();
  }

  async #give(line: KeeperLine): Promise<void> {
    const answer = await this.#ask(`give ${line.entry}`, line.request);
    line.kept = answer?.text === 'kept';
    if (line.kept || answer === undefined) return;
    if (answer.text === 'applied') return this.#take(line, 'the line keeper had given it its policy');
    this.#with.log.warn({ line: entryKey(line.entry) }, `the line keeper does not take it: ${answer.text}`);
  }

  #heard(answer: Reply): void {
    if (answer.text === 'taken') return this.#taken();
    const asked = this.#waiting.shift();
    if (asked?.isGivenUp === true) (answer.request as { close(): void } | undefined)?.close();
    else asked?.resolve(answer);
    if (!this.#isLate || this.#waiting.length > 0) return;
    this.#isLate = false;
    this.#with.log.info({}, 'the line keeper answers again');
    for (const line of this.#lines.values()) void this.#give(line);
  }

  /** An answer, or undefined when there is none to be had. */
  async #ask(text: string, request?: unknown): Promise<Reply | undefined> {
    if (this.#link === undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    const asked = { resolve, isGivenUp: false };
    this.#waiting.push(asked);
    const cancel = this.#with.clock.after(ANSWER_MS, () => {
      asked.isGivenUp = true;
      resolve(undefined);
      this.#late();
    });
    this.#send(text, request);
    const answer = await promise;
    cancel();
    return answer;
  }

  #send(text: string, request?: unknown): void {
    try {
      this.#link?.send(text, request);
    } catch (thrown) {
      this.#lostLink(`the line keeper can't be told: ${messageOf(thrown)}`);
    }
  }

  /** The link stays: were it closed, a keeper that goes on would take that for the gateway's death. */
  #late(): void {
    if (this.#isLate || this.#link === undefined) return;
    this.#isLate = true;
    this.#with.tell(LATE);
    this.#with.log.warn({}, `${LATE}; outputs are not guarded until it does`);
    for (const line of this.#lines.values()) line.kept = false;
  }

  /** The outputs stay ours, and are given to it when it is back. */
  #lostLink(why: string): void {
    if (this.#link === undefined) return;
    const { clock, log, tell } = this.#with;
    this.#drop();
    if (this.#ended) return;
    tell(why);
    if (why !== this.#why) log.warn({}, `${why}; outputs are not guarded until it is back`);
    this.#why = why;
    this.#cancelConnect = clock.after(RECONNECT_MS, () => this.#connect());
  }

  /** The gateway was silent for too long. What the outputs are now is seen when they are opened anew. */
  #taken(): void {
    const why = `the gateway stood still for ${(this.#with.deadlineMs * OVERDUE) / 1000} s or longer: the line keeper has its outputs`;
    this.#with.log.error({}, why);
    this.#drop();
    this.#connect();
    for (const line of this.#lines.values()) this.#take(line, why);
  }

  #take(line: KeeperLine, why: string): void {
    line.onTakenOver(fault('DEVICE_OFFLINE', `${why}; it is opened anew`));
  }

  #drop(): void {
    this.#cancelAlive();
    this.#link?.close();
    this.#link = undefined;
    this.#greeted = Promise.resolve(false);
    for (const line of this.#lines.values()) line.kept = false;
    this.#isLate = false;
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined);
  }

  #stay(key: string): void {
    this.#lingering.get(key)?.();
    this.#lingering.delete(key);
  }
}
