import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openCharacterDevice } from '../../drivers/gpio/backends/cdev.js';
import { Backends } from '../../drivers/gpio/backends/backends.js';
import { inputModule } from '../../drivers/gpio/inputs/gpio-input.js';
import { outputModule } from '../../drivers/gpio/outputs/gpio-output.js';
import { mqttModules } from '../../drivers/mqtt/index.js';
import { ManualClock, systemClock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import type { ModuleDefinition } from '../../src/device/module.js';
import type { Channel } from '../../src/script/channel.js';
import { ChildRun } from '../../src/script/child-run.js';
import { ScriptEngine } from '../../src/script/script-engine.js';
import { ScriptFiles } from '../../src/script/script-files.js';
import { aedesTestBroker } from '../contract/mqtt/brokers.js';
import { basicLine } from '../tools/client/raw-http.js';
import { RawWebSocket } from '../tools/client/raw-websocket.js';
import { OWNER, startApi } from '../tools/gateway/api-fixture.js';
import { FunctionFixture, owner } from '../tools/gateway/function-fixture.js';
import { tempDirectory } from '../tools/temp-directory.js';
import { until } from '../tools/until.js';
import { ROOT, textOf } from './sources.js';

/**
 * The four paths of ARCHITECTURE.md: the files that a call or a value passes through, from the outside in.
 */

Error.stackTraceLimit = 200;

/** A source file, compiled or not, as a path from the root. */
const SOURCE = /^(?:dist\/)?((?:src|drivers)\/[^:()]+)\.[jt]s:\d/;

/**
 * The source files of the current call stack, outermost first, one per frame; works with and without source
 * maps.
 */
function frames(): string[] {
  const lines = String(new Error().stack).split('\n');
  return lines
    .flatMap((line) => SOURCE.exec(line.split(ROOT)[1] ?? '')?.[1] ?? [])
    .map((file) => `${file}.ts`)
    .reverse();
}

/** Each file once, where it first appears. */
const filesOf = (stack: readonly string[]): string[] => [...new Set(stack)];

/** The files that a diagram of ARCHITECTURE.md names, in order. */
function drawn(title: string): string[] {
  const [, block = ''] =
    new RegExp(`\\*\\*${title}[^]*?\`\`\`\n([^]*?)\`\`\``).exec(textOf('ARCHITECTURE.md')) ?? [];
  return [...block.matchAll(/(?:src|drivers)\/\S+\.ts/g)].map(([file]) => file);
}

/** A fake kernel line: records the call stack when it is driven, and can produce an edge. */
class FakeRequest {
  static readonly driven: string[][] = [];
  static edge: () => void = () => undefined;
  get = () => 0n;
  configure = () => undefined;
  pause = () => undefined;
  close = () => undefined;
  set(): void {
    FakeRequest.driven.push(frames());
  }
  watch(onEvents: (count: number) => void): ArrayBuffer {
    const buffer = new ArrayBuffer(48);
    FakeRequest.edge = () => {
      new Uint32Array(buffer)[2] = 1;
      onEvents(1);
    };
    return buffer;
  }
}

/** The modules GPIO Output and GPIO Input over a character device whose addon is {@link FakeRequest}. */
async function gpioModules(directory: string): Promise<ModuleDefinition[]> {
  const file = join(directory, 'addon.cjs');
  await writeFile(file, 'module.exports = globalThis.fakeGpioAddon;');
  Object.assign(globalThis, { fakeGpioAddon: { flags: {}, Request: FakeRequest } });
  const clock = new ManualClock();
  const backends = new Backends({ gpio: [] }, clock);
  const backend = openCharacterDevice(clock, { addon: file });
  const chip = { name: 'gpiochip0', label: 'fake', lines: 2 };
  backends.locate = async (_choice, { line }) => ({
    backend,
    location: { chip, offset: Number(line), name: `line ${line}` },
  });
  return [outputModule(backends), inputModule(backends)] as unknown as ModuleDefinition[];
}

/**
 * A gateway's functions and API over these modules; `added` creates an instance and waits until it is online.
 */
async function gatewayWith(t: Tap, modules: readonly ModuleDefinition[]) {
  const fixture = new FunctionFixture([], '/nowhere', modules);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const api = await startApi(t, {}, { dispatcher: fixture.registry, kernel: fixture.kernel });
  const added = async (module: string, properties: Record<string, unknown>, parent?: number) => {
    const { id, children } = fixture.devices.create(module, {}, properties);
    if (parent !== undefined) await fixture.devices.connect(id, parent);
    const link = children?.byIdent('LINK');
    await until(`${module} online`, () => link?.is(2) === true && link.data.value === 'online');
    return id;
  };
  return { fixture, api, added };
}
type Tap = Parameters<typeof startApi>[0];

/** The stack at the first write of a session's frame while `act` runs. */
async function stackAtFrame(t: Tap, port: number, act: () => unknown): Promise<string[]> {
  await using socket = await RawWebSocket.open({
    port,
    headers: [basicLine(OWNER.username, OWNER.password)],
  });
  const write = Socket.prototype.write;
  t.teardown(async () => void (Socket.prototype.write = write));
  let stack: string[] = [];
  Socket.prototype.write = function (this: Socket, ...args: Parameters<typeof write>) {
    const now = frames();
    if (stack.length === 0 && now.includes('src/api/socket/session.ts')) stack = now;
    return write.apply(this, args);
  } as typeof write;
  await act();
  await until('the frame', () => stack.length > 0);
  Socket.prototype.write = write;
  t.teardown(async () => void socket);
  return stack;
}

t.test('a call moves a relay: at most 10 files and 14 calls', async (t) => {
  const { api, added } = await gatewayWith(t, await gpioModules(await tempDirectory(t)));
  const id = await added('GPIO Output', { Line: '0', Boot: 'inactive' });
  // The request's header section comes first, its body in a later iteration of the event loop.
  let reading: string[] = [];
  const on = IncomingMessage.prototype.on;
  t.teardown(() => void (IncomingMessage.prototype.on = on));
  IncomingMessage.prototype.on = function (this: IncomingMessage, event: string, ...rest: never[]) {
    const now = frames();
    if (event === 'end' && now.some((file) => file.endsWith('/request-body.ts'))) reading = now;
    return on.call(this, event, ...(rest as unknown as [() => void]));
  } as typeof on;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'HW_WriteValueBoolean',
    params: [id, 'STATE', true],
  });
  const headers = { authorization: `Basic ${btoa(`${OWNER.username}:${OWNER.password}`)}` };
  const call = () => fetch(`http://127.0.0.1:${api.port}/api/`, { method: 'POST', headers, body });
  t.match(await (await call()).json(), { result: true }, 'the first call verifies the credentials');
  FakeRequest.driven.length = 0;
  t.match(await (await call()).json(), { result: true });
  const [driving = []] = FakeRequest.driven;
  const stack = [...reading, ...driving];
  t.strictSame(filesOf(stack), drawn('A client calls'), 'as drawn in ARCHITECTURE.md');
  t.ok(filesOf(stack).length <= 10, `${filesOf(stack).length} files`);
  t.ok(stack.length <= 14, `${stack.length} calls: ${stack.join(' ')}`);
});

