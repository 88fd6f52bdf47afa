import { watch, type FSWatcher } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Cancel, Clock } from '../base/clock.js';

/** Editors write in several steps: a new file, a rename, a change of its rights. */
const SETTLE_MS = 200;

/** What a watch works with. */
export interface DirectoryWatchOptions {
  readonly directory: string;
  readonly clock: Pick<Clock, 'after'>;
  /** Some time after a change: the names of what changed, undefined where it may be anything. */
  readonly changed: (names: ReadonlySet<string> | undefined) => void;
  /** The directory can't be watched. */
  readonly failed: (thrown: unknown) => void;
}

/** Notices changes of the files in a directory, by the kernel's word; nothing is asked again and again. */
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

  /** Begins; the directory is made where it is missing. */
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
    // The directory itself was moved or deleted: what is watched is no longer what has its name.
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

  /** What comes while it settles is told with it; who writes without end is heard all the same. */
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
