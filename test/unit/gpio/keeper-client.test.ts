import t from 'tap';
import { KeeperClient } from '../../../drivers/gpio/keeper/keeper-client.js';
import type { GpioBackend, Guard, OutputOptions } from '../../../drivers/gpio/backends/line.js';
import { silentLog } from '../../../src/base/log.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { OutputFixture } from '../../tools/devices/output-fixture.js';
import { passTime } from '../../tools/devices/device-fixture.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

/** The guards that outputs request from the line keeper, by line name. */
async function guards(fixture: OutputFixture): Promise<Map<string, Guard | undefined>> {
  const requests = new Map<string, Guard | undefined>();
  const backend: GpioBackend = await fixture.board.get('simulated');
  const request = backend.requestOutput.bind(backend);
  backend.requestOutput = (place, command: OutputOptions) => {
    requests.set(place.name, command.guard);
    return request(place, command);
  };
  return requests;
}

await t.test('the guard of an output follows from its properties and rules', async (t) => {
  const fixture = new OutputFixture(t);
  const requests = await guards(fixture);
  const policies = { Boot: 'active', OnDeath: 'inactive', OnUpdate: 'active' };
  await fixture.addOpenRelay('RELAY1', { ...policies, HoldForS: 60 });
  await fixture.addOpenRelay('RELAY2', { Boot: 'active', MaxOnS: 30 });
  await fixture.addOpenRelay('RELAY3', { MaxOnS: 30, HoldForS: 10 });
  await fixture.addOpenRelay('RELAY4', { MaxOnS: 30, HoldForS: 0 });
  await fixture.waitForValue(fixture.pulse('RELAY5'), 'LINK', 'online');
  await fixture.addOpenRelay('RELAY6', { Boot: 'active', StaggerMs: 100, HoldForS: 60 });
  const held = { boot: 'hold', onDeath: 'hold', onStop: 'hold', onUpdate: 'hold' };
  t.same(requests.get('RELAY1'), {
    boot: 'active',
    onDeath: 'inactive',
    onStop: 'hold',
    onUpdate: 'active',
    holdForS: 60,
  });
  t.same(
    requests.get('RELAY2'),
    { ...held, boot: 'inactive', holdForS: 30 },
    'the guard ignores Boot where rules may forbid it, and no hold exceeds the maximum on time',
  );
  t.same(requests.get('RELAY6'), { ...held, boot: 'inactive', holdForS: 60 });
  t.same(requests.get('RELAY3'), { ...held, holdForS: 10 });
  t.same(requests.get('RELAY4'), { ...held, holdForS: 30 });
  t.same(requests.get('RELAY5'), {
    boot: 'inactive',
    onDeath: 'inactive',
    onStop: 'inactive',
    onUpdate: 'inactive',
    holdForS: 0,
  });
});

await t.test('a policy that would break a rule is rejected', async (t) => {
  const fixture = new OutputFixture(t);
  for (const policy of ['OnDeath', 'OnStop', 'OnUpdate', 'OnLost']) {
    const interlocked = fixture.relay('RELAY1', { Interlock: 'blind', [policy]: 'active' });
    const timed = fixture.relay('RELAY2', { MaxOnS: 5, [policy]: 'active' });
    await fixture.waitForValue(interlocked, 'LINK', 'closed');
    const errors = [interlocked, timed].map(({ id }) => String(fixture.devices.problems(id)[0]?.text));
    t.match(errors, [
      `${policy} is active, while Interlock cannot be enforced: set ${policy} to hold or inactive`,
      `${policy} is active, while MaxOnS cannot be enforced: set ${policy} to hold or inactive`,
    ]);
  }
  t.same(fixture.levels('RELAY1', 'RELAY2'), [false, false]);
});

/** Advances the clock second by second, with iterations of the event loop in between. */
async function elapse(clock: ManualClock, seconds: number): Promise<void> {
  for (let n = 0; n < seconds; n++) {
    clock.advance(1000);
    await yieldToEventLoop();
    await yieldToEventLoop();
  }
}

