import type { Cancel, Clock } from '../../base/clock.js';
import { Fault } from '../../base/fault.js';
import type { LogRecord } from '../../base/log.js';
import type { Signal } from '../../base/signal.js';
import type { TaskState } from '../../base/tasks/task-list.js';
import { onNextIteration } from '../../base/event-loop.js';
import { Histogram } from '../../base/metrics/histogram.js';
import { Change } from '../../kernel/changes.js';
import type { Kernel } from '../../kernel/kernel.js';
import { isFrontMessage, message } from '../../kernel/messages.js';
import type { OutboxLosses } from './outbox.js';
import { textFrames } from './text-frames.js';
import {
  SubscriptionFilter,
  changesLost,
  unfiltered,
  type Subscription,
  type ChangeFilter,
} from './change-filter.js';

/** Decision 7: the server pings every 20 s, and closes a connection that was silent for 60 s. */
const PING_MS = 20_000;
const SILENT_PINGS = 3;
/**
 * How often sockets that request it get the gateway's time, ms: pages see no pings (interface, decision 7).
 */
const ALIVE_MS = 15_000;
/** Lines of the log sent per second; a client that needs all of them calls `GW_GetLog`. */
const LOG_PER_SECOND = 50;

/** Messages that are not in the change buffer. */
const NO_CHANGES: ReadonlySet<number> = new Set([message.GW_LOG, message.GW_PROGRESS]);

/** A session that receives changes from the hub. */
export interface Subscriber {
  /** Called once, before the first `deliver`: changes from before the session. */
  replay(changes: readonly Change[]): void;
  /** These changes are new; `bytes` are their frames, shared with others. */
  deliver(changes: readonly Change[], bytes: Buffer): void;
  /** Sends a ping; closes the connection if the last `limit` pings were not answered. */
  ping(limit: number): void;
  /** Sends a frame that is not a change, unless changes wait to be sent. */
  sendFrame(bytes: Buffer): void;
}

/** Dependencies of a {@link ChangeHub}. */
interface ChangeHubOptions {
  readonly kernel: Kernel;
  readonly clock: Pick<Clock, 'every' | 'nowMs' | 'monotonicNs'>;
  readonly logged?: Signal<LogRecord> | undefined;
  readonly tasks?: Signal<TaskState> | undefined;
}

/** What a session has missed (interface, decision 10). 0: nothing. */
export interface Resumption {
  /** It gets the changes after this counter, or the message that they are lost. */
  readonly since: number;
  /** Without these changes, it gets at least the buffered messages to fronts after this counter. */
  readonly messages: number;
}

/** The sessions with the same filter: a change is filtered, encoded and framed once for all of them. */
interface Stream {
  readonly view: ChangeFilter;
  readonly members: Set<Subscriber>;
  pending: Change[];
}

/**
 * Sends the changes of the tree to all sessions: as one block of bytes that all sessions with the same filter
 * share, with one write each. A lone change is sent immediately. Changes that follow in the same iteration of
 * the event loop are sent together at its end; if the iteration before had several, so is the first one,
 * because each write costs a system call.
 */
export class ChangeHub {
  /** From the time of an edge to the write to the clients; of edges that are written together, the oldest. */
  readonly edgeToPush = new Histogram();
  /** What its sessions have coalesced and dropped. */
  readonly losses: OutboxLosses = { coalesced: 0, dropped: 0 };
  readonly #kernel: Kernel;
  readonly #streams = new Map<ChangeFilter, Stream>();
  readonly #streamOf = new Map<Subscriber, Stream>();
  readonly #clock: Pick<Clock, 'every' | 'nowMs' | 'monotonicNs'>;
  /** Those that get the gateway's time. */
  readonly #alive = new Set<Subscriber>();
  readonly #logged: Signal<LogRecord> | undefined;
  /** Those that get lines of the log. */
  readonly #logReaders = new Set<Subscriber>();
  #stopLog: Cancel | undefined;
  /** Those that get the progress of tasks. */
  readonly #taskReaders = new Set<Subscriber>();
  readonly #stopTasks: Cancel | undefined;
  /** Lines to be sent, and how many were accepted in the second that began then. */
  #lines: LogRecord[] = [];
  #lineCount = 0;
  #lineSecondMs = 0;
  readonly #stopTimers: readonly Cancel[];
  #unlisten: (() => void) | undefined;
  /** Changes since the event loop's iteration began. */
  #changesInTurn = 0;
  /** The iteration before had more than one change. */
  #isBusy = false;

