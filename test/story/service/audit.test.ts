import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { checksumOf } from '../../../src/store/checksums.js';
import { addressOf, runCli } from '../../tools/gateway/run-cli.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { callText, idOf, rpc } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { callOverWebSocket, openWebSocket } from '../../tools/client/message-stream.js';
import { RawConnection, basicLine, rawPost } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

const FRONT = `configurators: [{ title: Ground floor, ident: wf, base: ground_floor, password: tulip }]\n`;

/** A call from another address of this machine. */
async function from(
  { port }: GatewayFixture,
  address: string,
  { body, header }: { body: string; header?: string },
) {
  await using connection = await RawConnection.open(port, address);
  connection.write(rawPost({ port, headers: header === undefined ? [] : [header], body }));
  return await connection.response();
}

t.test(
  'the audit log has who changed what, from where, and the result, and is kept over a restart',
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONT);
    const relay = await idOf(fixture, 'ground_floor/hall_relay');
    const state = await idOf(fixture, 'ground_floor/hall_relay/STATE');
    const wf = await idOf(fixture, 'wf');
    const started = Math.floor(Date.now() / 1000);
    await rpc(fixture, 'HW_WriteValueBoolean', relay, 'STATE', true);
    await rpc(fixture, 'GetValue', state);
    const body = callText('WFC_Execute', [wf, 0, state, false]);
    await from(fixture, '127.0.0.2', { body, header: basicLine('webfront', 'tulip') });
    await rpc(fixture, 'HW_WriteValueBoolean', relay, 'NOTHING', true);
    const socket = await openWebSocket(fixture);
    await callOverWebSocket(socket, 'SVC_SetName', [relay, 'Lamp']);
    await socket[Symbol.asyncDispose]();
    await rpc(fixture, 'SVC_SetName', 1, 'x'.repeat(5000));
    const entry = { TimeStamp: Number, User: OWNER.username, Remote: '127.0.0.1', Success: true };
    const expected = [
      { ...entry, Method: 'SVC_SetName', Parameters: [1, /^x+…$/], Success: false, Error: 'OBJECT_MISSING' },
      { ...entry, Method: 'SVC_SetName', Parameters: [relay, 'Lamp'] },
      { ...entry, Method: 'HW_WriteValueBoolean', Success: false, Error: 'IDENT_NOT_FOUND' },
      {
        ...entry,
        Method: 'WFC_Execute',
        User: 'webfront',
        Remote: '127.0.0.2',
        Parameters: [wf, 0, state, false],
      },
      { ...entry, Method: 'HW_WriteValueBoolean', Parameters: [relay, 'STATE', true] },
    ];
    const audit = (await rpc(fixture, 'GW_GetAudit')) as { TimeStamp: number }[];
    t.match(audit, expected, 'newest first; reads are not audited');
    t.equal(audit.length, expected.length);
    t.ok(audit.every(({ TimeStamp }) => TimeStamp >= started && TimeStamp <= Date.now() / 1000));
    t.match(await rpc(fixture, 'GW_GetAudit', 1), { length: 1 });
    t.match(await rpc(fixture, 'GW_GetAudit', 100, 'webfront'), [
      { Method: 'WFC_Execute', Role: 'webfront' },
    ]);
    t.equal(await rpc(fixture, 'GW_GetAudit', 100, 'nobody'), 'PARAMETER_BOUNDS');
    const many = `[${Array.from({ length: 50 }, () => callText('WFC_Execute', [wf, 0, 1, false])).join()}]`;
    await from(fixture, '127.0.0.2', { body: many, header: basicLine('webfront', 'tulip') });
    t.match(await rpc(fixture, 'GW_GetAudit', 2), [
      { Error: 'ACCESS_DENIED', Count: 49 },
      { Error: 'ACCESS_DENIED', Count: undefined },
    ]);
    audit.unshift(...((await rpc(fixture, 'GW_GetAudit', 2)) as typeof audit));
    await fixture.gateway.close();
    const again = await startGateway(t, undefined, { directory: fixture.directory });
    t.strictSame(await rpc(again, 'GW_GetAudit'), audit);
  },
);