await t.test('OnLost applies only after the chip was gone', async (t) => {
  const board = new BoardFixture(t);
  const make = (line: string, properties: Record<string, unknown>) =>
    board.add('GPIO Output', { Line: line, Boot: 'active', ...properties });
  const outputs = [
    await make('RELAY1', { OnLost: 'inactive' }),
    await make('RELAY2', { OnLost: 'hold' }),
    await make('RELAY3', { OnLost: 'active' }),
  ] as const;
  for (const output of outputs) await board.waitForLink(output, 'online');
  await board.devices.write(outputs[2].id, 'STATE', false);
  const states = () => outputs.map((output) => board.value(output, 'STATE'));
  const links = () => outputs.map((output) => board.value(output, 'LINK'));
  t.same(states(), [true, true, false]);
  await board.setChipGone(true);
  await elapse(board.clock, 11);
  t.same(links(), ['waiting', 'waiting', 'waiting']);
  await board.setChipGone(false);
  await elapse(board.clock, 31);
  t.same(links(), ['online', 'online', 'online']);
  t.same(states(), [false, false, true], 'hold keeps the level with which the chip came back');
});

await t.test('OnLost applies even if the gateway restarts while the chip is gone', async (t) => {
  const fixture = new OutputFixture(t);
  const pump = await fixture.addOpenRelay('RELAY1', { OnLost: 'inactive' });
  const lamp = await fixture.addOpenRelay('RELAY2', { OnLost: 'hold' });
  const waitForLinks = async (link: string) => {
    for (const relay of [pump, lamp]) await fixture.waitForValue(relay, 'LINK', link);
  };
  for (const relay of [pump, lamp]) await fixture.write(relay, true);
  // The expander keeps its outputs while it is disconnected.
  for (const line of ['RELAY1', 'RELAY2']) fixture.simulatedBoard.drive(line, true);
  fixture.simulatedBoard.unplug('simulated');
  await passTime(fixture.clock, 11_000);
  await waitForLinks('waiting');
  await fixture.restart();
  await waitForLinks('waiting');
  fixture.simulatedBoard.plug('simulated');
  await passTime(fixture.clock, 31_000);
  await waitForLinks('online');
  t.same(fixture.levels('RELAY1', 'RELAY2'), [false, true]);
  await fixture.write(pump, true);
  await fixture.restart();
  await waitForLinks('online');
  t.same(fixture.levels('RELAY1', 'RELAY2'), [true, true], 'it applies once');
});

await t.test(
  'OnSilence applies without commands, subject to the rules, until the next command',
  async (t) => {
    const fixture = new OutputFixture(t);
    const silent = { OnSilence: 'inactive', SilentAfterS: 60 };
    const [lamp, pump] = [
      await fixture.addOpenRelay('RELAY1', silent),
      await fixture.addOpenRelay('RELAY2', { ...silent, MinOnS: 90 }),
    ];
    const still = await fixture.addOpenRelay('RELAY3', { OnSilence: 'inactive' });
    for (const relay of [lamp, pump, still]) await fixture.write(relay, true);
    await elapse(fixture.clock, 59);
    await fixture.write(lamp, true);
    await elapse(fixture.clock, 1);
    t.match(fixture.devices.problems(pump.id), [{ code: 'SILENT' }]);
    t.match(fixture.devices.problems(pump.id)[0]?.text, /could not be set to inactive.*minimum on time/);
    t.same(fixture.levels('RELAY1', 'RELAY2', 'RELAY3'), [true, true, true]);
    await elapse(fixture.clock, 59);
    t.equal(fixture.value(lamp, 'STATE'), false);
    t.match(fixture.devices.problems(lamp.id), [
      { code: 'SILENT', text: { text: 'no command for 60 s: the output was set to inactive (OnSilence)' } },
    ]);
    await fixture.write(lamp, true);
    t.same(fixture.devices.problems(lamp.id), []);
    t.same(fixture.levels('RELAY1', 'RELAY3'), [true, true]);
  },
);

await t.test('the health check counts guarded outputs and says what to do about others', async (t) => {
  const directory = '/nowhere';
  const keeper = new KeeperClient(
    { socket: undefined, directory, isUpdating: () => false },
    { clock: new ManualClock(), log: silentLog },
  );
  t.match(keeper.check(), { state: 'ok', text: /none/ });
  const guarded = Array.from({ length: 3 }, () => ({ isGuarded: true }));
  for (const output of guarded) keeper.addOutput(output);
  t.match(keeper.check(), { state: 'ok', text: /^3 guarded/ });
  for (const output of guarded.slice(1)) output.isGuarded = false;
  t.match(keeper.check(), { state: 'warning', text: /^2 of 3 not guarded/, whatToDo: /stellwerk-keeper/ });
  for (const output of guarded.slice(1)) keeper.removeOutput(output);
  t.match(keeper.check(), { state: 'ok', text: /^1 guarded/ });
});
