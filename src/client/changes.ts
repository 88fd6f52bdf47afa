import { delay } from '../base/clock.js';
import { type Address, socketAddress } from './address.js';
import { RpcError, ServerError } from './errors.js';
import type { ChangeRecord } from './generated/records.js';
import { type Params, encodeRequest, isRecord, readReply } from './rpc.js';
import { SocketReader } from './socket-reader.js';
import { type Timing, pauseMs } from './timing.js';

/**
 * A connection that lasted this long, ms, is stable: after it, the back-off starts again with the shortest
 * pause.
 */
const STABLE_MS = 10_000;

const ALIVE_ID = 'alive';
const SUBSCRIBE_ID = 'subscribe';
const CALL_ID = 'call';
/** Calls the function that needs no credentials (authentication rule 4). */
const PROBE = encodeRequest(ALIVE_ID, 'WFC_GetConfigurators', []);

/** An item of a stream of changes. */
export type Item =
  | { readonly kind: 'change'; readonly record: ChangeRecord }
  /**
   * Changes before the counter `since` were lost: take a snapshot now. It contains the following changes
   * whose `TimeStamp` is not greater than its own.
   */
  | { readonly kind: 'lost'; readonly since: number };

export interface ChangeOptions {
  /**
   * Start after this counter: a snapshot's `timestamp`, or the `TimeStamp` of the last record. Default, and 0: now.
   */
  since?: number;
  /**
   * Only changes of these objects and the objects below them. What the gateway repeats, after `since` and after an
   * interruption, is of all objects. Default: all.
   */
  ids?: readonly number[];
  /** Only these message numbers. Default: all. */
  messages?: readonly number[];
  signal?: AbortSignal;
  /** Called when the connection is open (undefined) and when it is lost (with the reason). */
  onLink?: (lost: ServerError | RpcError | undefined) => void;
}

/** A gateway, and how to call it with ordinary requests. */
export interface ChangeSource {
  address: Address;
  configurator: number | undefined;
  timing: Timing;
  call(method: string, params: Params, signal: AbortSignal | undefined): Promise<unknown>;
}

/** The stream of a gateway's changes; see `Client.changes`. */
export async function* changeStream(
  source: ChangeSource,
  options: ChangeOptions,
): AsyncGenerator<Item, void, undefined> {
  const { timing } = source;
  const { signal, onLink } = options;
  // The gateway takes 0 for "from now on".
  let since = options.since === 0 ? undefined : options.since;
  for (let attempt = 0; ; attempt++) {
    let reader: SocketReader | undefined;
    let openedMs = Infinity;
    try {
      since ??= await newestCounter(source, signal);
      reader = await open(source, since, signal);
      openedMs = timing.nowMs();
      subscribe(reader, options);
      onLink?.(undefined);
      for (;;) {
        for (const text of await reader.read()) {
          const item = readFrame(text);
          if (item === undefined) continue;
          since = item.kind === 'lost' ? item.since : item.record.TimeStamp;
          if (item.kind === 'lost' || isAccepted(item.record, options)) yield item;
        }
      }
    } catch (thrown) {
      const isTransient = thrown instanceof ServerError || (thrown instanceof RpcError && thrown.retry);
      if (!isTransient) throw thrown;
      onLink?.(thrown);
    } finally {
      reader?.close();
    }
    if (reader?.overrun || timing.nowMs() - openedMs >= STABLE_MS) attempt = 0;
    if (!reader?.overrun) await delay(timing, pauseMs(attempt, timing.random()), signal);
  }
}

/**
 * Calls a function over a socket of its own, and waits for the reply as long as the connection works: `fetch`
 * waits at most 5 min.
 */
export async function longCall(source: ChangeSource, method: string, params: Params): Promise<unknown> {
  const request = encodeRequest(CALL_ID, method, params);
  // 0: no earlier changes.
  const reader = await open(source, 0, undefined);
  try {
    reader.send(request);
    for (;;)
      for (const text of await reader.read()) {
        const frame = parse(text);
        if (!isRecord(frame) || !('jsonrpc' in frame) || frame['id'] === ALIVE_ID) continue;
        const outcome = readReply(frame, CALL_ID);
        if (!outcome.ok) throw outcome.error;
        return outcome.result;
      }
  } finally {
    reader.close();
  }
}

/**
 * Opens the socket. If that fails, makes an ordinary call to get the reason, because the WebSocket API does
 * not expose the HTTP status.
 */
async function open(
  source: ChangeSource,
  since: number,
  signal: AbortSignal | undefined,
): Promise<SocketReader> {
  const { address, configurator, timing } = source;
  const url = socketAddress(address, { since, configurator });
  try {
    return await SocketReader.open({ url, protocol: address.protocol, probe: PROBE, timing, signal });
  } catch (thrown) {
    signal?.throwIfAborted();
    await newestCounter(source, signal);
    throw thrown;
  }
}

async function newestCounter(source: ChangeSource, signal: AbortSignal | undefined): Promise<number> {
  const { configurator } = source;
  const newest = await (configurator === undefined
    ? source.call('SVC_GetSnapshotChanges', [0], signal)
    : source.call('WFC_GetSnapshotChanges', [configurator, 0], signal));
  const record: unknown = Array.isArray(newest) ? newest[0] : undefined;
  if (isRecord(record) && typeof record['TimeStamp'] === 'number') return record['TimeStamp'];
  throw new ServerError('The gateway did not return its newest counter');
}

/** Whether the filter of messages accepts a record: what the gateway repeats, it does not filter. */
const isAccepted = ({ Message }: ChangeRecord, { messages = [] }: ChangeOptions): boolean =>
  messages.length === 0 || messages.includes(Message);

/** Sends the filter. Changes of other objects arrive until the gateway applies it. */
function subscribe(reader: SocketReader, { ids = [], messages = [] }: ChangeOptions): void {
  if (ids.length + messages.length > 0)
    reader.send(encodeRequest(SUBSCRIBE_ID, 'GW_Subscribe', [ids, messages]));
}

/**
 * Reads a frame (interface §3.1); undefined if the caller does not need it. Throws a `ServerError` if it is
 * invalid.
 */
function readFrame(text: string): Item | undefined {
  const frame = parse(text);
  if (!isRecord(frame)) throw new ServerError('A frame is not a change');
  if ('jsonrpc' in frame) {
    checkReply(frame);
    return undefined;
  }
  const { TimeStamp, SenderID, Message, Data } = frame;
  if (!isInteger(TimeStamp) || !isInteger(SenderID) || !isInteger(Message) || !Array.isArray(Data)) {
    throw new ServerError('A frame is not a change');
  }
  if (Message !== 0) return { kind: 'change', record: { TimeStamp, SenderID, Message, Data } };
  return Data[0] === 'CHANGES_LOST' ? { kind: 'lost', since: TimeStamp } : undefined;
}

function checkReply(reply: Record<string, unknown>): void {
  if (reply['id'] !== SUBSCRIBE_ID) return;
  const outcome = readReply(reply, SUBSCRIBE_ID);
  if (!outcome.ok) throw outcome.error;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServerError('A frame is not JSON', { cause });
  }
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
