import t, { type Test } from 'tap';
import type { Instance } from '../../../src/kernel/instances.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

/** RELAY1 drives a lamp; SENSE1 is wired to it. */
class Lamp extends BoardFixture {
  #eye: Instance | undefined;

  static async lit(t: Test, properties: Record<string, unknown> = {}) {
    const board = new Lamp(t);
    const lamp = await board.add('Blinker', { Line: 'RELAY1', OnMs: 100, OffMs: 300, ...properties });
    await board.waitForLink(lamp, 'online');
    board.#eye = await board.add('GPIO Input', { Line: 'SENSE1' });
    await board.waitForLink(board.#eye, 'online');
    return { board, lamp };
  }

  write(lamp: Instance, ident: string, value: boolean | number): Promise<void> {
    return this.devices.write(lamp.id, ident, value);
  }

  valuesOf(lamp: Instance) {
    return ['STATE', 'BLINK'].map((ident) => this.value(lamp, ident));
  }

  get isLit(): boolean {
    return this.#eye !== undefined && this.value(this.#eye, 'STATE') === true;
  }

  /** Whether it is lit, every 50 ms. */
  async looks(times: number): Promise<string> {
    let seen = '';
    for (let n = 0; n < times; n++) {
      await this.elapse(25);
      seen += this.isLit ? '*' : '.';
      await this.elapse(25);
    }
    return seen;
  }
}

await t.test('a lamp blinks until the next command, without reporting each beat', async (t) => {
  const { board, lamp } = await Lamp.lit(t);
  t.strictSame(board.valuesOf(lamp), [false, false]);
  await board.write(lamp, 'BLINK', true);
  t.strictSame(board.valuesOf(lamp), [true, true]);
  const states = board.watch(lamp, 'STATE');
  t.equal(await board.looks(16), '**......**......');
  await board.write(lamp, 'BLINK', true);
  t.equal(await board.looks(4), '**..', 'repeating the command does not disturb the rhythm');
  t.strictSame(states, [], 'a beat is not reported as a change');
  await board.write(lamp, 'BLINK', false);
  t.strictSame(board.valuesOf(lamp), [true, false], 'steady');
  t.equal(await board.looks(10), '**********');
  await board.write(lamp, 'BLINK', true);
  await board.looks(5);
  await board.write(lamp, 'STATE', true);
  t.equal(await board.looks(10), '**********');
  await board.write(lamp, 'BLINK', true);
  await board.write(lamp, 'STATE', false);
  t.strictSame(board.valuesOf(lamp), [false, false]);
  t.equal(await board.looks(10), '..........');
  await t.rejects(board.write(lamp, 'BLINK', 1), { code: 'CANNOT_CONVERT' });
  await t.rejects(board.write(lamp, 'LINK', true), { code: 'READ_ONLY' });
});

await t.test('concurrent commands are executed in order', async (t) => {
  const { board, lamp } = await Lamp.lit(t);
  await Promise.all([
    board.write(lamp, 'BLINK', true),
    board.write(lamp, 'STATE', false),
    board.write(lamp, 'BLINK', true),
    board.write(lamp, 'STATE', false),
  ]);
  t.equal(await board.looks(10), '..........');
  const beating = board.clock.pendingTimers;
  await board.write(lamp, 'BLINK', true);
  t.equal(board.clock.pendingTimers, beating + 1, 'exactly one timer is pending');
});

await t.test('a reopened lamp resumes blinking, with changed times if any', async (t) => {
  const { board, lamp } = await Lamp.lit(t, { Boot: 'inactive' });
  await board.write(lamp, 'BLINK', true);
  await board.change(lamp, { OnMs: 50, OffMs: 50 });
  await board.waitForLink(lamp, 'online');
  t.strictSame(board.valuesOf(lamp), [true, true]);
  t.match(await board.looks(8), /^(\*\.|\.\*){4}$/);
  await board.write(lamp, 'STATE', true);
  await board.devices.applyChanges(lamp.id);
  await board.waitForLink(lamp, 'online');
  t.strictSame(board.valuesOf(lamp), [true, false], 'a steady lamp stays steady');
});

await t.test('after a boot, Boot decides, not what blinked before', async (t) => {
  const { board, lamp } = await Lamp.lit(t);
  await board.write(lamp, 'BLINK', true);
  await board.change(lamp, { Line: 'RELAY2', Boot: 'inactive' });
  await board.waitForLink(lamp, 'online');
  t.strictSame(
    board.valuesOf(lamp),
    [false, false],
    'a line that was never requested is like one after a boot',
  );
});

await t.test('blinking ends with a problem when the chip is gone, and resumes when it is back', async (t) => {
  const { board, lamp } = await Lamp.lit(t);
  await board.write(lamp, 'BLINK', true);
  await board.call('GW_SimulateRefusal', 'RELAY1', true);
  await board.elapse(500);
  t.match(board.status(lamp), /It does not blink: /);
  await board.call('GW_SimulateRefusal', 'RELAY1', false);
  await board.elapse(500);
  t.notMatch(board.status(lamp), /It does not blink/);
  await board.call('GW_SimulateChipGone', 'simulated', true);
  await board.elapse(500);
  t.equal(board.value(lamp, 'LINK'), 'waiting');
  await board.call('GW_SimulateChipGone', 'simulated', false);
  await board.waitForReconnect(lamp, board.clock);
  t.strictSame(board.valuesOf(lamp), [true, true]);
});

await t.test('a command that the line accepts ends the problem', async (t) => {
  const { board, lamp } = await Lamp.lit(t);
  await board.write(lamp, 'BLINK', true);
  await board.call('GW_SimulateRefusal', 'RELAY1', true);
  await board.elapse(500);
  t.match(board.status(lamp), /It does not blink: /);
  await board.call('GW_SimulateRefusal', 'RELAY1', false);
  await board.write(lamp, 'STATE', false);
  t.notMatch(board.status(lamp), /It does not blink/);
});

await t.test('it has the policies of an output', async (t) => {
  const { board, lamp } = await Lamp.lit(t, { OnSilence: 'inactive', SilentAfterS: 2, OnLost: 'inactive' });
  await board.write(lamp, 'BLINK', true);
  await board.elapse(1500);
  await board.write(lamp, 'BLINK', true);
  await board.elapse(1500);
  t.strictSame(board.valuesOf(lamp), [true, true]);
  await board.elapse(500);
  t.strictSame(board.valuesOf(lamp), [false, false], 'no command came');
  t.match(board.status(lamp), /no command for 2 s: the output was set to inactive/);
  t.equal(await board.looks(6), '......');
  await board.write(lamp, 'BLINK', true);
  await board.call('GW_SimulateChipGone', 'simulated', true);
  await board.elapse(500);
  await board.call('GW_SimulateChipGone', 'simulated', false);
  await board.waitForReconnect(lamp, board.clock);
  t.strictSame(board.valuesOf(lamp), [false, false], 'its chip was gone');
});

await t.test('dimming is rejected, with a reason and an alternative', async (t) => {
  const board = new BoardFixture(t);
  const dimmed = await board.add('Blinker', { Line: 'RELAY1', OnMs: 5, OffMs: 5 });
  t.match(
    board.status(dimmed),
    /must be at least 50: faster is dimming, which would flicker.*; use .* the module PWM/,
  );
  t.match(board.status(await board.add('Blinker', {})), /Line is empty/);
});
