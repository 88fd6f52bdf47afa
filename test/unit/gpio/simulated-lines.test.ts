import t from 'tap';
import { openSimulated } from '../../../drivers/gpio/backends/simulated.js';
import { simulationFunctions } from '../../../drivers/gpio/simulation-functions.js';
import type { Edge } from '../../../drivers/gpio/backends/line.js';
import { SimulatedBoard } from '../../../drivers/gpio/backends/simulated-board.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Caller } from '../../../src/device/declare.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

const owner: Caller = { role: 'owner', user: 'test', remote: 'local' };
const S = 1_000_000_000n;

/** One simulated line, its edges, and the functions to simulate faults. */
async function makeFixture() {
  const clock = new ManualClock();
  const simulated = new SimulatedBoard({ chips: [{ label: 'one', lines: ['DOOR'] }] }, clock);
  const backend = openSimulated(simulated, clock);
  const received: Edge[] = [];
  const listener = {
    onEdges: (edges: readonly Edge[]) => void received.push(...edges),
    onLost: () => undefined,
  };
  const [chip] = await backend.chips();
  if (chip === undefined) throw new Error('no chip');
  const command = { activeLow: false, bias: 'as-is', debounceUs: 0 } as const;
  await backend.requestInput({ chip, offset: 0, name: 'DOOR' }, command, listener);
  const all = simulationFunctions(simulated, clock);
  const call = async (name: string, ...args: unknown[]) =>
    all.find((one) => one.name === `GW_Simulate${name}`)?.run(owner, ...(args as never[]));
  /** Advances the clock and returns the edges since. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    for (let last = -1; last !== received.length; await yieldToEventLoop()) last = received.length;
    return received.splice(0);
  };
  return { clock, simulated, call, pass };
}

t.test('a bounce stays within its time and ends at its level; a seed repeats its moments', async (t) => {
  const { call, pass, clock, simulated } = await makeFixture();
  const bounced = async (active: boolean, seed: number) => {
    const fromNs = clock.monotonicNs();
    await call('Bounce', 'DOOR', active, 5, 8, seed);
    const edges = await pass(8);
    t.strictSame(
      edges.map((edge) => edge.active),
      Array.from({ length: 11 }, (_, n) => active === (n % 2 === 0)),
    );
    t.equal(clock.pendingTimers, 0);
    return edges.map(({ atNs }) => Number(atNs - fromNs));
  };
  const one = await bounced(true, 1);
  const two = await bounced(false, 2);
  const again = await bounced(true, 1);
  t.strictSame(again, one);
  t.notSame(two, one);
  t.ok(one.every((atNs, n) => atNs <= 8e6 && atNs >= (one[n - 1] ?? 0)));
  // Another stimulus replaces the bounce.
  await call('Bounce', 'DOOR', false, 5, 8, 3);
  await pass(2);
  await call('Line', 'DOOR', true);
  await pass(20);
  t.equal(simulated.level('DOOR'), true);
});

t.test('a flood has its rate, ends at its first level, and can be stopped', async (t) => {
  const { call, pass, clock, simulated } = await makeFixture();
  await call('Line', 'DOOR', true);
  await pass(0);
  const fromNs = clock.monotonicNs();
  await call('Flood', 'DOOR', 500, 2000);
  const edges = await pass(10_000);
  t.equal(edges.length, 1000);
  t.strictSame(
    edges.map(({ atNs }) => atNs - fromNs),
    Array.from({ length: 1000 }, (_, n) => (BigInt(n + 1) * S) / 500n),
  );
  t.equal(simulated.level('DOOR'), true);
  t.equal(clock.pendingTimers, 0);
  await call('Flood', 'DOOR', 1000, 3_600_000);
  t.equal((await pass(100)).length, 100);
  await call('Line', 'DOOR', false);
  t.equal((await pass(1000)).length, 1);
  t.equal(clock.pendingTimers, 0, 'no timer is left');
});

t.test('a stuck line keeps its level until it is released', async (t) => {
  const board = new BoardFixture(t);
  const relay = await board.add('GPIO Output', { Line: 'RELAY1', Boot: 'inactive' });
  const sense = await board.add('GPIO Input', { Line: 'SENSE1' });
  await board.waitForLink(relay, 'online');
  await board.waitForLink(sense, 'online');
  await board.call('GW_SimulateStuck', 'RELAY1', true);
  await board.devices.write(relay.id, 'STATE', true);
  await board.elapse(10);
  t.strictSame([board.value(relay, 'STATE'), board.value(sense, 'STATE')], [true, false]);
  await board.call('GW_SimulateStuck', 'SENSE1', false);
  await board.waitForValue(sense, 'STATE', true);
  await board.drive('BUTTON1', true);
  await board.call('GW_SimulateStuck', 'BUTTON1', true);
  await board.drive('BUTTON1', false);
  const button = await board.add('GPIO Input', { Line: 'BUTTON1' });
  await board.waitForLink(button, 'online');
  t.equal(board.value(button, 'STATE'), true);
  await board.call('GW_SimulateStuck', 'BUTTON1', false);
  await board.waitForValue(button, 'STATE', false);
});

t.test('a rejected write fails and changes nothing; a relay retries its off', async (t) => {
  const board = new BoardFixture(t);
  const output = await board.add('GPIO Output', { Line: 'RELAY1', Boot: 'inactive' });
  const relay = await board.add('Relay', { Line: 'RELAY2', MaxOnS: 5 });
  await board.waitForLink(output, 'online');
  await board.waitForLink(relay, 'online');
  await board.devices.write(relay.id, 'STATE', true);
  for (const line of ['RELAY1', 'RELAY2']) await board.call('GW_SimulateRefusal', line, true);
  await t.rejects(board.devices.write(output.id, 'STATE', true), { code: 'DEVICE_REFUSED' });
  t.equal(board.value(output, 'STATE'), false);
  await board.elapse(6000);
  t.equal(board.value(relay, 'STATE'), true);
  t.match(board.devices.problems(relay.id), [{ code: 'RULE', text: /must be inactive.* retrying/ }]);
  for (const line of ['RELAY1', 'RELAY2']) await board.call('GW_SimulateRefusal', line, false);
  await board.devices.write(output.id, 'STATE', true);
  await board.elapse(1000);
  t.strictSame([board.value(output, 'STATE'), board.value(relay, 'STATE')], [true, false]);
  t.strictSame(board.devices.problems(relay.id), []);
  await t.rejects(board.call('GW_SimulateRefusal', 'RELAY99', true), { code: 'NAME_NOT_FOUND' });
});

t.test('each module recovers when its chip returns, and its counts continue', async (t) => {
  const board = new BoardFixture(t);
  const all = await Promise.all([
    board.add('GPIO Output', { Line: 'RELAY1' }),
    board.add('GPIO Input', { Line: 'BUTTON1' }),
    board.add('Button', { Line: 'BUTTON2' }),
    board.add('Counter', { Line: 'BUTTON3' }),
    board.add('Encoder', { LineA: 'BUTTON4', LineB: 'BUTTON5' }),
    board.add('Frequency', { Line: 'BUTTON6' }),
    board.add('Level Group', { Lines: ['BUTTON7', 'BUTTON8'] }),
  ]);
  for (const one of all) await board.waitForLink(one, 'online');
  const [, , , counter] = all;
  await board.drive('BUTTON3', true);
  await board.elapse(300);
  await board.setChipGone(true);
  await board.setChipGone(true);
  await board.elapse(100);
  // A module that only writes notices at the next probe.
  await board.elapse(10_000);
  for (const one of all) t.match(board.status(one), /waiting.*gone|there is no GPIO chip|no GPIO chip here/);
  await board.setChipGone(false);
  await board.elapse(31_000);
  for (const one of all) await board.waitForLink(one, 'online');
  await board.drive('BUTTON3', false);
  await board.drive('BUTTON3', true);
  await board.elapse(300);
  t.equal(counter && board.value(counter, 'COUNT'), 2);
});

t.test('parameters have limits', async (t) => {
  const { call } = await makeFixture();
  for (const [name, ...args] of [
    ['Bounce', 'DOOR', true, 1001, 8, 1],
    ['Bounce', 'DOOR', true, -1, 8, 1],
    ['Bounce', 'DOOR', true, 5, 10_001, 1],
    ['Bounce', 'DOOR', true, 5, NaN, 1],
    ['Flood', 'DOOR', 0, 1000],
    ['Flood', 'DOOR', 100_001, 1000],
    ['Flood', 'DOOR', 100, 0],
    ['Flood', 'DOOR', 100, 3_600_001],
  ] as const)
    await t.rejects(call(name, ...args), { code: 'PARAMETER_BOUNDS' }, JSON.stringify([name, args]));
  for (const [name, ...args] of [
    ['Bounce', 'WALL', true, 1, 8, 1],
    ['Flood', 'WALL', 10, 1000],
    ['Stuck', 'WALL', true],
    ['ChipGone', 'two', true],
  ] as const)
    await t.rejects(call(name, ...args), { code: 'NAME_NOT_FOUND' }, name);
});

t.test('an output whose chip is unplugged says so immediately, once', async (t) => {
  const clock = new ManualClock();
  const simulated = new SimulatedBoard({ chips: [{ label: 'one', lines: ['LAMP'] }] }, clock);
  const backend = openSimulated(simulated, clock);
  const [chip] = await backend.chips();
  if (chip === undefined) throw new Error('no chip');
  const causes: string[] = [];
  await backend.requestOutput(
    { chip, offset: 0, name: 'LAMP' },
    { activeLow: false, drive: 'push-pull', boot: 'inactive', onGone: ({ message }) => causes.push(message) },
  );
  simulated.unplug('one');
  simulated.unplug('one');
  t.equal(causes.length, 1);
  t.match(causes[0], /the GPIO chip one is gone/);
});
