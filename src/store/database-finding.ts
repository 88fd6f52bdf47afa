import type { HealthFinding } from '../base/health-check.js';
import type { LoadReport } from './load-tree.js';
import type { OpenReport } from './worker-protocol.js';

/** The state of the database at the start, as a finding of the health check. */
export function databaseFinding({ found, text, quarantined }: OpenReport, report: LoadReport): HealthFinding {
  const { orphans, unusable, restored, lost } = report;
  const problems = [
    ...(lost.length > 0 ? [`damaged, and in no backup: ${listed(lost)}`] : []),
    ...(restored.length > 0 ? [`damaged, and restored from a backup: ${listed(restored)}`] : []),
    ...(orphans.length > 0
      ? [`${orphans.length} objects had no parent and were moved below the root: ${listed(orphans)}`]
      : []),
    ...(unusable.length > 0
      ? [`${unusable.length} objects or profiles could not be read: ${listed(unusable)}`]
      : []),
  ];
  const texts = [text, ...problems].filter((part) => part !== '').join('; ');
  if (found === 'read-only')
    return {
      state: 'failed',
      text: texts,
      whatToDo: 'make the data directory writable; the gateway retries by itself',
    };
  if (found === 'lost')
    return {
      state: 'failed',
      text: texts,
      whatToDo:
        'if there is a backup elsewhere, stop the gateway and restore it with "stellwerk restore FILE --replace"',
    };
  if (lost.length > 0)
    return {
      state: 'failed',
      text: texts,
      whatToDo: 'create the missing objects again; the damaged file is kept. Check the disk (dmesg)',
    };
  if (found === 'from-backup')
    return {
      state: 'failed',
      text: texts,
      whatToDo: 'changes since that backup are lost: check the tree, and the disk (dmesg)',
    };
  if (restored.length > 0)
    return {
      state: 'warning',
      text: texts,
      whatToDo: 'check what was restored from a backup, and the disk (dmesg)',
    };
  if (problems.length > 0)
    return { state: 'warning', text: texts, whatToDo: 'move the objects to their place, or delete them' };
  if (quarantined.length > 0)
    return {
      state: 'warning',
      text: `a damaged database is kept: ${quarantined.join(', ')}`,
      whatToDo: 'delete it if nothing in it is needed',
    };
  return { state: 'ok', text: texts === '' ? 'the database is intact' : texts, whatToDo: '' };
}

function listed(all: readonly (number | string)[]): string {
  const first = all.slice(0, 5).join(', ');
  return all.length > 5 ? `${first} …` : first;
}
