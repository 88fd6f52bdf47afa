import { Value } from '@sinclair/typebox/value';
import t from 'tap';
import type { FunctionDeclaration } from '../../../src/device/declare.js';
import { functionHelp } from '../../../src/functions/reflection/function-help.js';
import { openRpcDocument } from '../../../src/functions/reflection/openrpc.js';
import type { OpenRpcDocument, JsonSchema } from '../../../src/functions/reflection/typescript.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { allFunctions } from '../../tools/generate/all-functions.js';

const declared = await allFunctions();
const document = openRpcDocument(declared, '0.1') as OpenRpcDocument;

/** Every schema in a JSON value, and every other object in it. */
function* within(value: unknown): Generator<JsonSchema> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as JsonSchema;
  for (const part of Object.values(value)) yield* within(part);
}

t.test('the document has exactly the members that OpenRPC 1.3 requires', async (t) => {
  t.match(document, { openrpc: '1.3.2', info: { title: 'stellwerk', version: '0.1' } });
  t.strictSame(Object.keys(document), ['openrpc', 'info', 'methods', 'components']);
  t.strictSame(
    document.methods.map(({ name }) => name),
    declared.map(({ name }) => name),
    'every function, once, in order',
  );
  const odd = document.methods.flatMap((method) => {
    const { name, summary, paramStructure, params, result, ...rest } = method;
    const descriptors = [...params, result];
    const isRequired = params.map(({ required }) => required);
    const isSound =
      summary !== '' &&
      paramStructure === 'either' &&
      new Set(params.map((param) => param.name)).size === params.length &&
      descriptors.every((one) => one.name !== '' && typeof one.schema === 'object') &&
      // Required ones come first (Method Object, `params`).
      isRequired.lastIndexOf(true) < (isRequired.includes(false) ? isRequired.indexOf(false) : Infinity) &&
      Object.keys(rest).every((key) => key === 'tags' || key.startsWith('x-'));
    return isSound ? [] : [name];
  });
  t.strictSame(odd, []);
});

t.test('every reference resolves to a component, and every component is referenced', async (t) => {
  const names = Object.keys(document.components.schemas);
  const referred = [...within(document)].flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]));
  t.ok(referred.length > 30, `${referred.length} references`);
  t.strictSame([...new Set(referred)].sort(), names.map((name) => `#/components/schemas/${name}`).sort());
  t.strictSame(
    names.filter(
      (name) => !/^[A-Z]\w+$/.test(name) || document.components.schemas[name]?.description === undefined,
    ),
    [],
  );
});

t.test('every list, map and value has a schema', async (t) => {
  const vague = declared.flatMap(({ name, result, shape, parameters }) => [
    ...(result === 'array' && shape === undefined ? [name] : []),
    ...parameters
      .filter((one) => one.kind === 'array' && one.shape === undefined)
      .map((one) => `${name} ${one.name}`),
  ]);
  t.strictSame(vague, []);
  const enumerated = document.methods.find(({ name }) => name === 'SVC_CreateVariable')?.params[0];
  t.strictSame(enumerated, {
    name: 'VariableType',
    required: true,
    description: '0: vtBoolean, 1: vtInteger, 2: vtFloat, 3: vtString',
    schema: { type: 'integer', enum: [0, 1, 2, 3] },
  });
});

t.test('call --help describes lists, maps and records in words', async (t) => {
  const page = (name: string) =>
    functionHelp(declared.find((one) => one.name === name) as FunctionDeclaration);
  t.match(page('GW_SetValues'), '\n  Values: list of [integer, boolean or float or string or null]\n');
  t.match(page('SVC_RunScriptEx'), '\n  Parameters: map of anything\n');
  t.match(page('SVC_GetLink'), '\n  Result: {LinkID: integer, TargetID: integer}\n');
  t.match(page('GW_GetHealth'), 'Result: {State: "ok" or "warning" or "failed", Checks: list of {Name: ');
});

t.test('rpc.discover returns it as plain JSON, always the same', async (t) => {
  await using fixture = new FunctionFixture();
  const once = await fixture.call('rpc.discover');
  t.equal(JSON.stringify(once), JSON.stringify(await fixture.call('rpc.discover')));
  t.strictSame(JSON.parse(JSON.stringify(once)), once);
  t.ok(Value.Equal(once, openRpcDocument(fixture.registry.all(), '0.1')));
});
