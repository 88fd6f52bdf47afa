import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import t from 'tap';
import {
  headerOf,
  parseRecording,
  transferLine,
  type Transfer,
} from '../../../src/recording/entry-format.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { BIN, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { addressOf, type CommandResult, runCli } from '../../tools/gateway/run-cli.js';
import { hasProgram, Program } from '../../tools/program.js';
import { received, sent } from '../../tools/recording/transfers.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

type Test = Parameters<typeof tempDirectory>[0];

const withBroker = {
  skip: !hasProgram('mosquitto') && 'mosquitto is not installed (Debian package mosquitto)',
};
const withPorts = { skip: !hasProgram('socat') && 'socat is not installed (Debian package socat)' };

/** Starts `stellwerk record`, and waits until it records. */
async function startRecording(t: Test, ...args: string[]): Promise<Program> {
  const program = new Program(BIN, ['record', ...args]);
  t.teardown(() => program.end('SIGKILL'));
  await program.waitFor(/recording; press Ctrl-C/);
  return program;
}

const recorded = async (file: string): Promise<Transfer[]> =>
  parseRecording(await readFile(file, 'utf8')).entries.filter((entry) => 'topic' in entry);
const summary = (transfers: readonly Transfer[]): string[] =>
  transfers.map(
    ({ direction, topic, payload, isRetained }) =>
      `${direction} ${topic} ${payload.toString()}${isRetained ? ' retained' : ''}`,
  );

t.test(
  'the messages of a broker are recorded without secrets until Ctrl-C, and played',
  withBroker,
  async (t) => {
    const directory = await tempDirectory(t);
    const broker = await startMosquitto({ directory });
    t.teardown(() => broker[Symbol.asyncDispose]());
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const client = await connectAsync(url, { protocolVersion: 5 });
    t.teardown(() => client.endAsync());
    await client.publishAsync('z/old', 'before', { retain: true });
    await writeFile(join(directory, 'hide'), 'Anna\n\n');
    const file = join(directory, 'house.jsonl');
    const program = await startRecording(
      t,
      '--broker',
      url,
      '--topic',
      'z/#',
      '--hide-file',
      join(directory, 'hide'),
      file,
    );
    await client.publishAsync('z/lamp', '{"state":"ON","user":"Anna"}');
    await client.publishAsync('other', 'no');
    await client.publishAsync('z/set', '{"password":"hunter2"}', { retain: true });
    await client.publishAsync('z/bytes', Buffer.from([0xff, 0]));
    await until('the messages', async () =>
      (await readFile(`${file}.part`, 'utf8').catch(() => '')).includes('ff00'),
    );
    program.process.kill('SIGINT');
    t.equal(await program.ended(), 0);
    t.match(program.output, /4 messages, 2 of them with hidden secrets, in /);
    const text = await readFile(file, 'utf8');
    t.notMatch(text, /hunter2|Anna/);
    t.strictSame(summary(await recorded(file)), [
      'in z/old before retained',
      'in z/lamp {"state":"ON","user":"***"}',
      'in z/set {"password":"***"} retained',
      `in z/bytes ${Buffer.from([0xff, 0]).toString()}`,
    ]);
    t.match(await runCli(['record', '--broker', url, file]), { code: 64, stderr: /already exists/ });

    const heard: string[] = [];
    client.on('message', (topic, payload) => heard.push(`${topic} ${payload.toString()}`));
    await client.subscribeAsync('z/lamp');
    t.match(await runCli(['replay', '--broker', url, '--topic', 'z/lamp', '--speed', '0', file]), {
      code: 0,
      stderr: /^sent 1, and the gateway sent 0 as recorded\n$/,
    });
    await until('the message', () => heard.length > 0);
    t.strictSame(heard, ['z/lamp {"state":"ON","user":"***"}']);
    const awaited = ['--await', 'z/set', '--timeout', '0.05', '--topic', 'z/set'];
    await client.publishAsync('z/set', '', { retain: true });
    t.match(await runCli(['replay', '--broker', url, '--speed', '0', ...awaited, file]), {
      code: 1,
      stderr: /replay: line 4: the gateway did not send this message on z\/set within 0.05 s/,
    });
  },
);

