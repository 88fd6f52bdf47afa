/**
 * Outputs of a port expander: the kernel's own driver of the PCA9555, and a chip whose registers are in i2c-stub,
 * because the emulated board has no I²C. The chip has no interrupt line.
 */
import t from 'tap';
import { messageOf } from '../../src/base/fault.js';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';

const CHIP = '/sys/bus/i2c/devices/i2c-0';
/** The registers with the levels of its outputs (PCA9555 datasheet, table 5): lines 0 to 7, and 8 to 15. */
const PORTS = [2, 3] as const;
/** The distance to the input register of a port. */
const INPUTS = 2;

await using box = await Box.taken(
  t,
  `- { instance: Pump, ident: pump, module: Relay, properties: { Chip: 0-0020, Line: "3", Boot: inactive, OnDeath: inactive } }
- { instance: Valve, ident: valve, module: GPIO Output, properties: { Chip: 0-0020, Line: "12", Boot: inactive, HoldForS: 900 } }
- { instance: Door, ident: door, module: GPIO Input, properties: { Chip: 0-0020, Line: "5" } }`,
);
const { agent } = box.machine;

/** The levels of all outputs: of line 0 in bit 0. */
async function levels(): Promise<number> {
  const [low, high] = await Promise.all(
    PORTS.map(async (port) => Number(await agent.run(`/opt/lab/i2c-word 0 0x20 ${port}`)) & 0xff),
  );
  return (low ?? 0) | ((high ?? 0) << 8);
}

/** What the pins of a real chip do: its input registers, from which a level is read, follow the outputs. */
const followOutputs = () =>
  agent.run(
    PORTS.map((port) => `/opt/lab/i2c-word 0 0x20 ${port - INPUTS} $(/opt/lab/i2c-word 0 0x20 ${port})`).join(
      ' && ',
    ),
  );

const become = (expected: number) =>
  until(`levels ${expected.toString(2)}`, async () => (await levels()) === expected, PATIENCE_MS);

/** The text with which a call fails. */
const failure = (method: string, ...params: string[]): Promise<string> =>
  box.call(method, ...params).then(
    () => 'it did not fail',
    (thrown: unknown) => messageOf(thrown),
  );

const PUMP = 1 << 3;
const VALVE = 1 << 12;

await t.test('a chip that appears is driven, and has no inputs without an interrupt line', async (t) => {
  await box.becomes('pump/LINK', 'waiting');
  await agent.run('modprobe i2c-dev && modprobe i2c-stub chip_addr=0x20,0x21');
  await agent.run(`echo pca9555 0x20 >${CHIP}/new_device`);
  for (const ident of ['pump', 'valve']) {
    await box.becomes(`${ident}/LINK`, 'online');
    await box.call('RequestAction', await box.id(`${ident}/STATE`), true);
  }
  t.equal(await levels(), PUMP | VALVE);
  await followOutputs();
  t.match(await box.value('door/STATUS'), /this chip does not support that/);
});

await t.test('the policies hold when the gateway is killed', async (t) => {
  await agent.run('systemctl kill -s KILL --kill-whom=main stellwerk');
  await become(VALVE);
  await followOutputs();
  await box.answers();
  for (const ident of ['pump', 'valve']) await box.becomes(`${ident}/LINK`, 'online');
  t.equal(await levels(), VALVE, 'the pump is off, the valve is held');
  t.equal(await box.value('valve/STATE'), true);
});

await t.test('a chip that disappears and returns is taken up again', async (t) => {
  await agent.run(`echo 0x20 >${CHIP}/delete_device`);
  await box.becomes('valve/LINK', 'waiting');
  await agent.run(`echo pca9555 0x20 >${CHIP}/new_device`);
  await box.becomes('valve/LINK', 'online');
  t.equal(await levels(), VALVE);
  await box.call('RequestAction', await box.id('valve/STATE'), false);
  t.equal(await levels(), 0);
});

const RULES = '/etc/udev/rules.d/61-stellwerk-chips.rules';
const REQUEST = '/run/stellwerk/chip-request';

await t.test('the owner enables another chip, and the kernel has it when udev reads the rule', async (t) => {
  // The service may need longer than the gateway waits; then the next call finds what it has written.
  const enabled = await until(
    'the declaration of the chip',
    () =>
      box.call('GW_EnableChip', 'pca9555@0-0021').catch((thrown: unknown) => {
        if (!/did not reply/.test(messageOf(thrown))) throw thrown;
      }),
    PATIENCE_MS,
  );
  t.match(enabled, { Path: RULES, CanWrite: true });
  t.match(await agent.run(`cat ${RULES}`), /KERNEL=="i2c-0", ATTR\{new_device\}="pca9555 0x21"/);
  t.match(await agent.run('systemctl show -P Result stellwerk-chips.service'), /^success/);
  await agent.run(`udevadm control --reload && udevadm trigger --settle --action=add ${CHIP}`);
  t.match(await agent.run('ls /sys/bus/i2c/devices/0-0021/driver/'), /0-0021/);
  t.match(await failure('GW_EnableChip', 'pcf8574@0-0021'), /the kernel has pca9555 at 0-0021 already/);
});

await t.test('a gateway in the hands of an attacker cannot declare another chip', async (t) => {
  const before = await agent.run(`cat ${RULES}`);
  const request = JSON.stringify({ id: '0123456789abcdef', device: 'pca9555@0-0022" RUN+="/bin/sh' });
  await agent.put('/run/request', request);
  await agent.run(`install -o stellwerk -m 0600 /run/request ${REQUEST}.new && mv ${REQUEST}.new ${REQUEST}`);
  const log = () => agent.run('journalctl -o cat -u stellwerk-chips');
  await until('the service', async () => (await log()).includes('rejected: CHIP_UNKNOWN'), PATIENCE_MS);
  t.equal(await agent.run(`ls ${REQUEST} || true`), '', 'the request is removed');
  t.equal(await agent.run(`cat ${RULES}`), before);
});
