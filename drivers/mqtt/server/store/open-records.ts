import { coded } from '../../../../src/base/codes/coded-text.js';
import { messageOf } from '../../../../src/base/fault.js';
import { silentLog } from '../../../../src/base/log.js';
import { WorkerThreadClient } from '../../../../src/sqlite/worker-client.js';
import type { BrokerLimits, BrokerOptions } from '../messages.js';
import { DurableRecords } from './durable-records.js';
import { JournalFiles } from './journal-files.js';
import type { SessionRequests } from './session-requests.js';

/** Receives what happens to the records. */
interface RecordListener {
  /** They cannot be written, or can be written again (an empty text). */
  onProblem(message: string): void;
  /** Damaged records were lost: how many, or -1 for all. */
  onDamage(lost: number): void;
}

/**
 * Rows that exceed the limit of what is kept by this factor are not loaded: they could exceed the memory of the
 * process before the store removes them. The rows of what fits are smaller.
 */
const LOAD_FACTOR = 2;

/**
 * Opens the database in a thread, and the journal; each is created if it is missing. Rejects with the error of
 * the system or of SQLite.
 */
export async function openRecords(
  {
    database: path,
    journal,
    limits,
  }: Pick<BrokerOptions, 'database' | 'journal'> & { readonly limits: Pick<BrokerLimits, 'keptBytes'> },
  { onProblem, onDamage }: RecordListener,
): Promise<DurableRecords> {
  const worker = new WorkerThreadClient<SessionRequests>({
    program: new URL('./session-worker.js', import.meta.url),
    name: coded`SESSIONS_DATABASE: the database of the MQTT server`,
    log: silentLog,
  });
  try {
    const { records: stored, damaged } = await worker.request('open', {
      path,
      maxBytes: LOAD_FACTOR * limits.keptBytes,
    });
    if (damaged !== 0) onDamage(damaged);
    let problem = '';
    return new DurableRecords({
      journal: new JournalFiles(journal),
      stored,
      database: {
        async write(puts, deletes) {
          await worker.request('write', { puts, deletes });
        },
        async close() {
          // If it cannot be closed, the next process opens its log.
          await worker.request('close', {}).catch(() => undefined);
          await worker.close();
        },
      },
      onProblem(thrown) {
        const message = thrown === undefined ? '' : messageOf(thrown);
        if (message !== problem) onProblem(message);
        problem = message;
      },
    });
  } catch (thrown) {
    await worker.close();
    throw thrown;
  }
}
