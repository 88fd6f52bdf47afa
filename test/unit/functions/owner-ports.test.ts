import t from 'tap';
import type { Caller, FunctionDeclaration } from '../../../src/device/declare.js';
import type {
  BackupsPort,
  ChipsPort,
  ConfigurationPort,
  ConnectionsPort,
  TargetBackupsPort,
  UpdatesPort,
} from '../../../src/functions/ports.js';
import { backupFunctions } from '../../../src/functions/system/backups.js';
import { chipFunctions } from '../../../src/functions/system/chips.js';
import { configurationFunctions } from '../../../src/functions/system/configuration.js';
import { connectionFunctions } from '../../../src/functions/system/connections.js';
import { targetBackupFunctions } from '../../../src/functions/system/target-backups.js';
import { updateFunctions } from '../../../src/functions/system/updates.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';

/** A call, the method of the port that it leads to, and the arguments there if they are not those of the call. */
type Expected = readonly [
  call: readonly [name: string, ...params: unknown[]],
  method: string,
  args?: unknown[],
];

/** A port that records its calls; each returns the name of its method. */
function recordingPort<Port extends object>(calls: unknown[]): Port {
  const isProgress = (one: unknown) => one instanceof Object && 'report' in one;
  return new Proxy({} as Port, {
    get: (_, method) =>
      // Otherwise `await` takes the port for a promise.
      method !== 'then' &&
      ((...args: unknown[]) => {
        calls.push([method, ...args.filter((one) => !isProgress(one))]);
        return method;
      }),
  });
}

const script: Caller = { role: 'owner', user: 'script 12345', remote: 'local' };

for (const { name, functionsOf, isProtected, expected } of [
  {
    name: 'backups in the data directory',
    functionsOf: async ({ ports }: FunctionFixture, calls: unknown[]) =>
      backupFunctions({ ...ports, backups: async () => recordingPort<BackupsPort>(calls) }),
    isProtected: /Delete|Restore|Reset/,
    expected: [
      [['GW_GetBackups'], 'list'],
      [['GW_MakeBackup', 'before the holidays'], 'make'],
      [['GW_DeleteBackup', 'a.tar'], 'delete'],
      [['GW_RestoreBackup', 'a.tar'], 'restore'],
      [['GW_FactoryReset', 'RESET'], 'reset', []],
    ] as Expected[],
  },
  {
    name: 'backups on other machines',
    functionsOf: async ({ ports }: FunctionFixture, calls: unknown[]) =>
      targetBackupFunctions({ ...ports, targetBackups: async () => recordingPort<TargetBackupsPort>(calls) }),
    isProtected: /Create|Test|Restore/,
    expected: [
      [['GW_GetBackupTargets'], 'list'],
      [['GW_CreateRecoveryKey'], 'createKey'],
      [['GW_TestBackupTarget', { name: 'nas' }], 'test'],
      [['GW_GetTargetBackups', 'nas'], 'backups'],
      [['GW_RunTargetBackup', 'nas'], 'run'],
      [['GW_VerifyTargetBackup', 'nas'], 'verify', ['nas', '']],
      [['GW_RestoreTargetBackup', 'nas', 'b'], 'restore'],
    ] as Expected[],
  },
  {
    name: 'updates of a box',
    functionsOf: async ({ ports }: FunctionFixture, calls: unknown[]) =>
      updateFunctions({ ...ports, updates: async () => recordingPort<UpdatesPort>(calls) }),
    isProtected: /Install|Activate|RestartBox/,
    expected: [
      [['GW_GetUpdates'], 'status'],
      [['GW_CheckUpdates'], 'check'],
      [['GW_InstallUpdate', '/media/stick/u.raucb'], 'install'],
      [['GW_ActivateOtherSlot'], 'back'],
      [['GW_RestartBox'], 'restart'],
    ] as Expected[],
  },
  {
    name: 'chips on I²C',
    functionsOf: async ({ ports }: FunctionFixture, calls: unknown[]) =>
      chipFunctions({ ...ports, chips: async () => recordingPort<ChipsPort>(calls) }),
    isProtected: /Enable/,
    expected: [
      [['GW_CheckChip', 'bme280@1-0076'], 'check'],
      [['GW_EnableChip', 'bme280@1-0076'], 'enable'],
    ] as Expected[],
  },
  {
    name: 'the configuration',
    functionsOf: async ({ ports }: FunctionFixture, calls: unknown[]) =>
      configurationFunctions({
        ...ports,
        configuration: async () => recordingPort<ConfigurationPort>(calls),
      }),
    isProtected: /^(?!GW_CheckConfiguration)/,
    expected: [
      [['GW_GetConfigurationText'], 'read'],
      [['GW_ExportConfiguration', true], 'exported'],
      [['GW_CheckConfiguration', 'board: x'], 'check'],
      [['GW_SetConfigurationText', 'board: x', 'digest'], 'write'],
      [['GW_SetPassword', 'owner', 'correct horse'], 'setPassword'],
      [['GW_GetSettings'], 'settings'],
      [['GW_CheckSettings', [{ Path: 'name', Value: 'a' }]], 'checkChanges'],
      [['GW_ChangeSettings', [{ Path: 'name', Value: 'a' }], 'digest'], 'change'],
      [['GW_GetInstalledConfiguration'], 'installed'],
      [['GW_RemoveConfigurationOverlay', 'digest'], 'removeOverlay'],
    ] as Expected[],
  },
])
  t.test(`${name}: each function calls the port; a script may not call all`, async (t) => {
    await using fixture = new FunctionFixture();
    const calls: unknown[] = [];
    const functions = await functionsOf(fixture, calls);
    for (const [[method, ...params], portMethod, args = params] of expected) {
      calls.length = 0;
      const result = await callOf(functions, owner, [method, ...params]);
      t.strictSame(calls, [[portMethod, ...args]], method);
      t.ok(result === portMethod || result === true, `${method} returns it`);
      const byScript = callOf(functions, script, [method, ...params]);
      if (isProtected.test(method)) await t.rejects(byScript, { code: 'NOT_ALLOWED' }, method);
      else await t.resolves(byScript, method);
    }
    t.equal(expected.length, functions.length, 'each was called');
  });