t.test(
  'an interrupted recording is played without its last line; a full one ends itself',
  withBroker,
  async (t) => {
    const directory = await tempDirectory(t);
    const broker = await startMosquitto({ directory });
    t.teardown(() => broker[Symbol.asyncDispose]());
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const client = await connectAsync(url);
    t.teardown(() => client.endAsync());
    const file = join(directory, 'torn.jsonl');
    const text =
      headerOf('mqtt') + transferLine(received(0, 'z/a', '1')) + transferLine(received(1, 'z/b', '2'));
    await writeFile(file, text.slice(0, -9));
    t.match(await runCli(['replay', '--broker', url, file]), {
      code: 0,
      stderr: /torn.jsonl: the last line is incomplete and is left out.*\nsent 1, /,
    });

    const limited = join(directory, 'limited.jsonl');
    const program = await startRecording(t, '--broker', url, '--limit', '0.002', limited);
    for (let count = 0; count < 10; count++) await client.publishAsync('z/a', 'x'.repeat(500));
    t.equal(await program.ended(), 0);
    t.match(program.output, 'the limit is reached');
    t.ok((await readFile(limited)).length <= 0.002 * 1024 * 1024);
    t.ok((await recorded(limited)).length > 0);

    const lost = join(directory, 'lost.jsonl');
    const interrupted = await startRecording(t, '--broker', url, lost);
    await client.publishAsync('z/a', 'last');
    await until('the message', async () => (await readFile(`${lost}.part`, 'utf8')).includes('last'));
    await broker[Symbol.asyncDispose]();
    t.equal(await interrupted.ended(), 1);
    t.match(interrupted.output, /stellwerk record: .*broker/);
    t.strictSame(summary(await recorded(lost)), ['in z/a last'], 'what was recorded stays');
  },
);

t.test('if the disk is full, what was recorded stays', withBroker, async (t) => {
  const directory = await tempDirectory(t);
  const broker = await startMosquitto({ directory });
  t.teardown(() => broker[Symbol.asyncDispose]());
  const url = `mqtt://127.0.0.1:${broker.port}`;
  const client = await connectAsync(url);
  t.teardown(() => client.endAsync());
  const file = join(directory, 'full.jsonl');
  // A limit of the size of a file, in blocks of 512 bytes, in the place of a full disk.
  const program = new Program('sh', [
    '-c',
    'ulimit -f 4; exec "$@"',
    'sh',
    BIN,
    'record',
    '--broker',
    url,
    file,
  ]);
  t.teardown(() => program.end('SIGKILL'));
  await program.waitFor(/recording; press Ctrl-C/);
  for (let count = 0; count < 10; count++) await client.publishAsync('z/a', 'x'.repeat(500));
  t.equal(await program.ended(), 1);
  t.match(program.output, /stellwerk record: EFBIG/);
  const { entries } = parseRecording((await readFile(file, 'utf8')).replace(/[^\n]*$/, ''));
  t.ok(entries.length > 0);
  await t.rejects(readFile(`${file}.part`));
});

const SERIAL = (port: string) => `${SIMULATED_CONFIG}tree:
  - { instance: Bus, ident: bus, module: Serial Port, properties: { Port: "${port}" } }
`;

t.test(
  'an instance of a gateway is recorded in both directions, and played as its device',
  withPorts,
  async (t) => {
    const directory = await tempDirectory(t);
    const cable = await openPtyPair(directory);
    t.teardown(() => cable[Symbol.asyncDispose]());
    const gateway = await startGateway(t, SERIAL(cable.near));
    await until('the port', async () => (await valueAt(gateway, 'bus/LINK')) === 'online');
    const id = await idOf(gateway, 'bus');
    const file = join(directory, 'bus.jsonl');
    const program = await startRecording(t, '--url', addressOf(gateway), '--instance', 'bus', file);
    await rpc(gateway, 'SPRT_SendText', id, 'READ?');
    await until('the request', async () => (await readFile(`${file}.part`, 'utf8')).includes('READ'));
    const device = join(directory, 'device.jsonl');
    await writeFile(device, headerOf('bytes') + transferLine(received(0, '', '21.5\r\n')));
    t.match(await runCli(['replay', '--port', cable.far, device]), { code: 0, stderr: /^sent 1, / });
    await until('the reply', async () => (await readFile(`${file}.part`, 'utf8')).includes('21.5'));
    program.process.kill('SIGINT');
    t.equal(await program.ended(), 0);
    const bytes = (direction: string, transfers: readonly Transfer[]) =>
      transfers.flatMap((one) => (one.direction === direction ? [one.payload.toString()] : [])).join('');
    const transfers = await recorded(file);
    t.strictSame([bytes('out', transfers), bytes('in', transfers)], ['READ?', '21.5\r\n']);

    let result: CommandResult | undefined;
    void runCli(['replay', '--port', cable.far, '--speed', '0', file]).then((ended) => (result = ended));
    // What arrives before it has opened the port is lost.
    await until('the end', async () => {
      await rpc(gateway, 'SPRT_SendText', id, 'READ?');
      return result;
    });
    t.match(result, { code: 0, stderr: /^sent \d+, and the gateway sent 1 as recorded\n$/ });

    const direct = join(directory, 'direct.jsonl');
    const listening = await startRecording(t, '--port', cable.far, direct);
    await rpc(gateway, 'SPRT_SendText', id, 'HELLO');
    await until('the bytes', async () => (await readFile(`${direct}.part`, 'utf8')).includes('HELLO'));
    await listening.end('SIGTERM');
    t.equal(bytes('in', await recorded(direct)), 'HELLO');

    const long = join(directory, 'long.jsonl');
    const shortened = await startRecording(t, '--url', addressOf(gateway), '--instance', 'bus', long);
    await rpc(gateway, 'SPRT_SendText', id, 'x'.repeat(3000));
    await until('the bytes', async () => (await readFile(`${long}.part`, 'utf8')).includes('xxx'));
    await shortened.end('SIGTERM');
    const [piece] = await recorded(long);
    t.match(piece, { direction: 'out', topic: '', isIncomplete: true });
    t.equal(piece?.payload.length, 2048);
  },
);

