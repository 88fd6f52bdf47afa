import type { Test } from 'tap';
import { Fault, isAbort } from '../../../src/base/fault.js';
import type { OpenPort, PortListener, PortSettings } from '../../../drivers/serial/port.js';
import { Random } from '../../tools/random.js';
import { withinPatience, until } from '../../tools/until.js';
import type { SerialBench } from './benches.js';

const SETTINGS: PortSettings = { baudRate: 115_200, dataBits: 8, stopBits: 1, parity: 'none' };

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

/** The contract of serial ports; `make` creates a bench for each test. */
export async function serialContract(t: Test, name: string, make: () => Promise<SerialBench>): Promise<void> {
  const on = (what: string, run: (t: Test, bench: SerialBench) => Promise<void>) =>
    t.test(`${name}: ${what}`, async (t) => {
      await using bench = await make();
      await run(t, bench);
      t.equal(bench.ports.openCount, 0, 'no port was left open');
    });
  const open = async (bench: SerialBench): Promise<{ port: OpenPort; listener: RecordingListener }> => {
    const listener = new RecordingListener();
    return { port: await bench.ports.open(bench.where, SETTINGS, listener), listener };
  };

  await on('all bytes arrive in both directions, in order', async (t, bench) => {
    const { port, listener } = await open(bench);
    const bytes = Buffer.concat([
      Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
      new Random(7).bytes(20_000),
    ]);
    await Promise.all([port.send(bytes), until('all bytes out', () => bench.heard().length >= bytes.length)]);
    t.ok(bench.heard().equals(bytes), 'out');
    bench.say(bytes);
    await until('all bytes in', () => listener.heard.length >= bytes.length);
    t.ok(listener.heard.equals(bytes), 'in');
    await port.close();
  });

  await on('sends of several callers never mix', async (t, bench) => {
    const { port } = await open(bench);
    const messages = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(3000));
    const sent = Promise.all(messages.map((message) => port.send(Buffer.from(message))));
    await until('all bytes', () => bench.heard().length >= 15_000);
    await sent;
    t.equal(bench.heard().toString(), messages.join(''));
    await port.close();
  });

  await on('a port can be opened only once', async (t, bench) => {
    const giveBack = await bench.occupy();
    await t.rejects(open(bench), { code: 'DEVICE_OFFLINE', message: /in use/ });
    await giveBack();
    const { port } = await open(bench);
    await t.rejects(open(bench), { code: 'DEVICE_OFFLINE', message: /in use/ }, 'not even by us');
    t.equal(bench.ports.openCount, 1);
    await port.close();
  });

  await on('after closing, nothing is reported and nothing is accepted', async (t, bench) => {
    const { port, listener } = await open(bench);
    await Promise.all([port.close(), port.close()]);
    await port.close();
    t.equal(bench.ports.openCount, 0);
    for (const call of [
      () => port.send(Buffer.from('x')),
      () => port.setLines({ rts: false }),
      () => port.checkPresent(),
    ]) {
      t.ok(isAbort(await call().catch((thrown: unknown) => thrown)), 'an AbortError');
    }
    bench.say('too late');
    const again = await open(bench);
    bench.say('in time');
    await until('what came after it', () => again.listener.heard.toString().endsWith('in time'));
    t.equal(listener.heard.length, 0);
    t.equal(listener.losses, 0, 'closing is not reported as a loss');
    await again.port.close();
  });

  await on('an unplugged adapter is reported once, and can be reopened when it is back', async (t, bench) => {
    const { port, listener } = await open(bench);
    await port.checkPresent();
    await bench.unplug();
    const cause = await withinPatience('the loss', listener.gone.promise);
    t.match(cause, { code: 'DEVICE_OFFLINE' });
    t.ok(cause.message.includes(bench.where), 'names the port');
    await t.rejects(port.send(Buffer.from('x')), { code: 'DEVICE_OFFLINE' });
    await t.rejects(port.checkPresent(), { code: 'DEVICE_OFFLINE' });
    await t.rejects(open(bench), { code: 'DEVICE_OFFLINE', message: /plug it in/ }, 'while it is unplugged');
    await port.close();
    t.equal(listener.losses, 1);
    await bench.plug();
    const again = await open(bench);
    bench.say('back');
    await until('its first bytes', () => again.listener.heard.toString() === 'back');
    await again.port.close();
  });

  await on('queued sends fail when the port disappears', async (t, bench) => {
    const { port, listener } = await open(bench);
    bench.deaf();
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
    await bench.unplug();
    await withinPatience('the loss', listener.gone.promise);
    for (const outcome of await withinPatience('both', outcomes)) {
      t.ok(outcome instanceof Fault && outcome.code === 'DEVICE_OFFLINE', String(outcome));
    }
    await port.close();
  });

  await on('queued sends fail when the port is closed', async (t, bench) => {
    const { port } = await open(bench);
    bench.deaf();
    const sent = port.send(Buffer.alloc(1024 * 1024)).then(
      () => 'sent',
      (thrown: unknown) => thrown,
    );
    await port.close();
    t.ok(isAbort(await withinPatience('the send', sent)));
  });

  await on('control lines are set individually', async (t, bench) => {
    const { port } = await open(bench);
    if (bench.lines === undefined) {
      await t.rejects(port.setLines({ rts: false }), { code: 'DEVICE_REFUSED' }, 'without control lines');
      return port.close();
    }
    t.same(bench.lines(), { brk: false, dtr: true, rts: true }, 'as opened');
    await port.setLines({ rts: false });
    await port.setLines({ brk: true });
    t.same(bench.lines(), { brk: true, dtr: true, rts: false });
    await port.close();
  });

  await on('the error of an unknown name says what to do', async (t, bench) => {
    const listener = new RecordingListener();
    const missing = { code: 'DEVICE_OFFLINE', message: /plug it in/ };
    await t.rejects(bench.ports.open('/dev/ttyNONE9', SETTINGS, listener), missing);
    await t.rejects(bench.ports.open('ffff:fffe:none', SETTINGS, listener), missing);
  });
}
