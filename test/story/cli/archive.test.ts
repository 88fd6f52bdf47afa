import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { addressOf, runCli } from '../../tools/gateway/run-cli.js';

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';
const [BOOLEAN, FLOAT, TEXT] = [0, 2, 3];

/** A configuration with recorded variables of these types, and a function that runs the CLI in it. */
async function recording(
  t: Parameters<typeof startGateway>[0],
  types: readonly number[],
  clock = new ManualClock(),
) {
  const gateway = await startGateway(t, SIMULATED_CONFIG, { clock });
  const [archive = 0] = (await rpc(gateway, 'SVC_GetInstanceListByModuleID', ARCHIVE)) as number[];
  const ids: number[] = [];
  for (const type of types) {
    const id = Number(await rpc(gateway, 'SVC_CreateVariable', type));
    await rpc(gateway, 'AC_SetLoggingStatus', archive, id, true);
    ids.push(id);
  }
  const command = (args: readonly string[], input = '') =>
    runCli(['archive', '--url', addressOf(gateway), ...args], { input });
  return { house: gateway, archive, ids, command };
}

const recordsOf = async (gateway: GatewayFixture, id: number) =>
  (
    (await rpc(gateway, 'GW_GetRecords', id, 0, 0, 0)) as { Records: { TimeStamp: number; Value: unknown }[] }
  ).Records.map(({ TimeStamp, Value }) => [TimeStamp, Value]);

t.test('exported and imported records are the same, even if imported twice', async (t) => {
  const { house: gateway, archive, ids, command } = await recording(t, [FLOAT, TEXT, BOOLEAN]);
  const [number = 0, text = 0, toggle = 0] = ids;
  const add = (id: number, values: [number, unknown][]) =>
    rpc(
      gateway,
      'AC_AddLoggedValues',
      archive,
      id,
      values.map(([TimeStamp, Value]) => ({ TimeStamp, Value })),
    );
  // More than a page, and more than one per second.
  await add(
    number,
    Array.from({ length: 25_000 }, (_, n) => [1_600_000_000 + n / 8, n / 7]),
  );
  await add(text, [
    [1_600_000_000.001, 'a "b",\n;c'],
    [1_600_000_000.002, '=1+1'],
    [1_600_000_001, ''],
  ]);
  await add(toggle, [
    [1_600_000_000, true],
    [1_600_000_001, false],
  ]);
  const before = await Promise.all(ids.map((id) => recordsOf(gateway, id)));
  t.equal(before[0]?.length, 10_000, 'a page of them');
  const directory = await tempDirectory(t);
  for (const name of ['all.csv', 'all.jsonl']) {
    const file = join(directory, name);
    const exported = await command(['export', file]);
    t.match(exported, {
      code: 0,
      stdout: `${file}: 25005 records of 3 variables\n`,
      stderr: /^1 texts start like formulas/,
    });
    t.equal(readFileSync(file, 'utf8').match(/^.*"?variable"?/)?.index, 0);
    t.match(await command(['export', file]), { code: 64, stdout: '', stderr: /already exists/ });
    for (const id of ids) await rpc(gateway, 'AC_DeleteVariableData', archive, id, 1, 0);
    t.strictSame(await recordsOf(gateway, number), []);
    for (const round of ['once', 'twice']) {
      t.match(await command(['import', file]), {
        code: 0,
        stdout: '25005 records of 25005, for 3 variables\n',
        stderr: '',
      });
      t.strictSame(await Promise.all(ids.map((id) => recordsOf(gateway, id))), before, round);
      const facts = (await rpc(gateway, 'AC_GetAggregationVariables', archive, true)) as {
        RecordCount: number;
      }[];
      t.equal(
        facts.reduce((sum, { RecordCount }) => sum + RecordCount, 0),
        25_005,
        round,
      );
    }
    const again = join(directory, `again-${name}`);
    await command(['export', again]);
    t.equal(readFileSync(again, 'utf8'), readFileSync(file, 'utf8'), 'all are equal');
  }
});

