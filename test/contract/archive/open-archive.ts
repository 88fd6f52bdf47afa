import type { HealthChecks, HealthFinding } from '../../../src/base/health-check.js';
import type { Clock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Archive } from '../../../src/archive/archive.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { variableData, type Variable } from '../../../src/kernel/variables.js';

/** An archive with a kernel that has one logged variable of integers, the same in every run. */
export interface ArchiveFixture {
  readonly archive: Archive;
  readonly kernel: Kernel;
  readonly variable: Variable;
  readonly findings: ReadonlyMap<string, HealthFinding>;
}

/** The variable's id. */
export const VARIABLE = 12_345;

/** Opens the archive of a directory; `stored`: the last value of the variable. */
export async function openArchive(
  directory: string,
  clock: Clock,
  stored: { readonly value?: number; readonly updated?: number } = {},
): Promise<ArchiveFixture> {
  const findings = new Map<string, HealthFinding>();
  const checks: HealthChecks = { set: (name, finding) => void findings.set(name, finding) };
  const kernel = new Kernel({ counter: 0, random: Math.random, isClockTrusted: () => clock.isTrusted() });
  const variable = kernel.tree.load(2, { ...variableData(1), ...stored }, { id: VARIABLE });
  const standard = { counter: false, ignoreZeros: false, graph: true, compaction: [] };
  kernel.variables.setLogging(variable, { active: true, ...standard });
  const archive = await Archive.open({
    kernel,
    clock,
    directory,
    log: silentLog,
    checks,
    writeEveryMs: 5_000,
    onWritten: () => undefined,
  });
  kernel.variables.onLogged((changed, nowMs) => archive.record(changed, nowMs));
  return { archive, kernel, variable, findings };
}
