import type { Cancel } from '../base/clock.js';
import { ServerError, type RpcError } from './errors.js';
import type { ChangeRecord } from './generated/records.js';
import { type Params, encodeRequest, isRecord, readAnswer } from './rpc.js';
import { type Timing, pauseMs, realTiming } from './timing.js';

/** Close codes of a rejected upgrade (interface, decision 19): a page cannot read an HTTP status. */
export const rejected = { unauthenticated: 4401, host: 4403, area: 4404, wait: 4429 } as const;

/** Messages that are sent once and never replayed: their `TimeStamp` is not a position in the stream. */
const UNBUFFERED: ReadonlySet<number> = new Set([20403, 20404, 20405]);
const ALIVE = 20403;

/** How long the socket may take to open, ms. */
const OPEN_MS = 10_000;
/** After so long without a frame the gateway is probed: it sends one every 15 s. */
const SILENCE_MS = 20_000;
/** How long the reply to a probe may take. */
const PROBE_MS = 5000;
const CALL_MS = 60_000;
const LONGEST_PAUSE_MS = 15_000;
/** A connection that lasted this long resets the back-off. */
const STABLE_MS = 10_000;

/** `refused` is final until `start` or `touch` is called; the other states change by themselves. */
export type LinkState =
  | { readonly kind: 'idle' }
  /** Opening, or waiting for the snapshot. */
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The connection has been gone since then, unix ms; attempts follow until it is live again. */
  | { readonly kind: 'lost'; readonly sinceMs: number }
  /** `code` of {@link rejected}; `waitS`: how long the gateway asks to wait. */
  | { readonly kind: 'refused'; readonly code: number; readonly waitS: number };

/** The members of a snapshot that the link itself reads; its objects are those of `WFC_GetSnapshot`. */
interface LinkSnapshot {
  readonly timestamp: number;
}

interface LinkOptions<S extends LinkSnapshot> {
  /** `ws://host:3777/api/`, or `ws://host:3777/wfc/ID/api/` for a configurator's area. */
  readonly url: string;
  /** The configurator of the area; undefined: the owner's complete tree. */
  readonly configurator?: number | undefined;
  /** WebSocket sub-protocol with the credentials, where there is no session cookie. */
  readonly protocol?: string | undefined;
  readonly timing?: Timing;
  /** Replaces everything that was known. */
  readonly onSnapshot: (snapshot: S) => void;
  /** A change after the snapshot, in order, without gap or repeat. */
  readonly onChange: (record: ChangeRecord) => void;
  readonly onState: (state: LinkState) => void;
  /** The gateway's time, unix ms, about every 15 s. */
  readonly onAlive?: (unixMs: number) => void;
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: RpcError | ServerError) => void;
  readonly cancel: Cancel;
}

/**
 * One socket for calls and changes, in browsers and in Node: opens it, takes a snapshot on it, follows the
 * changes, and reconnects without a gap. State machine: idle → connecting → live → lost → connecting …, and
 * refused. Calls are made on the same socket, so that the change a call causes arrives before its reply.
 */
