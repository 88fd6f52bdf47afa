/** The owner declares a chip; the service that works as root is run here, on the files of another machine. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { CHIP_REQUEST_FILE, serveChipRequest } from '../../../src/service/machine/chip-service.js';
import { makeI2cMachine } from '../../tools/box/i2c-machine.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

const SENSOR = `tree:
  - { instance: Attic, ident: attic, module: Sensor, properties: { Device: bme280@1-0077 } }
`;

async function start(t: Test, clock?: ManualClock) {
  const machine = await makeI2cMachine(t);
  const gateway = await startGateway(t, SIMULATED_CONFIG + SENSOR, {
    machineRoot: machine.root,
    ...(clock && { clock }),
  });
  const request = join(gateway.directory, 'data/run', CHIP_REQUEST_FILE);
  /** Waits for a request, and lets the service do it. */
  const serve = async () => {
    await until('a request', () => existsSync(request));
    return serveChipRequest(request, machine.root);
  };
  return { ...machine, gateway, request, serve };
}

t.test('the doctor names the chip, and the owner’s confirmation writes it', async (t) => {
  const { gateway, path, serve } = await start(t);
  const checks = (await rpc(gateway, 'GW_RunDoctor')) as { Name: string; Chips: string[] }[];
  t.strictSame(checks.find(({ Name }) => Name === 'sensors')?.Chips, ['bme280@1-0077']);
  t.ok(checks.every(({ Name, Chips }) => Name === 'sensors' || Chips.length === 0));
  const plan = { Device: 'bme280@1-0077', Path: path, Lines: [/"bme280 0x77"$/], CanWrite: true };
  t.match(await rpc(gateway, 'GW_CheckChip', 'bme280@1-0077'), plan);
  t.notOk(existsSync(path), 'a check changes nothing');
  const [result] = await Promise.all([rpc(gateway, 'GW_EnableChip', 'bme280@1-0077'), serve()]);
  t.match(result, plan);
  t.match(readFileSync(path, 'utf8'), /ATTR\{new_device\}="bme280 0x77"$/m);
  t.match(await rpc(gateway, 'GW_CheckChip', 'bme280@1-0077'), { Lines: [] }, 'it has it already');
  t.match(await rpc(gateway, 'GW_EnableChip', 'bme280@1-0077'), { Lines: [] }, 'nothing is requested');
  const [entry] = (await rpc(gateway, 'GW_GetAudit', 1)) as { Method: string }[];
  t.match(entry, { Method: 'GW_EnableChip', Parameters: [/bme280@1-0077/], Success: true });
});

t.test('the gateway rejects what the service would reject, without a request', async (t) => {
  const { gateway, request } = await start(t);
  for (const device of ['24c32@1-0050', 'bme280@1-0020', 'bme280@5-0077', 'bme280@1-0077\nx'])
    t.equal(await rpc(gateway, 'GW_EnableChip', device), 'CHIP_NOT_ENABLED', device);
  t.notOk(existsSync(request));
});

t.test('a chip that the service rejects is an error with its reason', async (t) => {
  const { gateway, root, path, request, serve } = await start(t);
  const enabling = rpc(gateway, 'GW_EnableChip', 'bme280@1-0077');
  await until('a request', () => existsSync(request));
  // In the meantime, another program has declared it.
  const chip = join(root, 'sys/bus/i2c/devices/1-0077');
  mkdirSync(chip);
  writeFileSync(join(chip, 'name'), 'bmp280\n');
  t.equal((await serve())?.problem?.Code, 'CHIP_PRESENT');
  t.equal(await enabling, 'CHIP_NOT_ENABLED');
  t.notOk(existsSync(path));
});

t.test('one chip is written at a time', async (t) => {
  const { gateway, request, serve } = await start(t);
  const first = rpc(gateway, 'GW_EnableChip', 'bme280@1-0077');
  await until('a request', () => existsSync(request));
  t.equal(await rpc(gateway, 'GW_EnableChip', 'sht3x@1-0044'), 'BUSY');
  await serve();
  t.match(await first, { Device: 'bme280@1-0077' });
});

t.test('without the service, the command is named and nothing is requested', async (t) => {
  const { gateway, disable, request } = await start(t);
  disable();
  t.match(await rpc(gateway, 'GW_CheckChip', 'bme280@1-0077'), { CanWrite: false });
  t.equal(await rpc(gateway, 'GW_EnableChip', 'bme280@1-0077'), 'NOT_SUPPORTED');
  t.notOk(existsSync(request));
});

t.test('a request that the service does not take is withdrawn', async (t) => {
  const clock = new ManualClock();
  const { gateway, request } = await start(t, clock);
  const enabling = rpc(gateway, 'GW_EnableChip', 'bme280@1-0077');
  let result: unknown;
  void enabling.then((value) => (result = value));
  await until('a request', () => existsSync(request));
  await until('the end of the call', () => {
    clock.advance(250);
    return result !== undefined;
  });
  t.equal(result, 'CHIP_NOT_ENABLED');
  t.notOk(existsSync(request));
});
