import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangeRecord } from '../../../client/generated/records.js';
import { useApp } from '../app.js';

/** Messages of the log (KL_MESSAGE … KL_CUSTOM). */
const LOG = { first: 10201, last: 10207, debug: 10206 } as const;
/** How many of the newest changes of the gateway are searched for messages when the page opens. */
const SEARCHED = 5000;
/** Messages that the page keeps; the oldest are dropped. */
const KEPT = 2000;

/** A message of the log. `unixS` is the time of the gateway. */
export interface LogEntry {
  readonly key: number;
  readonly level: number;
  readonly subject: string;
  readonly text: string;
  readonly unixS: number;
}

interface LogState {
  /** Newest first. */
  readonly entries: ReadonlySignal<readonly LogEntry[]>;
  /** Messages that arrive are not added while this is true. */
  readonly isPaused: ReadonlySignal<boolean>;
  readonly setPaused: (isPaused: boolean) => void;
}

/** The messages that the gateway still has, and those that arrive while the component is shown. */
export function useLog(): LogState {
  const app = useApp();
  const entries = useSignal<readonly LogEntry[]>([]);
  const isPaused = useSignal(false);
  const held = useSignal<readonly LogEntry[]>([]);
  const add = (records: readonly ChangeRecord[]) => {
    const to = isPaused.peek() ? held : entries;
    const known = new Set([...entries.peek(), ...held.peek()].map(({ key }) => key));
    const fresh = records.flatMap((record) => entryOf(record) ?? []).filter(({ key }) => !known.has(key));
    if (fresh.length > 0) to.value = [...fresh, ...to.peek()].sort((a, b) => b.key - a.key).slice(0, KEPT);
  };
  useEffect(() => {
    const cancel = app.gateway.observe((record) => add([record]));
    void readBacklog().then(add, () => undefined);
    return cancel;
  }, []);
  return {
    entries,
    isPaused,
    setPaused: (next) => {
      isPaused.value = next;
      if (next) return;
      entries.value = [...held.peek(), ...entries.peek()].slice(0, KEPT);
      held.value = [];
    },
  };

  /** Fewer changes are requested if the gateway no longer has that many: after a restart it has only a few. */
  async function readBacklog(): Promise<ChangeRecord[]> {
    const [newest] = await app.call('SVC_GetSnapshotChanges', 0);
    const counter = newest?.TimeStamp ?? 0;
    for (let back = SEARCHED; back > 0; back = Math.floor(back / 2)) {
      const records = await app
        .call('SVC_GetSnapshotChanges', Math.max(1, counter - back))
        // CHANGES_LOST: the counter is too old.
        .catch(() => undefined);
      if (records !== undefined) return records;
    }
    return [];
  }
}

function entryOf({ Message, Data, TimeStamp }: ChangeRecord): LogEntry | undefined {
  if (Message < LOG.first || Message > LOG.last) return undefined;
  const [subject, text, third, unixMs] = Data;
  const unixS = Message === LOG.debug ? Number(unixMs) / 1000 : Number(third);
  return { key: TimeStamp, level: Message, subject: String(subject), text: String(text), unixS };
}
