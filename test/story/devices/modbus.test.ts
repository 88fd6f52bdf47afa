import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { ModbusServer } from '../../tools/devices/modbus-server.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram } from '../../tools/program.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { until } from '../../tools/until.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const skip = hasProgram('socat') ? false : 'socat is not installed (Debian package socat)';
const PAGE = join(PACKAGE_ROOT, 'docs/hardware/modbus.md');

/** The examples of the page, as users copy them. */
const [line = '', network = ''] = [...readFileSync(PAGE, 'utf8').matchAll(/```yaml\n([^]*?)```/g)].map(
  ([, yaml]) => yaml ?? '',
);

/** The registers of the example units: 230.1 V, -1500.5 W, 12,345.67 kWh, a pump that is off. */
function metered(): ModbusServer {
  // All units of the line.
  const side = new ModbusServer(255);
  for (const [at, word] of [0x4366, 0x199a].entries()) side.input.set(at, word);
  for (const [at, word] of [0xc4bb, 0x9000].entries()) side.input.set(12 + at, word);
  for (const [at, word] of [0x0012, 0xd687].entries()) side.input.set(342 + at, word);
  side.coils.set(0, false);
  return side;
}

const isShown = (gateway: GatewayFixture, path: string, text: string) =>
  until(`${path} to show ${text}`, async () => {
    const shown = await rpc(gateway, 'GetValueFormatted', await idOf(gateway, path));
    return shown === text;
  });

await t.test(
  'the example of the page works: an energy meter and a relay board on one line',
  { skip },
  async (t) => {
    await using pair = await openPtyPair(await tempDirectory(t));
    const side = metered();
    await using _server = await side.serveRtu(pair.far);
    const gateway = await startGateway(
      t,
      SIMULATED_CONFIG + line.replace(/Port: \S+,/, `Port: ${pair.near},`),
    );
    await isShown(gateway, 'rs485/meter/voltage/Value', '230.1 V');
    await isShown(gateway, 'rs485/meter/power/Value', '-1500.5 W');
    await isShown(gateway, 'rs485/meter/energy/Value', '12345.670 kWh');
    await isShown(gateway, 'rs485/relays/pump/Value', 'Off');
    const pump = await idOf(gateway, 'rs485/relays/pump/Value');
    await rpc(gateway, 'RequestAction', pump, true);
    t.equal(side.coils.get(0), true, 'the unit has it when the call returns');
    await isShown(gateway, 'rs485/relays/pump/Value', 'On');
    side.coils.set(0, false);
    await isShown(gateway, 'rs485/relays/pump/Value', 'Off');
    const energy = await idOf(gateway, 'rs485/meter/energy');
    side.input.set(343, 0xd688);
    t.equal(await rpc(gateway, 'ModBus_RequestRead', energy), true);
    t.equal(await rpc(gateway, 'GetValue', await idOf(gateway, 'rs485/meter/energy/Value')), 12_345.68);
  },
);

await t.test('the same meter over the network', async (t) => {
  const side = metered();
  await using server = await side.serveTcp();
  const yaml = network.replace(/Host: \S+, Port: 502/, `Host: 127.0.0.1, Port: ${server.port}`);
  const gateway = await startGateway(t, SIMULATED_CONFIG + yaml);
  await isShown(gateway, 'meter_socket/meter/voltage/Value', '230.1 V');
  t.equal(await valueAt(gateway, 'meter_socket/meter/LINK'), 'online');
});
