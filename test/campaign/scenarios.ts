import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Gateway } from '../../src/composition/gateway.js';
import { listBackups } from '../../src/store/backup.js';
import { restoreBackup } from '../../src/store/restore.js';
import { Browser } from '../tools/client/browser.js';
import { SAMPLE_TREE, SIMULATED_CONFIG } from '../tools/gateway/gateway-fixture.js';
import { owner } from '../tools/gateway/function-fixture.js';
import type { Random } from '../tools/random.js';
import { rebuildAsVersion1 } from '../contract/store/version-1.js';
import { startQuietly } from './gateway-at.js';

/** What a scenario works with. */
export interface Course {
  readonly directory: string;
  readonly random: Random;
  start(): Promise<Gateway>;
  /** Does a change of what `key` names, and notes when it begins and when it was acknowledged. */
  change<T>(key: string, value: unknown, work: () => Promise<T>): Promise<T>;
  /** Notes what exists from now on. */
  done(key: string, value: unknown): void;
}

/** Something that a gateway does while the power may be cut. */
export interface Scenario {
  /** Fills the directory before recording begins. */
  prepare(directory: string): Promise<void>;
  run(course: Course): Promise<void>;
}

/** The target of encrypted backups, and its directory. */
export const STICK = 'stick';
const CHANGES = 12;
export const PASSWORD = 'a tulip in spring';
/** The name of the object that shows which state a directory has, by its ident. */
export const MARKER = 'marker';

const FULL = `${SIMULATED_CONFIG}${SAMPLE_TREE}configurators:
  - { title: Before, ident: wf, base: ground_floor, password: tulip }
backup: { targets: [{ name: stick, path: STICK }] }
`;

export const call = async <T = unknown>(
  gateway: Gateway,
  name: string,
  ...params: readonly unknown[]
): Promise<T> => (await gateway.registry.call(name, [...params], owner)) as T;

/** A gateway with the sample tree that has run before. */
async function installed(directory: string): Promise<void> {
  await mkdir(join(directory, STICK));
  await writeFile(join(directory, 'gateway.yaml'), FULL.replace('STICK', join(directory, STICK)));
  const gateway = await startQuietly(directory);
  const marker = await call<number>(gateway, 'SVC_CreateCategory');
  await call(gateway, 'SVC_SetIdent', marker, MARKER);
  await call(gateway, 'SVC_SetName', marker, 'before');
  await gateway.close();
}

/** Names the marker of a gateway. */
export async function rename(gateway: Gateway, name: string): Promise<void> {
  const marker = gateway.kernel.tree.root.children?.byIdent(MARKER);
  await call(gateway, 'SVC_SetName', marker?.id, name);
}

/** Ends as a crash does, or cleanly. */
const endOf = (gateway: Gateway, random: Random): Promise<void> =>
  random.chance(0.5) ? gateway.close() : Promise.resolve();