t.test('an edge becomes a frame', async (t) => {
  const { api, added } = await gatewayWith(t, await gpioModules(await tempDirectory(t)));
  await added('GPIO Input', { Line: '1' });
  const stack = await stackAtFrame(t, api.port, () => FakeRequest.edge());
  t.strictSame(filesOf(stack), drawn('A switch closes'), 'as drawn in ARCHITECTURE.md');
});

t.test('an MQTT message becomes a frame', async (t) => {
  await using testBroker = await aedesTestBroker();
  const { api, added } = await gatewayWith(t, mqttModules(testBroker.brokers));
  const broker = await added('MQTT Client', { Url: testBroker.url, ProtocolVersion: testBroker.version });
  const topic = { Ident: 'LEVEL', Type: 'integer', StateTopic: 'level' };
  await added('MQTT Device', { Topics: [topic] }, broker);
  const stack = await stackAtFrame(t, api.port, () => testBroker.publish('level', '7'));
  const from = stack.indexOf('drivers/mqtt/network-connection.ts');
  t.strictSame(filesOf(stack.slice(from)), drawn('A broker publishes'), 'as drawn in ARCHITECTURE.md');
});

t.test('a script changes a variable', async (t) => {
  // In the script's process, up to the write to the channel.
  let child: string[] = [];
  const channel = {
    sendText: () => void (child = frames()),
    receiveText: () => '{"is":"result","value":true}',
  } as unknown as Channel;
  const job = { is: 'run', file: 'a.js', text: 'SetValue(1, 7)', values: {}, outputLimit: 1000 } as const;
  await new ChildRun(job, channel, ['SetValue']).result();
  // In the gateway, from the channel to the change.
  const fixture = new FunctionFixture();
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const { kernel, registry } = fixture;
  const variable = kernel.variables.create(1, { name: 'Level' });
  const engine = new ScriptEngine({
    kernel,
    files: new ScriptFiles(join(await tempDirectory(t), 'scripts')),
    clock: systemClock(),
    log: silentLog,
    functions: { names: () => registry.names(), call: (...call) => registry.call(...call) },
  });
  t.teardown(() => engine.close());
  let gateway: string[] = [];
  kernel.changes.listen(({ SenderID }) => {
    if (SenderID === variable.id) gateway = frames();
  });
  const text = `SetValue(${variable.id}, 7)`;
  await engine.run({ text, parameters: {}, sender: 'RunScript', caller: owner });
  t.strictSame(filesOf([...child, ...gateway]), drawn('A script sets'), 'as drawn in ARCHITECTURE.md');
});
