import t from 'tap';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { validValue } from '../../tools/client/parameter-samples.js';

t.test('functions without a purpose in a gateway return constants', async (t) => {
  await using fixture = new FunctionFixture();
  for (const [name, reply] of [
    ['SVC_GetLicensee', ''],
    ['SVC_GetLimitDemo', 0],
    ['SVC_GetLimitFeatures', []],
    ['SVC_GetLimitServer', ''],
    ['SVC_GetLimitWebFront', 0],
    ['SVC_GetDemoExpiration', 0],
    ['SVC_GetSubscriptionExpiration', 0],
    ['SVC_IsLicenseChangePending', false],
    ['SVC_GetAvailableUpdates', []],
    ['SVC_GetLiveUpdateVersion', ''],
    ['SVC_GetUpdateChannel', ''],
    ['SVC_IsReplicationActive', false],
    ['SVC_IsReplicationMaster', false],
    ['SVC_IsReplicationOnStandBy', false],
    ['SVC_GetReplicationSyncTime', 0],
    ['SVC_GetActiveWebRTCConnections', 0],
  ] as const)
    t.strictSame(await fixture.call(name), reply, name);
});

t.test('unsupported functions check their parameters and fail with the reason', async (t) => {
  await using fixture = new FunctionFixture();
  const rejected = fixture.registry.all().filter(({ unsupported: nothing }) => nothing !== undefined);
  t.ok(rejected.length > 35, `${rejected.length} of them`);
  for (const { name, parameters, unsupported: nothing = '' } of rejected) {
    await t.rejects(fixture.call(name, ...parameters.map(validValue)), {
      code: 'NOTHING_TO_DO',
      rpc: -32603,
      message: `${name} is not supported: ${nothing}`,
    });
    await t.rejects(fixture.call(name, ...parameters.map(validValue), 1), { code: 'PARAMETER_COUNT' });
  }
  await t.rejects(fixture.call('HW_LoadDevices', 1, 4), { code: 'PARAMETER_BOUNDS' });
  t.match(await fixture.call('SVC_GetFunction', 'SVC_MakeCrash'), { FunctionName: 'SVC_MakeCrash' });
  t.strictSame(fixture.audit, [], 'a constant rejection is not worth an audit entry');
});
