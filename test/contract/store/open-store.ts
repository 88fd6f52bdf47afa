import { noHealthChecks, type HealthChecks, type HealthFinding } from '../../../src/base/health-check.js';
import { ManualClock, type Clock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { objectType } from '../../../src/kernel/object.js';
import type { LoadReport } from '../../../src/store/load-tree.js';
import { Store } from '../../../src/store/store.js';

/** A store with its kernel on a real directory, and its reports. */
export interface Fixture {
  readonly store: Store;
  readonly kernel: Kernel;
  readonly report: LoadReport;
  readonly findings: Map<string, HealthFinding>;
}

/** The directories of a fixture; the clock is manual by default. */
export interface FixtureOptions {
  readonly runtimeDirectory?: string;
  readonly clock?: Clock;
  readonly files?: Readonly<Record<string, string>>;
}

/** Opens the store of a directory and loads a kernel from it. */
export async function openFixture(directory: string, options: FixtureOptions = {}): Promise<Fixture> {
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
    const { name, ident, position, hidden, disabled, readOnly, icon, info, summary, publish } = object;
    const attributes = { name, ident, position, hidden, disabled, readOnly, icon, info, summary, publish };
    const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
    return JSON.stringify({ id, type, parentId, data: sorted, attributes });
  });
}

/** Creates objects of all kinds. */
export function furnish({ tree, variables, profiles, instances, scripts, links }: Kernel): void {
  const hall = tree.create(
    objectType.category,
    {},
    { name: 'Hällchen 𝄞', ident: 'hall', position: 3, publish: 'none' },
  );
  profiles.create('Watt.Mine', 2);
  profiles.setText('Watt.Mine', '', ' W');
  const text = variables.create(3, { parent: hall, name: 'Text', value: 'zwei\u0000drei "vier" \\' });
  variables.update(text, 'fünf\u0000 \u2028', 1_700_000_000_000);
  variables.setResidentAccess(variables.create(0, { parent: hall, ident: 'on', value: true }), 'set');
  const most = variables.create(1, { parent: hall, ident: 'most', value: Number.MAX_SAFE_INTEGER });
  variables.setRole(most, 'diagnostic');
  variables.create(2, {
    parent: hall,
    ident: 'power',
    value: -1.5e-300,
    profile: 'Watt.Mine',
    role: 'detail',
  });
  const module = { id: '{M}', name: 'Module', kind: 1 };
  const io = instances.create(module, { Port: '/dev/x', Password: 'p' }, { nowMs: 5000, name: 'IO' });
  const device = instances.create(module, {}, { nowMs: 6000, parent: io });
  instances.connect(device, io.id);
  const script = scripts.create(0, { name: 'S' });
  scripts.setBroken(script, true);
  links.create({ parent: hall }, text.id);
  tree.set(hall, 'hidden', true);
  tree.move(text, io);
}
