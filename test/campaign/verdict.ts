import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Gateway } from '../../src/composition/gateway.js';
import { connectToRead } from '../../src/store/connection.js';
import { startQuietly } from './gateway-at.js';
import type { AllowedValues } from './facts.js';
import { call, MARKER, STICK } from './scenarios.js';

interface Finding {
  readonly Name: string;
  readonly State: string;
  readonly Text: string;
}

/** What a gateway on this directory says about the things that notes name, by the first word of their key. */
type Observe = (gateway: Gateway, about: string, directory: string) => unknown;

const observers: Readonly<Record<string, Observe>> = {
  owner: ({ claimCode }) => (claimCode === undefined ? true : null),
  title: async (gateway) => {
    const { Settings } = await call<{ Settings: { configurators: { title: string }[] } }>(
      gateway,
      'GW_GetSettings',
    );
    return Settings.configurators[0]?.title === 'Before' ? null : Settings.configurators[0]?.title;
  },
  // A new object has no name.
  name: ({ kernel }, id) => kernel.tree.find(Number(id))?.name || null,
  text: async (gateway, id) => {
    if (gateway.kernel.tree.find(Number(id)) === undefined) return null;
    return (await call<string>(gateway, 'SVC_GetScriptContent', Number(id))) || null;
  },
  marker: ({ kernel }) => kernel.tree.root.children?.byIdent(MARKER)?.name ?? null,
  records: recordsOf,
  backup: (_gateway, name, directory) => {
    connectToRead(join(directory, 'data/backups', name), 'integrity_check').close();
    return true;
  },
  recovery: (_gateway, _about, directory) => existsSync(join(directory, 'data/recovery-key')) || null,
  target: (gateway) => call(gateway, 'GW_VerifyTargetBackup', STICK).then(() => true),
};

/** The number of records, which must be 0, 1, 2 … without a gap; null if there are none. */
async function recordsOf(gateway: Gateway, id: string): Promise<number | string | null> {
  if (gateway.kernel.tree.find(Number(id)) === undefined) return null;
  const [archive] = await call<number[]>(
    gateway,
    'SVC_GetInstanceListByModuleID',
    '{43192F0B-135B-4CE7-A0A7-1475603F3060}',
  );
  const records = await call<{ Value: number }[]>(
    gateway,
    'AC_GetLoggedValues',
    archive,
    Number(id),
    1_699_999_999,
    1_700_000_000 + 50_000,
    0,
  );
  const values = records.map(({ Value }) => Value).sort((a, b) => a - b);
  const gap = values.findIndex((value, n) => value !== n);
  return gap === -1 ? values.length || null : `a gap at ${gap}`;
}

/**
 * Starts a gateway on what a crash has left and compares it with what may be there. Returns the first difference,
 * or undefined.
 */
export async function problemAfterCrash(
  directory: string,
  allowed: AllowedValues,
): Promise<string | undefined> {
  let gateway: Gateway;
  try {
    gateway = await startQuietly(directory);
  } catch (thrown) {
    return `it does not start: ${(thrown as Error).stack}`;
  }
  try {
    const checks = await call<{ Checks: Finding[] }>(gateway, 'GW_GetHealth');
    for (const { Name, State, Text } of checks.Checks)
      if (['database', 'archive', 'configuration'].includes(Name) && State !== 'ok')
        return `${Name} is ${State}: ${Text}`;
    const relay = gateway.kernel.tree.root.children?.byIdent('ground_floor')?.children?.byIdent('hall_relay');
    const state = relay?.children?.byIdent('STATE');
    if (state !== undefined && gateway.kernel.variables.get(state.id).data.value !== false)
      return 'the relay is active';
    for (const [key, values] of allowed) {
      const [kind = '', about = ''] = key.split(/ (?:of )?/, 2);
      let found: unknown;
      try {
        found = await observers[kind]?.(gateway, about, directory);
      } catch (thrown) {
        found = `error: ${String(thrown)}`;
      }
      if (!values.some((value) => isDeepStrictEqual(value, found)))
        return `${key} is ${JSON.stringify(found)}, allowed: ${JSON.stringify(values).slice(0, 300)}`;
    }
    // It goes on: what an interrupted write has left does not prevent the next one.
    await call(gateway, 'SVC_CreateCategory');
    const { Name } = await call<{ Name: string }>(gateway, 'GW_MakeBackup', 'after the crash');
    connectToRead(join(directory, 'data/backups', Name), 'integrity_check').close();
    return undefined;
  } catch (thrown) {
    return `a call fails: ${String(thrown)}`;
  } finally {
    await gateway.close();
  }
}
