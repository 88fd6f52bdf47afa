import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../../law/sources.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

/** The example at the beginning of a page. */
const treeOf = (page: string): string =>
  /```yaml\ntree:\n([^]*?)```/.exec(readFileSync(join(ROOT, 'docs/hardware', page), 'utf8'))?.[1] ?? '';

t.test('the examples of the pages work: a blinking LED, and a light on a PWM channel', async (t) => {
  const gateway = await startGateway(t, `${SIMULATED_CONFIG}tree:\n${treeOf('led.md')}${treeOf('pwm.md')}`);
  const becomes = (path: string, value: unknown) =>
    until(`${path} to be ${String(value)}`, async () => (await valueAt(gateway, path)) === value);
  const act = async (path: string, value: unknown) => {
    t.equal(await rpc(gateway, 'RequestAction', await idOf(gateway, path), value), true, path);
  };
  for (const ident of ['status_light', 'cabinet_light', 'damper']) await becomes(`${ident}/LINK`, 'online');
  await act('status_light/BLINK', true);
  t.equal(await valueAt(gateway, 'status_light/TRIGGER'), 'timer');
  t.equal(await valueAt(gateway, 'status_light/STATE'), true);
  await act('cabinet_light/LEVEL', 0.5);
  t.equal(await valueAt(gateway, 'cabinet_light/STATE'), true);
  t.equal(await rpc(gateway, 'GetValueFormatted', await idOf(gateway, 'cabinet_light/LEVEL')), '50%');
  await act('damper/LEVEL', 0);
  t.equal(await valueAt(gateway, 'damper/STATE'), true, 'the LED stays on at the end of blinking');
  t.equal(await rpc(gateway, 'GW_SimulatePwmGone', 'simulated.pwm', true), true);
  const damper = await idOf(gateway, 'damper');
  t.equal(await rpc(gateway, 'HW_WriteValueFloat', damper, 'LEVEL', 1), 'DEVICE_OFFLINE');
  t.equal(await rpc(gateway, 'GW_SimulatePwmGone', 'simulated.pwm', false), true);
  await becomes('damper/LINK', 'online');
  t.equal(await rpc(gateway, 'GW_SimulateLedGone', 'LED1', true), true);
  const light = await idOf(gateway, 'status_light');
  t.equal(await rpc(gateway, 'HW_RequestStatus', light, 'STATE'), 'DEVICE_OFFLINE');
});
