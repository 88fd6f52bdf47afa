import type { Log } from '../base/log.js';
import { yieldToEventLoop } from '../base/serial-queue.js';
import type { Instance } from '../kernel/instances.js';
import type { ModuleDefinition } from './module.js';

/** What it is about. */
interface LinkLogParts {
  readonly log: Log;
  readonly module: ModuleDefinition;
  readonly instance: Instance;
  /** The I/O instance; its `running` is undefined while it is not online. */
  parent(): { readonly running: unknown } | undefined;
}

/**
 * Logs when an instance goes online and why it left. What follows from its I/O instance is not logged: with fifty devices
 * below a link that flaps, each flap would be a hundred lines.
 */
export class LinkLog {
  readonly #with: LinkLogParts;
  #wasOnline = false;
  #isLossLogged = false;

  constructor(parts: LinkLogParts) {
    this.#with = parts;
  }

  /** It failed, and is opened again after `waitMs`; `attempt`: failures in a row before this one. */
  lost({ attempt, waitMs, text }: { attempt: number; waitMs: number; text: string }): void {
    const { log, module, instance } = this.#with;
    const line = { instance: instance.id, name: instance.displayName, again: Math.round(waitMs) };
    if (attempt > 0) return log.debug(line, text);
    if (module.requires === undefined) return log.warn(line, text);
    // A failure of the I/O instance often shows first at those below it.
    void yieldToEventLoop().then(() => {
      const isOwn = this.#with.parent()?.running !== undefined;
      if (isOwn) this.#isLossLogged = true;
      log[isOwn ? 'warn' : 'debug'](line, text);
    });
  }

  /** It is online: logged for the first time, after a failure of its own, and always without an I/O instance. */
  online(): void {
    const { log, module, instance } = this.#with;
    const isNews = module.requires === undefined || !this.#wasOnline || this.#isLossLogged;
    this.#wasOnline = true;
    this.#isLossLogged = false;
    log[isNews ? 'info' : 'debug']({ instance: instance.id, name: instance.displayName }, 'online');
  }
}
