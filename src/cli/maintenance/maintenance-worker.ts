import { parentPort, workerData } from 'node:worker_threads';
import { salvageArchives } from '../../composition/salvage-archives.js';
import { codeOf, messageOf } from '../../base/fault.js';
import { noteProgress } from '../../sqlite/shared-progress.js';
import { backupDirectory, restoreBackup } from '../../store/restore.js';
import type { MaintenanceJob, MaintenanceReply, MaintenanceRequest } from './run-maintenance.js';

const { job, progress } = workerData as MaintenanceRequest;

function run(given: MaintenanceJob): unknown {
  const onProgress = (done: number, total: number) => noteProgress(progress, done, total);
  switch (given.kind) {
    case 'backup':
      return backupDirectory(given.directory, { ...given, progress });
    case 'restore':
      return restoreBackup({ ...given, onProgress });
    case 'salvage':
      return salvageArchives({ ...given, onProgress });
  }
}

function reply(): MaintenanceReply {
  try {
    return { result: run(job) };
  } catch (thrown) {
    return { failure: messageOf(thrown), code: codeOf(thrown) };
  }
}

parentPort?.postMessage(reply());
