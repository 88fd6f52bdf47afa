import type { Cancel } from '../base/clock.js';
import { ServerError, type RpcError } from './errors.js';
import type { ChangeRecord } from './generated/records.js';
import { type Params, encodeRequest, isRecord, readReply } from './rpc.js';
import { type Timing, pauseMs, realTiming } from './timing.js';

/** Close codes of a rejected upgrade (interface, decision 19): a page cannot read an HTTP status. */
export const rejected = { unauthenticated: 4401, host: 4403, area: 4404, wait: 4429 } as const;

/** The message of a `ServerError` after which the call was certainly not executed: it was not sent. */
export const NOT_CONNECTED = 'The gateway is not connected';

/** Messages that are sent once and never replayed: their `TimeStamp` is not a position in the stream. */
const UNBUFFERED: ReadonlySet<number> = new Set([20403, 20404, 20405]);
const ALIVE = 20403;

/**
 * Whether a message is one to the fronts of a configurator, 20101 to 20106 (interface §3.5): it changes no
 * object, so that no snapshot contains it.
 */
export function isFrontMessage({ Message }: ChangeRecord): boolean {
  return Message > 20100 && Message < 20107;
}

/** Time limit for opening the socket, ms. */
const OPEN_MS = 10_000;
/** Time without a frame after which the client probes the gateway, which sends one every 15 s. */
const SILENCE_MS = 20_000;
/** Time limit for the reply to a probe, ms. */
const PROBE_MS = 5000;
/** Time limit for a snapshot, ms. */
const SNAPSHOT_MS = 60_000;
const LONGEST_PAUSE_MS = 15_000;
/**
 * Most restarts end within this time. Until then, the pause is at most 1 to 3 s; afterwards it may grow
 * longer.
 */
const EARLY_MS = 120_000;
const EARLY_STEPS = 3;
const LATE_STEPS = 6;
/** A connection that lasted this long resets the back-off. */
const STABLE_MS = 10_000;

/** `rejected` is final until `start` is called; the other states change by themselves. */
export type LinkState =
  | { readonly kind: 'idle' }
  /** Opening, or waiting for the snapshot. */
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The last frame arrived at `sinceMs`, unix ms; the link retries until it is live again. */
  | { readonly kind: 'lost'; readonly sinceMs: number }
  /** `code` is one of {@link rejected}; `waitS`: the pause that the gateway requests. */
  | { readonly kind: 'rejected'; readonly code: number; readonly waitS: number };

/** The member of a snapshot that the link itself reads; see `WFC_GetSnapshot` for the others. */
interface LinkSnapshot {
  readonly timestamp: number;
}

interface LinkOptions<S extends LinkSnapshot> {
  /** `ws://host:3777/api/`, or `ws://host:3777/wfc/ID/api/` for a configurator's area. */
  readonly url: string;
  /** The configurator of the area; undefined for the owner's complete tree. */
  readonly configurator?: number | undefined;
  /** WebSocket sub-protocol with the credentials; required if there is no session cookie. */
  readonly protocol?: string | undefined;
  readonly timing?: Timing;
  /** Called with a new snapshot, which replaces the earlier state. */
  readonly onSnapshot: (snapshot: S) => void;
  /**
   * Called with each change after the snapshot, in order, without gaps or duplicates, and with the messages to
   * fronts that arrived before it.
   */
  readonly onChange: (record: ChangeRecord) => void;
  readonly onState: (state: LinkState) => void;
  /** Called with the gateway's time, unix ms, about every 15 s. */
  readonly onAlive?: (unixMs: number) => void;
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: RpcError | ServerError) => void;
  readonly cancel: Cancel;
}

/**
 * One socket for calls and changes, in browsers and in Node: opens it, takes a snapshot on it, follows the
 * changes, and reconnects without a gap. States: idle → connecting → live → lost → connecting …, and
 * rejected. Calls use the same socket, so that the changes of a call arrive before its reply.
 */
export class Link<S extends LinkSnapshot> {
  readonly #options: LinkOptions<S>;
  readonly #timing: Timing;
  #state: LinkState = { kind: 'idle' };
  #socket: WebSocket | undefined;
  #calls = new Map<string, Call>();
  #nextId = 0;
  /** Counter of the newest change that was reported; 0: none. */
  #since = 0;
  /** Whether the changes after `#since` are not enough for a current state. */
  #needsSnapshot = true;
  /** Changes that arrived before the requested snapshot; undefined if no snapshot is requested. */
  #bufferedChanges: ChangeRecord[] | undefined;
  /** Counter of the newest CHANGES_LOST since the snapshot was requested; 0: none. */
  #lostCounter = 0;
  #attempt = 0;
  /** When the current connection opened; Infinity: it has not. */
  #openedMs = Infinity;
  /** When the last frame arrived, unix ms; 0: none yet. */
  #receivedMs = 0;
  /**
   * Since when the state may be outdated, unix ms; undefined while it is live, and until it is live for the
   * first time.
   */
  #lostMs: number | undefined;
  #cancelTimer: Cancel = () => undefined;
  #isProbing = false;

