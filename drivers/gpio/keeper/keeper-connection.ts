import { logKind } from '../../../src/base/codes/log-kinds.js';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Cancel, Clock } from '../../../src/base/clock.js';
import { codedMessageOf, fault } from '../../../src/base/fault.js';
import type { Log } from '../../../src/base/log.js';
import { CONSUMER, type LineLocation } from '../backends/line.js';
import type { EndReason, KeeperPaths } from './keeper-client.js';
import {
  anotherGateway,
  type ConnectKeeper,
  type KeeperSocket,
  PROTOCOL,
  rejectionOf,
  reopened,
  type Reply,
} from './keeper-protocol.js';
import { OutputTableFile } from './output-table-file.js';
import { entryKey, formatEntry, type GuardedOutputOptions, lineKey } from './output-table.js';

/** Interval of the `alive` messages as a fraction of the deadline: one late message does no harm. */
const ALIVE_INTERVAL = 1 / 5;
/**
 * Fraction of the deadline after which nothing is driven any more: the keeper's clock may run a little
 * faster.
 */
const OVERDUE = 0.9;
/** The keeper replies within one turn of its loop; if it takes longer, it hangs. */
const REPLY_TIMEOUT_MS = 2000;
const NOT_REPLYING = coded`LINE_KEEPER_DOES_NOT: the line keeper does not reply`;
const RECONNECT_MS = 500;
/** An output that was not requested within this time after the start is no longer configured. */
const CONFIGURED_WITHIN_MS = 60_000;
/**
 * Maximum number of requests in flight to a keeper that hangs; more would fill the socket and end the
 * connection.
 */
const MAX_PENDING = 32;

/** An output that this gateway holds. */
export interface KeeperLine {
  /** The line in the keeper's table format. */
  readonly entry: string;
  readonly request: unknown;
  /** Whether the keeper holds the line too. */
  readonly isGuarded: boolean;
  setGuarded(isGuarded: boolean): void;
  /** The line must not be driven, and will be reported with {@link onTakenOver}. */
  suspend(cause: Error): void;
  /**
   * The keeper has applied a policy to the line: it must not be driven until it is reopened. Called at most
   * once.
   */
  onTakenOver(cause: Error): void;
}

interface KeeperConnectionOptions {
  readonly paths: KeeperPaths;
  /** How long the keeper waits for a message before it counts the gateway as dead. */
  readonly deadlineMs: number;
  /** How long the keeper keeps a closed line. */
  readonly releaseAfterMs: number;
  readonly connect: ConnectKeeper;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the reason, for people, when the keeper cannot be reached. */
  onUnreachable(reason: Text): void;
}

/**
 * A request that waits for its reply. After a timeout it stays in the queue, because its reply still comes.
 */
interface PendingRequest {
  readonly resolve: (reply: Reply | undefined) => void;
  isTimedOut: boolean;
}

/** Connects to the keeper. Never fails: it retries until the keeper is reachable. */
export async function connectKeeper(options: KeeperConnectionOptions): Promise<KeeperConnection> {
  const { paths, clock, log } = options;
  return new KeeperConnection(options, await OutputTableFile.open({ path: paths.table, clock, log }));
}

/**
 * The gateway's end of the line keeper's protocol (`keeper/main.c`). It asks the keeper for a line first and
 * gives it new lines, sends `alive` messages from the event loop, and writes the table that the keeper reads
 * at boot.
 */
