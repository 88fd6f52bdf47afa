import type { Test } from 'tap';
import { Fault, isAbort } from '../../../src/base/fault.js';
import type { OpenPort, PortListener, PortSettings } from '../../../drivers/serial/port.js';
import { Random } from '../../tools/random.js';
import { withinPatience, until } from '../../tools/until.js';
import type { TestPort } from './test-ports.js';

export const SETTINGS: PortSettings = { baudRate: 115_200, dataBits: 8, stopBits: 1, parity: 'none' };

class RecordingListener implements PortListener {
  #heard: Buffer[] = [];
  readonly gone = Promise.withResolvers<Error>();
  losses = 0;

  onData(bytes: Buffer): void {
    this.#heard.push(bytes);
  }

  onLost(cause: Error): void {
    this.losses += 1;
    this.gone.resolve(cause);
  }

  get heard(): Buffer {
    return Buffer.concat(this.#heard);
  }
}

/** The contract of serial ports; `make` creates one for each test. */
export async function serialContract(t: Test, name: string, make: () => Promise<TestPort>): Promise<void> {
  const on = (what: string, run: (t: Test, testPort: TestPort) => Promise<void>) =>
    t.test(`${name}: ${what}`, async (t) => {
      await using testPort = await make();
      await run(t, testPort);
      t.equal(testPort.ports.openCount, 0, 'no port was left open');
    });
  const open = async (testPort: TestPort): Promise<{ port: OpenPort; listener: RecordingListener }> => {
    const listener = new RecordingListener();
    return { port: await testPort.ports.open(testPort.where, SETTINGS, listener), listener };
  };

  await on('all bytes arrive in both directions, in order', async (t, testPort) => {
    const { port, listener } = await open(testPort);
    const bytes = Buffer.concat([
      Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
      new Random(7).bytes(20_000),
    ]);
    await Promise.all([
      port.send(bytes),
      until('all bytes out', () => testPort.heard().length >= bytes.length),
    ]);
    t.ok(testPort.heard().equals(bytes), 'out');
    testPort.say(bytes);
    await until('all bytes in', () => listener.heard.length >= bytes.length);
    t.ok(listener.heard.equals(bytes), 'in');
    await port.close();
  });

  await on('a port without a mode for RS-485 says so, and stays usable', async (t, testPort) => {
    const listener = new RecordingListener();
    for (const directionControl of ['rts-on', 'rts-off'] as const)
      await t.rejects(testPort.ports.open(testPort.where, { ...SETTINGS, directionControl }, listener), {
        code: 'DEVICE_CONFIGURATION',
        message: /cannot switch the direction of RS-485/,
      });
    t.equal(testPort.ports.openCount, 0);
    const { port } = await open(testPort);
    await port.close();
  });

  await on('the baud rate changes while the port is open, after what was sent', async (t, testPort) => {
    const { port, listener } = await open(testPort);
    await port.send(Buffer.from('before'));
    // A pseudo-terminal has nothing to transmit: bytes that its peer has not read are lost.
    await until('the first bytes', () => testPort.heard().toString() === 'before');
    await port.changeBaudRate(9600);
    await port.send(Buffer.from(' after'));
    await until('all bytes out', () => testPort.heard().toString() === 'before after');
    testPort.say('reply');
    await until('all bytes in', () => listener.heard.toString() === 'reply');
    await port.close();
    await t.rejects(port.changeBaudRate(300), { name: 'AbortError' });
  });

  await on('sends of several callers never mix', async (t, testPort) => {
    const { port } = await open(testPort);
    const messages = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(3000));
    const sent = Promise.all(messages.map((message) => port.send(Buffer.from(message))));
    await until('all bytes', () => testPort.heard().length >= 15_000);
    await sent;
    t.equal(testPort.heard().toString(), messages.join(''));
    await port.close();
  });

  await on('a port can be opened only once', async (t, testPort) => {
    const giveBack = await testPort.occupy();
    await t.rejects(open(testPort), { code: 'DEVICE_OFFLINE', message: /in use/ });
    await giveBack();
    const { port } = await open(testPort);
    await t.rejects(open(testPort), { code: 'DEVICE_OFFLINE', message: /in use/ }, 'not even by us');
    t.equal(testPort.ports.openCount, 1);
    await port.close();
  });

