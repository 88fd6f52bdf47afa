import type { Archive } from '../archive/archive.js';
import type { Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import type { HealthChecks } from '../base/health-check.js';
import { Lazy } from '../base/lazy.js';
import type { Log } from '../base/log.js';
import type { Options } from '../functions/options.js';
import type { Kernel } from '../kernel/kernel.js';
import type { Store } from '../store/store.js';
import { guardIds } from './id-guard.js';

interface ArchiveDependencies {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: HealthChecks;
  readonly settings: Options;
  readonly store: Store;
  /** The data directory. */
  readonly directory: string;
}

/** The archive of a gateway: loaded and opened when the first variable is logged, or on first use. */
export class LazyArchive {
  readonly #dependencies: ArchiveDependencies;
  readonly #archive = new Lazy(() => this.#open());
  #figures: Archive['figures'] | undefined;
  #isClosed = false;

  constructor(dependencies: ArchiveDependencies) {
    this.#dependencies = dependencies;
  }

  /** Opens the archive if a variable is logged. */
  async start(): Promise<void> {
    if (this.#dependencies.kernel.variables.logged().length > 0) await this.get();
  }

  /** Prevents ids of objects from being assigned while records, or anything else, refer to them. */
  guardIds(): Promise<void> {
    return guardIds({ ...this.#dependencies, archive: this });
  }

  /** Rejects with `STOPPING`. */
  get(): Promise<Archive> {
    if (this.#isClosed) return Promise.reject(fault('STOPPING'));
    return this.#archive.get();
  }

  /** What it has written since it was opened; undefined before. */
  get figures(): Archive['figures'] | undefined {
    return this.#figures;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#archive.current())?.close();
  }

  async #open(): Promise<Archive> {
    const { kernel, settings, store, log, ...rest } = this.#dependencies;
    const everyMs = () => settings.get('ArchiveInterval') * 1000;
    const { Archive } = await import('../archive/archive.js');
    const archive = await Archive.open({
      ...rest,
      kernel,
      log: log.subject('archive'),
      writeEveryMs: everyMs(),
      onWritten: (bytes) => store.noteWritten('archive', bytes),
    });
    this.#figures = archive.figures;
    kernel.variables.onLogged((variable, nowMs) => archive.record(variable, nowMs));
    settings.changed.on((name) => {
      if (name === 'ArchiveInterval') archive.setWriteInterval(everyMs());
    });
    return archive;
  }
}