export const scenarios: Readonly<Record<string, Scenario>> = {
  'first start': {
    async prepare(directory) {
      await writeFile(
        join(directory, 'gateway.yaml'),
        '# as installed\nboard: simulated\napi: { port: 0 }\n',
      );
    },
    async run({ start, change, random }) {
      const gateway = await start();
      const browser = new Browser(gateway.port() ?? 0);
      const body = { username: 'anna', password: PASSWORD, code: gateway.claimCode };
      await change('owner', true, () => browser.send(['POST', '/console/claim'], { body }));
      await endOf(gateway, random);
    },
  },

  configuration: {
    prepare: installed,
    async run({ start, change, random }) {
      const gateway = await start();
      for (let n = 0; n < CHANGES; n++) {
        const path = 'configurators[0].title';
        const value = `Title ${n} ${'x'.repeat(random.below(900))}`;
        const { Digest } = await call<{ Digest: string }>(gateway, 'GW_GetSettings');
        await change('title', value, () =>
          call(gateway, 'GW_ChangeSettings', [{ Path: path, Value: value }], Digest),
        );
      }
      await endOf(gateway, random);
    },
  },

  tree: {
    prepare: installed,
    async run({ start, change, random }) {
      const gateway = await start();
      const made: number[] = [];
      for (let n = 0; n < CHANGES * 3; n++) {
        const id = made.length > 0 && random.chance(0.5) ? random.pick(made) : undefined;
        if (id === undefined) {
          // The id is known only with the reply.
          const script = random.chance(0.3);
          const created = script
            ? await call<number>(gateway, 'SVC_CreateScript', 0)
            : await call<number>(gateway, 'SVC_CreateVariable', 1);
          made.push(created);
          const name = `created ${n}`;
          await change(`name of ${created}`, name, () => call(gateway, 'SVC_SetName', created, name));
          if (script)
            await change(`text of ${created}`, `print(${n})`, () =>
              call(gateway, 'SVC_SetScriptContent', created, `print(${n})`),
            );
        } else {
          const name = `renamed ${n} ${'x'.repeat(random.below(900))}`;
          await change(`name of ${id}`, name, () => call(gateway, 'SVC_SetName', id, name));
        }
      }
      await endOf(gateway, random);
    },
  },

  archive: {
    prepare: installed,
    async run({ start, change, random }) {
      const gateway = await start();
      const [archive = 0] = await call<number[]>(
        gateway,
        'SVC_GetInstanceListByModuleID',
        '{43192F0B-135B-4CE7-A0A7-1475603F3060}',
      );
      const id = await call<number>(gateway, 'SVC_CreateVariable', 1);
      await call(gateway, 'AC_SetLoggingStatus', archive, id, true);
      let count = 0;
      for (let n = 0; n < CHANGES; n++) {
        const values = Array.from({ length: 1 + random.below(200) }, (_, m) => ({
          TimeStamp: 1_700_000_000 + count + m,
          Value: count + m,
        }));
        count += values.length;
        await change(`records of ${id}`, count, () =>
          call(gateway, 'AC_AddLoggedValues', archive, id, values),
        );
      }
      await endOf(gateway, random);
    },
  },

  backup: {
    prepare: installed,
    async run({ start, change, done, random }) {
      done('marker', 'before');
      const gateway = await start();
      for (let n = 0; n < 3; n++) {
        const { Name } = await call<{ Name: string }>(gateway, 'GW_MakeBackup', `note ${n}`);
        done(`backup ${Name}`, true);
        await change('marker', `after ${n}`, () => rename(gateway, `after ${n}`));
      }
      await endOf(gateway, random);
    },
  },

  restore: {
    async prepare(directory) {
      await installed(directory);
      const gateway = await startQuietly(directory);
      await call(gateway, 'GW_MakeBackup', 'as before');
      await rename(gateway, 'after');
      await gateway.close();
    },
    async run({ start, change, done, random }) {
      done('marker', 'after');
      const gateway = await start();
      const [newest] = await call<{ Name: string }[]>(gateway, 'GW_GetBackups');
      // The next start restores it, whenever that is.
      await change('marker', 'before', () => call(gateway, 'GW_RestoreBackup', newest?.Name));
      await gateway.close();
      await endOf(await start(), random);
    },
  },

  'restore on the command line': {
    prepare: (directory) => scenarios['restore']?.prepare(directory) ?? Promise.resolve(),
    async run({ directory, start, change, done, random }) {
      done('marker', 'after');
      const data = join(directory, 'data');
      const backup = listBackups(data)[0]?.path ?? '';
      const how = { backup, directory: data, replace: true, nowMs: Date.now() };
      await change('marker', 'before', async () =>
        restoreBackup({ ...how, config: join(directory, 'gateway.yaml') }),
      );
      await endOf(await start(), random);
    },
  },

  'factory reset': {
    prepare: installed,
    async run({ start, change, done, random }) {
      done('marker', 'before');
      const gateway = await start();
      await change('marker', null, () => call(gateway, 'GW_FactoryReset', 'RESET'));
      await gateway.close();
      await endOf(await start(), random);
    },
  },

  migration: {
    async prepare(directory) {
      await installed(directory);
      rebuildAsVersion1(join(directory, 'data'));
    },
    async run({ start, done, random }) {
      done('marker', 'before');
      await endOf(await start(), random);
    },
  },

  'backup to a target': {
    prepare: installed,
    async run({ start, done, random }) {
      const gateway = await start();
      await call(gateway, 'GW_CreateRecoveryKey');
      done('recovery key', true);
      await call(gateway, 'GW_RunTargetBackup', STICK);
      done('target backup', true);
      await rename(gateway, 'after');
      await call(gateway, 'GW_RunTargetBackup', STICK);
      await endOf(gateway, random);
    },
  },
};
