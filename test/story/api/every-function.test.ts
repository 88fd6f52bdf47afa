import t from 'tap';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { Client, RpcError, type AnyFunction } from '../../../src/client/index.js';
import { schemaViolation } from '../../tools/client/result-schema.js';
import { idOf } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const CONFIG = `${SIMULATED_CONFIG}${SAMPLE_TREE}  - { instance: 1-Wire, ident: onewire, module: 1-Wire Bus, properties: { Bus: w1_bus_master1 } }
  - { instance: Trial, ident: trial, module: Virtual I/O }
configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip }
`;

/** Functions that only read. Those that need a broker are tested in `story/devices`. */
const READING = /^(?!.*MQTT).*(Get|Find|Exists|Has|Is[A-Z]|discover|Translate|RunScriptTextWait|GW_Reload)/;

t.test('every function that reads returns what it declares, in a complete gateway', async (t) => {
  const stick = await tempDirectory(t);
  const fixture = await startGateway(t, `${CONFIG}backup: { targets: [{ name: stick, path: ${stick} }] }\n`);
  const login = `${encodeURIComponent(OWNER.username)}:${OWNER.password}`;
  const client = new Client<AnyFunction>(`http://${login}@127.0.0.1:${fixture.port}/api/`);
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  const variable = await idOf(fixture, 'ground_floor/hall_relay/STATE');
  const ground = await idOf(fixture, 'ground_floor');
  const bus = await idOf(fixture, 'onewire');
  const wire = await idOf(fixture, 'trial');
  const made: Record<string, number> = {};
  for (const [what, method, ...params] of [
    ['script', 'SVC_CreateScript', 0],
    ['link', 'SVC_CreateLink'],
    ['media', 'SVC_CreateMedia', 5],
    ['instance', 'SVC_CreateInstance', 'GPIO Output'],
    ['hardware', 'SVC_CreateInstance', 'Hardware'],
    ['category', 'SVC_CreateCategory'],
    ['event', 'SVC_CreateEvent', 0],
    ['Integer', 'SVC_CreateVariable', 1],
    ['Float', 'SVC_CreateVariable', 2],
    ['String', 'SVC_CreateVariable', 3],
  ] as const) {
    made[what] = (await client.call(method, ...params)) as number;
    await client.call('SVC_SetName', made[what], 'one');
  }
  await client.call('SVC_SetMediaFile', made['media'], `${made['script']}.js`, false);
  await client.call('SVC_SetMediaContent', made['media'], 'YQ==');
  await client.call('SetValue', await idOf(fixture, 'ground_floor/setpoint'), 22.5);
  const { kernel } = fixture.gateway;
  await until('the hardware search', () => kernel.instances.get(made['hardware'] ?? 0).data.status === 102);
  await until('the virtual stream', () => kernel.instances.get(wire).data.status === 102);
  await client.call('VIO_SendText', wire, 'one');
  await client.call('VIO_SendPacket', wire, 'one', '10.0.0.1', 1);
  await client.call('GW_CreateRecoveryKey');
  await client.call('GW_RunTargetBackup', 'stick');
  const [front] = (await client.call('WFC_GetConfigurators')) as { ID: number }[];
  const [library] = (await client.call('SVC_GetLibraryList')) as string[];
  const [utility] = (await client.call('SVC_GetInstanceListByModuleID', 'Utility Control')) as number[];
  const [archive] = (await client.call('SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  const since = (await client.call('SVC_GetSnapshotChanges', 0)) as { TimeStamp: number }[];
  await client.call('SVC_RunScriptTextWait', 'print(1)');
  const [thread] = (await client.call('SVC_GetScriptThreadList')) as number[];
  await client.call('SVC_SetScriptTimer', made['script'], 3600);
  const [timer] = (await client.call('SVC_GetTimerList')) as number[];
  const [action] = JSON.parse((await client.call('SVC_GetActions')) as string) as { actionID: string }[];
  const given: Record<string, unknown> = {
    ActionID: action?.actionID,
    TimerID: timer,
    EventID: made['event'],
    TargetID: variable,
    Environment: '',
    IncludeDefault: true,
    Conditions: '[]',
    ThreadID: thread,
    ID: ground,
    ParentID: 0,
    InstanceID: relay,
    ParentInstanceID: relay,
    VariableID: variable,
    CategoryID: ground,
    ScriptID: made['script'],
    LinkID: made['link'],
    MediaID: made['media'],
    MediaType: 5,
    Parameter: [],
    Icon: 'Power',
    SearchStr: 'print',
    Name: 'one',
    Ident: 'ground_floor',
    ProfileName: '~Switch',
    ModuleID: 'GPIO Output',
    ParentModuleID: 'MQTT Client',
    LibraryID: library,
    FunctionName: 'SetValue',
    FilePath: `${made['script']}.js`,
    Option: 'SaveInterval',
    Recursive: true,
    Source: 'line',
    Target: 'stick',
    SinceMs: 0,
    Level: 'info',
    Subject: '',
    Value: true,
    Text: 'x',
    ScriptText: 'print(1)',
    Parameters: { SCRIPT: 'print(1)' },
    LastTimestamp: (since[0]?.TimeStamp ?? 0) - 1,
    LastTimeStamp: (since[0]?.TimeStamp ?? 0) - 1,
    VariableIDs: [variable, 1],
    Limit: 10,
    Key: 'key-of-a-command',
    Role: 'owner',
    StartTime: 0,
    EndTime: 0,
    AggregationSpan: 0,
    CalculateStatistics: true,
    URL: `http://127.0.0.1:${fixture.port}/api/`,
    Options: {},
  };
  const called: string[] = [];
  const odd: string[] = [];
  for (const declaration of fixture.gateway.registry.all()) {
    const { name, parameters, unsupported: nothing } = declaration;
    if (!READING.test(name) || nothing !== undefined) continue;
    const params = parameters.map((parameter) => {
      if (/^WFC_|PushDevices/.test(name) && parameter.name === 'InstanceID') return front?.ID;
      if (name.startsWith('UC_') && parameter.name === 'InstanceID') return utility;
      if (name.startsWith('AC_') && parameter.name === 'InstanceID') return archive;
      if (name.startsWith('OW_')) return bus;
      if (name.startsWith('VIO_')) return wire;
      if (/Found|Searching/.test(name) && parameter.name === 'InstanceID') return made['hardware'];
      const typed = made[name.replace('GetValue', '')];
      if (typed !== undefined) return typed;
      if (name === 'SVC_GetProperty' && parameter.name === 'Name') return 'Line';
      if (parameter.enumeration !== undefined) return 0;
      return parameter.name in given ? given[parameter.name] : [];
    });
    try {
      const difference = schemaViolation(declaration, await client.call(name, ...params));
      if (difference !== undefined) odd.push(difference);
      called.push(name);
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      odd.push(`${name}(${JSON.stringify(params)}): ${thrown.message}`);
    }
  }
  t.strictSame(odd, []);
  t.ok(called.length > 100, `${called.length} functions called`);
});