  constructor({ kernel, clock, logged, tasks }: ChangeHubOptions) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#logged = logged;
    this.#stopTasks = tasks?.on((task) => this.#sendProgress(task));
    const ping = () => {
      for (const session of this.#streamOf.keys()) session.ping(SILENT_PINGS);
    };
    this.#stopTimers = [
      clock.every(PING_MS, ping),
      clock.every(ALIVE_MS, () => this.#sendAlive([...this.#alive])),
    ];
  }

  get size(): number {
    return this.#streamOf.size;
  }

  /**
   * Adds a session: from now on it receives the changes that its filter admits, and first those that it
   * missed. Sessions with the same view object share their work.
   */
  join(session: Subscriber, view: ChangeFilter, resumption: Resumption): void {
    this.#flush();
    session.replay(this.#missed(view, resumption));
    this.#enter(session, view);
    this.#unlisten ??= this.#kernel.changes.listen(this.#onChange);
  }

  /**
   * From now on the session gets the gateway's time every 15 s (message 20403), the first immediately; the
   * owner's also the progress of tasks (20405).
   */
  keepAlive(session: Subscriber, view: ChangeFilter): void {
    this.#alive.add(session);
    if (view === unfiltered) this.#taskReaders.add(session);
    this.#sendAlive([session]);
  }

  /** Replaces the subscription of a session; its own filter still applies. */
  subscribe(session: Subscriber, view: ChangeFilter, subscription: Subscription): void {
    if (!this.#streamOf.has(session)) return;
    this.#flush();
    this.#exit(session);
    this.#setLogReader(session, view === unfiltered && subscription.messages.includes(message.GW_LOG));
    if (view === unfiltered && subscription.messages.includes(message.GW_PROGRESS))
      this.#taskReaders.add(session);
    // Log lines and progress are not changes: subscribing to them does not limit the changes that are sent.
    const messages = subscription.messages.filter((one) => !NO_CHANGES.has(one));
    const isAll = subscription.ids.length + messages.length === 0;
    const limits = { ...subscription, messages };
    this.#enter(session, isAll ? view : new SubscriptionFilter(this.#kernel.tree, view, limits));
  }

  /** Removes a session, if it is there. */
  leave(session: Subscriber): void {
    this.#alive.delete(session);
    this.#taskReaders.delete(session);
    this.#setLogReader(session, false);
    this.#exit(session);
    if (this.#streamOf.size > 0) return;
    this.#unlisten?.();
    this.#unlisten = undefined;
  }

  close(): void {
    for (const stop of this.#stopTimers) stop();
    this.#stopLog?.();
    this.#stopTasks?.();
    this.#unlisten?.();
  }

  #sendAlive(sessions: readonly Subscriber[]): void {
    if (sessions.length > 0) this.#sendFrame(sessions, message.GW_ALIVE, [this.#clock.nowMs()]);
  }

  #sendProgress({ id, kind, done, total, state, text }: TaskState): void {
    if (this.#taskReaders.size > 0)
      this.#sendFrame(this.#taskReaders, message.GW_PROGRESS, [id, kind, done, total, state, text]);
  }

  /** Sends a frame that is not a change, with the counter of the last change, which has been sent already. */
  #sendFrame(sessions: Iterable<Subscriber>, messageNumber: number, Data: readonly unknown[]): void {
    this.#flush();
    const TimeStamp = this.#kernel.changes.counter;
    const change = new Change({ TimeStamp, SenderID: 0, Message: messageNumber, Data });
    const bytes = textFrames([change.frame]);
    for (const session of sessions) session.sendFrame(bytes);
  }

  #setLogReader(session: Subscriber, isReader: boolean): void {
    if (isReader) this.#logReaders.add(session);
    else this.#logReaders.delete(session);
    if (this.#logReaders.size > 0) this.#stopLog ??= this.#logged?.on(this.#onLine);
    else {
      this.#stopLog?.();
      this.#stopLog = undefined;
    }
  }

  /** A line is sent later: it may be about a session that is being written to. */
  readonly #onLine = (line: LogRecord): void => {
    const nowMs = this.#clock.nowMs();
    if (Math.abs(nowMs - this.#lineSecondMs) >= 1000) {
      this.#lineSecondMs = nowMs;
      this.#lineCount = 0;
    }
    this.#lineCount += 1;
    if (this.#lineCount > LOG_PER_SECOND) return;
    this.#lines.push(line);
    if (this.#lines.length > 1) return;
    onNextIteration(() => {
      const lines = this.#lines;
      this.#lines = [];
      for (const one of lines) this.#sendFrame(this.#logReaders, message.GW_LOG, [one]);
    });
  };

  #enter(session: Subscriber, view: ChangeFilter): void {
    let stream = this.#streams.get(view);
    if (stream === undefined) {
      stream = { view, members: new Set(), pending: [] };
      this.#streams.set(view, stream);
    }
    stream.members.add(session);
    this.#streamOf.set(session, stream);
  }

  #exit(session: Subscriber): void {
    const stream = this.#streamOf.get(session);
    if (stream === undefined) return;
    this.#streamOf.delete(session);
    stream.members.delete(session);
    if (stream.members.size === 0) this.#streams.delete(stream.view);
  }

  #missed(view: ChangeFilter, { since, messages }: Resumption): readonly Change[] {
    const kept = since > 0 ? this.#keptSince(view, since) : undefined;
    if (kept !== undefined) return kept;
    const { changes } = this.#kernel;
    const sent =
      messages === 0
        ? []
        : changes
            .all()
            .filter((one) => one.TimeStamp > messages && isFrontMessage(one) && view.filter(one) === 'show');
    return since > 0 ? [...sent, changesLost(changes.counter)] : sent;
  }

  #keptSince(view: ChangeFilter, since: number): readonly Change[] | undefined {
    try {
      return view.replay(this.#kernel.changes.since(since));
    } catch (thrown) {
      if (thrown instanceof Fault) return undefined;
      throw thrown;
    }
  }

  readonly #onChange = (change: Change): void => {
    for (const stream of this.#streams.values()) {
      const verdict = stream.view.filter(change);
      if (verdict === 'show') stream.pending.push(change);
      else if (verdict === 'lost') stream.pending.push(changesLost(change.TimeStamp));
    }
    this.#changesInTurn += 1;
    if (this.#changesInTurn > 1) return;
    if (!this.#isBusy) this.#flush();
    onNextIteration(() => {
      this.#isBusy = this.#changesInTurn > 1;
      this.#changesInTurn = 0;
      this.#flush();
    });
  };

  #flush(): void {
    let isWritten = false;
    for (const stream of this.#streams.values()) {
      const { pending } = stream;
      if (pending.length === 0) continue;
      stream.pending = [];
      isWritten = true;
      const bytes = textFrames(pending.map((change) => change.frame));
      for (const session of stream.members) session.deliver(pending, bytes);
    }
    const { edgeNs } = this.#kernel.changes;
    if (edgeNs === undefined) return;
    this.#kernel.changes.edgeNs = undefined;
    if (isWritten) this.edgeToPush.add(Number(this.#clock.monotonicNs() - edgeNs) / 1e9);
  }
}
