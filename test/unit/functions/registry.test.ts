import { Type } from '@sinclair/typebox';
import t from 'tap';
import type { AuditRecord } from '../../../src/kernel/audit-record.js';
import { CountingAudit } from '../../../src/functions/registry/audit.js';
import { ManualClock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import { silentLog } from '../../../src/base/log.js';
import {
  array,
  bool,
  declare,
  float,
  int,
  optional,
  text,
  variant,
  type FunctionDeclaration,
} from '../../../src/device/declare.js';
import { Registry } from '../../../src/functions/registry/registry.js';
import { anonymousCaller, FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';

/** A registry of one function that returns its parameters. */
function echo(...parameters: FunctionDeclaration['parameters']) {
  const declaration: FunctionDeclaration = {
    name: 'GW_Echo',
    parameters,
    result: 'array',
    access: 'owner',
    help: 'Echoes.',
    audited: false,
    run: (_caller, ...args) => args,
  };
  const registry = new Registry({
    functions: [declaration],
    durability: { version: 0, committed: () => Promise.reject(new Error('called unnecessarily')) },
    audit: { record: () => undefined },
    clock: new ManualClock(),
    log: silentLog,
  });
  return (params?: unknown) => registry.call('GW_Echo', params, owner);
}

t.test('parameters are accepted by position and by name, converted and checked (decision 6)', async (t) => {
  const taken: [FunctionDeclaration['parameters'][number], unknown, unknown][] = [
    [int('A'), 3, 3],
    [int('A'), 3.0, 3],
    [int('A'), '3', 3],
    [int('A'), ' 3.0 ', 3],
    [int('A'), -0, 0],
    [int('A'), 2 ** 53 - 1, 2 ** 53 - 1],
    [int('A', ['a', 'b']), '1', 1],
    [float('A'), '3.25', 3.25],
    [float('A'), 3, 3],
    [bool('A'), 0, false],
    [bool('A'), 'TRUE', true],
    [bool('A'), '1', true],
    [text('A'), 'ä', 'ä'],
    [text('A'), 12.5, '12.5'],
    [variant('A'), null, null],
    [variant('A'), [1], [1]],
    [array('A', Type.Any()), [1], [1]],
    [array('A', Type.Any()), { a: 1 }, { a: 1 }],
  ];
  for (const [parameter, given, result] of taken) {
    t.strictSame(echo(parameter)([given]), [result], `${parameter.kind}: ${JSON.stringify(given)}`);
    t.strictSame(echo(parameter)({ A: given }), [result]);
  }
  const rejections: [FunctionDeclaration['parameters'][number], unknown][] = [
    ...[3.5, 2 ** 53, '9007199254740993', 'x', '', true, null, [], {}, '0x10', NaN, Infinity].map(
      (value): [FunctionDeclaration['parameters'][number], unknown] => [int('A'), value],
    ),
    [int('A', ['a', 'b']), 2],
    [int('A', ['a', 'b']), -1],
    [float('A'), 'three'],
    [float('A'), '9007199254740993'],
    [float('A'), true],
    [float('A'), Infinity],
    [bool('A'), 2],
    [bool('A'), 'yes'],
    [bool('A'), null],
    [text('A'), true],
    [text('A'), null],
    [text('A'), ['a']],
    [array('A', Type.Any()), 'a'],
    [array('A', Type.Any()), null],
    [variant('A'), undefined],
  ];
  for (const [parameter, given] of rejections)
    t.throws(
      () => echo(parameter)([given]),
      { name: 'Fault', rpc: -32602 },
      `${parameter.kind}: ${String(given)}`,
    );
  const two = echo(int('A'), optional(text('B')));
  t.strictSame(two([1]), [1]);
  t.strictSame(two([1, 'x']), [1, 'x']);
  t.strictSame(two({ B: 'x', A: 1 }), [1, 'x']);
  t.strictSame(echo()(), []);
  t.throws(() => two([]), { code: 'PARAMETER_COUNT', rpc: -32602 });
  t.throws(() => two([1, 'x', 2]), { code: 'PARAMETER_COUNT' });
  t.throws(() => two({ B: 'x' }), { code: 'PARAMETER_COUNT' });
  t.throws(() => two({ A: 1, b: 'x' }), { code: 'PARAMETER_UNKNOWN', rpc: -32602 });
  t.throws(() => two({ A: 1, toString: 1 }), { code: 'PARAMETER_UNKNOWN' });
  t.throws(() => two('1'), { code: 'INVALID_REQUEST' });
});

t.test('functions have aliases, and unauthorised callers are rejected', async (t) => {
  await using fixture = new FunctionFixture();
  t.equal(await fixture.call('IPS_GetKernelVersion'), '7.0');
  t.equal(fixture.registry.find('HM_WriteValueBoolean')?.name, 'HW_WriteValueBoolean');
  for (const name of ['SVC_Nothing', 'IPS_', 'getvalue', '__proto__', 'constructor', ''])
    t.throws(() => fixture.registry.call(name, [], owner), { code: 'METHOD_NOT_FOUND', rpc: -32601 }, name);
  t.strictSame(fixture.registry.call('WFC_GetConfigurators', [], anonymousCaller), []);
  t.throws(() => fixture.registry.call('GetValue', [0], anonymousCaller), {
    code: 'ACCESS_DENIED',
    rpc: -32603,
  });
  await t.rejects(fixture.callAsWebFront(12345, 'GetValue', 0), { code: 'ACCESS_DENIED' });
  await t.rejects(fixture.callAsWebFront(12345, 'WFC_GetSnapshot', 12346), { code: 'ACCESS_DENIED' });
  t.throws(() => new Registry({ ...options(), functions: [probe('A'), probe('A')] }), RangeError);
});

function probe(name: string, run: () => boolean | Promise<boolean> = () => true): FunctionDeclaration {
  return declare({ name, parameters: [], result: 'boolean', audited: true, help: 'Probes.', run });
}

function options() {
  return {
    durability: { version: 0, committed: async () => undefined },
    audit: { record: () => undefined },
    clock: new ManualClock(),
    log: silentLog,
  };
}

t.test('the reply to a change of the configuration waits for the disk, other replies do not', async (t) => {
  await using fixture = new FunctionFixture();
  const id = fixture.kernel.variables.create(1).id;
  fixture.isDurable = false;
  t.equal(fixture.registry.call('SetValue', [id, 5], owner), true, 'a value does not wait');
  t.equal(fixture.registry.call('SVC_ObjectExists', [id], owner), true);
  t.equal(fixture.commits.length, 0);
  let isAnswered = false;
  const named = (fixture.registry.call('SVC_SetName', [id, 'A'], owner) as Promise<unknown>).then(
    (result) => {
      isAnswered = true;
      return result;
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(fixture.commits.length, 1);
  t.notOk(isAnswered);
  fixture.commits[0]?.resolve();
  t.equal(await named, true);
  t.equal(
    fixture.registry.call('SVC_SetName', [id, 'A'], owner),
    true,
    'a call without a change does not wait',
  );
  const failed = fixture.call('SVC_SetName', id, 'B');
  fixture.commits[1]?.reject(fault('STORE_FAILED', 'the disk is full'));
  await t.rejects(failed, { code: 'STORE_FAILED', retry: true });
  t.equal(await fixture.call('SVC_GetName', id), 'B', 'the change stays in memory');
  const later = fixture.call('SVC_CreateScript', 0);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(fixture.commits.length, 3, 'it also applies to asynchronous functions');
  fixture.commits[2]?.resolve();
  t.type(await later, 'number');
});

t.test('internal errors do not reach the caller', async (t) => {
  const errors: object[] = [];
  const log = { ...silentLog, error: (details: object) => void errors.push(details) };
  const registry = new Registry({
    ...options(),
    log,
    functions: [
      probe('Throws', () => {
        throw new TypeError('secret details');
      }),
      probe('Rejects', () => Promise.reject(new Error('secret details'))),
      probe('Stops', () => Promise.reject(new DOMException('stopped', 'AbortError'))),
      probe('Faults', () => Promise.reject(fault('ACTION_INVALID'))),
    ],
  });
  t.throws(() => registry.call('Throws', [], owner), {
    code: 'INTERNAL',
    message: /the log has the details/,
  });
  await t.rejects(registry.call('Rejects', [], owner) as Promise<unknown>, { code: 'INTERNAL' });
  t.equal(errors.length, 2);
  await t.rejects(registry.call('Stops', [], owner) as Promise<unknown>, { code: 'STOPPING' });
  await t.rejects(registry.call('Faults', [], owner) as Promise<unknown>, { code: 'ACTION_INVALID' });
  t.equal(errors.length, 2, 'faults and cancellations are not logged as errors');
});

t.test('the audit log has who switched or changed what, without secrets', async (t) => {
  await using fixture = new FunctionFixture();
  const id = fixture.kernel.variables.create(1).id;
  await fixture.call('SetValue', id, 7);
  await fixture.call('GetValue', id);
  t.strictSame(fixture.audit, [
    {
      role: 'owner',
      at: 1_700_000_000,
      user: 'owner@example.org',
      remote: '127.0.0.1',
      method: 'SetValue',
      params: [id, 7],
      ok: true,
    },
  ]);
  await t.rejects(fixture.call('SVC_SetIdent', id, 'not an ident'));
  t.match(fixture.audit.at(-1), { method: 'SVC_SetIdent', ok: false, code: 'IDENT_INVALID' });
  await fixture.call('HM_WriteValueBoolean', id, 'STATE', true).catch(() => undefined);
  t.match(fixture.audit.at(-1), { method: 'HW_WriteValueBoolean', ok: false }, 'by its own name');
  const device = (await fixture.call('SVC_CreateInstance', 'Lamp')) as number;
  await fixture.call('SVC_SetProperty', device, 'Place', 'hall');
  await fixture.call('SVC_SetProperty', device, 'Password', 'tulip');
  await fixture.call('SVC_SetProperty', device, 'Pasword', 'tulip');
  await fixture.call('SVC_SetConfiguration', device, '{"Password":"tulip"}');
  await fixture.call('SVC_RunScriptText', 'login("tulip")');
  const script = (await fixture.call('SVC_CreateScript', 0)) as number;
  await fixture.call('SVC_SetScriptContent', script, 'login("tulip")');
  await fixture.call('SVC_SetInfo', script, 'x'.repeat(5000));
  t.notMatch(JSON.stringify(fixture.audit), /tulip/);
  t.match(JSON.stringify(fixture.audit), /hall/);
  t.ok(JSON.stringify(fixture.audit.at(-1)).length < 400);
  const count = fixture.audit.length;
  const inside = { role: 'owner', user: `script ${script}`, remote: 'local' } as const;
  fixture.registry.call('SetValue', [id, 8], inside);
  t.equal(fixture.audit.length, count, 'the values of a script are not audited');
  await fixture.registry.call('SVC_SetName', [id, 'x'], inside);
  t.equal(fixture.audit.length, count + 1, 'its changes are');
  t.match(await fixture.call('GW_GetAudit', 1), [
    {
      TimeStamp: 1_700_000_000,
      User: `script ${script}`,
      Remote: 'local',
      Method: 'SVC_SetName',
      Success: true,
    },
  ]);
  await t.rejects(fixture.call('GW_GetAudit', 0), { code: 'PARAMETER_BOUNDS' });
});

t.test(
  'the audit counts repeated rejections of a web front and records those of the owner individually',
  async (t) => {
    const records: AuditRecord[] = [];
    const audit = new CountingAudit({ record: (entry) => void records.push(entry) });
    const entry = { at: 1000, user: 'webfront', remote: '10.0.0.1', method: 'WFC_Execute', params: [] };
    const rejected = { ...entry, role: 'webfront', ok: false, code: 'ACCESS_DENIED' } as const;
    for (let n = 0; n < 1000; n++) audit.record(rejected);
    audit.record({ ...rejected, remote: '10.0.0.2' });
    audit.record({ ...entry, role: 'webfront', ok: true });
    t.equal(records.length, 3, 'the first of each kind, and every executed one');
    audit.record({ ...rejected, at: 1700 });
    t.match(
      records.slice(3),
      [{ at: 1000, count: 999 }, { at: 1700 }],
      'later the number, and a new first one',
    );
    audit.record({ ...rejected, at: 1701 });
    audit.flush();
    t.match(records.slice(5), [{ at: 1701, count: 1 }], 'for readers');
    audit.flush();
    t.equal(records.length, 6);
    for (let n = 0; n < 3; n++) audit.record({ ...rejected, role: 'owner' });
    t.equal(records.length, 9);
  },
);

t.test('reflection is generated from the declarations', async (t) => {
  await using fixture = new FunctionFixture();
  const names = (await fixture.call('SVC_GetFunctionList', 0)) as string[];
  t.ok(
    names.includes('SVC_GetObject') && !names.includes('IPS_GetObject') && !names.includes('rpc.discover'),
  );
  t.strictSame(await fixture.call('SVC_GetFunction', 'SVC_CreateVariable'), {
    FunctionName: 'SVC_CreateVariable',
    Result: { Type_: 1, Description: '', Enumeration: [] },
    Parameters: [
      {
        Type_: 1,
        Description: 'VariableType',
        Enumeration: ['vtBoolean', 'vtInteger', 'vtFloat', 'vtString'],
      },
    ],
  });
  t.equal(((await fixture.call('SVC_GetFunctions', [])) as object[]).length, names.length);
  t.ok(Object.hasOwn((await fixture.call('SVC_GetFunctionsMap', [])) as object, 'GetValue'));
  const device = await fixture.call('SVC_CreateInstance', 'Lamp');
  const own = (await fixture.call('SVC_GetFunctionList', device)) as string[];
  t.ok(own.length > 5 && own.every((name) => name.startsWith('HW_')));
  t.strictSame(await fixture.call('SVC_GetFunctionListByModuleID', 'Lamp'), own);
  t.equal(await fixture.call('SVC_FunctionExists', 'Nonsense'), false);
  await t.rejects(fixture.call('SVC_GetFunction', 'Nonsense'), { code: 'FUNCTION_MISSING' });
  t.throws(() => fixture.registry.call('rpc.discover', [], anonymousCaller), { code: 'ACCESS_DENIED' });
});