export class KeeperConnection {
  readonly #options: KeeperConnectionOptions;
  readonly #table: OutputTableFile;
  readonly #lines = new Map<string, KeeperLine>();
  /** Keys of lines that are open or being opened. */
  readonly #openKeys = new Set<string>();
  /** Keys of closed lines that are to be released, and what cancels that. */
  readonly #releases = new Map<string, Cancel>();
  readonly #pending: PendingRequest[] = [];
  #socket: KeeperSocket | undefined;
  #greeting: Promise<boolean> = Promise.resolve(false);
  #lastAliveNs = 0n;
  #isEnded = false;
  /** How often outputs were lost by a stall. */
  #stalls = 0;
  /** Lines that are reported when the next keeper has them: to close them before would release them. */
  readonly #suspended = new Set<KeeperLine>();
  /** A request has timed out and no reply has come since. */
  #isHanging = false;
  /** Why the connection was lost last; empty after a greeting. */
  #lossReason = '';
  #cancelAlive: Cancel = () => undefined;
  #cancelConnect: Cancel = () => undefined;
  #cancelCleanup: Cancel;

  constructor(options: KeeperConnectionOptions, table: OutputTableFile) {
    this.#options = options;
    this.#table = table;
    this.#cancelCleanup = options.clock.after(CONFIGURED_WITHIN_MS, () =>
      table.retain((key) => this.#lines.has(key) || this.#releases.has(key)),
    );
    this.#connect();
  }

  /** See `formatEntry` of the output table. */
  formatEntry(location: LineLocation, nth: number, options: GuardedOutputOptions): string {
    return formatEntry(location, nth, options);
  }

