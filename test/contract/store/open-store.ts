import { noHealthChecks, type HealthChecks, type HealthFinding } from '../../../src/base/health-check.js';
import { ManualClock, type Clock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import type { LoadReport } from '../../../src/store/load-tree.js';
import { Store } from '../../../src/store/store.js';

/** A store with its kernel on a real directory, and its reports. */
export interface Bench {
  readonly store: Store;
  readonly kernel: Kernel;
  readonly report: LoadReport;
  readonly findings: Map<string, HealthFinding>;
}

/** The directories of a bench; the clock is manual by default. */
export interface BenchOptions {
  readonly runtimeDirectory?: string;
  readonly clock?: Clock;
  readonly files?: Readonly<Record<string, string>>;
}

/** Opens the store of a directory and loads a kernel from it. */
export async function openBench(directory: string, options: BenchOptions = {}): Promise<Bench> {
  const { runtimeDirectory, clock = new ManualClock(), files = {} } = options;
  const findings = new Map<string, HealthFinding>();
  const checks: HealthChecks = {
    ...noHealthChecks,
    set: (name, finding) => void findings.set(name, finding),
  };
  const store = await Store.open({ directory, runtimeDirectory, files, clock, log: silentLog, checks });
  const kernel = new Kernel({
    counter: store.counter,
    random: Math.random,
    onJournal: () => store.schedule(),
  });
  const report = await store.load(kernel);
  return { store, kernel, report, findings };
}

/** The tree as text, with names, positions and values: equal trees give equal texts. */
export function picture(kernel: Kernel): string[] {
  return Array.from(kernel.tree.all(), ({ id, type, parentId, data, ...object }) => {
    const { name, ident, position, hidden, disabled, readOnly, icon, info, summary } = object;
    const attributes = { name, ident, position, hidden, disabled, readOnly, icon, info, summary };
    const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
    return JSON.stringify({ id, type, parentId, data: sorted, attributes });
  });
}
