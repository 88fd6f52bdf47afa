import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Cancel, Clock } from '../base/clock.js';

/** systemd-timesyncd creates this file when it has set the clock (systemd-timesyncd.service(8)). */
const SYNCHRONIZED = '/run/systemd/timesync/synchronized';
/** Exists if systemd is the init system (sd_booted(3)). */
const BOOTED = '/run/systemd/system';
/** Interval of the queries until the clock is trusted. */
const QUERY_INTERVAL_MS = 10_000;
const QUERY_TIMEOUT_MS = 5_000;

/**
 * Whether the wall clock is trusted: a machine without a battery-backed clock starts with a time in the past
 * and gets the correct one from the network. Without systemd (in a container), the clock is always trusted.
 */
export class ClockSynchronisation {
  #isTrusted = !existsSync(BOOTED) || existsSync(SYNCHRONIZED);
  #cancel: Cancel | undefined;
  #isClosed = false;

  get isSynchronised(): boolean {
    return this.#isTrusted;
  }

  /** Queries periodically until the clock is trusted, then calls `onTrusted` once. */
  watch(clock: Clock, onTrusted: () => void): void {
    if (this.#isTrusted) return;
    const query = () =>
      void isSynchronized()
        .then((yes) => {
          if (!yes || this.#isTrusted || this.#isClosed) return;
          this.#isTrusted = true;
          this.close();
          onTrusted();
        })
        // The program could not be started, for example without memory: the next interval retries.
        .catch(() => undefined);
    this.#cancel = clock.every(QUERY_INTERVAL_MS, query);
    query();
  }

  /** Afterwards `onTrusted` is not called, even if a query is in flight. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Returns once whether the clock is trusted, by the rules of {@link ClockSynchronisation}. */
export async function isClockSynchronised(): Promise<boolean> {
  return !existsSync(BOOTED) || (await isSynchronized());
}

/**
 * The kernel's synchronisation state, read with timedatectl; timesyncd, chrony and ntpd set it.
 */
function isSynchronized(): Promise<boolean> {
  if (existsSync(SYNCHRONIZED)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    execFile('timedatectl', args, { timeout: QUERY_TIMEOUT_MS }, (failed, out) =>
      resolve(failed === null && out.trim() === 'yes'),
    );
  });
}
