import { watch, type FSWatcher } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Cancel, Clock } from '../base/clock.js';

/**
 * Delay until changes are reported, because editors write in several steps: a new file, a rename,
 * permissions.
 */
const SETTLE_MS = 200;

interface DirectoryWatchOptions {
  readonly directory: string;
  readonly clock: Pick<Clock, 'after'>;
  /**
   * Called after changes have settled, with the names of changed files; undefined if any may have changed.
   */
  readonly changed: (names: ReadonlySet<string> | undefined) => void;
  /** Called if the directory can't be watched. */
  readonly failed: (thrown: unknown) => void;
}

/** Watches the files of a directory through kernel notifications; it never polls. */
export class DirectoryWatch implements Disposable {
  readonly #options: DirectoryWatchOptions;
  readonly #names = new Set<string>();
  #isAnyChanged = false;
  #watcher: FSWatcher | undefined;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
  }

  /** Starts watching, and creates the directory if it is missing. */
  async open(): Promise<void> {
    const { directory, failed } = this.#options;
    try {
      await mkdir(directory, { recursive: true });
      if (this.#isClosed) return;
      this.#watcher = watch(directory, { persistent: false }, (_event, name) => this.#onChange(name));
      this.#watcher.on('error', () => this.#reopen());
    } catch (thrown) {
      failed(thrown);
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#watcher?.close();
  }

  #onChange(name: string | null): void {
    // The directory itself was moved or deleted, and another one may have its name now.
    if (name === basename(this.#options.directory)) return this.#reopen();
    if (name === null) this.#isAnyChanged = true;
    else this.#names.add(name);
    this.#scheduleReport();
  }

  #reopen(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#isAnyChanged = true;
    this.#scheduleReport();
  }

  /**
   * Schedules a report of the changes. Later changes are reported with it and do not delay it further.
   */
  #scheduleReport(): void {
    this.#cancel ??= this.#options.clock.after(SETTLE_MS, () => {
      this.#cancel = undefined;
      if (this.#watcher === undefined) void this.open();
      const names = this.#isAnyChanged ? undefined : new Set(this.#names);
      this.#names.clear();
      this.#isAnyChanged = false;
      this.#options.changed(names);
    });
  }
}
