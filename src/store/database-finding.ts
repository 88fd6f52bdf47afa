import type { HealthFinding } from '../base/health-check.js';
import type { LoadReport } from './load-tree.js';
import type { OpenReport } from './worker-protocol.js';

/** The state of the database at the start, as a finding of the health check. */
export function databaseFinding(
  { found, text, quarantined: aside }: OpenReport,
  report: LoadReport,
): HealthFinding {
  const { orphans, unusable, restored, lost: gone } = report;
  const lost = [
    ...(gone.length > 0 ? [`damaged, and in no backup: ${listed(gone)}`] : []),
    ...(restored.length > 0 ? [`damaged, and taken from a backup: ${listed(restored)}`] : []),
    ...(orphans.length > 0
      ? [`${orphans.length} objects had lost their parent and stand below the root: ${listed(orphans)}`]
      : []),
    ...(unusable.length > 0
      ? [`${unusable.length} objects or profiles could not be read: ${listed(unusable)}`]
      : []),
  ];
  const texts = [text, ...lost].filter((part) => part !== '').join('; ');
  if (found === 'read-only')
    return {
      state: 'failed',
      text: texts,
      whatToDo: 'make the data directory writable; it is tried again by itself',
    };
  if (found === 'lost')
    return {
      state: 'failed',
      text: texts,
      whatToDo:
        'if there is a backup elsewhere, stop the gateway and put it back with "stellwerk restore FILE --replace"',
    };
  if (gone.length > 0)
    return {
      state: 'failed',
      text: texts,
      whatToDo: 'make again what is missing; the damaged file is kept. Check the disk (dmesg)',
    };
  if (found === 'from-backup')
    return {
      state: 'failed',
      text: texts,
      whatToDo: 'changes since that backup are gone: check the tree, and the disk (dmesg)',
    };
  if (restored.length > 0)
    return {
      state: 'warning',
      text: texts,
      whatToDo: 'check what was taken from a backup, and the disk (dmesg)',
    };
  if (lost.length > 0) return { state: 'warning', text: texts, whatToDo: 'put them where they belong' };
  if (aside.length > 0)
    return {
      state: 'warning',
      text: `a damaged database is kept: ${aside.join(', ')}`,
      whatToDo: 'delete it when nothing in it is missed',
    };
  return { state: 'ok', text: texts === '' ? 'the database is sound' : texts, whatToDo: '' };
}

function listed(all: readonly (number | string)[]): string {
  const first = all.slice(0, 5).join(', ');
  return all.length > 5 ? `${first} …` : first;
}
