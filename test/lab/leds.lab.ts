/**
 * LEDs and PWM chips of a real kernel: LEDs on pins that are observed from outside the machine, and on a PWM
 * channel; PWM chips like the Raspberry Pi's, whose registers are read from outside. The machine boots cold,
 * because its device tree lists them.
 */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../tools/until.js';
import { Box, ownDisk, PATIENCE_MS } from './machine/box.js';
import { runInGuest } from './machine/guest-program.js';
import { Machine } from './machine/machine.js';
import { ROOT } from './paths.js';

const CONTRACT_LIMIT_MS = 180_000;

const PIN = 6;
const LED = 'green:status';
/** A trigger that leaves the LED dark during normal operation. */
const TRIGGER = 'panic';
/** As in the device tree. */
const [REGISTERS, CHIP, KEPT] = [0x6ff00000, '6ff00000.pwm', '6ff01000.pwm'];
/** Registers of pwm-bcm2835.c; a tick is 100 ns, by the machine's oscillator. */
const [CONTROL, PERIOD, DUTY] = [REGISTERS, REGISTERS + 0x10, REGISTERS + 0x14];
const ENABLED = 1;

const machine = await Machine.start({
  disk: await ownDisk(t),
  devices: join(ROOT, 'test/lab/lamps.dts'),
});
await using box = await Box.on(machine);
const { agent } = machine;
const pins = await machine.pins();
await box.configure(`
- { instance: Status, ident: status, module: LED, properties: { Led: "${LED}", BlinkOnMs: 300, BlinkOffMs: 200 } }
- { instance: Light, ident: light, module: PWM, properties: { Chip: ${CHIP}, Channel: "0", FrequencyHz: 1000 } }
- { instance: Taken, ident: taken, module: PWM, properties: { Chip: ${KEPT}, Channel: "0" } }`);

const act = async (path: string, value: unknown) => box.call('RequestAction', await box.id(path), value);

/** Waits for this number of changes of the pin. */
async function moves(times: number): Promise<void> {
  let seen = 0;
  const end = pins.watch((pin) => (seen += Number(pin === PIN)));
  await until(`${times} changes of the pin`, () => seen >= times, PATIENCE_MS).finally(end);
}

await t.test(
  'an LED is left to the kernel, and its pin follows commands to light, blink and go dark',
  async (t) => {
    await box.becomes('status/LINK', 'online');
    t.equal(await box.value('status/TRIGGER'), 'heartbeat', 'as in the device tree');
    await moves(2);
    t.equal(await act('status/STATE', true), true);
    await until('the pin lit', () => pins.level(PIN) === true, PATIENCE_MS);
    t.equal(await box.value('status/TRIGGER'), 'none');
    t.equal(await act('status/BLINK', true), true);
    t.equal(await agent.run(`cd /sys/class/leds/${LED}; echo $(cat delay_on delay_off)`), '300 200');
    await moves(6);
    t.equal(await act('status/STATE', false), true);
    await until('the pin dark', () => pins.level(PIN) === false, PATIENCE_MS);
    t.equal(await act('status/TRIGGER', 'heartbeat'), true);
    await moves(2);
  },
);

await t.test('the registers of a PWM channel follow commands', async (t) => {
  await box.becomes('light/LINK', 'online');
  t.equal(await pins.word(CONTROL), 0, 'opening changes nothing');
  t.equal(await act('light/LEVEL', 0.25), true);
  t.equal(await pins.word(PERIOD), 10_000);
  t.equal(await pins.word(DUTY), 2_500);
  t.equal((await pins.word(CONTROL)) & ENABLED, ENABLED);
  t.equal(await act('light/STATE', false), true);
  t.equal(await pins.word(DUTY), 0);
  t.equal((await pins.word(CONTROL)) & ENABLED, ENABLED, 'off, and its pin still belongs to the chip');
  await box.becomes('taken/LINK', 'waiting');
  t.match(await box.value('taken/STATUS'), /in use by the kernel or another program/);
});

await t.test('the gateway is killed and restarted: nothing changes', async (t) => {
  await act('light/LEVEL', 0.5);
  await act('status/BLINK', true);
  await agent.run('systemctl kill -s KILL stellwerk');
  await moves(4);
  t.equal(await pins.word(DUTY), 5_000);
  await box.answers();
  await box.becomes('light/LINK', 'online');
  await box.becomes('status/LINK', 'online');
  t.strictSame([await box.value('light/STATE'), await box.value('light/LEVEL')], [true, 0.5]);
  t.equal(await box.value('status/BLINK'), true);
  t.equal(await pins.word(DUTY), 5_000);
  await moves(2);
});

const contract = (t: Test, folder: string, words: string) =>
  runInGuest(t, agent, {
    file: `contract/${folder}/kernel-program.js`,
    words,
    minAssertions: 6,
    limitMs: CONTRACT_LIMIT_MS,
  });

await t.test('the contract on an LED on a PWM channel', async (t) => {
  await contract(t, 'led', `white:cabinet ${TRIGGER}`);
});

await t.test('the contract on a PWM chip', async (t) => {
  // It would claim the channel again, and has left it exported.
  await agent.run('systemctl stop stellwerk');
  const chip = await agent.run(`basename $(dirname /sys/devices/platform/${CHIP}/pwm/*/npwm)`);
  await agent.run(`cd /sys/class/pwm/${chip} && echo 0 >pwm0/enable && echo 0 >unexport`);
  await contract(t, 'pwm', `${CHIP} ${KEPT}`);
});