export class Link<S extends LinkSnapshot> {
  readonly #options: LinkOptions<S>;
  readonly #timing: Timing;
  #state: LinkState = { kind: 'idle' };
  #socket: WebSocket | undefined;
  #calls = new Map<string, Call>();
  #nextId = 0;
  /** Counter of the newest change that is known; 0: no snapshot yet. */
  #since = 0;
  /** Changes that arrived while the snapshot was on its way; undefined: none is. */
  #early: ChangeRecord[] | undefined;
  #attempt = 0;
  #openedMs = 0;
  /** Since when the connection has been gone, unix ms; undefined while it is live, or was never live. */
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
   * Verifies the connection immediately, or makes the next attempt now: for `online`, `pageshow`, a page that
   * becomes visible, and a touch.
   */
  touch(): void {
    if (this.#state.kind === 'lost') this.start();
    else if (this.#state.kind === 'live') this.#probe();
  }

  /**
   * Calls a function with its parameters in the order of the command reference. Rejects with an `RpcError` if
   * the gateway rejected it, and with a `ServerError` if the outcome is unknown or the link is not connected.
   */
  call(method: string, params: Params, timeoutMs = CALL_MS): Promise<unknown> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN)
      return Promise.reject(new ServerError('The gateway is not connected'));
    const id = String(++this.#nextId);
    const text = encodeRequest(id, method, params);
    return new Promise((resolve, reject) => {
      const cancel = this.#timing.after(timeoutMs, () => {
        this.#calls.delete(id);
        reject(new ServerError(`No reply within ${timeoutMs} ms`));
      });
      this.#calls.set(id, { resolve, reject, cancel });
      socket.send(text);
    });
  }

  #open(): void {
    this.#cancelTimer();
    if (this.#lostMs === undefined) this.#enter({ kind: 'connecting' });
    const { url, protocol } = this.#options;
    const socket = new WebSocket(`${url}?since=${this.#since}&alive=1`, protocol ?? []);
    this.#socket = socket;
    const isCurrent = () => socket === this.#socket;
    socket.addEventListener('open', () => isCurrent() && this.#opened());
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent() && typeof data === 'string') this.#received(data);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (isCurrent()) this.#closed(code, reason);
    });
    this.#wait(OPEN_MS, () => this.#lose('The WebSocket did not open in time'));
  }

  #opened(): void {
    this.#openedMs = this.#timing.nowMs();
    this.#listen();
    if (this.#since === 0) this.#takeSnapshot();
    // The reply comes after a CHANGES_LOST frame, if there is one.
    else this.#probe();
  }

  #takeSnapshot(): void {
    this.#since = 0;
    if (this.#early !== undefined) return;
    this.#early = [];
    const { configurator } = this.#options;
    const socket = this.#socket;
    const reply =
      configurator === undefined
        ? this.call('SVC_GetSnapshot', [])
        : this.call('WFC_GetSnapshot', [configurator]);
    reply.then(
      (snapshot) => {
        if (socket === this.#socket) this.#apply(snapshot as S);
      },
      (thrown: unknown) => {
        if (socket === this.#socket) this.#lose(thrown instanceof Error ? thrown.message : 'no snapshot');
      },
    );
  }

  #apply(snapshot: S): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#since = snapshot.timestamp;
    this.#options.onSnapshot(snapshot);
    for (const record of early) this.#follow(record);
    this.#enter({ kind: 'live' });
  }

  #received(text: string): void {
    this.#listen();
    const frame: unknown = JSON.parse(text);
    if (!isRecord(frame)) return;
    if ('jsonrpc' in frame) return this.#answered(frame);
    // The gateway is trusted: what is no reply is a change.
    const record = frame as unknown as ChangeRecord;
    if (record.Message === ALIVE) return this.#options.onAlive?.(Number(record.Data[0]));
    if (UNBUFFERED.has(record.Message)) return this.#options.onChange(record);
    if (record.Message === 0) {
      if (record.Data[0] !== 'CHANGES_LOST') return;
      this.#enter({ kind: 'connecting' });
      return this.#takeSnapshot();
    }
    if (this.#early !== undefined) this.#early.push(record);
    else this.#follow(record);
  }

  #follow(record: ChangeRecord): void {
    if (record.TimeStamp <= this.#since) return;
    this.#since = record.TimeStamp;
    this.#options.onChange(record);
  }

  #answered(frame: Record<string, unknown>): void {
    const id = String(frame['id']);
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    call.cancel();
    try {
      const answer = readAnswer(frame, id);
      if (answer.ok) call.resolve(answer.result);
      else call.reject(answer.error);
    } catch (thrown) {
      call.reject(thrown as ServerError);
    }
  }

  /** Restarts the silence timer. */
  #listen(): void {
    if (!this.#isProbing) this.#wait(SILENCE_MS, () => this.#probe());
  }

  /** Asks for the newest counter: any reply will do. */
  #probe(): void {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const { configurator } = this.#options;
    const socket = this.#socket;
    const reply =
      configurator === undefined
        ? this.call('SVC_GetSnapshotChanges', [0], PROBE_MS)
        : this.call('WFC_GetSnapshotChanges', [configurator, 0], PROBE_MS);
    reply.then(
      () => this.#probed(socket),
      (thrown: unknown) => {
        // A rejection is a reply too.
        if (thrown instanceof ServerError && socket === this.#socket) this.#lose(thrown.message);
        else this.#probed(socket);
      },
    );
  }

  #probed(socket: WebSocket | undefined): void {
    if (socket !== this.#socket || socket === undefined) return;
    this.#isProbing = false;
    this.#listen();
    if (this.#early === undefined && this.#since > 0) this.#enter({ kind: 'live' });
  }

  #closed(code: number, reason: string): void {
    const waitS = code === rejected.wait ? Math.max(1, Number.parseInt(reason, 10) || 30) : 0;
    // Too slow: what was missed is more than a snapshot.
    if (code === 1013) this.#since = 0;
    if (code < 4400 || code > 4499)
      return this.#lose(`The WebSocket was closed (${code}${reason === '' ? '' : `, ${reason}`})`);
    this.#drop(`The gateway rejected the connection (${code})`);
    this.#enter({ kind: 'refused', code, waitS });
  }

  #lose(why: string): void {
    const isStable = this.#timing.nowMs() - this.#openedMs >= STABLE_MS;
    this.#lostMs ??= this.#timing.nowMs();
    this.#drop(why);
    if (isStable) this.#attempt = 0;
    this.#enter({ kind: 'lost', sinceMs: this.#lostMs });
    const pause = Math.min(pauseMs(this.#attempt++, this.#timing.random()), LONGEST_PAUSE_MS);
    this.#wait(pause, () => this.#open());
  }

  /** Ends the connection: calls in flight fail, and nothing more of this socket is read. */
  #drop(why: string): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#early = undefined;
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

  #wait(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#timing.after(ms, callback);
  }

  #enter(state: LinkState): void {
    if (state.kind === this.#state.kind && state.kind !== 'refused') return;
    if (state.kind === 'live') this.#lostMs = undefined;
    this.#state = state;
    this.#options.onState(state);
  }
}