t.test('records can be piped to another variable', async (t) => {
  const { house: gateway, ids, command } = await recording(t, [FLOAT, FLOAT]);
  const [from = 0, to = 0] = ids;
  const lines = 'time;value\n2020-09-13T12:26:40Z;1.5\n1600000001;2\n2020-09-13T12:26:42.250Z;3\n';
  t.match(await command(['--variable', String(from), 'import', '-'], lines), {
    code: 0,
    stdout: '3 records of 3, for 1 variables\n',
  });
  const part = await command([
    '--from',
    '1600000001',
    '--to',
    '2020-09-13T12:26:42.250Z',
    'export',
    '-',
    String(from),
  ]);
  t.match(part, { code: 0, stderr: '' });
  t.equal(
    part.stdout,
    `variable,time,value,clock\n${from},2020-09-13T12:26:41.000Z,2,\n${from},2020-09-13T12:26:42.250Z,3,\n`,
  );
  const jsonl = await command(['--format', 'jsonl', 'export', '-', String(from)]);
  t.match(
    await command(
      ['--format', 'jsonl', '--variable', String(to), '--to', '1600000001', 'import', '-'],
      jsonl.stdout,
    ),
    {
      code: 0,
      stdout: '2 records of 2, for 1 variables\n',
    },
  );
  t.strictSame(await recordsOf(gateway, to), [
    [1_600_000_000, 1.5],
    [1_600_000_001, 2],
  ]);
});

t.test('a file with an invalid record is not imported, and ambiguous arguments are rejected', async (t) => {
  const { house: gateway, ids, command } = await recording(t, [FLOAT]);
  const [id = 0] = ids;
  const other = Number(await rpc(gateway, 'SVC_CreateVariable', FLOAT));
  const lines = (...all: string[]) => ['variable,time,value', ...all, ''].join('\n');
  const good = Array.from({ length: 6_000 }, (_, n) => `${id},${1_600_000_000 + n},${n}`);
  const wrong = await command(['import', '-'], lines(...good, `${id},soon,1`, `${other},1,1`, '12,1,1'));
  t.match(wrong, {
    code: 1,
    stdout: '',
    stderr:
      /^line 6002: "soon" is not a time.*\nline 6003: #\d+ is not recorded: stellwerk call AC_SetLoggingStatus.*\nline 6004: .*12.*\nnothing was imported\n$/,
  });
  t.strictSame(await recordsOf(gateway, id), []);
  const many = await command(['import', '-'], lines(...Array.from({ length: 50 }, () => 'x,1,1')));
  t.match(many.stderr, /line 21: .*\nand 30 more\nnothing was imported\n$/);
  t.match(await command(['import', '-'], 'a,"b'), { code: 1, stderr: /line 1: a quote is open/ });
  t.match(await command(['import', '-'], lines()), { code: 0, stdout: '0 records of 0, for 0 variables\n' });
  const none = join(await tempDirectory(t), 'none.csv');
  for (const [args, code, stderr] of [
    [['import', none], 64, /none\.csv cannot be read/],
    [['import', '-', 'x'], 64, /unexpected argument x/],
    [['improt', '-'], 64, /neither export, import nor salvage/],
    [['--format', 'xml', 'export', none], 64, /there is no format xml/],
    [['--from', 'soon', 'export', none], 64, /soon is not a time/],
    [['--password-file', '-', 'import', '-'], 64, /not both/],
    [['export', none, '11111'], 1, /#?11111/],
  ] as const)
    t.match(await command(args), { code, stdout: '', stderr }, args.join(' '));
  t.notOk(existsSync(none) || existsSync(`${none}.part`), 'no partial file is left');
});

t.test(
  'an error of the gateway during an import is reported with the number of imported records',
  async (t) => {
    const { house: gateway, ids, command } = await recording(t, [FLOAT]);
    const [id = 0] = ids;
    const file = join(await tempDirectory(t), 'ahead.csv');
    // The gateway's clock is in 2023, and records from the future are rejected.
    const lines = Array.from(
      { length: 6_000 },
      (_, n) => `${n < 5_500 ? 1_600_000_000 + n : 1_750_000_000 + n},${n}`,
    );
    writeFileSync(file, ['time,value', ...lines].join('\n'));
    const said = await command(['--variable', String(id), 'import', file]);
    t.match(said, {
      code: 1,
      stdout: '',
      stderr: /TimeStamp.*; 5000 records were imported.*before line 5002/,
    });
    const facts = (await rpc(gateway, 'GW_GetRecords', id, 0, 0, 0)) as { Records: unknown[] };
    t.equal(facts.Records.length, 5_000);
  },
);
