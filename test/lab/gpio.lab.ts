/**
 * From a pin to a client and back: the host drives and reads pins of the machine's GPIO controller, and talks
 * to the installed gateway over real sockets. Through the character device and sysfs at the same time.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';

const CHIP = '9030000.pl061';
/** The pins of each backend: one for a relay, one for a button. */
const BACKENDS = [
  { backend: 'cdev', relay: 0, button: 1 },
  { backend: 'sysfs', relay: 4, button: 5 },
] as const;
const FREE_PIN = 2;
/** Enough to detect a lost or reordered change; each is awaited. */
const PRESSES = 20;

const tree = BACKENDS.flatMap(({ backend, relay, button }) => [
  `- { instance: Relay, ident: relay_${backend}, module: GPIO Output, properties: { Chip: ${CHIP}, Line: "${relay}", Backend: ${backend}, Boot: inactive } }`,
  `- { instance: Button, ident: button_${backend}, module: GPIO Input, properties: { Chip: ${CHIP}, Line: "${button}", Backend: ${backend} } }`,
]);
await using box = await Box.taken(t, tree.join('\n'));
const pins = await box.machine.pins();

for (const { backend, relay, button } of BACKENDS) {
  await t.test(`${backend}: a pin that is driven from outside is a frame at the client`, async (t) => {
    await box.becomes(`button_${backend}/LINK`, 'online');
    const state = await box.id(`button_${backend}/STATE`);
    using frames = await box.frames();
    for (let n = 1; n <= PRESSES; n++) {
      const isPressed = n % 2 === 1;
      await pins.drive(button, isPressed);
      const { Data } = await frames.update(state, isPressed);
      t.strictSame(
        Data.slice(0, 3),
        [isPressed, true, !isPressed],
        `change ${n}: value, changed, previous value`,
      );
    }
    t.equal(frames.updates(state).length, PRESSES, 'one frame per change');
    t.equal(await box.value(`button_${backend}/COUNT`), PRESSES / 2);
  });

  await t.test(`${backend}: HW_WriteValueBoolean drives the pin, and all clients are notified`, async (t) => {
    await box.becomes(`relay_${backend}/LINK`, 'online');
    const [instance, state] = [await box.id(`relay_${backend}`), await box.id(`relay_${backend}/STATE`)];
    using frames = await box.frames();
    for (let n = 1; n <= PRESSES; n++) {
      const isOn = n % 2 === 1;
      t.equal(await box.call('HW_WriteValueBoolean', instance, 'STATE', isOn), true);
      await until(`pin ${relay} at ${isOn}`, () => pins.level(relay) === isOn, PATIENCE_MS);
      await frames.update(state, isOn);
    }
    t.equal(await box.value(`relay_${backend}/STATE`), false);
  });
}

await t.test('a line has one consumer: another gets an error until it is released', async (t) => {
  const [{ relay }] = BACKENDS;
  const output = (ident: string, line: number) =>
    `- { instance: Relay, ident: ${ident}, module: GPIO Output, properties: { Chip: ${CHIP}, Line: "${line}" } }`;
  await box.reload(output('second', relay));
  await box.becomes('second/LINK', 'waiting');
  t.match(await box.value('second/STATUS'), /in use by another instance/);
  await box.reload([output('relay_cdev', FREE_PIN), output('second', relay)].join('\n'));
  await box.becomes('second/LINK', 'online');
  t.equal(await box.value('relay_cdev/LINK'), 'online');
});
