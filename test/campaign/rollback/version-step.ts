/**
 * One start of a gateway of another version: `node version-step.js DIST STEP DIRECTORY SEED`. DIST is the compiled
 * version. STEP is `populate` (an empty directory), `change` (random calls) or `look`. Writes the tree before and after
 * to step.json in the directory.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../tools/client/replica.js';

/** What the step uses of a version, in the form that its released versions have in common. */
interface Version {
  readonly start: (directory: string) => Promise<{ readonly kernel: unknown; close(): Promise<void> }>;
  readonly snapshotOf: (kernel: unknown) => Record<string, Entry>;
  readonly sampleConfiguration: () => object;
  readonly populate: (gateway: unknown) => Promise<void>;
  readonly callAsOwner: (gateway: unknown, name: string, ...params: unknown[]) => Promise<unknown>;
  readonly randomCalls: (gateway: unknown, random: unknown, count: number) => Promise<string[]>;
  readonly Random: new (seed: number) => unknown;
}

/** What a step has found. */
export interface StepReport {
  /** The objects after the start, and after the step. */
  readonly before: Record<string, Entry>;
  readonly after: Record<string, Entry>;
  /** The texts of the scripts, by ID, after the step. */
  readonly scripts: Record<string, unknown>;
  /** Health of the stored data. */
  readonly problems: readonly string[];
}

const CALLS = 200;
const STORED = ['database', 'store', 'archive'];
const [dist = '', step = '', directory = '', seed = '0'] = process.argv.slice(2);

async function load(): Promise<Version> {
  const modules = ['src/composition/gateway', 'src/service/log', 'test/tools/client/replica'];
  const helpers = ['start/sample-gateway', 'start/random-calls'].map((name) => `test/fuzz/${name}`);
  const loaded: Record<string, unknown> = {};
  for (const name of [...modules, ...helpers, 'test/tools/random'])
    Object.assign(loaded, await import(join(dist, `${name}.js`)));
  const { Gateway, ServiceLog } = loaded as {
    Gateway: { start(options: object): ReturnType<Version['start']> };
    ServiceLog: new (options: object) => object;
  };
  const start = (at: string) =>
    Gateway.start({
      configFile: join(at, 'gateway.yaml'),
      directory: join(at, 'data'),
      log: new ServiceLog({ write: () => undefined, form: 'json' }),
    });
  // The form that tests of both versions have.
  return { ...loaded, start } as unknown as Version;
}

const version = await load();
if (step === 'populate') {
  mkdirSync(directory);
  writeFileSync(join(directory, 'gateway.yaml'), JSON.stringify(version.sampleConfiguration(), undefined, 1));
}
const gateway = await version.start(directory);
if (step === 'populate') await version.populate(gateway);
const before = version.snapshotOf(gateway.kernel);
if (step === 'change') await version.randomCalls(gateway, new version.Random(Number(seed)), CALLS);
const health = (await version.callAsOwner(gateway, 'GW_GetHealth')) as {
  Checks: { Name: string; State: string; Text: string }[];
};
const problems = health.Checks.filter(({ Name, State }) => STORED.includes(Name) && State !== 'ok').map(
  ({ Name, Text }) => `${Name}: ${Text}`,
);
const scripts: Record<string, unknown> = {};
for (const id of (await version.callAsOwner(gateway, 'SVC_GetScriptList')) as number[])
  scripts[id] = await version.callAsOwner(gateway, 'SVC_GetScriptContent', id);
await gateway.close();
const report: StepReport = { before, after: version.snapshotOf(gateway.kernel), scripts, problems };
writeFileSync(join(directory, 'step.json'), JSON.stringify(report));
process.exit(0);
