import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogRecord } from '../../../client/generated/records.js';
import { errorText, useApp } from '../app.js';

/** A new line of the log (GW_LOG); only for sockets that name it in `GW_Subscribe`. */
const GW_LOG = 20404;
/** What `GW_GetLog` returns at most. */
const READ = 500;
/** Lines that the page keeps; the oldest are dropped. */
const KEPT = 2000;

/** A line of the log. */
export interface LogLine extends LogRecord {
  /** Its time and content: a line can be read and pushed. */
  readonly key: string;
}

interface LogState {
  /** Newest first. */
  readonly lines: ReadonlySignal<readonly LogLine[]>;
  /** Lines that arrive are not added while this is true. */
  readonly isPaused: ReadonlySignal<boolean>;
  readonly setPaused: (isPaused: boolean) => void;
}

/** The lines that the gateway still has, and those that are written while the component is shown. */
export function useLog(): LogState {
  const app = useApp();
  const lines = useSignal<readonly LogLine[]>([]);
  const held = useSignal<readonly LogLine[]>([]);
  const isPaused = useSignal(false);
  const isLive = app.gateway.state.value.kind === 'live';
  const add = (records: readonly LogRecord[]) => {
    const to = isPaused.peek() ? held : lines;
    to.value = merged(to.peek(), records);
  };
  useEffect(
    () =>
      app.gateway.observe(({ Message, Data }) => {
        if (Message === GW_LOG) add(Data as LogRecord[]);
      }),
    [],
  );
  // After each connection: the gateway forgets the subscription, and lines may have been missed.
  useEffect(() => {
    if (!isLive) return undefined;
    const sinceMs = Math.max(lines.peek()[0]?.TimeMs ?? 0, held.peek()[0]?.TimeMs ?? 0);
    const read = async () => {
      await app.call('GW_Subscribe', [], [GW_LOG]);
      add(await app.call('GW_GetLog', sinceMs, 'debug', '', READ));
    };
    read().catch((thrown: unknown) => (app.notice.value = { text: errorText(thrown), isError: true }));
    return () => {
      // Without a connection there is no subscription left.
      void app.call('GW_Subscribe', [], []).catch(() => undefined);
    };
  }, [isLive]);
  return {
    lines,
    isPaused,
    setPaused: (next) => {
      isPaused.value = next;
      if (next) return;
      lines.value = merged(lines.peek(), held.peek());
      held.value = [];
    },
  };
}

/** Adds records that are not there yet, newest first. */
function merged(lines: readonly LogLine[], records: readonly LogRecord[]): readonly LogLine[] {
  const known = new Set(lines.map(({ key }) => key));
  const added = records
    .map((record) => ({ ...record, key: `${record.TimeMs} ${record.Subject} ${record.Text}` }))
    .filter(({ key }) => !known.has(key));
  if (added.length === 0) return lines;
  return [...added.reverse(), ...lines].sort((a, b) => b.TimeMs - a.TimeMs).slice(0, KEPT);
}
