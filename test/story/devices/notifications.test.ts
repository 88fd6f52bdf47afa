import t from 'tap';
import { textOf } from '../../law/sources.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { MessageServer } from '../../tools/notification/message-server.js';
import { until } from '../../tools/until.js';

const TOKEN = 'tk_of_the_phone';

t.test('the example of the page on notifications: a switch sends a message to a phone', async (t) => {
  await using ntfy = await MessageServer.start();
  const [yaml = ''] = [...textOf('docs/use/notifications.md').matchAll(/```yaml\n([^]*?)```/g)].map(
    ([, text]) => text,
  );
  const example = yaml.replace(
    'Url: "https://ntfy.sh/house-3f9c2a7d"',
    `Url: "${ntfy.url}/house", Password: ${TOKEN}`,
  );
  t.match(example, TOKEN);
  const fixture = await startGateway(t, SIMULATED_CONFIG + example);
  const phone = await idOf(fixture, 'phone');
  for (const ident of ['leak', 'phone'])
    await until(`${ident} online`, async () => (await valueAt(fixture, `${ident}/LINK`)) === 'online');
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
  await until('the message', () => ntfy.received.length > 0);
  t.match(ntfy.received, [
    {
      headers: { authorization: `Bearer ${TOKEN}` },
      body: { topic: 'house', title: 'Message to my phone', message: 'Water in the cellar', priority: 3 },
    },
  ]);
  ntfy.statuses.push(403);
  t.equal(await rpc(fixture, 'GW_SendNotification', phone, 'Heating', 'On', 2), true);
  await until('its end', async () => (await valueAt(fixture, 'phone/FAILED')) === 1);
  t.match(await rpc(fixture, 'HW_ReadServiceMessages', phone), [{ Code: 'DISCARDED' }]);
  t.equal(await rpc(fixture, 'GW_SendNotification', phone, '', ' ', 2), 'DEVICE_REFUSED');
  t.equal(await valueAt(fixture, 'phone/SENT'), 1);
  const shown = [
    await rpc(fixture, 'SVC_GetSnapshot'),
    await rpc(fixture, 'SVC_GetConfiguration', phone),
    await rpc(fixture, 'HW_ReadServiceMessages', phone),
    await rpc(fixture, 'GW_GetLog', 0),
  ];
  t.notMatch(JSON.stringify(shown), TOKEN);
});
