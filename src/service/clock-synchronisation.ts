import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Cancel, Clock } from '../base/clock.js';

/** systemd-timesyncd makes this file when it has set the clock (systemd-timesyncd.service(8)). */
const SYNCHRONIZED = '/run/systemd/timesync/synchronized';
/** There on a machine that systemd runs (sd_booted(3)). */
const BOOTED = '/run/systemd/system';
/** Until the clock is trusted; then the question is settled, as a running clock keeps its time. */
const ASK_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;

/**
 * Whether the wall clock is known to be right: a box without a battery starts in the past and learns the time
 * from the network. Where systemd does not run (a developer's container), the clock is taken for right:
 * nobody there sets it later.
 */
export class ClockSynchronisation {
  #isTrusted = !existsSync(BOOTED) || existsSync(SYNCHRONIZED);
  #cancel: Cancel | undefined;

  get isSynchronised(): boolean {
    return this.#isTrusted;
  }

  /** Asks now and then until the clock is trusted; `onTrusted` is called once, when that comes about. */
  watch(clock: Clock, onTrusted: () => void): void {
    if (this.#isTrusted) return;
    const ask = () =>
      void isSynchronized()
        .then((yes) => {
          if (!yes || this.#isTrusted) return;
          this.#isTrusted = true;
          this.close();
          onTrusted();
        })
        // The program could not be started, for want of memory: the next interval retries.
        .catch(() => undefined);
    this.#cancel = clock.every(ASK_EVERY_MS, ask);
    ask();
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
    execFile('timedatectl', args, { timeout: ANSWER_WITHIN_MS }, (failed, out) =>
      resolve(failed === null && out.trim() === 'yes'),
    );
  });
}