  await on('after closing, nothing is reported and nothing is accepted', async (t, testPort) => {
    const { port, listener } = await open(testPort);
    await Promise.all([port.close(), port.close()]);
    await port.close();
    t.equal(testPort.ports.openCount, 0);
    for (const call of [
      () => port.send(Buffer.from('x')),
      () => port.setLines({ rts: false }),
      () => port.checkPresent(),
    ]) {
      t.ok(isAbort(await call().catch((thrown: unknown) => thrown)), 'an AbortError');
    }
    testPort.say('too late');
    const again = await open(testPort);
    testPort.say('in time');
    await until('what came after it', () => again.listener.heard.toString().endsWith('in time'));
    t.equal(listener.heard.length, 0);
    t.equal(listener.losses, 0, 'closing is not reported as a loss');
    await again.port.close();
  });

  await on(
    'an unplugged adapter is reported once, and can be reopened when it is back',
    async (t, testPort) => {
      const { port, listener } = await open(testPort);
      await port.checkPresent();
      await testPort.unplug();
      const cause = await withinPatience('the loss', listener.gone.promise);
      t.match(cause, { code: 'DEVICE_OFFLINE' });
      t.ok(cause.message.includes(testPort.where), 'names the port');
      await t.rejects(port.send(Buffer.from('x')), { code: 'DEVICE_OFFLINE' });
      await t.rejects(port.checkPresent(), { code: 'DEVICE_OFFLINE' });
      await t.rejects(
        open(testPort),
        { code: 'DEVICE_OFFLINE', message: /plug it in/ },
        'while it is unplugged',
      );
      await port.close();
      t.equal(listener.losses, 1);
      await testPort.plug();
      const again = await open(testPort);
      testPort.say('back');
      await until('its first bytes', () => again.listener.heard.toString() === 'back');
      await again.port.close();
    },
  );

  await on('an adapter that is unplugged while it sends is reported', async (t, testPort) => {
    const { port, listener } = await open(testPort);
    // More than the kernel's buffer holds: reads follow one another.
    testPort.say(Buffer.alloc(4 * 1024 * 1024, 'x'));
    await until('the first bytes', () => listener.heard.length > 0);
    await testPort.unplug();
    t.match(await withinPatience('the loss', listener.gone.promise), { code: 'DEVICE_OFFLINE' });
    await port.close();
    t.equal(listener.losses, 1);
  });

  await on('queued sends fail when the port disappears', async (t, testPort) => {
    const { port, listener } = await open(testPort);
    testPort.deaf();
    const sent = port.send(Buffer.alloc(1024 * 1024));
    const next = port.send(Buffer.from('never'));
    const outcomes = Promise.all(
      [sent, next].map((one) =>
        one.then(
          () => 'sent',
          (thrown: unknown) => thrown,
        ),
      ),
    );
    await testPort.unplug();
    await withinPatience('the loss', listener.gone.promise);
    for (const outcome of await withinPatience('both', outcomes)) {
      t.ok(outcome instanceof Fault && outcome.code === 'DEVICE_OFFLINE', String(outcome));
    }
    await port.close();
  });

  await on('queued sends fail when the port is closed', async (t, testPort) => {
    const { port } = await open(testPort);
    testPort.deaf();
    const sent = port.send(Buffer.alloc(1024 * 1024)).then(
      () => 'sent',
      (thrown: unknown) => thrown,
    );
    await port.close();
    t.ok(isAbort(await withinPatience('the send', sent)));
  });

  await on('control lines are set individually', async (t, testPort) => {
    const { port } = await open(testPort);
    if (testPort.lines === undefined) {
      await t.rejects(port.setLines({ rts: false }), { code: 'DEVICE_REFUSED' }, 'without control lines');
      return port.close();
    }
    t.same(testPort.lines(), { brk: false, dtr: true, rts: true }, 'as opened');
    await port.setLines({ rts: false });
    await port.setLines({ brk: true });
    t.same(testPort.lines(), { brk: true, dtr: true, rts: false });
    await port.close();
  });

  await on('the error of an unknown name says what to do', async (t, testPort) => {
    const listener = new RecordingListener();
    const missing = { code: 'DEVICE_OFFLINE', message: /plug it in/ };
    await t.rejects(testPort.ports.open('/dev/ttyNONE9', SETTINGS, listener), missing);
    await t.rejects(testPort.ports.open('ffff:fffe:none', SETTINGS, listener), missing);
  });
}
