import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import type { FunctionDeclaration } from '../../device/declare.js';
import type { Ports } from '../ports.js';
import { loggingFunctions } from './logging-settings.js';
import { readingFunctions, recordsFunction, writingFunctions } from './records.js';

/** The module of the instance that represents the archive (interface §1). */
const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';

/** The archive: logging, reading, aggregation and compaction (interface §1, §9 "Archive control"). */
export function archiveFunctions(ports: Ports): FunctionDeclaration[] {
  const all = [...readingFunctions(ports), ...writingFunctions(ports), ...loggingFunctions(ports)];
  return [...all.map((declared) => withArchiveCheck(ports, declared)), recordsFunction(ports)];
}

/** Checks the first parameter of a function, the archive instance, before anything else. */
function withArchiveCheck(ports: Ports, { run, ...declared }: FunctionDeclaration): FunctionDeclaration {
  return {
    ...declared,
    run: (caller, ...args) => {
      const [archiveId = 0] = args as readonly number[];
      checkArchiveInstance(ports, archiveId);
      return run(caller, ...args);
    },
  };
}

/** Throws `NOT_OF_TYPE`, `WRONG_MODULE`. */
export function checkArchiveInstance({ kernel }: Ports, instanceId: number): void {
  const { moduleId } = kernel.instances.get(instanceId).data;
  if (moduleId !== ARCHIVE)
    throw fault('WRONG_MODULE', instanceId, coded`WHAT_ARCHIVE_CONTROL: Archive Control`);
}