const MQTT = (port: number) => `${SIMULATED_CONFIG}tree:
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:${port}", Subscriptions: ["z/#"] }
`;

t.test('the messages of an MQTT Client are recorded in both directions', withBroker, async (t) => {
  const directory = await tempDirectory(t);
  const broker = await startMosquitto({ directory });
  t.teardown(() => broker[Symbol.asyncDispose]());
  const client = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  t.teardown(() => client.endAsync());
  const gateway = await startGateway(t, MQTT(broker.port));
  await until('the broker', async () => (await valueAt(gateway, 'broker/LINK')) === 'online');
  const file = join(directory, 'client.jsonl');
  const program = await startRecording(
    t,
    '--url',
    addressOf(gateway),
    '--instance',
    'broker',
    '--topic',
    'z/+',
    file,
  );
  const isRecorded = async (topic: string) => (await readFile(`${file}.part`, 'utf8')).includes(topic);
  await client.publishAsync('z/a b', 'x'.repeat(3000));
  await client.publishAsync('z/deep/er', 'not selected');
  await until('the message', () => isRecorded('z/a b'));
  const id = await idOf(gateway, 'broker');
  await rpc(gateway, 'GW_Publish', id, 'z/set', 'ON', 0, false);
  await until('the command', () => isRecorded('z/set'));
  program.process.kill('SIGINT');
  t.equal(await program.ended(), 0);
  const [long, ...others] = await recorded(file);
  t.match(long, { direction: 'in', topic: 'z/a b', isIncomplete: true });
  t.equal(long?.payload.length, 2048);
  t.ok(summary(others).includes('out z/set ON'));
  t.match(await runCli(['record', '--url', addressOf(gateway), '--instance', '0', join(directory, 'x')]), {
    code: 1,
  });
});

t.test('wrong input is named', async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'file.jsonl');
  const invalid = join(directory, 'invalid.jsonl');
  await writeFile(file, headerOf('mqtt') + transferLine(sent(0, 'a', 'b')));
  await writeFile(invalid, `${headerOf('mqtt')}{"ms":0,"dir":"in"}\n`);
  const url = 'mqtt://127.0.0.1:1';
  const wrong: readonly (readonly [args: readonly string[], code: number, why: RegExp])[] = [
    [['record', file], 64, /give one of --broker, --port and --instance/],
    [['record', '--broker', url, '--port', 'x', file], 64, /give one of/],
    [['record', '--broker', url], 64, /an argument is missing/],
    [['record', '--broker', 'http://x', file], 64, /--broker must look like mqtt:/],
    [['record', '--broker', 'mqtt://a:b@x', file], 64, /give --username and --password-file/],
    [['record', '--broker', url, '--topic', 'a#', file], 64, /a#: .*complete level/],
    [['record', '--broker', url, '--limit', '65', file], 64, /--limit 65: give a number from/],
    [['record', '--broker', url, '--hide-file', '/none', file], 64, /\/none cannot be read/],
    [['record', '--port', '/none', '--frame', '9N1', file], 64, /like --baud 9600 --frame 8N1/],
    [['record', '--broker', url, join(directory, 'new')], 1, /127\.0\.0\.1/],
    [['replay', file], 64, /give --broker or --port/],
    [['replay', '--port', '/none', file], 64, /has messages: give --broker/],
    [['replay', '--broker', url, '--speed', 'fast', file], 64, /--speed fast: give a number/],
    [['replay', '--broker', url, '/none'], 64, /\/none cannot be read/],
    [['replay', '--broker', url, invalid], 1, /invalid.jsonl:2: topic must be/],
    [['replay', '--broker', url, file], 1, /127\.0\.0\.1/],
  ];
  for (const [args, code, why] of wrong)
    t.match(await runCli(args), { code, stdout: '', stderr: why }, args.join(' '));
  await t.rejects(readFile(join(directory, 'new')), 'a recording that could not begin leaves no file');
  await t.rejects(readFile(join(directory, 'new.part')));
});
