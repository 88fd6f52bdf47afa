import { delay } from '../base/clock.js';
import { type Address, socketAddress } from './address.js';
import { RpcError, ServerError } from './errors.js';
import type { ChangeRecord } from './generated/records.js';
import { type Params, encodeRequest, isRecord, readAnswer } from './rpc.js';
import { SocketReader } from './socket-reader.js';
import { type Timing, pauseMs } from './timing.js';

/**
 * A connection that lasted this long, ms, counts as stable: the next attempt after it comes with the shortest
 * pause.
 */
const SOUND_MS = 10_000;

const ALIVE_ID = 'alive';
const SUBSCRIBE_ID = 'subscribe';
/** The one function that everybody may call (authentication rule 4). */
const QUESTION = encodeRequest(ALIVE_ID, 'WFC_GetConfigurators', []);

/** What a stream of changes is made of. */
export type Item =
  | { readonly kind: 'change'; readonly record: ChangeRecord }
  /**
   * Changes before the counter `since` are missing: take a snapshot now. Changes that follow with a
   * `TimeStamp` up to the snapshot's own are in it already.
   */
  | { readonly kind: 'lost'; readonly since: number };

export interface ChangeOptions {
  /**
   * Begin after this counter (a snapshot's `timestamp`, the last record's `TimeStamp`); without it: from now
   * on.
   */
  since?: number;
  /** Only changes of these objects and what is below them; none named: of all. */
  ids?: readonly number[];
  /** Only these message numbers; none named: all. */
  messages?: readonly number[];
  signal?: AbortSignal;
  /** Called when the connection is open (undefined) and when it is lost (with the reason). */
  onLink?: (gone: ServerError | RpcError | undefined) => void;
}

interface ChangeSource {
  address: Address;
  configurator: number | undefined;
  timing: Timing;
  ask(method: string, params: Params, signal: AbortSignal | undefined): Promise<unknown>;
}

/** The changes of one gateway; see `Client.changes`. */
export async function* changeStream(
  source: ChangeSource,
  options: ChangeOptions,
): AsyncGenerator<Item, void, undefined> {
  const { timing } = source;
  const { signal, onLink } = options;
  let since = options.since;
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
          yield item;
        }
      }
    } catch (thrown) {
      const passing = thrown instanceof ServerError || (thrown instanceof RpcError && thrown.retry);
      if (!passing) throw thrown;
      onLink?.(thrown);
    } finally {
      reader?.close();
    }
    if (reader?.overrun || timing.nowMs() - openedMs >= SOUND_MS) attempt = 0;
    if (!reader?.overrun) await delay(timing, pauseMs(attempt, timing.random()), signal);
  }
}

/**
 * Opens the socket. Where it does not open, an ordinary call finds out why: a program is not shown the HTTP
 * status.
 */
async function open(
  source: ChangeSource,
  since: number,
  signal: AbortSignal | undefined,
): Promise<SocketReader> {
  const { address, configurator, timing } = source;
  const url = socketAddress(address, { since, configurator });
  try {
    return await SocketReader.open({ url, protocol: address.protocol, question: QUESTION, timing, signal });
  } catch (thrown) {
    signal?.throwIfAborted();
    await newestCounter(source, signal);
    throw thrown;
  }
}

async function newestCounter(source: ChangeSource, signal: AbortSignal | undefined): Promise<number> {
  const { configurator } = source;
  const newest = await (configurator === undefined
    ? source.ask('SVC_GetSnapshotChanges', [0], signal)
    : source.ask('WFC_GetSnapshotChanges', [configurator, 0], signal));
  const record: unknown = Array.isArray(newest) ? newest[0] : undefined;
  if (isRecord(record) && typeof record['TimeStamp'] === 'number') return record['TimeStamp'];
  throw new ServerError('The gateway did not say its newest counter');
}

/** Until the gateway has taken it, a few changes of other objects may come. */
function subscribe(reader: SocketReader, { ids = [], messages = [] }: ChangeOptions): void {
  if (ids.length + messages.length > 0)
    reader.send(encodeRequest(SUBSCRIBE_ID, 'GW_Subscribe', [ids, messages]));
}

/**
 * Reads one frame (interface §3.1); nothing where it is none of the caller's. Throws when it is no frame at
 * all.
 */
function readFrame(text: string): Item | undefined {
  const frame = parse(text);
  if (!isRecord(frame)) throw new ServerError('A frame is not a change');
  if ('jsonrpc' in frame) {
    readReply(frame);
    return undefined;
  }
  const { TimeStamp, SenderID, Message, Data } = frame;
  if (!isWhole(TimeStamp) || !isWhole(SenderID) || !isWhole(Message) || !Array.isArray(Data)) {
    throw new ServerError('A frame is not a change');
  }
  if (Message !== 0) return { kind: 'change', record: { TimeStamp, SenderID, Message, Data } };
  return Data[0] === 'CHANGES_LOST' ? { kind: 'lost', since: TimeStamp } : undefined;
}

function readReply(reply: Record<string, unknown>): void {
  if (reply['id'] !== SUBSCRIBE_ID) return;
  const answer = readAnswer(reply, SUBSCRIBE_ID);
  if (!answer.ok) throw answer.error;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServerError('A frame is not JSON', { cause });
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
