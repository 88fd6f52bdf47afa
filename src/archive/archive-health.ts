import { logKind } from '../base/codes/log-kinds.js';
import { coded } from '../base/codes/coded-text.js';
import { codedMessageOf } from '../base/fault.js';
import { healthy, type HealthChecks } from '../base/health-check.js';
import type { Log } from '../base/log.js';
import { diskAdvice, isDatabaseDamaged } from '../sqlite/disk-advice.js';
import type { DamageReport } from './worker-protocol.js';

/** Reports to health and to the log whether the records reach the disk. */
export class ArchiveHealth {
  readonly #checks: HealthChecks;
  readonly #log: Log;
  #isFailing = false;

  constructor(checks: HealthChecks, log: Log) {
    this.#checks = checks;
    this.#log = log;
    checks.set('archive', written);
  }

  /** Whether the last write failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Reports a write: its failure, undefined if it succeeded, and the number of records dropped since the last. */
  reportWrite(failure: unknown, dropped: number): void {
    if (dropped > 0)
      this.#log.error(
        { records: dropped },
        `${dropped} records of the archive were dropped: the disk rejects writes`,
      );
    if (failure === undefined) {
      if (this.#isFailing) this.#checks.set('archive', written);
      this.#isFailing = false;
      return;
    }
    this.#isFailing = true;
    this.#checks.set('archive', {
      state: 'failed',
      text: coded`RECORDS_WAIT_MEMORY: records wait in memory: ${codedMessageOf(failure)}`,
      whatToDo: isDatabaseDamaged(failure)
        ? coded`GATEWAY_QUARANTINES_DAMAGED_ARCHIVE: the gateway quarantines the damaged archive and starts a new one; then run "stellwerk archive salvage"`
        : diskAdvice(failure),
    });
  }

  /** Reports quarantined files. */
  reportDamage({ text, quarantined, newer }: DamageReport): void {
    if (text !== '') this.#log.error({ kind: logKind.archiveDamaged }, text);
    if (newer.length > 0)
      this.#checks.set('archive file', {
        state: 'warning',
        text: coded`NEWER_ARCHIVE_KEPT: a newer version of stellwerk has migrated the archive, which is kept: ${newer.join(', ')}; a new one was created`,
        whatToDo: coded`SALVAGE_NEWER_ARCHIVE: to have its records again, install that version again, stop the gateway and run "stellwerk archive salvage FILE --write"; delete the file if nothing in it is needed`,
      });
    if (quarantined.length === 0) return;
    const fileText = coded`ARCHIVE_KEPT: a damaged archive is kept: ${quarantined.join(', ')}`;
    this.#checks.set('archive file', {
      state: 'warning',
      text: text === '' ? fileText : text,
      whatToDo: coded`STOP_GATEWAY_RUN_STELLWERK: stop the gateway, run "stellwerk archive salvage --data DIR", and start it again; check the disk (dmesg); delete the file if nothing in it is needed`,
    });
  }
}

const written = healthy(coded`ALL_ON_DISK: everything is on the disk`);
