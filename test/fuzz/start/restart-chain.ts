import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../../../src/config/document.js';
import { Gateway } from '../../../src/composition/gateway.js';
import { instanceStatus } from '../../../src/kernel/instances.js';
import { objectType } from '../../../src/kernel/object.js';
import { ServiceLog } from '../../../src/service/log.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { Random } from '../../tools/random.js';
import { snapshotOf, type Entry } from '../../tools/client/replica.js';
import { randomCalls } from './random-calls.js';
import { differences } from './differences.js';
import { damageFiles, editConfiguration, type DamagedFileKind } from './damage.js';
import { callAsOwner, populate, sampleConfiguration, type Configuration } from './sample-gateway.js';

/** Statistics of a run. */
export interface RunStatistics {
  rounds: number;
  calls: number;
  edits: number;
  /** Files that were rejected with their lines, as the documentation says. */
  rejected: number;
  damaged: Partial<Record<DamagedFileKind, number>>;
  /** Objects that were compared, and those that differ because a backup or a repair is reported. */
  compared: number;
  restored: number;
  /** Instances that were not online, each with its reason. */
  closed: number;
  slowestStartMs: number;
}

export const newStatistics = (): RunStatistics => ({
  rounds: 0,
  calls: 0,
  edits: 0,
  rejected: 0,
  damaged: {},
  compared: 0,
  restored: 0,
  closed: 0,
  slowestStartMs: 0,
});

interface Check {
  readonly Name: string;
  readonly State: string;
  readonly Text: string;
}

/** References by ident in the configuration, or by title in a web front, are resolved at each start. */
const LOOKED_UP = /^(values\/(lamp|night|by_away)|wf|wf_lines)(\d|_|$)/;

/** A populated data directory with its `gateway.yaml`, to be copied for each chain. */
export async function makeBase(): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'stellwerk-start-'));
  await writeFile(join(base, 'gateway.yaml'), JSON.stringify(sampleConfiguration(), undefined, 1));
  const gateway = await start(base);
  await populate(gateway);
  await gateway.close();
  return base;
}

function start(directory: string): Promise<Gateway> {
  return Gateway.start({
    configFile: join(directory, 'gateway.yaml'),
    directory: join(directory, 'data'),
    log: new ServiceLog({ write: () => undefined, form: 'json' }),
  });
}

/** One data directory over several restarts, with calls, edits and damage in between. */
export class RestartChain {
  readonly #directory: string;
  readonly #random: Random;
  readonly #figures: RunStatistics;
  #configuration: Configuration = sampleConfiguration();
  #gateway: Gateway;
  /** The history, printed if a check fails. */
  #done: string[] = [];

  private constructor(
    directory: string,
    gateway: Gateway,
    { seed, figures }: { seed: number; figures: RunStatistics },
  ) {
    this.#directory = directory;
    this.#gateway = gateway;
    this.#random = new Random(seed);
    this.#figures = figures;
  }

  /** Runs this number of rounds; returns the first problem with its history. */
  static async run(
    base: string,
    rounds: number,
    about: { seed: number; figures: RunStatistics },
  ): Promise<string | undefined> {
    const directory = await mkdtemp(join(tmpdir(), 'stellwerk-start-'));
    await cp(base, directory, { recursive: true });
    const chain = new RestartChain(directory, await start(directory), about);
    try {
      for (let n = 0; n < rounds; n++) {
        const problem = await chain.#round();
        if (problem !== undefined) return `${problem}\n${chain.#done.join('\n')}`;
      }
      return undefined;
    } finally {
      await chain.#gateway.close();
      await rm(directory, { recursive: true, force: true });
    }
  }

