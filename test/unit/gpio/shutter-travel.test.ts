import t from 'tap';
import {
  type ShutterTarget,
  unknownState,
  stateAfterInterruption,
  type MotorDirection,
  isPositionKnown,
  longestRunMs,
  midpoint,
  stateAfterRun,
  nextRun,
  type MotorRun,
  type ShutterState,
  type TravelTimes,
} from '../../../drivers/gpio/outputs/shutter-travel.js';
import { ShutterPhysics } from '../../tools/devices/shutter-physics.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';

const times: TravelTimes = { runMs: { up: 32_000, down: 22_000 }, slatMs: 2000, reserveMs: 2000 };
const at = (position: number, slat: number): ShutterState => ({
  position: { low: position, high: position },
  slat: { low: slat, high: slat },
});
const shown = (run: MotorRun | undefined) => run && [run.direction, Math.round(run.ms), run.remaining];

t.test('a run takes the time of the distance, and the slats turn first', async (t) => {
  const rows: [
    from: ShutterState,
    aim: ShutterTarget,
    run: [MotorDirection, number, ShutterTarget] | undefined,
  ][] = [
    [at(0, 0), { position: 0.5 }, ['down', 2000 + 10_000, {}]],
    [at(0.5, 1), { position: 0.8 }, ['down', 6000, {}]],
    [at(0.5, 1), { position: 0.4 }, ['up', 2000 + 3000, {}]],
    [at(0.5, 0), { position: 0.4, slat: 0.5 }, ['up', 3000, { slat: 0.5 }]],
    [at(0.4, 0), { position: 0.4, slat: 0.5 }, ['down', 1000, {}]],
    [at(0.4, 0.5), { position: 0.4, slat: 0.5 }, undefined],
    [at(0.4, 0.5), {}, undefined],
    [at(0.4, 0.5), { slat: 0 }, ['up', Math.round(1050 / 0.99), {}]],
    [at(0.4, 0.5), { slat: 1 }, ['down', Math.round(1050 / 0.99), {}]],
  ];
  for (const [from, aim, run] of rows) t.strictSame(shown(nextRun(times, { at: from }, aim)), run);
});

t.test('a run into an end stop takes its time, the uncertainty and the reserve', async (t) => {
  const endStopRunMs = (ms: number) => Math.round((ms + 50) / 0.99 + 2000);
  t.strictSame(shown(nextRun(times, { at: at(1, 1) }, { position: 0 })), ['up', endStopRunMs(32_000), {}]);
  t.strictSame(
    shown(nextRun(times, { at: at(0, 0) }, { position: 0 })),
    ['up', endStopRunMs(0), {}],
    'it is there already',
  );
  t.strictSame(shown(nextRun(times, { at: unknownState }, { position: 1, slat: 0.3 })), [
    'down',
    endStopRunMs(22_000),
    { slat: 0.3 },
  ]);
  t.strictSame(
    [Math.round(longestRunMs(times, 'up')), Math.round(longestRunMs(times, 'down'))],
    [endStopRunMs(32_000), endStopRunMs(22_000)],
  );
});

t.test('an unknown position is learnt at the nearer end stop, or in the present direction', async (t) => {
  const aim = { position: 0.3, slat: 0.5 };
  t.match(nextRun(times, { at: unknownState }, aim), { direction: 'up', remaining: aim });
  t.match(nextRun(times, { at: unknownState }, { position: 0.7 }), {
    direction: 'down',
    remaining: { position: 0.7 },
  });
  t.match(nextRun(times, { at: unknownState, moving: 'down' }, aim), { direction: 'down', remaining: aim });
  t.match(shown(nextRun(times, { at: unknownState }, { slat: 0.5 })), [
    'down',
    Math.round(2050 / 0.99),
    { slat: 0.5 },
  ]);
});

t.test('the uncertainty grows with each run and ends at an end stop', async (t) => {
  const once = stateAfterRun(times, { from: at(0, 0), direction: 'down' }, [12_000, 12_000]);
  t.strictSame(once, {
    position: { low: (12_000 * 0.99 - 50 - 2000) / 20_000, high: (12_000 * 1.01 + 50 - 2000) / 20_000 },
    slat: { low: 1, high: 1 },
  });
  let state = once;
  let runs = 0;
  for (; isPositionKnown(state); runs++) {
    const direction = runs % 2 === 0 ? 'up' : 'down';
    state = stateAfterRun(times, { from: state, direction }, [6000, 6010]);
  }
  t.ok(runs > 5, `known for ${runs} runs`);
  const { ms } = nextRun(times, { at: unknownState }, { position: 0 }) as MotorRun;
  t.strictSame(stateAfterRun(times, { from: unknownState, direction: 'up' }, [ms, ms + 50]), at(0, 0));
  t.strictSame(stateAfterInterruption(times, at(0.4, 0.5), 'up'), {
    position: { low: 0, high: 0.4 },
    slat: { low: 0, high: 0.5 },
  });
});

const seed = fuzzSeed();
t.test(`a simulated shutter is always within the estimated range (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const wrong: string[] = [];
  const errors: number[] = [];
  for (let n = 0; n < 300; n++) {
    const slatMs = random.pick([0, 500, 2000]);
    const own: TravelTimes = {
      runMs: { up: 5000 + random.below(60_000), down: 5000 + random.below(60_000) },
      slatMs,
      reserveMs: random.below(3000),
    };
    const shortestMs = Math.min(own.runMs.up, own.runMs.down) - slatMs;
    const real = new ShutterPhysics(own, random);
    let state = unknownState;
    for (let step = 0; step < 30; step++) {
      const aim: ShutterTarget = {
        ...(random.chance(0.7) && { position: random.pick([0, 1, random.next()]) }),
        ...(slatMs > 0 && random.chance(0.5) && { slat: random.next() }),
      };
      let remaining = aim;
      for (let runs = 0; ; runs++) {
        const run = nextRun(own, { at: state }, remaining);
        if (run === undefined) break;
        if (runs > 4) wrong.push(`shutter ${n}: ${JSON.stringify(aim)} takes more than five runs`);
        // The running time is known only to within some milliseconds.
        const [before, after] = [random.below(20), random.below(20)];
        real.run(run.direction, run.ms);
        state = stateAfterRun(own, { from: state, direction: run.direction }, [
          run.ms - before,
          run.ms + after,
        ]);
        if (!real.isWithin(state))
          wrong.push(`shutter ${n}: ${real.toString()} is not in ${JSON.stringify(state)}`);
        if (runs > 4) break;
        remaining = run.remaining;
      }
      if (aim.position !== undefined && aim.slat === undefined)
        errors.push(Math.abs(midpoint(state.position) - aim.position) - 100 / shortestMs);
    }
  }
  t.strictSame(wrong.slice(0, 5), []);
  t.ok(errors.length > 1000);
  errors.sort((a, b) => a - b);
  const quantile = (part: number) => errors[Math.floor(errors.length * part)] ?? NaN;
  t.ok(
    quantile(0.99) < 0,
    `99 of 100 times it reaches its target within a tenth of a second: ${quantile(0.99)}`,
  );
  t.ok(quantile(0.999) < 0.02, `999 of 1,000 times within 2 % more: ${quantile(0.999)}`);
  // A position counts as known if its range is at most 0.1 wide; the estimate is the middle of the range.
  t.ok(Math.max(...errors) < 0.05, `and always as exactly as a position is known: ${Math.max(...errors)}`);
});
