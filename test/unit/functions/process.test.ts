import t from 'tap';
import { Histogram } from '../../../src/base/metrics/histogram.js';
import type { FunctionDeclaration } from '../../../src/device/declare.js';
import type { ConnectionsPort, Ports } from '../../../src/functions/ports.js';
import { executeFunctions } from '../../../src/functions/system/execute.js';
import { gatewayFunctions } from '../../../src/functions/system/gateway.js';
import { processFunctions } from '../../../src/functions/system/process.js';
import { message } from '../../../src/kernel/messages.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';

const UTILITY = '{B69010EA-96D5-46DF-B885-24821B8C8DBD}';

/** The connections of a gateway with two WebSocket clients, one of which does not read. */
const connections: ConnectionsPort = {
  sockets: () => [
    { remote: '10.0.0.2', messages: 0, bytes: 0, calls: 1 },
    { remote: '10.0.0.3', messages: 7, bytes: 900, calls: 0 },
  ],
  figures: () => ({ edgeToPush: new Histogram(), losses: { coalesced: 0, dropped: 0 }, authFailures: {} }),
  calls: () => 2,
  webServers: async () => 3,
  createToken: (validForS) => `valid for ${validForS} s`,
  browserSessions: async () => [],
  listeners: () => [],
  createFrontTicket: () => '',
  endBrowserSession: async () => false,
  pushDevices: () => [],
  removePushDevice: () => Promise.resolve(false),
};

/** Calls a function of a list as the owner. */
const caller =
  (functions: readonly FunctionDeclaration[]) =>
  async (name: string, ...params: unknown[]): Promise<unknown> => {
    const found = functions.find((one) => one.name === name);
    return found?.run(owner, ...(params as never[]));
  };

t.test('memory, shutdown and tokens are requested from the process', async (t) => {
  await using fixture = new FunctionFixture();
  const stops: string[] = [];
  const system = {
    ...fixture.ports.system,
    trimMemory: async () => void stops.push('trim'),
    stop: () => void stops.push('stop'),
  };
  const ports: Ports = { ...fixture.ports, system, connections: () => connections };
  const call = caller(processFunctions(ports));
  t.equal(await call('SVC_TrimKernel'), true);
  t.strictSame(stops.splice(0), ['trim']);
  t.equal(await call('SVC_StopKernel'), true);
  t.strictSame(stops, [], 'the reply is sent first');
  fixture.clock.advance(100);
  t.strictSame(stops, ['stop']);
  t.equal(await call('SVC_CreateTemporaryToken', 60), 'valid for 60 s');
  await t.rejects(fixture.call('SVC_StopKernel'), { code: 'NOT_SUPPORTED' }, 'a process of another user');
  await t.rejects(fixture.call('SVC_CreateTemporaryToken', 0), { code: 'PARAMETER_BOUNDS' });
});

t.test('health, orphans and reload report what the process reports', async (t) => {
  await using fixture = new FunctionFixture();
  const health = { State: 'failed' as const, Checks: [] };
  const orphan = { ObjectID: 12_345, Path: 'hall/lamp', Type: 'instance', Problem: '' };
  const removed: boolean[] = [];
  const reload = { Applied: ['tree'], NeedsRestart: ['api'], Problems: [], CodedProblems: [] };
  const system = {
    ...fixture.ports.system,
    health: () => health,
    reload: async () => reload,
    prune: async (remove: boolean) => {
      removed.push(remove);
      return [orphan];
    },
  };
  const call = caller(gatewayFunctions({ ...fixture.ports, system }));
  t.strictSame(await call('GW_GetHealth'), health);
  t.strictSame(await call('GW_ReloadConfiguration'), reload);
  t.strictSame(await call('GW_Prune', false), [orphan]);
  t.strictSame(removed, [false]);
});