  constructor(options: LinkOptions<S>) {
    this.#options = options;
    this.#timing = options.timing ?? realTiming;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Connects. Does nothing while it is connected or connecting. */
  start(): void {
    if (this.#socket !== undefined) return;
    this.#attempt = 0;
    this.#open();
  }

  /** Closes the connection; calls in flight fail. */
  stop(): void {
    this.#drop('The connection was closed');
    this.#enter({ kind: 'idle' });
  }

  /**
   * Verifies the connection, or retries immediately. Call it on `online`, `pageshow`, when a page becomes
   * visible, and on user input.
   */
  touch(): void {
    if (this.#state.kind === 'lost') this.start();
    if (this.#state.kind !== 'live') return;
    if (this.#timing.nowMs() - this.#receivedMs <= SILENCE_MS + PROBE_MS) return this.#probe();
    // The timers did not run: the device slept.
    this.#lose('The connection was silent');
    this.start();
  }

  /**
   * Takes another snapshot, immediately or with the next connection: the socket did not receive all changes,
   * and does from now on.
   */
  refresh(): void {
    this.#needsSnapshot = true;
    if (this.#state.kind !== 'live') return;
    this.#enter({ kind: 'connecting' });
    this.#takeSnapshot();
  }

  /**
   * Calls a function with its parameters in the order of the command reference. Rejects with an `RpcError` if
   * the gateway rejected it, and with a `ServerError` if the outcome is unknown or the link is not connected.
   * Without `timeoutMs` it waits as long as the connection works: a backup may take an hour.
   */
  call(method: string, params: Params, timeoutMs?: number): Promise<unknown> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(new ServerError(NOT_CONNECTED));
    const id = String(++this.#nextId);
    const text = encodeRequest(id, method, params);
    return new Promise((resolve, reject) => {
      const onTimeout = () => {
        this.#calls.delete(id);
        reject(new ServerError('No reply in time'));
      };
      const cancel = timeoutMs ? this.#timing.after(timeoutMs, onTimeout) : () => undefined;
      this.#calls.set(id, { resolve, reject, cancel });
      socket.send(text);
    });
  }

  #open(): void {
    this.#cancelTimer();
    this.#openedMs = Infinity;
    const sinceMs = this.#lostMs;
    this.#enter(sinceMs === undefined ? { kind: 'connecting' } : { kind: 'lost', sinceMs });
    const { url, protocol } = this.#options;
    // With a snapshot, only the messages to fronts are needed of what was missed.
    const since = this.#needsSnapshot ? 0 : this.#since;
    const socket = new WebSocket(`${url}?since=${since}&messages=${this.#since}&alive=1`, protocol ?? []);
    this.#socket = socket;
    const isCurrent = () => socket === this.#socket;
    socket.addEventListener('open', () => isCurrent() && this.#onOpen());
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent() && typeof data === 'string') this.#onFrame(data);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (isCurrent()) this.#onClose(code, reason);
    });
    this.#setTimer(OPEN_MS, () => this.#lose('No connection in time'));
  }

  #onOpen(): void {
    this.#openedMs = this.#timing.nowMs();
    this.#restartSilenceTimer();
    if (this.#needsSnapshot) this.#takeSnapshot();
    // The reply arrives after a CHANGES_LOST frame, if there is one.
    else this.#probe();
  }

  #takeSnapshot(buffered: ChangeRecord[] = []): void {
    this.#needsSnapshot = true;
    if (this.#bufferedChanges !== undefined) return;
    this.#bufferedChanges = buffered;
    this.#lostCounter = 0;
    const { configurator } = this.#options;
    const socket = this.#socket;
    const reply =
      configurator === undefined
        ? this.call('SVC_GetSnapshot', [], SNAPSHOT_MS)
        : this.call('WFC_GetSnapshot', [configurator], SNAPSHOT_MS);
    reply.then(
      (snapshot) => {
        if (socket === this.#socket) this.#applySnapshot(snapshot as S);
      },
      ({ message }: Error) => {
        if (socket === this.#socket) this.#lose(message);
      },
    );
  }

  #applySnapshot(snapshot: S): void {
    const buffered = this.#bufferedChanges ?? [];
    this.#bufferedChanges = undefined;
    this.#options.onSnapshot(snapshot);
    // The gateway sends a snapshot in parts, but as of its beginning. The changes may have been lost after it.
    if (this.#lostCounter > snapshot.timestamp) return this.#takeSnapshot(buffered);
    this.#needsSnapshot = false;
    // The counter of a gateway whose data was lost begins again.
    this.#since = Math.min(this.#since, snapshot.timestamp);
    for (const record of buffered)
      if (record.TimeStamp > snapshot.timestamp || isFrontMessage(record)) this.#deliver(record);
    this.#since = Math.max(this.#since, snapshot.timestamp);
    this.#enter({ kind: 'live' });
  }

  #onFrame(text: string): void {
    this.#receivedMs = this.#timing.nowMs();
    this.#restartSilenceTimer();
    const frame: unknown = JSON.parse(text);
    if (!isRecord(frame)) return;
    if ('jsonrpc' in frame) return this.#onReply(frame);
    // The gateway is trusted: a frame that is not a reply is a change.
    const record = frame as unknown as ChangeRecord;
    if (record.Message === ALIVE) return this.#options.onAlive?.(Number(record.Data[0]));
    if (UNBUFFERED.has(record.Message)) return this.#options.onChange(record);
    if (record.Message === 0) {
      if (record.Data[0] !== 'CHANGES_LOST') return;
      // Messages to fronts that are buffered have lower counters.
      this.#since = Math.min(this.#since, record.TimeStamp);
      this.#lostCounter = record.TimeStamp;
      this.#enter({ kind: 'connecting' });
      return this.#takeSnapshot();
    }
    if (this.#bufferedChanges !== undefined) this.#bufferedChanges.push(record);
    else this.#deliver(record);
  }

  #deliver(record: ChangeRecord): void {
    if (record.TimeStamp <= this.#since) return;
    this.#since = record.TimeStamp;
    this.#options.onChange(record);
  }

  #onReply(frame: Record<string, unknown>): void {
    const id = String(frame['id']);
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    call.cancel();
    try {
      const outcome = readReply(frame, id);
      if (outcome.ok) call.resolve(outcome.result);
      else call.reject(outcome.error);
    } catch (thrown) {
      call.reject(thrown as ServerError);
    }
  }

  /** Restarts the silence timer. */
  #restartSilenceTimer(): void {
    if (!this.#isProbing) this.#setTimer(SILENCE_MS, () => this.#probe());
  }

  /** Requests the newest counter; any reply proves that the connection works. */
  #probe(): void {
    // A reply arrives behind the snapshot, which takes long on a slow connection and has its own time limit.
    if (this.#isProbing || this.#bufferedChanges !== undefined) return;
    this.#isProbing = true;
    const { configurator } = this.#options;
    const socket = this.#socket;
    const reply =
      configurator === undefined
        ? this.call('SVC_GetSnapshotChanges', [0], PROBE_MS)
        : this.call('WFC_GetSnapshotChanges', [configurator, 0], PROBE_MS);
    reply.then(
      () => this.#onProbeReply(socket),
      (thrown: unknown) => {
        // An error reply also proves that the connection works.
        if (thrown instanceof ServerError && socket === this.#socket) this.#lose(thrown.message);
        else this.#onProbeReply(socket);
      },
    );
  }

  #onProbeReply(socket: WebSocket | undefined): void {
    if (socket !== this.#socket) return;
    this.#isProbing = false;
    this.#restartSilenceTimer();
    if (this.#needsSnapshot) this.#takeSnapshot();
    else this.#enter({ kind: 'live' });
  }

  #onClose(code: number, reason: string): void {
    const waitS = code === rejected.wait ? Math.max(1, Number.parseInt(reason, 10) || 30) : 0;
    // 1013: the client was too slow. A snapshot costs less than the missed changes.
    if (code === 1013) this.#needsSnapshot = true;
    if (code < 4400 || code > 4499) return this.#lose(`The connection was closed: ${code} ${reason}`);
    this.#drop(`The connection was rejected: ${code}`);
    this.#enter({ kind: 'rejected', code, waitS });
  }

  #lose(why: string): void {
    const now = this.#timing.nowMs();
    const isStable = now - this.#openedMs >= STABLE_MS;
    this.#lostMs ??= this.#receivedMs || now;
    this.#drop(why);
    if (isStable) this.#attempt = 0;
    this.#enter({ kind: 'lost', sinceMs: this.#lostMs });
    const steps = now - this.#lostMs < EARLY_MS ? EARLY_STEPS : LATE_STEPS;
    const pause = pauseMs(Math.min(this.#attempt++, steps), this.#timing.random());
    this.#setTimer(Math.min(pause, LONGEST_PAUSE_MS), () => this.#open());
  }

  /** Closes the connection: calls in flight fail, and further frames of this socket are ignored. */
  #drop(why: string): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#bufferedChanges = undefined;
    this.#isProbing = false;
    this.#cancelTimer();
    socket?.close();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { cancel, reject } of calls) {
      cancel();
      reject(new ServerError(why));
    }
  }

  #setTimer(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#timing.after(ms, callback);
  }

  #enter(state: LinkState): void {
    if (state.kind === this.#state.kind && state.kind !== 'rejected') return;
    if (state.kind === 'live') this.#lostMs = undefined;
    this.#state = state;
    this.#options.onState(state);
  }
}
