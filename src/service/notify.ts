import { createRequire } from 'node:module';
import type { Cancel, Clock } from '../base/clock.js';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { nativeFile } from '../base/package-root.js';

const ADDON = nativeFile('notify.node');

/** What systemd gives a service to talk to it by (sd_notify(3), sd_watchdog_enabled(3)). */
interface SystemdEnvironment {
  readonly NOTIFY_SOCKET?: string | undefined;
  readonly WATCHDOG_USEC?: string | undefined;
}

/** Reports the state of the service to systemd, if it runs under systemd. */
export class Notifier {
  readonly #send: (state: string) => void;
  readonly #watchdogMs: number;
  readonly #log: Log;
  #cancel: Cancel | undefined;

  constructor({ NOTIFY_SOCKET, WATCHDOG_USEC }: SystemdEnvironment, log: Log) {
    this.#log = log;
    this.#send = NOTIFY_SOCKET === undefined ? () => undefined : sender(NOTIFY_SOCKET, log);
    this.#watchdogMs = NOTIFY_SOCKET === undefined ? 0 : Number(WATCHDOG_USEC ?? 0) / 1000;
  }

  ready(text: string): void {
    this.#send(`READY=1\nSTATUS=${text}`);
  }

  /** `monotonicNs` is required with RELOADING by newer systemd. */
  reloading(clock: Clock): void {
    this.#send(`RELOADING=1\nMONOTONIC_USEC=${clock.monotonicNs() / 1000n}`);
  }

  status(text: string): void {
    this.#send(`STATUS=${text}`);
  }

  stopping(): void {
    this.close();
    this.#send('STOPPING=1');
  }

  /**
   * Feeds the watchdog three times in its period while the loop turns (this timer fires) and `isAlive`
   * resolves. A look that fails or has not ended when the next is due feeds nothing.
   */
  watch(clock: Clock, isAlive: () => Promise<void>): void {
    if (this.#watchdogMs === 0) return;
    let isLooking = false;
    this.#cancel = clock.every(this.#watchdogMs / 3, () => {
      if (isLooking) return this.#log.warn({}, 'the watchdog is not fed: the last look has not ended');
      isLooking = true;
      isAlive()
        .then(() => this.#send('WATCHDOG=1'))
        .catch((thrown: unknown) => this.#log.error({}, `the watchdog is not fed: ${messageOf(thrown)}`))
        .finally(() => {
          isLooking = false;
        });
    });
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

function sender(socket: string, log: Log): (state: string) => void {
  const addon = createRequire(import.meta.url)(ADDON) as { notify(path: string, text: string): void };
  return (state) => {
    try {
      addon.notify(socket, state);
    } catch (thrown) {
      log.warn({}, `systemd could not be notified: ${messageOf(thrown)}`);
    }
  };
}
