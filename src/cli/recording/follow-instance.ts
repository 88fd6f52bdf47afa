import type { AnyFunction, ChangeRecord, Client } from '../../client/index.js';
import { systemClock } from '../../base/clock.js';
import { isAbort } from '../../base/fault.js';
import { matchesFilter } from '../../composition/recording/connect-broker.js';
import { message } from '../../kernel/messages.js';
import type { Recorder } from '../../recording/recorder.js';
import type { Traffic, Transfer } from '../../recording/entry-format.js';
import { UsageError } from '../command.js';

/** The time limit of the debug output, s, in case this command cannot end it, and when it is extended, ms. */
const DEBUG_S = 3600;
const EXTEND_MS = 1_800_000;

const TRAFFICS: ReadonlyMap<string, Traffic> = new Map([
  ['MQTT Client', 'mqtt'],
  ['Serial Port', 'bytes'],
  ['Client Socket', 'bytes'],
]);

/** What an instance sends and receives. Throws UsageError if its module has no such traffic. */
export async function trafficOf(gateway: Client<AnyFunction>, id: number): Promise<Traffic> {
  const { ModuleInfo } = (await gateway.call('SVC_GetInstance', id)) as {
    ModuleInfo: { ModuleName: string };
  };
  const traffic = TRAFFICS.get(ModuleInfo.ModuleName);
  if (traffic !== undefined) return traffic;
  throw new UsageError(
    `#${id} is an instance of ${ModuleInfo.ModuleName}: give one of ${[...TRAFFICS.keys()].join(', ')}`,
  );
}

interface Following {
  readonly gateway: Client<AnyFunction>;
  readonly id: number;
  readonly recorder: Recorder;
  /** If empty, all topics are recorded. */
  readonly filters: readonly string[];
  readonly signal: AbortSignal;
  readonly onLost: (cause: Error) => void;
}

/** Records the debug output of an instance until it is closed. After an interruption it continues with a note. */
export async function followInstance(options: Following): Promise<AsyncDisposable> {
  const { gateway, id, signal, onLost } = options;
  const enable = () => gateway.request('SVC_EnableDebug', [id, DEBUG_S]);
  const [newest] = (await gateway.request('SVC_GetSnapshotChanges', [0], { signal })) as ChangeRecord[];
  await enable();
  const since = newest?.TimeStamp ?? 0;
  const closed = new AbortController();
  const following = follow(
    { ...options, signal: AbortSignal.any([signal, closed.signal]) },
    since,
    enable,
  ).catch((thrown: Error) => {
    if (!isAbort(thrown)) onLost(thrown);
  });
  const cancel = systemClock().every(EXTEND_MS, () => void enable().catch(() => undefined)); // tried again
  return {
    async [Symbol.asyncDispose]() {
      cancel();
      closed.abort();
      await following;
      // If the gateway cannot be reached, there is no debug output to end.
      await gateway.request('SVC_DisableDebug', [id]).catch(() => undefined);
    },
  };
}

async function follow(
  { gateway, id, recorder, filters, signal }: Following,
  since: number,
  enable: () => Promise<unknown>,
): Promise<void> {
  let startMs: number | undefined;
  for await (const item of gateway.changes({ since, signal, ids: [id], messages: [message.KL_DEBUG] })) {
    if (item.kind === 'lost') {
      recorder.note(0, 'some messages are missing here: the gateway was restarted, or no longer has them');
      await enable();
      continue;
    }
    const { record } = item;
    // Others may arrive until the gateway applies the filter.
    if (record.SenderID !== id || record.Message !== message.KL_DEBUG) continue;
    const [what, data, format, atMs] = record.Data as [string, string, number, number];
    startMs ??= atMs;
    const ms = Math.max(0, atMs - startMs);
    const read = readDebug(what);
    if (read === 'omitted') recorder.note(ms, 'messages are missing here: more than 200 in one second');
    else if (
      read !== undefined &&
      (filters.length === 0 || filters.some((one) => matchesFilter(one, read.topic)))
    )
      recorder.add({
        ...read,
        ms,
        payload: Buffer.from(data, format === HEX ? 'hex' : 'utf8'),
        // The debug output does not say it.
        isRetained: false,
      });
  }
}

/** The format of data in hexadecimal digits. */
const HEX = 1;

/**
 * What a debug message is about: `received zigbee2mqtt/lamp (2048 of 5000)`. Undefined for events that are no
 * traffic, such as a closed connection.
 */
function readDebug(
  what: string,
): Pick<Transfer, 'direction' | 'topic' | 'isIncomplete'> | 'omitted' | undefined {
  if (what === 'omitted') return 'omitted';
  // Without a topic, as of a serial port, the length would be taken for one.
  const label = what.replace(/ \(\d+ of \d+\)$/, '');
  const [, verb, topic = ''] = /^(received|sent)(?: ([^]*))?$/.exec(label) ?? [];
  if (verb === undefined) return undefined;
  return { direction: verb === 'received' ? 'in' : 'out', topic, isIncomplete: label !== what };
}
