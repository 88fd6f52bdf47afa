import t from 'tap';
import { TcpPeer } from '../../contract/socket/tcp-peer.js';
import { TcpClient } from '../../contract/socket/tcp-client.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { reservePort } from '../../tools/reserve-port.js';
import { until } from '../../tools/until.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const METER = `      - instance: Meter
        ident: meter
        module: Serial Device
        properties:
          Rules: [{ Pattern: "^T=(-?[0-9.]+)$", Ident: TEMPERATURE, Type: float, Profile: ~Temperature }]
          Commands: [{ Ident: LEVEL, Type: integer, Send: 'LEVEL {value}\\r\\n' }]
`;

const value = (gateway: GatewayFixture, path: string, expected: unknown) =>
  until(`${path} to be ${String(expected)}`, async () => (await valueAt(gateway, path)) === expected);

t.test('a meter behind a converter works over TCP like over a serial line', async (t) => {
  await using converter = await TcpPeer.start();
  const gateway = await startGateway(
    t,
    `${SIMULATED_CONFIG}tree:
  - instance: Converter
    ident: converter
    module: Client Socket
    properties: { Host: 127.0.0.1, Port: ${converter.port} }
    children:
${METER}`,
  );
  await value(gateway, 'converter/meter/LINK', 'online');
  const meter = await idOf(gateway, 'converter/meter');
  converter.say('T=21.5\r\n');
  await value(gateway, 'converter/meter/TEMPERATURE', 21.5);
  t.equal(await rpc(gateway, 'HW_WriteValueInteger', meter, 'LEVEL', 7), true);
  await until('the command', () => converter.received().toString() === 'LEVEL 7\r\n');
  await converter.unplug();
  await value(gateway, 'converter/meter/LINK', 'waiting');
  t.equal(await rpc(gateway, 'HW_WriteValueInteger', meter, 'LEVEL', 8), 'DEVICE_OFFLINE');
  t.match(JSON.stringify(await rpc(gateway, 'GW_GetHealth')), /Converter/);
  await converter.plug();
  await value(gateway, 'converter/meter/LINK', 'online');
  converter.say('T=4\n');
  await value(gateway, 'converter/meter/TEMPERATURE', 4);
  t.equal(converter.received().toString(), '', 'no failed command is sent later');
});

t.test('meters that connect to the gateway are its clients, each with its own reply', async (t) => {
  const port = await reservePort();
  const gateway = await startGateway(
    t,
    `${SIMULATED_CONFIG}tree:
  - instance: Meters
    ident: meters
    module: Server Socket
    properties: { Port: ${port} }
    children:
${METER}`,
  );
  await value(gateway, 'meters/meter/LINK', 'online');
  const meters = await idOf(gateway, 'meters');
  using cellar = await TcpClient.connect(port);
  using attic = await TcpClient.connect(port);
  cellar.say('T=12\n');
  await value(gateway, 'meters/meter/TEMPERATURE', 12);
  attic.say('T=25\n');
  await value(gateway, 'meters/meter/TEMPERATURE', 25);
  const known = (await rpc(gateway, 'HW_GetKnownDevices', meters)) as { ClientPort: number }[];
  t.same(known.map(({ ClientPort }) => ClientPort).sort(), [cellar.port, attic.port].sort());
  t.equal(await rpc(gateway, 'SSCK_SendPacket', meters, 'OK\n', '127.0.0.1', attic.port), true);
  await attic.hears('OK\n');
  t.equal(cellar.heard(), '');
  t.equal(await rpc(gateway, 'SSCK_SendText', meters, 'BYE\n'), true);
  await Promise.all([cellar.hears('BYE\n'), attic.hears('OK\nBYE\n')]);
});
