/**
 * Serial lines of the machine, with the test as their peer: two UARTs, and a USB adapter that is unplugged
 * and plugged in again while the gateway uses it.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import t from 'tap';
import { RpcError } from '../../src/client/index.js';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';

const BY_ID = '/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_LAB1-if00-port0';
const BY_NUMBERS = '0403:6001:LAB1';

/** A meter with a relay on a port: a rule reads each, a command switches the relay. */
const meter = (ident: string, port: string): string => `
- instance: Port of ${ident}
  ident: ${ident}_port
  module: Serial Port
  properties: { Port: "${port}" }
  children:
    - instance: Meter ${ident}
      ident: meter
      module: Serial Device
      properties:
        Rules:
          - { Pattern: "^T=(-?[0-9.]+)$", Ident: TEMPERATURE, Type: float }
          - { Pattern: "^RELAY (ON|OFF)$", Ident: RELAY, Type: boolean }
        Commands:
          - { Ident: RELAY, Type: boolean, Send: 'RELAY {value}\\r\\n', On: "ON", Off: "OFF" }`;

const tree = (usb: string): string =>
  [meter('uart0', '/dev/ttyS0'), meter('uart1', '/dev/ttyS1'), meter('usb', usb)].join('');

/** The peer of a line: sends, and records what it receives. */
class Peer {
  readonly socket: Socket;
  heard = '';

  constructor(socket: Socket) {
    this.socket = socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.heard += text));
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Waits until this is all that it has received. */
  async receives(text: string): Promise<void> {
    await until(`${JSON.stringify(text)} at the peer`, () => this.heard === text, PATIENCE_MS);
  }
}

await using box = await Box.taken(t, tree(BY_ID));
const { machine } = box;

await t.test('a received line becomes a variable and a frame; a command is sent', async (t) => {
  const peer = new Peer(await machine.line('uart0'));
  await box.becomes('uart0_port/meter/LINK', 'online');
  const path = 'uart0_port/meter/TEMPERATURE';
  using frames = await box.frames();
  // Data from before the port was opened, or half a line, is no value.
  peer.send('=7\r\nT=21.5\r\n');
  await frames.update(await box.id(path), 21.5);
  peer.send('T=-3');
  peer.send('.25\r\n');
  await frames.update(await box.id(path), -3.25);
  t.equal(await box.value(path), -3.25);

  const meter = await box.id('uart0_port/meter');
  t.equal(await box.call('HW_WriteValueBoolean', meter, 'RELAY', true), true);
  await peer.receives('RELAY ON\r\n');
  t.equal(await box.value('uart0_port/meter/RELAY'), false, 'a command does not change the variable');
  peer.send('RELAY ON\r\n');
  await frames.update(await box.id('uart0_port/meter/RELAY'), true);
  peer.socket.destroy();
});

await t.test('two ports joined by a cable: a command of one is a received line at the other', async (t) => {
  const [near, peer] = [await machine.line('uart0'), await machine.line('uart1')];
  near.pipe(peer).pipe(near);
  using frames = await box.frames();
  for (const isOn of [true, false, true]) {
    await box.call('HW_WriteValueBoolean', await box.id('uart0_port/meter'), 'RELAY', isOn);
    await frames.update(await box.id('uart1_port/meter/RELAY'), isOn);
    t.equal(await box.value('uart1_port/meter/RELAY'), isOn);
  }
  for (const end of [near, peer]) end.unpipe().destroy();
});

for (const [how, port] of [
  ['by its link under /dev/serial/by-id', BY_ID],
  ['by VID:PID:serial', BY_NUMBERS],
] as const)
  await t.test(`a USB adapter, selected ${how}, is unplugged and plugged in again`, async (t) => {
    await box.reload(tree(port));
    const uart = new Peer(await machine.line('uart0'));
    const [meter, temperature] = [await box.id('usb_port/meter'), await box.id('usb_port/meter/TEMPERATURE')];
    await box.becomes('usb_port/LINK', 'waiting');
    t.match(await box.value('usb_port/STATUS'), /plug it in/, 'the status says what to do');

    using frames = await box.frames();
    for (const [value, other] of [
      [20, 1],
      [22, 2],
    ] as const) {
      const usb = new Peer(await machine.plugUsbSerial());
      await box.becomes('usb_port/meter/LINK', 'online');
      usb.send(`T=${value}\r\n`);
      await frames.update(temperature, value);
      await box.call('HW_WriteValueBoolean', meter, 'RELAY', true);
      await usb.receives('RELAY ON\r\n');

      usb.socket.destroy();
      await once(usb.socket, 'close');
      await box.becomes('usb_port/LINK', 'waiting');
      t.match(await box.value('usb_port/STATUS'), /is gone|was unplugged|plug it in/);
      const rejected = await box.call('HW_WriteValueBoolean', meter, 'RELAY', true).catch((thrown) => thrown);
      t.equal(
        rejected instanceof RpcError && rejected.reason,
        'DEVICE_OFFLINE',
        'and no failed command is sent',
      );
      t.equal(await box.value('usb_port/meter/TEMPERATURE'), value, 'its last value stays');
      // The other port is not affected.
      uart.send(`T=${other}\r\n`);
      await frames.update(await box.id('uart0_port/meter/TEMPERATURE'), other);
      t.equal(await box.value('uart0_port/LINK'), 'online');
    }
    t.strictSame(
      [await box.id('usb_port/meter'), await box.id('usb_port/meter/TEMPERATURE')],
      [meter, temperature],
      'the same instance and variable as before',
    );
    t.equal(frames.updates(await box.id('uart0_port/LINK')).length, 0, 'the other port stayed open');
    uart.socket.destroy();
  });
