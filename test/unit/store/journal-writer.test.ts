import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { JournalWriter } from '../../../src/store/journal-writer.js';
import { PendingChanges, VALUES_SLICE } from '../../../src/store/pending-changes.js';
import type { StoreWorker, ValueRow } from '../../../src/store/worker-protocol.js';

/** Commits the values of `count` variables; the last one gets another value while the first slice is staged. */
async function commitValues(count: number): Promise<{ requests: string[]; written: Map<number, unknown> }> {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const variables = Array.from({ length: count }, () => kernel.variables.create(2, { value: 1 }));
  const last = variables.at(-1);
  const requests: string[] = [];
  const rows: ValueRow[] = [];
  const port = {
    request: async (request: string, fields: { values?: ValueRow[]; batch?: { values: ValueRow[] } }) => {
      requests.push(request);
      rows.push(...(fields.values ?? fields.batch?.values ?? []));
      if (request === 'stage' && last !== undefined) kernel.variables.update(last, 2, 0);
      return {};
    },
  } as unknown as StoreWorker; // only these two requests are needed
  const pending = new PendingChanges(kernel, undefined);
  const clock = new ManualClock();
  const writer = new JournalWriter({ kernel, pending, port, clock, onState: () => undefined });
  // The objects are written; what follows has only values.
  pending.take('configured', 0);
  for (const variable of variables) kernel.variables.update(variable, 1.5, 0);
  writer.saveValues();
  await writer.settled();
  writer.close();
  return { requests, written: new Map(rows.map(([id, value]) => [id === last?.id ? 0 : id, value])) };
}

t.test('values are read when they are sent, so that no request sent before has newer ones', async (t) => {
  const { requests, written } = await commitValues(VALUES_SLICE + 1);
  t.strictSame(requests, ['stage', 'commit']);
  t.equal(written.size, VALUES_SLICE + 1);
  t.equal(written.get(0), 2);
});

t.test('values that fill their slices are committed', async (t) => {
  const { requests, written } = await commitValues(VALUES_SLICE);
  t.strictSame(requests, ['stage', 'commit']);
  t.equal(written.size, VALUES_SLICE);
});

t.test('large texts for the runtime directory are sent in several messages', (t) => {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const pending = new PendingChanges(kernel, undefined);
  for (let n = 0; n < 5; n++) kernel.variables.create(3, { value: 'a'.repeat(600_000) });
  t.strictSame(
    Array.from(pending.freshValues(), ({ length }) => length),
    [2, 2, 1],
  );
  t.end();
});
