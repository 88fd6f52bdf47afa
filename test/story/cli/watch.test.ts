import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ChangeRecord } from '../../../src/client/index.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import {
  BIN,
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGatewayProcess,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { Program, hasProgram } from '../../tools/program.js';
import { addressOf } from '../../tools/gateway/run-cli.js';
import { until } from '../../tools/until.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

type Test = Parameters<typeof tempDirectory>[0];

/** Starts `stellwerk watch`, and makes changes until it shows one. */
async function watch(t: Test, gateway: GatewayFixture, ...args: string[]): Promise<Program> {
  const program = new Program(BIN, ['watch', '--url', addressOf(gateway), ...args]);
  t.teardown(() => program.end('SIGKILL'));
  await seen(gateway, program);
  return program;
}

/** Changes the set-point until the watcher, which needs time to start, shows it. */
async function seen(gateway: GatewayFixture, program: Program): Promise<void> {
  const setpoint = await idOf(gateway, 'ground_floor/setpoint');
  let value = 1;
  await until('a change that is shown', async () => {
    if (!program.isRunning) throw new Error(`it exited: ${program.output}`);
    await rpc(gateway, 'SetValue', setpoint, value++);
    return program.output.includes(String(setpoint));
  });
}

t.test('watch shows names, values and changed objects, and ends with Ctrl-C', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const program = await watch(t, gateway);
  await rpc(gateway, 'GW_SimulateLine', 'BUTTON1', true);
  await program.waitFor(/^\d\d:\d\d:\d\d +\d{5} {2}ground_floor\/hall_button\/STATE {2}Off → On$/m);
  await program.waitFor(/ {2}ground_floor\/hall_button\/COUNT {2}0 → 1$/m);
  const floor = await idOf(gateway, 'ground_floor');
  const setpoint = await idOf(gateway, 'ground_floor/setpoint');
  await rpc(gateway, 'SVC_SetIdent', floor, '');
  await rpc(gateway, 'SVC_SetName', floor, 'Bel\u001b[2Jow');
  await rpc(gateway, 'SetValue', setpoint, -5.5);
  await program.waitFor(/ {2}Bel\\x1b\[2Jow\/setpoint {2}[\d.]+ °C → -5\.5 °C$/m);
  const category = await rpc(gateway, 'SVC_CreateCategory');
  await rpc(gateway, 'SVC_DeleteCategory', category);
  await program.waitFor(new RegExp(`${String(category)} .* a new category\\n.* is deleted\\n`));
  await rpc(gateway, 'SVC_LogMessage', 'me', 'hello');
  await program.waitFor(/^\d\d:\d\d:\d\d {2}me: hello$/m);
  t.notMatch(program.output, '\u001b', 'no colours without a terminal');
  await program.end('SIGINT');
  t.equal(await program.ended(), 0);
});

t.test('watch --debug shows what an instance sends, until it ends', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const program = await watch(t, gateway, '--debug', 'ground_floor/hall_relay');
  const relay = await idOf(gateway, 'ground_floor/hall_relay');
  const write = (value: boolean) => rpc(gateway, 'HW_WriteValueBoolean', relay, 'STATE', value);
  await write(true);
  await program.waitFor(/ {2}ground_floor\/hall_relay {2}driven RELAY1: active$/m);
  await program.end('SIGINT');
  t.equal(await program.ended(), 0);
  const [utility] = (await rpc(
    gateway,
    'SVC_GetInstanceListByModuleID',
    '{B69010EA-96D5-46DF-B885-24821B8C8DBD}',
  )) as number[];
  const shown = async () =>
    ((await rpc(gateway, 'UC_GetMessageTypeList', utility)) as { Message: number; Count: number }[]).find(
      ({ Message }) => Message === messageNumber.KL_DEBUG,
    )?.Count;
  const before = await shown();
  await write(false);
  t.equal(await shown(), before, 'no debug session is left');
});

