import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import {
  associationKeys,
  eventOutcomes,
  eventStates,
  pendingCodes,
  qualityReasons,
  ruleCodes,
  variableRoles,
} from '../../../src/base/codes/stable-codes.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { moduleKind, type ModuleDefinition } from '../../../src/device/module.js';
import { defaultsOf } from '../../../src/device/properties.js';
import { builtInProfiles } from '../../../src/kernel/profiles/built-in-profiles.js';
import { textOf } from '../../law/sources.js';
import { COMPLETE_PROPERTIES } from '../../tools/devices/complete-properties.js';

/** The rows of the tables of a section: their cells. */
function rowsOf(path: string, heading: string): string[][] {
  const text = textOf(path);
  const from = text.indexOf(`## ${heading}\n`);
  const section = text.slice(from, text.indexOf('\n## ', from + 1) + 1 || undefined);
  return [...section.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((one) => one.trim()));
}

const codesIn = (cell = ''): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);

/** One device per family of 1-Wire devices. */
const families = ['28', '05', '29', '1d', '26', '2c', '01'];

function* variablesOf(module: ModuleDefinition) {
  for (const family of module.name === '1-Wire Device' ? families : [''])
    yield* module.variables({
      ...defaultsOf(module),
      ...COMPLETE_PROPERTIES[module.name],
      ...(family !== '' && { Address: `${family}-000000000001` }),
    });
}

t.test('every variable that a module declares has a role, and the page has all of them', async (t) => {
  const modules = await createModuleList(new ManualClock())({ board: 'simulated' });
  const pages = new Map(
    rowsOf('docs/reference/codes.md', 'Roles').map(([name = '', ...cells]) => [name, cells.map(codesIn)]),
  );
  for (const module of modules.all()) {
    const declared = [...variablesOf(module)];
    for (const { ident, role } of declared)
      t.ok(variableRoles.includes(role), `${module.name} ${ident}: ${role}`);
    const isDriver = module.kind !== moduleKind.visualisation && declared.length > 0;
    const byRole = variableRoles.map((role) => [
      ...new Set(declared.filter((one) => one.role === role).map(({ ident }) => ident.replace(/\d$/, '0'))),
    ]);
    if (isDriver) t.same(pages.get(module.name), byRole, module.name);
    pages.delete(module.name);
  }
  t.same(
    [...pages.keys()].filter((name) => !/^(role|module|---|`.*`)$/.test(name)),
    [],
    'rows without a module',
  );
});

t.test('the page of qualities has every reason that a value can have', async (t) => {
  const rows = rowsOf('docs/use/quality.md', 'Reasons');
  t.same(rows.flatMap(([first]) => codesIn(first)).toSorted(), qualityReasons.toSorted());
});

t.test('the page of outputs has every code of rules and scheduled changes', async (t) => {
  const rows = rowsOf('docs/hardware/outputs.md', 'Rules as records');
  const codes = rows.flatMap(([first]) => codesIn(first));
  t.strictSame(codes, [...ruleCodes, ...pendingCodes]);
});

t.test('the page of events has every outcome and state', async (t) => {
  const codes = rowsOf('docs/use/events.md', 'Why an event did or did not run').flatMap(([first]) =>
    codesIn(first),
  );
  t.strictSame(codes, [...eventOutcomes, ...eventStates]);
});

t.test('every name of a built-in profile has a key, one meaning each', async (t) => {
  const rows = rowsOf('docs/reference/codes.md', 'Association keys');
  const used = new Map<string, string>();
  for (const { name: profile, associations } of builtInProfiles())
    for (const { name, key = '' } of associations) {
      t.equal(used.get(key) ?? name, name, `${profile}: ${key}`);
      used.set(key, name);
    }
  t.same([...used.keys()].toSorted(), associationKeys.toSorted());
  t.same(
    rows.filter(([key]) => key?.startsWith('`')).map(([key, name]) => [codesIn(key)[0], name]),
    associationKeys.map((key) => [key, used.get(key)]),
  );
});