t.test('open connections are listed and counted', async (t) => {
  await using fixture = new FunctionFixture();
  t.equal(await fixture.call('SVC_GetActiveWebSocketConnections'), 0, 'before the listener is open');
  fixture.api = connections;
  t.equal(await fixture.call('SVC_GetActiveWebSocketConnections'), 2);
  t.equal(await fixture.call('SVC_GetActiveWebServerConnections'), 3);
  t.equal(await fixture.call('SVC_GetActiveProxyConnections'), 0);
  t.strictSame(await fixture.call('SVC_GetConnectionList'), [
    { ConnectionType: 'WebSocket', Remote: '10.0.0.2', QueueBytes: 0 },
    { ConnectionType: 'WebSocket', Remote: '10.0.0.3', QueueBytes: 900 },
  ]);
});

t.test('buffered messages, queues and log messages are counted', async (t) => {
  await using fixture = new FunctionFixture();
  fixture.api = connections;
  const { id: utility } = fixture.devices.create(UTILITY);
  const variable = (await fixture.call('SVC_CreateVariable', 1)) as number;
  for (let n = 1; n <= 50; n++) await fixture.call('SetValue', variable, n);
  const [sender] = (await fixture.call('UC_GetMessageSenderIDList', utility)) as {
    SenderID: number;
    Count: number;
  }[];
  t.equal(sender?.SenderID, variable, 'most messages first');
  t.ok((sender?.Count ?? 0) >= 50);
  const [size] = (await fixture.call('UC_GetMessageSenderIDSizeList', utility)) as {
    SenderID: number;
    Size: number;
  }[];
  t.equal(size?.SenderID, variable);
  t.ok((size?.Size ?? 0) > 50 * 50);
  const [kind] = (await fixture.call('UC_GetMessageTypeList', utility)) as {
    Message: number;
    Count: number;
  }[];
  t.equal(kind?.Message, message.VM_UPDATE);
  t.ok((kind?.Count ?? 0) >= 50);
  t.match(await fixture.call('UC_GetKernelStatistics', utility), {
    MessageCounter: fixture.kernel.changes.emitted,
    MessageQueueSize: 7,
    RequestQueueSize: 3,
  });

  for (const line of ['first', 'second']) await fixture.call('SVC_LogMessage', 'Boiler', line);
  t.match(await fixture.call('UC_GetLogMessageStatistics', utility), { MessageCustomCount: 2 });
  t.match(await fixture.call('UC_GetLastLogMessages', utility, 6), [
    { Message: 'second' },
    { Message: 'first' },
  ]);
  await fixture.call('UC_ResetLogMessageStatistics', utility);
  t.match(await fixture.call('UC_GetLogMessageStatistics', utility), { MessageCustomCount: 0 });
  await fixture.call('UC_ResetLastLogMessages', utility);
  t.strictSame(await fixture.call('UC_GetLastLogMessages', utility, 6), []);
});

t.test('runs of scripts are counted by sender', async (t) => {
  await using fixture = new FunctionFixture();
  const { id: utility } = fixture.devices.create(UTILITY);
  for (const text of ['print(1)', 'print(2)']) await fixture.call('SVC_RunScriptText', text);
  t.strictSame(await fixture.call('UC_GetScriptSenderList', utility), [{ Sender: 'RunScript', Count: 2 }]);
});

t.test('delivery times are measured while the option is set', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  await fixture.call('SVC_SetOption', 'MessageQueueWatch', 1);
  await fixture.call('SVC_SetName', lamp, 'Hall');
  t.match(await fixture.call('SVC_GetInstanceMessageStatistics'), [{ InstanceID: lamp }]);
  await fixture.call('SVC_SetOption', 'MessageQueueWatch', 0);
  t.strictSame(await fixture.call('SVC_GetInstanceMessageStatistics'), []);
});

