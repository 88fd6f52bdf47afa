import t from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  configDirectory,
  startGatewayProcess,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';

const call = (gateway: Pick<GatewayFixture, 'port'>, method: string, ...params: unknown[]) =>
  rpc(gateway, method, ...params);

t.test('records of a deleted variable belong to no other variable until they are assigned', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG);
  const [archive] = (await call(gateway, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  const gone = (await call(gateway, 'SVC_CreateVariable', 1)) as number;
  await call(gateway, 'AC_SetLoggingStatus', archive, gone, true);
  const records = [3, 4].map((Value) => ({ TimeStamp: 1_700_000_000 + Value, Value }));
  await call(gateway, 'AC_AddLoggedValues', archive, gone, records);
  await call(gateway, 'SVC_DeleteVariable', gone);
  t.equal(await call(gateway, 'AC_GetLoggedValues', archive, gone, 0, 0, 0), 'NOT_OF_TYPE');
  const facts = (await call(gateway, 'AC_GetAggregationVariables', archive, true)) as object[];
  t.match(facts, [{ VariableID: gone, AggregationActive: false, RecordCount: Number }], 'they are kept');
  const created: number[] = [];
  for (let n = 0; n < 100; n++) {
    const id = (await call(gateway, 'SVC_CreateVariable', 1)) as number;
    created.push(id);
    if (n < 99) await call(gateway, 'SVC_DeleteVariable', id);
  }
  t.equal(new Set([...created, gone]).size, 101);
  const heir = created.at(-1) as number;
  t.strictSame(await call(gateway, 'AC_GetLoggedValues', archive, heir, 0, 0, 0), []);
  t.equal(await call(gateway, 'AC_ChangeVariableID', archive, gone, heir), true);
  t.match(await call(gateway, 'AC_GetLoggedValues', archive, heir, 0, 0, 0), [{ Value: 4 }, { Value: 3 }]);
});

t.test('no id is assigned twice, even if the process is killed', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG);
  const given: number[] = [];
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    const served = await startGatewayProcess(t, directory);
    for (let n = 0; n < 20; n++) {
      const id = (await rpc(served, 'SVC_CreateCategory')) as number;
      given.push(id);
      await rpc(served, 'SVC_DeleteCategory', id);
    }
    await served.program.end(signal);
  }
  t.equal(new Set(given).size, 60);
});