t.test('a changed profile applies to later values', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const program = await watch(t, gateway);
  const blind = await idOf(gateway, 'upper_floor/blind');
  await rpc(gateway, 'SVC_CreateVariableProfile', 'Blind', 1);
  await rpc(gateway, 'SVC_SetVariableProfileText', 'Blind', '', ' steps');
  await rpc(gateway, 'SVC_SetVariableCustomProfile', blind, 'Blind');
  await rpc(gateway, 'SetValue', blind, 7);
  await program.waitFor(/upper_floor\/blind {2}profile Blind\n.*upper_floor\/blind {2}0 steps → 7 steps\n/);
  t.match(program.output, / {2}profile Blind is new\n.* {2}profile Blind has other texts\n/);
});

t.test('watch --from shows one branch, watch --json prints frames unchanged', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const setpoint = await idOf(gateway, 'ground_floor/setpoint');
  const program = await watch(t, gateway, '--json', '--from', 'ground_floor', '--from', '0001');
  await rpc(gateway, 'SetValue', await idOf(gateway, 'upper_floor/blind'), 3);
  await rpc(gateway, 'SetValue', setpoint, 99.5);
  await program.waitFor(/99\.5/);
  const records = program.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ChangeRecord);
  t.ok(records.every(({ SenderID, Message }) => SenderID === setpoint && Message === 10_603));
  t.equal(records.at(-1)?.Data[0], 99.5);
  const nowhere = new Program(BIN, ['watch', '--url', addressOf(gateway), '--from', 'cellar']);
  t.equal(await nowhere.ended(), 1);
  t.match(nowhere.output, /Nothing at the root has the ident or the name cellar/);
});

t.test('watch reports that the gateway stopped and restarted, and continues', async (t) => {
  const directory = await tempDirectory(t);
  const port = await reservePort();
  await writeFile(
    join(directory, 'gateway.yaml'),
    SIMULATED_CONFIG.replace('port: 0', `port: ${port}`) + SAMPLE_TREE,
  );
  const first = await startGatewayProcess(t, directory);
  const debug = ['--debug', 'ground_floor/hall_relay'];
  const program = new Program(BIN, ['watch', '--url', addressOf({ port }), ...debug]);
  t.teardown(() => program.end('SIGKILL'));
  await until('the first change', async () => {
    await rpc({ port }, 'GW_SimulateLine', 'BUTTON1', true);
    await rpc({ port }, 'GW_SimulateLine', 'BUTTON1', false);
    return program.output.includes('hall_button/STATE');
  });
  await first.program.end('SIGTERM');
  await program.waitFor(/; retrying\n/);
  await startGatewayProcess(t, directory);
  await program.waitFor(/ {2}connected again\n/);
  await until('a change after that', async () => {
    await rpc({ port }, 'GW_SimulateLine', 'BUTTON2', true);
    await rpc(
      { port },
      'SetValue',
      await idOf({ port }, 'upper_floor/blind'),
      Math.round(Math.random() * 1e6),
    );
    return /upper_floor\/blind/.test(program.output);
  });
  const relay = await idOf({ port }, 'ground_floor/hall_relay');
  let isOn = false;
  await until('the debug output of the new process', async () => {
    await rpc({ port }, 'HW_WriteValueBoolean', relay, 'STATE', (isOn = !isOn));
    return / connected again\n[^]* {2}driven RELAY1: /.test(program.output);
  });
  t.ok(program.isRunning);
});

const onTerminal = { skip: !hasProgram('script') && 'the program "script" (bsdutils) is not installed' };

t.test('on a terminal there are colours, unless NO_COLOR is set', onTerminal, async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const line = `exec ${BIN} watch --url ${addressOf(gateway)}`;
  for (const [env, isColoured] of [
    [{ TERM: 'xterm', NO_COLOR: '' }, true],
    [{ TERM: 'xterm', NO_COLOR: '1' }, false],
  ] as const) {
    const program = new Program('script', ['-qefc', line, '/dev/null'], { env });
    t.teardown(() => program.end('SIGKILL'));
    await seen(gateway, program);
    t.equal(program.output.includes('\u001b['), isColoured);
    await program.end();
  }
});
