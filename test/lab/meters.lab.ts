/**
 * Reading heads on the UARTs of the machine, with recorded telegrams at their real pace, and one on a USB adapter
 * that is unplugged in the middle of a telegram.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { recordedTelegrams } from '../tools/meters/recorded-telegrams.js';
import { Box } from './machine/box.js';

/** Bytes per second at 9600 baud, with 10 bits each. */
const PACE = 960;
const CHUNK_MS = 50;

const recorded = (kind: string, id: string): Buffer =>
  Buffer.from(recordedTelegrams(kind).find((one) => one.id === id)?.hex ?? '', 'hex');
/** An electricity meter that exports: 13.2329 kWh, 1,500.3214 kWh, −106.78 W. */
const SML = recorded('SML', 'sml/DZG_DVS-7420.2V.G2_mtr2_neg');
/** Another meter of the kind, whose telegram is torn: 215.99 W. */
const TORN = recorded('SML', 'sml/DZG_DVS-7420.2V.G2_mtr0');
/** A readout of ten seconds with a block check: 8,048.375 kWh, 908 W. */
const D0 = recorded('D0', 'd0/SerialRequestResponseD0WithAck2#6');

const head = (ident: string, port: string, meter: string): string => `
- instance: Head ${ident}
  ident: ${ident}
  module: Serial Port
  properties: { Port: "${port}" }
  children: [{ instance: Meter ${ident}, ident: meter, ${meter} }]`;
const sml = 'module: SML Meter, properties: { Values: [ENERGY_IN, ENERGY_OUT, POWER] }';
/** Without learning: that would need a second readout. */
const d0 = 'module: IEC 62056-21 Meter, properties: { Values: [ENERGY_IN, POWER], Learn: false }';

/** Sends bytes as fast as a reading head does. */
async function play(head: Socket, bytes: Buffer): Promise<void> {
  const size = (PACE * CHUNK_MS) / 1000;
  for (let at = 0; at < bytes.length; at += size) {
    head.write(bytes.subarray(at, at + size));
    await sleep(CHUNK_MS);
  }
}

await using box = await Box.taken(
  t,
  [head('sml', '/dev/ttyS0', sml), head('d0', '/dev/ttyS1', d0), head('usb', '0403:6001:LAB1', sml)].join(''),
);
const { machine } = box;

/** What a meter shows: its values, in the order of its list. */
const shown = (path: string, idents: readonly string[]) =>
  Promise.all(idents.map((ident) => box.value(`${path}/meter/${ident}`)));

await t.test('telegrams of two meters arrive at their pace', async (t) => {
  const [one, other] = [await machine.line('uart0'), await machine.line('uart1')];
  for (const path of ['sml', 'd0']) await box.becomes(`${path}/LINK`, 'online');
  await Promise.all([
    // A head sends all the time: what comes first is the end of a telegram.
    play(one, Buffer.concat([SML.subarray(100), SML, SML])),
    play(other, Buffer.concat([D0.subarray(9000), D0])),
  ]);
  await box.becomes('sml/meter/POWER', -106.78);
  await box.becomes('d0/meter/POWER', 908);
  t.strictSame(await shown('sml', ['ENERGY_IN', 'ENERGY_OUT']), [13.2329, 1500.3214]);
  t.strictSame(await shown('d0', ['ENERGY_IN', 'SERIAL']), [8048.375, '63355730']);
  one.destroy();
  other.destroy();
});

await t.test('an adapter is torn out in the middle of a telegram', async (t) => {
  const power = await box.id('usb/meter/POWER');
  using frames = await box.frames();
  const torn = await machine.plugUsbSerial();
  await box.becomes('usb/LINK', 'online');
  await play(torn, TORN.subarray(0, 150));
  torn.destroy();
  await once(torn, 'close');
  await box.becomes('usb/LINK', 'waiting');

  const head = await machine.plugUsbSerial();
  await box.becomes('usb/LINK', 'online');
  await play(head, Buffer.concat([TORN.subarray(150), SML]));
  await frames.update(power, -106.78);
  t.strictSame(
    frames.updates(power).map(({ value }) => value),
    [-106.78],
    'two halves are no telegram',
  );
  t.strictSame(await shown('usb', ['ENERGY_IN', 'ENERGY_OUT']), [13.2329, 1500.3214]);
  head.destroy();
});