t.test('wrong values do not reach the port', async (t) => {
  await using fixture = new FunctionFixture();
  const { ports } = fixture;
  const calls: unknown[] = [];
  const backups = backupFunctions({ ...ports, backups: async () => recordingPort<BackupsPort>(calls) });
  const configuration = configurationFunctions({
    ...ports,
    configuration: async () => recordingPort<ConfigurationPort>(calls),
  });
  await t.rejects(callOf(backups, owner, ['GW_MakeBackup', 'x'.repeat(201)]), { code: 'TEXT_TOO_LONG' });
  await t.rejects(callOf(backups, owner, ['GW_FactoryReset', 'reset']), { code: 'PARAMETER_BOUNDS' });
  const short = [{ Path: 'remoteAccess.password', Value: 'x' }];
  for (const wrong of [
    ['GW_SetPassword', 'owner', 'x'],
    ['GW_ChangeSettings', short, 'digest'],
  ] as const)
    await t.rejects(callOf(configuration, owner, wrong), { code: 'PARAMETER_BOUNDS' }, wrong[0]);
  await t.rejects(callOf(configuration, owner, ['GW_ChangeSettings', [{}], 'digest']), {
    code: 'PARAMETER_TYPE',
  });
  t.strictSame(calls, []);
});

t.test('sessions of browsers: the own one is marked, tickets belong to it', async (t) => {
  await using fixture = new FunctionFixture();
  const calls: unknown[] = [];
  const connections = {
    browserSessions: async () => [{ ID: 'a' }, { ID: 'b' }],
    createFrontTicket: (...args: unknown[]) => `ticket for ${args.join(' ')}`,
    endBrowserSession: async (id: string) => calls.push(id) > 0,
  } as unknown as ConnectionsPort;
  const functions = connectionFunctions({ ...fixture.ports, connections: () => connections });
  const inBrowser: Caller = { ...owner, session: { id: 'b', device: 'Laptop', isConfirmed: () => true } };
  t.match(await callOf(functions, inBrowser, ['GW_GetSessions']), [
    { ID: 'a', IsOwn: false },
    { ID: 'b', IsOwn: true },
  ]);
  t.equal(await callOf(functions, inBrowser, ['GW_CreateFrontTicket', 12_345]), 'ticket for 12345 b');
  t.equal(await callOf(functions, inBrowser, ['GW_EndSession', 'a']), true);
  t.strictSame(calls, ['a']);
});

async function callOf(
  functions: readonly FunctionDeclaration[],
  caller: Caller,
  [name, ...params]: readonly [name: string, ...params: unknown[]],
): Promise<unknown> {
  return functions.find((one) => one.name === name)?.run(caller, ...(params as never[]));
}
