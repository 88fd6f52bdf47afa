import { coded, fromRecord, joined } from '../base/codes/coded-text.js';
import type { HealthFinding } from '../base/health-check.js';
import type { LoadReport } from './load-tree.js';
import type { OpenReport } from './worker-protocol.js';

/** The state of the database at the start, as a finding of the health check. */
export function databaseFinding(opened: OpenReport, report: LoadReport): HealthFinding {
  const { found, text, quarantined, newer, insteadOfNewer } = opened;
  const { orphans, unusable, restored, lost } = report;
  const problems = [
    ...(lost.length > 0 ? [coded`ROWS_LOST: damaged, and in no backup: ${listed(lost)}`] : []),
    ...(restored.length > 0
      ? [coded`ROWS_RESTORED: damaged, and restored from a backup: ${listed(restored)}`]
      : []),
    ...(orphans.length > 0
      ? [
          coded`OBJECTS_ORPHANED: ${orphans.length} objects had no parent and were moved below the root: ${listed(orphans)}`,
        ]
      : []),
    ...(unusable.length > 0
      ? [
          coded`OBJECTS_UNUSABLE: ${unusable.length} objects or profiles could not be read: ${listed(unusable)}`,
        ]
      : []),
  ];
  const own =
    insteadOfNewer === undefined
      ? text && fromRecord(text)
      : coded`DATABASE_OF_NEWER_VERSION: a newer version of stellwerk has migrated the database, which is kept as ${newer[0] ?? ''}; the gateway uses the backup ${insteadOfNewer}`;
  const all = own === undefined ? problems : [own, ...problems];
  const texts = all.length === 0 ? coded`DATABASE_INTACT: the database is intact` : joined(all);
  if (found === 'read-only')
    return {
      state: 'failed',
      text: texts,
      whatToDo: coded`MAKE_DATA_DIRECTORY_WRITABLE: make the data directory writable; the gateway retries by itself`,
    };
  if (found === 'lost')
    return {
      state: 'failed',
      text: texts,
      whatToDo: coded`IF_THERE_BACKUP_ELSEWHERE: if there is a backup elsewhere, stop the gateway and restore it with "stellwerk restore FILE --replace"`,
    };
  if (lost.length > 0)
    return {
      state: 'failed',
      text: texts,
      whatToDo: coded`CREATE_MISSING_OBJECTS_AGAIN: create the missing objects again; the damaged file is kept. Check the disk (dmesg)`,
    };
  if (insteadOfNewer !== undefined)
    return {
      state: 'warning',
      text: texts,
      whatToDo: coded`CHANGES_SINCE_UPDATE_KEPT: changes since that backup are in the kept file: to have them, install the newer version again, stop the gateway and run "stellwerk restore FILE --replace" with it`,
    };
  if (found === 'from-backup')
    return {
      state: 'failed',
      text: texts,
      whatToDo: coded`CHANGES_SINCE_BACKUP_LOST: changes since that backup are lost: check the tree, and the disk (dmesg)`,
    };
  if (restored.length > 0)
    return {
      state: 'warning',
      text: texts,
      whatToDo: coded`CHECK_WHAT_RESTORED_FROM: check what was restored from a backup, and the disk (dmesg)`,
    };
  if (problems.length > 0)
    return {
      state: 'warning',
      text: texts,
      whatToDo: coded`MOVE_OBJECTS_THEIR_PLACE: move the objects to their place, or delete them`,
    };
  if (newer.length > 0)
    return {
      state: 'warning',
      text: coded`NEWER_DATABASE_KEPT: a database of a newer version of stellwerk is kept: ${newer.join(', ')}`,
      whatToDo: coded`RESTORE_OR_DELETE_NEWER: with that version, and the gateway stopped, "stellwerk restore FILE --replace" uses it; delete it if nothing in it is needed`,
    };
  if (quarantined.length > 0)
    return {
      state: 'warning',
      text: coded`DAMAGED_DATABASE_KEPT: a damaged database is kept: ${quarantined.join(', ')}`,
      whatToDo: coded`DELETE_IF_NOTHING_NEEDED: delete it if nothing in it is needed`,
    };
  return { state: 'ok', text: texts, whatToDo: '' };
}

function listed(all: readonly (number | string)[]): string {
  const first = all.slice(0, 5).join(', ');
  return all.length > 5 ? `${first} …` : first;
}