t.test('timers are the cyclic and schedule events', async (t) => {
  await using fixture = new FunctionFixture();
  const { id: utility } = fixture.devices.create(UTILITY);
  const [trigger, cyclic, schedule] = (await Promise.all(
    [0, 1, 2].map((type) => fixture.call('SVC_CreateEvent', type)),
  )) as [number, number, number];
  await fixture.call('SVC_SetEventCyclic', cyclic, 0, 0, 0, 0, 2, 10);
  t.strictSame(new Set((await fixture.call('SVC_GetTimerList')) as number[]), new Set([cyclic, schedule]));
  t.equal(await fixture.call('SVC_TimerExists', cyclic), true);
  t.equal(await fixture.call('SVC_TimerExists', trigger), false);
  const timer = await fixture.call('SVC_GetTimer', cyclic);
  t.match(timer, { TimerID: cyclic, Interval: 600, LastRun: 0 });
  t.strictSame(await fixture.call('SVC_GetTimers', [cyclic]), [timer]);
  await t.rejects(fixture.call('SVC_GetTimer', trigger), { code: 'NOT_OF_TYPE' });
  const nowS = fixture.clock.nowMs() / 1000;
  fixture.kernel.changes.emit(trigger, message.EM_UPDATE, [nowS, 0]);
  t.strictSame(await fixture.call('UC_GetEventStatistics', utility), {
    CyclicUpdateCount: 0,
    TriggerUpdateCount: 1,
  });
});

t.test('script threads and semaphores', async (t) => {
  await using fixture = new FunctionFixture();
  t.strictSame(await fixture.call('SVC_GetScriptThreadList'), [1, 2]);
  t.equal(await fixture.call('SVC_ScriptThreadExists', 2), true);
  t.equal(await fixture.call('SVC_ScriptThreadExists', 3), false);
  t.match(await fixture.call('SVC_GetScriptThread', 2), { ThreadID: 2 });
  t.match(await fixture.call('SVC_GetScriptThreads', []), [{ ThreadID: 1 }, { ThreadID: 2 }]);
  await t.rejects(fixture.call('SVC_GetScriptThread', 3), { code: 'NOT_OF_TYPE' });
  const script = (await fixture.call('SVC_CreateScript', 0)) as number;
  t.equal(await fixture.call('SVC_AbortScript', script), false, 'it is not running');
  await fixture.call('SVC_RunScript', script);
  t.equal(await fixture.call('SVC_AbortScript', script), true);
  for (const method of [
    ['SVC_SemaphoreEnter', 'taken', 10],
    ['SVC_SemaphoreLeave', 'taken'],
  ] as const) {
    const [name, ...params] = method;
    t.equal(await fixture.call(name, ...params), false);
    t.equal(await fixture.call(name, 'free', ...params.slice(1)), true);
  }
  t.equal(await fixture.call('SVC_Sleep', 5), true);
  t.strictSame(fixture.scripts.sleeps, [5]);
});

t.test('SVC_RunScriptText starts a text with its parameters', async (t) => {
  await using fixture = new FunctionFixture();
  await fixture.call('SVC_RunScriptText', 'print(1)');
  await fixture.call('SVC_RunScriptTextEx', 'print(A)', { A: 1 });
  t.match(fixture.scripts.runs, [
    { text: 'print(1)', parameters: {} },
    { text: 'print(A)', parameters: { A: 1 } },
  ]);
});

t.test('a program runs with its arguments', async (t) => {
  await using fixture = new FunctionFixture();
  const requests: unknown[] = [];
  const execute: Ports['execute'] = async (request) => {
    requests.push(request);
    return 'output';
  };
  const call = caller(executeFunctions({ ...fixture.ports, execute }));
  t.equal(await call('SVC_Execute', '/bin/echo', 'a "b c"', false, true), 'output');
  t.equal(await call('SVC_ExecuteEx', '/bin/true', '', false, false, 0), 'output');
  t.strictSame(requests, [
    { file: '/bin/echo', args: ['a', 'b c'], waitsForOutput: true },
    { file: '/bin/true', args: [], waitsForOutput: false },
  ]);
});