  async #round(): Promise<string | undefined> {
    const random = this.#random;
    const figures = this.#figures;
    this.#done.push('---');
    const calls = await randomCalls(this.#gateway, random, random.below(20));
    figures.calls += calls.length;
    this.#done.push(...calls);
    if (random.chance(0.3)) await this.#reload();
    if (random.chance(0.4)) await this.#gateway.backup();
    const problems = (await this.#check('configuration')).Text;
    await this.#gateway.close();
    const before = snapshotOf(this.#gateway.kernel);
    const sound = this.#configuration;
    const touched = random.chance(0.4) ? await this.#edit() : [];
    const damaged = random.chance(0.6) ? damageFiles(join(this.#directory, 'data'), random) : [];
    for (const { kind, done } of damaged) {
      figures.damaged[kind] = (figures.damaged[kind] ?? 0) + 1;
      this.#done.push(done);
    }
    const failed = await this.#startAgain(sound, touched.length > 0);
    if (failed !== undefined) return failed;
    figures.rounds++;
    return (
      (await this.#answers()) ??
      (await this.#sameAs(before, touched, pathsIn(problems))) ??
      (await this.#reasons())
    );
  }

  async #edit(): Promise<string[]> {
    const edited = structuredClone(this.#configuration);
    const touched = editConfiguration(edited, this.#random);
    this.#figures.edits++;
    this.#done.push(`edited ${touched.join(', ')}`);
    this.#configuration = edited;
    await this.#write();
    return touched;
  }

  async #write(): Promise<void> {
    await writeFile(join(this.#directory, 'gateway.yaml'), JSON.stringify(this.#configuration, undefined, 1));
  }

  async #reload(): Promise<void> {
    const sound = this.#configuration;
    await this.#edit();
    const report = await callAsOwner(this.#gateway, 'GW_ReloadConfiguration');
    this.#done.push(`reloaded: ${JSON.stringify(report)}`);
    if (report !== 'CONFIGURATION_INVALID') return;
    this.#figures.rejected++;
    this.#configuration = sound;
    await this.#write();
    await callAsOwner(this.#gateway, 'GW_ReloadConfiguration');
  }

  async #startAgain(sound: Configuration, wasEdited: boolean): Promise<string | undefined> {
    const fromMs = performance.now();
    try {
      this.#gateway = await start(this.#directory);
    } catch (thrown) {
      const isRight = thrown instanceof ConfigurationError && wasEdited && /:\d+:\d+: /.test(thrown.message);
      if (!isRight) return `it did not start: ${(thrown as Error).stack}`;
      this.#figures.rejected++;
      this.#done.push(`rejected: ${thrown.message}`);
      this.#configuration = sound;
      await this.#write();
      return this.#startAgain(sound, false);
    }
    this.#figures.slowestStartMs = Math.max(this.#figures.slowestStartMs, performance.now() - fromMs);
    return undefined;
  }

  async #answers(): Promise<string | undefined> {
    const at = { port: this.#gateway.port() ?? 0 };
    const version = await rpc(at, 'SVC_GetKernelVersion');
    if (version !== '7.0') return `the API replied ${JSON.stringify(version)}`;
    const snapshot = (await rpc(at, 'SVC_GetSnapshot')) as { objects?: object };
    if (snapshot.objects === undefined)
      return `the API returned no snapshot: ${JSON.stringify(snapshot).slice(0, 300)}`;
    return undefined;
  }

  async #sameAs(
    before: Record<string, Entry>,
    touched: readonly string[],
    problems: readonly string[],
  ): Promise<string | undefined> {
    const after = snapshotOf(this.#gateway.kernel);
    const database = await this.#check('database');
    const isRepaired = database.State !== 'ok';
    const failing = [...touched, ...problems, ...pathsIn((await this.#check('configuration')).Text)];
    this.#figures.compared += Object.keys(before).length;
    for (const [id, how] of differences(before, after, { wasEdited: touched.length > 0 })) {
      const path = pathOf(id, before);
      if (isRepaired) this.#figures.restored++;
      else if (!LOOKED_UP.test(path) && !failing.some((one) => path === one || path.startsWith(`${one}/`)))
        return `#${id} (${path}) differs: ${how}\ndatabase: ${JSON.stringify(database)}`;
    }
    return undefined;
  }

  /** Every instance that is not online has a reason, in health too. */
  async #reasons(): Promise<string | undefined> {
    const devices = await this.#check('devices');
    for (const instance of this.#gateway.kernel.tree.objectsOfType(objectType.instance)) {
      const { id, data } = instance;
      const { active, creating, inactive } = instanceStatus;
      if (data.status === active || data.status === creating) continue;
      this.#figures.closed++;
      const problems = (await callAsOwner(this.#gateway, 'HW_ReadServiceMessages', id)) as { Text: string }[];
      if (!problems.some(({ Text }) => Text !== '')) return `#${id} is ${data.status} without a reason`;
      if (data.status !== inactive && !devices.Text.includes(`(#${id})`))
        return `#${id} is ${data.status}, and health does not name it: ${devices.Text}`;
    }
    return undefined;
  }

  async #check(name: string): Promise<Check> {
    const { Checks } = (await callAsOwner(this.#gateway, 'GW_GetHealth')) as { Checks: Check[] };
    return Checks.find(({ Name }) => Name === name) ?? { Name: name, State: 'none', Text: '' };
  }
}

/** The idents from the root of the entries that could not be applied. */
const pathsIn = (problems: string): string[] =>
  Array.from(problems.matchAll(/tree: ([\w/]+):/g), (one) => one[1] ?? '');

function pathOf(id: number, objects: Record<string, Entry>): string {
  const idents: string[] = [];
  for (let at = objects[`ID${id}`]; at !== undefined && at.ident !== ''; at = objects[`ID${at.parentID}`])
    idents.unshift(at.ident);
  return idents.join('/');
}
