import type { RecordChange } from './record-codec.js';
import { decodeChanges, encodeChange } from './record-codec.js';

/** The files of the changes that the database does not have yet. */
interface RecordJournal {
  readonly length: number;
  readAll(): Buffer[];
  append(bytes: Buffer): void;
  rotate(): number;
  removeUpTo(last: number): void;
  close(): void;
}

/** The database. */
interface RecordDatabase {
  write(puts: readonly (readonly [string, Uint8Array])[], deletes: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** What {@link DurableRecords} needs. */
interface RecordParts {
  readonly journal: RecordJournal;
  readonly database: RecordDatabase;
  /** What the database contains. */
  readonly stored: readonly (readonly [string, Uint8Array])[];
  /** Called when a write has failed, and with undefined when one has succeeded. */
  readonly onProblem: (thrown: unknown) => void;
}

/** The journal is rewritten without replaced changes when it has grown by this much since the last write, bytes. */
const JOURNAL_LIMIT = 8 * 1024 * 1024;

/**
 * Records that survive the end of the process immediately, through the journal, and that of the machine after
 * the next `flush`. The database gets only what is left of all changes since the last flush: a message that was
 * delivered in the meantime is never written to the disk.
 */
export class DurableRecords {
  #initial: ReadonlyMap<string, Buffer>;
  readonly #journal: RecordJournal;
  readonly #database: RecordDatabase;
  readonly #onProblem: (thrown: unknown) => void;
  /** The keys in the database. */
  readonly #stored: Set<string>;
  /** The changes since the last flush. */
  #changed = new Map<string, Buffer | undefined>();
  #flushing: Promise<void> | undefined;
  /** Rises while the database cannot be written: otherwise each change would begin a new attempt. */
  #journalLimit = JOURNAL_LIMIT;

  constructor({ journal, database, stored, onProblem }: RecordParts) {
    this.#journal = journal;
    this.#database = database;
    this.#onProblem = onProblem;
    this.#stored = new Set(stored.map(([key]) => key));
    const records = new Map<string, Buffer>(stored.map(([key, value]) => [key, Buffer.from(value)]));
    for (const content of journal.readAll())
      for (const change of decodeChanges(content)) {
        this.#note(change);
        if (change.value === undefined) records.delete(change.key);
        else records.set(change.key, change.value);
      }
    this.#initial = records;
  }

  /** The records of earlier processes. A second call returns none: they must not be in memory twice. */
  takeInitial(): ReadonlyMap<string, Buffer> {
    const initial = this.#initial;
    this.#initial = new Map();
    return initial;
  }

  put(key: string, value: Buffer): void {
    this.#change({ key, value });
  }

  delete(key: string): void {
    this.#change({ key, value: undefined });
  }

  /** Writes the changes to the database. Never rejects: a failed write is reported and repeated by the next call. */
  flush(): Promise<void> {
    return (this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined)));
  }

  /** Writes the changes and closes everything. */
  async close(): Promise<void> {
    await this.flush();
    await this.flush();
    this.#journal.close();
    await this.#database.close();
  }

  #change(change: RecordChange): void {
    this.#note(change);
    try {
      this.#journal.append(encodeChange(change));
    } catch (thrown) {
      // The change is in memory and gets to the database with the next flush.
      this.#onProblem(thrown);
    }
    if (this.#journal.length > this.#journalLimit) void this.flush();
  }

  #note({ key, value }: RecordChange): void {
    if (value === undefined && !this.#stored.has(key)) this.#changed.delete(key);
    else this.#changed.set(key, value);
  }

  async #flush(): Promise<void> {
    const changes = this.#changed;
    const last = this.#journal.rotate();
    if (changes.size === 0) return this.#journal.removeUpTo(last);
    this.#changed = new Map();
    const puts = [...changes].flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
    const deletes = [...changes].flatMap(([key, value]) => (value === undefined ? [key] : []));
    // Changes during the write see the keys as stored, so that a deletion is not lost.
    for (const [key] of puts) this.#stored.add(key);
    try {
      await this.#database.write(puts, deletes);
      for (const key of deletes) if (!this.#changed.has(key)) this.#stored.delete(key);
      this.#journal.removeUpTo(last);
      this.#journalLimit = JOURNAL_LIMIT;
      this.#onProblem(undefined);
    } catch (thrown) {
      this.#onProblem(thrown);
      this.#changed = new Map([...changes, ...this.#changed]);
      this.#rewriteJournal();
    }
  }

  /** While the database cannot be written, the journal must not grow with each change of the same record. */
  #rewriteJournal(): void {
    const last = this.#journal.rotate();
    try {
      for (const [key, value] of this.#changed) this.#journal.append(encodeChange({ key, value }));
      this.#journal.removeUpTo(last);
      this.#journalLimit = JOURNAL_LIMIT + 2 * this.#journal.length;
    } catch (thrown) {
      this.#onProblem(thrown);
    }
  }
}
