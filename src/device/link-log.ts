import { logKind } from '../base/codes/log-kinds.js';
import type { Log } from '../base/log.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import type { Instance } from '../kernel/instances.js';
import type { ModuleDefinition } from './module.js';

interface LinkLogOptions {
  readonly log: Log;
  readonly module: ModuleDefinition;
  readonly instance: Instance;
  /** The I/O instance; `running` is undefined unless it is online. */
  parent(): { readonly running: unknown } | undefined;
}

/**
 * Logs when an instance goes online or offline. Effects of its I/O instance's state are not logged: fifty
 * devices on a flapping connection would write a hundred lines per flap.
 */
export class LinkLog {
  readonly #options: LinkLogOptions;
  #wasOnline = false;
  #isLossLogged = false;

  constructor(options: LinkLogOptions) {
    this.#options = options;
  }

  /**
   * Logs a failure; the instance is reopened after `waitMs`. `attempt` is the number of failures in a row
   * before this one.
   */
  lost({ attempt, waitMs, text }: { attempt: number; waitMs: number; text: string }): void {
    const { log, module, instance } = this.#options;
    const { id, displayName: name } = instance;
    const about = { kind: logKind.instanceFailed, instance: id, module: module.name, name };
    const line = { ...about, retryInMs: Math.round(waitMs) };
    if (attempt > 0) return log.debug(line, text);
    if (module.requires === undefined) return log.warn(line, text);
    // A failure of the I/O instance often appears first at the devices connected to it.
    void yieldToEventLoop().then(() => {
      const isOwn = this.#options.parent()?.running !== undefined;
      if (isOwn) this.#isLossLogged = true;
      log[isOwn ? 'warn' : 'debug'](line, text);
    });
  }

  /**
   * Logs that the instance is online: the first time, after a failure of its own, and always if it has no I/O
   * instance.
   */
  online(): void {
    const { log, module, instance } = this.#options;
    const isNotable = module.requires === undefined || !this.#wasOnline || this.#isLossLogged;
    this.#wasOnline = true;
    this.#isLossLogged = false;
    const { id, displayName: name } = instance;
    const about = { kind: logKind.instanceOnline, instance: id, module: module.name, name };
    log[isNotable ? 'info' : 'debug'](about, 'online');
  }
}
