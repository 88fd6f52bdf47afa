import { createRequire } from 'node:module';
import type { Cancel, Clock } from '../base/clock.js';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { nativeFile } from '../base/package-root.js';

/** The addon of the service, `native/notify.c`. */
export interface ServiceAddon {
  /** Sends a text to a unix datagram socket (sd_notify(3), or journald's). */
  notify(path: string, text: string): void;
  /** Trims the C library's allocator (malloc_trim(3)). */
  trimAllocator(): void;
}

/** Loads the addon; Node loads it once. Throws if it is not built. */
export function loadServiceAddon(): ServiceAddon {
  return createRequire(import.meta.url)(nativeFile('notify.node')) as ServiceAddon;
}

/** The environment variables that systemd sets for a service (sd_notify(3), sd_watchdog_enabled(3)). */
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

  /** Reports a reload; since version 253, systemd requires the monotonic time with it. */
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
   * Pings the watchdog three times per period, as long as the event loop runs (the timer fires) and `isAlive`
   * resolves. Skips the ping if the check fails or is still running when the next one is due.
   */
  watch(clock: Clock, isAlive: () => Promise<void>): void {
    if (this.#watchdogMs === 0) return;
    let isChecking = false;
    this.#cancel = clock.every(this.#watchdogMs / 3, () => {
      if (isChecking)
        return this.#log.warn({}, 'no watchdog ping was sent: the previous check is still running');
      isChecking = true;
      isAlive()
        .then(() => this.#send('WATCHDOG=1'))
        .catch((thrown: unknown) => this.#log.error({}, `no watchdog ping was sent: ${messageOf(thrown)}`))
        .finally(() => {
          isChecking = false;
        });
    });
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

function sender(socket: string, log: Log): (state: string) => void {
  const addon = loadServiceAddon();
  return (state) => {
    try {
      addon.notify(socket, state);
    } catch (thrown) {
      log.warn({}, `systemd could not be notified: ${messageOf(thrown)}`);
    }
  };
}
