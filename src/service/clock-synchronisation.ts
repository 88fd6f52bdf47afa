import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Cancel, Clock } from '../base/clock.js';

/** systemd-timesyncd makes this file when it has set the clock (systemd-timesyncd.service(8)). */
const SYNCHRONIZED = '/run/systemd/timesync/synchronized';
/** There on a machine that systemd runs (sd_booted(3)). */
const BOOTED = '/run/systemd/system';
/** The interval of the queries until the clock is trusted; a running clock then keeps its time. */
const QUERY_INTERVAL_MS = 10_000;
const QUERY_TIMEOUT_MS = 5_000;

/**
 * Whether the wall clock is known to be correct: a box without a battery starts in the past and gets the time
 * from the network. If systemd does not run (in a developer's container), the clock is assumed to be correct.
 */
export class ClockSynchronisation {
  #isTrusted = !existsSync(BOOTED) || existsSync(SYNCHRONIZED);
  #cancel: Cancel | undefined;

  get isSynchronised(): boolean {
    return this.#isTrusted;
  }

  /** Queries periodically until the clock is trusted, then calls `onTrusted` once. */
  watch(clock: Clock, onTrusted: () => void): void {
    if (this.#isTrusted) return;
    const query = () =>
      void isSynchronized()
        .then((yes) => {
          if (!yes || this.#isTrusted) return;
          this.#isTrusted = true;
          this.close();
          onTrusted();
        })
        // The program could not be started, for want of memory: the next interval retries.
        .catch(() => undefined);
    this.#cancel = clock.every(QUERY_INTERVAL_MS, query);
    query();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** As {@link ClockSynchronisation} sees it, now. */
export async function isClockSynchronised(): Promise<boolean> {
  return !existsSync(BOOTED) || (await isSynchronized());
}

/**
 * The kernel's state, read with timedatectl: what disciplines the clock (timesyncd, chrony, ntpd) sets it in
 * the kernel.
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