t.test('a record of the audit that was changed on the disk is noticed', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  for (const name of ['One', 'Two']) await rpc(fixture, 'SVC_SetName', relay, name);
  await fixture.gateway.close();
  // The chain goes on after a restart.
  const second = await startGateway(t, undefined, { directory: fixture.directory });
  for (const name of ['Three', 'Four']) await rpc(second, 'SVC_SetName', relay, name);
  const cli = (gateway: GatewayFixture, ...words: string[]) =>
    runCli(['audit', '--url', addressOf(gateway), ...words]);
  const printed = await cli(second);
  const lines = printed.stdout.trim().split('\n');
  t.match(lines.map((line) => JSON.parse(line) as object).slice(-4), [
    { seq: lines.length - 3, params: [relay, 'One'] },
    { params: [relay, 'Two'] },
    { params: [relay, 'Three'] },
    { seq: lines.length, params: [relay, 'Four'], prev: /^[\w-]{43}$/ },
  ]);
  const copy = join(fixture.directory, 'copy.jsonl');
  await writeFile(copy, printed.stdout);
  const sound = { code: 0, stdout: `owner: ${lines.length} records, 1 to ${lines.length}, newest digest ` };
  t.match(await cli(second, 'verify', copy), sound);
  t.match(await cli(second, '--role', 'inside', 'verify'), { code: 0, stdout: '' });
  t.strictSame(
    await cli(second, '--role', 'inside', 'verify', copy),
    { code: 0, stdout: '', stderr: '' },
    'the lines of other roles in the copy are not compared',
  );
  await second.gateway.close();

  const db = new DatabaseSync(join(fixture.directory, 'data/stellwerk.db'));
  const [number, record] = Object.values(
    db.prepare(`SELECT number, record FROM audit WHERE record LIKE '%"Two"%'`).get() ?? {},
  );
  const forged = String(record).replace('"Two"', '"Six"');
  db.prepare('UPDATE audit SET record = ?, sum = ? WHERE number = ?').run(
    forged,
    checksumOf([Number(number), forged]),
    Number(number),
  );
  db.close();
  const third = await startGateway(t, undefined, { directory: fixture.directory });
  const seq = lines.length - 1;
  t.match(await cli(third, 'verify'), {
    code: 1,
    stdout: `owner: record ${seq} does not follow the one before it: a record was changed or removed`,
  });
  t.match(await cli(third, 'verify', copy), {
    code: 1,
    stdout: `owner: record ${seq - 1} of the file is different in the gateway`,
  });
  t.match(await cli(third, 'verify', `${copy}.missing`), { code: 1, stderr: /ENOENT/ });
  t.match(await cli(third, '--role', 'nobody'), { code: 64, stderr: /give one of owner/ });
  t.equal(await rpc(third, 'GW_GetAuditLines', 'nobody'), 'PARAMETER_BOUNDS');
});

t.test('health lists each check, its state, since when and what to do, and is in the tree too', async (t) => {
  const fixture = await startGateway(
    t,
    `${SIMULATED_CONFIG}${SAMPLE_TREE}  - { instance: Open end, ident: open_end, module: GPIO Input }\n`,
  );
  const health = (await rpc(fixture, 'GW_GetHealth')) as {
    State: string;
    Checks: Record<string, unknown>[];
  };
  t.equal(health.State, 'warning');
  for (const name of ['database', 'store', 'clock', 'devices', 'listeners', 'configuration']) {
    const check = health.Checks.find(({ Name }) => Name === name);
    t.match(check, { State: /^(ok|warning)$/, Since: Number, Text: String, WhatToDo: String }, name);
    t.ok(Number(check?.['Since']) <= Date.now() / 1000);
  }
  const devices = health.Checks.find(({ Name }) => Name === 'devices');
  t.match(devices, {
    State: 'warning',
    Text: /^1 instance has a problem\nOpen end \(#\d+\): .*Line/,
    WhatToDo: /STATUS/,
  });
  const problems = await rpc(fixture, 'GetValue', await idOf(fixture, 'stellwerk/PROBLEMS'));
  const text = await rpc(fixture, 'GetValue', await idOf(fixture, 'stellwerk/HEALTH'));
  t.ok(Number(problems) >= 1);
  t.match(text, /devices warning: 1 instance has a problem; Open end/);
});

t.test('a client that guesses passwords is delayed; other clients and known logins are not', async (t) => {
  const clock = new ManualClock(Date.now());
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  const known = () => rpc(fixture, 'SVC_GetKernelVersion');
  t.match(await known(), /\d/);
  const body = callText('SVC_GetKernelVersion', []);
  const guess = (n: number) =>
    from(fixture, '127.0.0.2', { body, header: basicLine(OWNER.username, `guess ${n}`) });
  for (let n = 0; n < 10; n++) t.equal((await guess(n)).status, 401);
  let isAnswered = false;
  const delayed = guess(10).then(({ status }) => {
    isAnswered = true;
    return status;
  });
  t.match(await known(), /\d/);
  t.equal((await from(fixture, '127.0.0.3', { body })).status, 401);
  t.notOk(isAnswered);
  await until('the reply to the guess', () => {
    clock.advance(250);
    return isAnswered;
  });
  t.equal(await delayed, 401);
  t.notMatch(fixture.log.join(''), /guess \d/, 'guessed passwords are not logged');
});

t.test('a clock that is not synchronised is reported, and the gateway works nevertheless', async (t) => {
  const clock = new ManualClock(0);
  clock.hasTrustedTime = false;
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  const shown = async () => rpc(fixture, 'GetValue', await idOf(fixture, 'stellwerk/CLOCK_TRUSTED'));
  t.match(JSON.stringify(await rpc(fixture, 'GW_GetHealth')), /"Name":"clock","State":"warning"/);
  t.equal(await shown(), false);
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  t.equal(await rpc(fixture, 'SetValue', setpoint, 5), true);
  clock.hasTrustedTime = true;
  clock.advance(10_000);
  t.equal(await shown(), true);
  t.match(JSON.stringify(await rpc(fixture, 'GW_GetHealth')), /"Name":"clock","State":"ok"/);
});
