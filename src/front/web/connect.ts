import { type Signal, signal } from '@preact/signals';
import type { Cancel } from '../../base/clock.js';
import { isFrontMessage, Link, rejected, type LinkState } from '../../client/link.js';
import { realTiming } from '../../client/timing.js';
import type { ChangeRecord } from '../../client/generated/records.js';
import * as message from './message-numbers.js';
import { Model } from './model.js';
import type { Snapshot } from './objects.js';

/** Changes are applied at most this much later when no frame is painted (a hidden page), ms. */
const HIDDEN_MS = 200;

interface GatewayOptions {
  /** The path of the WebSocket: `/api/`, or `/wfc/ID/api/` for a configurator's area. */
  readonly path: string;
  readonly configurator?: number;
  /** Called with each message to the fronts of the configurator. */
  readonly onMessage?: (record: ChangeRecord) => void;
  /** Called with the id of each variable that reported. */
  readonly onReport?: (id: number) => void;
}

/** A gateway as a page sees it: the model, the state of the connection, the session, and calls. */
export class Gateway {
  readonly model = new Model();
  readonly state: Signal<LinkState> = signal({ kind: 'idle' });
  /** Whether a snapshot has arrived: before, there is nothing to show. */
  readonly isLoaded = signal(false);
  /** What to add to this device's clock to get the gateway's, ms. */
  readonly clockOffsetMs = signal(0);
  /** Why the sign-in page is shown; undefined: signed in. */
  readonly signedOut: Signal<'never' | 'ended' | undefined> = signal(undefined);
  readonly #onReport: (id: number) => void;
  readonly #link: Link<Snapshot>;
  readonly #observers = new Set<(record: ChangeRecord) => void>();
  #queue: ChangeRecord[] = [];
  #isScheduled = false;

  constructor({ path, configurator, onMessage, onReport = () => undefined }: GatewayOptions) {
    this.#onReport = onReport;
    this.#link = new Link<Snapshot>({
      url: `${location.origin.replace(/^http/, 'ws')}${path}`,
      configurator,
      onState: (state) => {
        this.#flush();
        this.state.value = state;
        if (state.kind === 'rejected' && state.code === rejected.unauthenticated)
          this.signedOut.value = 'ended';
      },
      onSnapshot: (snapshot) => {
        this.#queue = [];
        for (const id of this.model.replace(snapshot)) onReport(id);
        this.isLoaded.value = true;
      },
      onChange: (record) => {
        for (const observer of this.#observers) observer(record);
        if (isFrontMessage(record)) onMessage?.(record);
        else this.#collect(record);
      },
      onAlive: (unixMs) => (this.clockOffsetMs.value = unixMs - realTiming.nowMs()),
    });
    const touch = () => this.#link.touch();
    addEventListener('online', touch);
    addEventListener('pageshow', touch);
    addEventListener('pointerdown', touch, { passive: true });
    document.addEventListener('visibilitychange', () => {
      // A hidden page paints no frame: changes would be collected until it is visible again.
      this.#flush();
      if (document.visibilityState === 'visible') touch();
    });
  }

  /** Connects after the user has signed in, or where no password is needed. */
  enter(): void {
    this.signedOut.value = undefined;
    this.#link.start();
  }

  /** Closes the connection. */
  stop(): void {
    this.#link.stop();
  }

  /** Takes another snapshot: the socket did not receive all changes, and does from now on. */
  refresh(): void {
    this.#link.refresh();
  }

  /** Closes the connection and shows the sign-in page. */
  leave(): void {
    this.stop();
    this.signedOut.value = 'never';
  }

  /**
   * Calls a function. The changes that it caused are in the model when it resolves: on the same socket they
   * arrive before the reply.
   */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#link.call(method, params);
    } finally {
      this.#flush();
    }
  }

  /** Calls `observer` with every message that arrives, also with those that change no object. */
  observe(observer: (record: ChangeRecord) => void): Cancel {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** The gateway's time, unix ms. */
  now(): number {
    return realTiming.nowMs() + this.clockOffsetMs.peek();
  }

  /** Applies the changes of a painted frame together. */
  #collect(record: ChangeRecord): void {
    this.#queue.push(record);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const flush = () => this.#flush();
    if (document.visibilityState === 'visible') requestAnimationFrame(flush);
    else realTiming.after(HIDDEN_MS, flush);
  }

  #flush(): void {
    this.#isScheduled = false;
    const records = this.#queue;
    if (records.length === 0) return;
    this.#queue = [];
    this.model.apply(records);
    for (const { Message, SenderID } of records) if (Message === message.UPDATE) this.#onReport(SenderID);
  }
}