  /**
   * Requests a line that the keeper may hold. Resolves to its request, or to undefined if the keeper does not
   * have it. Throws if another instance or another gateway holds the line. Until `unregister` or
   * `cancelRequest`, the line belongs to the caller.
   */
  async request(entry: string, name: string): Promise<unknown> {
    const key = entryKey(entry);
    if (this.#openKeys.has(key))
      throw fault('DEVICE_OFFLINE', coded`IN_USE_BY: ${name} is in use by ${CONSUMER}`);
    this.#openKeys.add(key);
    this.#cancelRelease(key);
    const reply = (await this.#greeting) ? await this.#send(`take ${entry}`) : undefined;
    const rejection = rejectionOf(reply?.text);
    if (rejection === undefined) return reply?.request;
    this.cancelRequest(entry);
    throw rejection;
  }

  /** The requested line could not be opened. */
  cancelRequest(entry: string): void {
    this.#openKeys.delete(entryKey(entry));
  }

  /** Registers an open line; the keeper is given the line if it does not have it yet. */
  async register(line: KeeperLine): Promise<void> {
    const key = entryKey(line.entry);
    this.#lines.set(key, line);
    this.#table.add(line.entry);
    if (!line.isGuarded && (await this.#greeting)) await this.#give(line);
  }

  /** The line was closed; the keeper keeps it for a while in case it is reopened. */
  unregister(line: KeeperLine): void {
    const key = entryKey(line.entry);
    if (this.#lines.get(key) !== line) return;
    this.#lines.delete(key);
    this.#suspended.delete(line);
    this.#openKeys.delete(key);
    if (this.#isEnded) return;
    const { clock, releaseAfterMs } = this.#options;
    this.#releases.set(
      key,
      clock.after(releaseAfterMs, () => void this.#release(key)),
    );
  }

  /** Releases a line that is not open here, for another consumer. */
  release(location: LineLocation, nth: number): Promise<void> {
    return this.#release(lineKey(location, nth));
  }

  async #release(key: string): Promise<void> {
    if (this.#openKeys.has(key)) return;
    this.#cancelRelease(key);
    this.#table.retain((one) => one !== key);
    if (await this.#greeting) await this.#send(`release ${key}`);
  }

  /**
   * Whether the keeper still counts the gateway as alive. If not, the keeper has applied the policies of the
   * outputs or is about to: they are lost and must not be driven.
   */
  isAlive(): boolean {
    const [socket, stalls] = [this.#socket, this.#stalls];
    if (socket === undefined || !this.#isOverdue) return true;
    // `taken` or the end of the keeper may not have been read yet.
    socket.receive();
    if (this.#socket === socket) this.#onTakenOver();
    return this.#stalls === stalls;
  }

  get #isOverdue(): boolean {
    const { clock, deadlineMs } = this.#options;
    return Number(clock.monotonicNs() - this.#lastAliveNs) / 1e6 >= deadlineMs * OVERDUE;
  }

  #reportSuspended(): void {
    for (const line of this.#suspended) this.#reportTakenOver(line, this.#stallReason);
    this.#suspended.clear();
  }

  async goodbye(reason: EndReason): Promise<void> {
    this.#isEnded = true;
    for (const cancel of this.#releases.values()) cancel();
    this.#releases.clear();
    this.#cancelCleanup();
    this.#cancelConnect();
    await this.#table.close();
    await this.#send(`goodbye ${reason}`);
    this.#disconnect();
  }

  /* ---- the connection ---- */

  #connect(): void {
    const { connect, paths, clock, onUnreachable } = this.#options;
    if (this.#isEnded) return;
    try {
      this.#socket = connect(
        paths.socket,
        (text, request) => this.#onMessage({ text, request }),
        (code) =>
          this.#onLost(coded`LINE_KEEPER_CLOSED_CONNECTION: the line keeper closed the connection (${code})`),
      );
    } catch (thrown) {
      onUnreachable(coded`LINE_KEEPER_CAN_NOT: the line keeper can't be reached: ${codedMessageOf(thrown)}`);
      this.#cancelConnect = clock.after(RECONNECT_MS, () => this.#connect());
      return;
    }
    this.#greeting = this.#greet();
  }

  /** Says hello and gives the keeper the open lines. Resolves to whether this keeper can be used. */
  async #greet(): Promise<boolean> {
    const { clock, log, deadlineMs } = this.#options;
    const socket = this.#socket;
    this.#lastAliveNs = clock.monotonicNs();
    const reply = await this.#send(`hello ${PROTOCOL} ${deadlineMs}`);
    if (this.#socket !== socket) return false;
    if (reply?.text !== `hello ${PROTOCOL}`) {
      const otherVersion = coded`LINE_KEEPER_ANOTHER_PROTOCOL: the line keeper has another protocol version: restart stellwerk-keeper.service`;
      this.#onLost(reply === undefined ? NOT_REPLYING : otherVersion);
      return false;
    }
    this.#cancelAlive = clock.every(deadlineMs * ALIVE_INTERVAL, () => this.#sendAlive());
    log.info({}, 'connected to the line keeper');
    this.#lossReason = '';
    for (const line of this.#lines.values()) void this.#give(line);
    return true;
  }

  #sendAlive(): void {
    if (!this.isAlive()) return;
    if (this.#pending.length < MAX_PENDING) void this.#send('alive');
    this.#lastAliveNs = this.#options.clock.monotonicNs();
  }

  async #give(line: KeeperLine): Promise<void> {
    const reply = await this.#send(`give ${line.entry}`, line.request);
    line.setGuarded(reply?.text === 'kept');
    if (this.#suspended.delete(line)) return this.#reportTakenOver(line, this.#stallReason);
    if (line.isGuarded || reply === undefined) return;
    if (reply.text === 'applied')
      return this.#reportTakenOver(
        line,
        coded`LINE_KEEPER_HAD_APPLIED: the line keeper had applied its policy`,
      );
    if (reply.text === 'busy') return line.onTakenOver(anotherGateway());
    this.#options.log.warn(
      { line: entryKey(line.entry) },
      `the line keeper does not accept the line: ${reply.text}`,
    );
  }

  #onMessage(message: Reply): void {
    if (message.text === 'taken') return this.#onTakenOver();
    const pending = this.#pending.shift();
    if (pending?.isTimedOut === true) (message.request as { close(): void } | undefined)?.close();
    else pending?.resolve(message);
    if (!this.#isHanging || this.#pending.length > 0) return;
    this.#isHanging = false;
    this.#options.log.info({}, 'the line keeper replies again');
    for (const line of this.#lines.values()) void this.#give(line);
  }

  /** Resolves to the reply, or to undefined if there is none. */
  async #send(text: string, request?: unknown): Promise<Reply | undefined> {
    const socket = this.#socket;
    if (socket === undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    const pending = { resolve, isTimedOut: false };
    this.#pending.push(pending);
    const cancelTimeout = this.#options.clock.after(REPLY_TIMEOUT_MS, () => {
      pending.isTimedOut = true;
      resolve(undefined);
      this.#onReplyTimeout();
    });
    try {
      socket.send(text, request);
    } catch (thrown) {
      // `taken` may have come before the end.
      socket.receive();
      if (this.#socket === socket)
        this.#onLost(
          coded`SENDING_LINE_KEEPER_FAILED: sending to the line keeper failed: ${codedMessageOf(thrown)}`,
        );
    }
    const reply = await promise;
    cancelTimeout();
    if (this.#socket === socket) return reply;
    // The reply of a keeper that was lost just after it.
    (reply?.request as { close(): void } | undefined)?.close();
    return undefined;
  }

  /** Keeps the connection: a keeper that resumes would take a closed one for the gateway's death. */
  #onReplyTimeout(): void {
    if (this.#isHanging || this.#socket === undefined) return;
    this.#isHanging = true;
    this.#options.onUnreachable(NOT_REPLYING);
    this.#options.log.warn(
      { kind: logKind.outputsUnguarded },
      `${NOT_REPLYING.text}; outputs are not guarded until it does`,
    );
    for (const line of this.#lines.values()) line.setGuarded(false);
  }

  /** The gateway keeps its outputs and gives them to the keeper after reconnecting. */
  #onLost(reason: Text): void {
    if (this.#socket === undefined) return;
    const { clock, log, onUnreachable } = this.#options;
    const wasStalled = this.#isOverdue;
    this.#disconnect();
    if (this.#isEnded) return;
    onUnreachable(reason);
    if (reason.toString() !== this.#lossReason)
      log.warn(
        { kind: logKind.outputsUnguarded },
        `${reason.toString()}; outputs are not guarded until it is reachable again`,
      );
    this.#lossReason = reason.toString();
    if (wasStalled) this.#reconnectAfterStall();
    else this.#cancelConnect = clock.after(RECONNECT_MS, () => this.#connect());
  }

  /**
   * The keeper was lost during a stall that was longer than the deadline. If it was restarted meanwhile, it
   * may have applied policies: the outputs are reopened, as after a takeover. Without a keeper nobody has.
   */
  #reconnectAfterStall(): void {
    this.#connect();
    if (this.#socket === undefined) return;
    this.#stalls++;
    for (const line of this.#lines.values()) {
      line.suspend(reopened(this.#stallReason));
      this.#suspended.add(line);
    }
  }

  /** The gateway was silent for too long. The outputs' present values are read when they are reopened. */
  #onTakenOver(): void {
    const reason = this.#stallReason;
    this.#stalls++;
    this.#options.log.error({ kind: logKind.outputsTakenOver }, reason.toString());
    this.#disconnect();
    this.#connect();
    for (const line of this.#lines.values()) this.#reportTakenOver(line, reason);
  }

  get #stallReason(): Text {
    const limitS = (this.#options.deadlineMs * OVERDUE) / 1000;
    return coded`GATEWAY_STALLED_S_LONGER: the gateway was stalled for ${limitS} s or longer: the line keeper has taken over its outputs`;
  }

  #reportTakenOver(line: KeeperLine, reason: Text): void {
    line.onTakenOver(reopened(reason));
  }

  #disconnect(): void {
    this.#cancelAlive();
    this.#socket?.close();
    this.#socket = undefined;
    this.#greeting = Promise.resolve(false);
    for (const line of this.#lines.values()) line.setGuarded(false);
    this.#isHanging = false;
    for (const { resolve } of this.#pending.splice(0)) resolve(undefined);
    this.#reportSuspended();
  }

  #cancelRelease(key: string): void {
    this.#releases.get(key)?.();
    this.#releases.delete(key);
  }
}
