import { watch, type FSWatcher } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Cancel, Clock } from '../base/clock.js';

/** Editors write in several steps: a new file, a rename, a change of permissions. */
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
  #isAnything = false;
  #watcher: FSWatcher | undefined;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
  }

  /** Starts watching; the directory is created if missing. */
  async open(): Promise<void> {
    const { directory, failed } = this.#options;
    try {
      await mkdir(directory, { recursive: true });
      if (this.#isClosed) return;
      this.#watcher = watch(directory, { persistent: false }, (_event, name) => this.#heard(name));
      this.#watcher.on('error', () => this.#anew());
    } catch (thrown) {
      failed(thrown);
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#watcher?.close();
  }

  #heard(name: string | null): void {
    // The directory itself was moved or deleted: another one may have its name now.
    if (name === basename(this.#options.directory)) return this.#anew();
    if (name === null) this.#isAnything = true;
    else this.#names.add(name);
    this.#settle();
  }

  #anew(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#isAnything = true;
    this.#settle();
  }

  /**
   * Changes that arrive while it settles are reported together; continuous writes do not delay the report.
   */
  #settle(): void {
    this.#cancel ??= this.#options.clock.after(SETTLE_MS, () => {
      this.#cancel = undefined;
      if (this.#watcher === undefined) void this.open();
      const names = this.#isAnything ? undefined : new Set(this.#names);
      this.#names.clear();
      this.#isAnything = false;
      this.#options.changed(names);
    });
  }
}
