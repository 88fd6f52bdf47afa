import type { Clock } from '../../../src/base/clock.js';
import type { SimulatedLine, SimulatedBoard } from './simulated-board.js';

/** A flood is looked after at least this far apart; the edges of one look have times of their own. */
const TICK_LEAST_MS = 1;

/** What a line of a simulated world suffers. */
export interface FaultContext {
  readonly board: SimulatedBoard;
  readonly clock: Clock;
  readonly line: SimulatedLine;
}

/** A contact that closes or opens: to `level`, to and fro `bounces` times at random moments within `withinMs`, and there to stay. */
export function injectBounce(
  { board: world, clock, line: spot }: FaultContext,
  level: boolean,
  { bounces, withinMs, seed }: { bounces: number; withinMs: number; seed: number },
): void {
  const random = seeded(seed);
  const atMs = Array.from({ length: 2 * bounces }, () => random() * withinMs).sort((a, b) => a - b);
  const cancels = atMs.map((ms, n) => clock.after(ms, () => world.driveLine(spot, level === (n % 2 === 1))));
  world.setStimulus(spot, () => cancels.forEach((cancel) => cancel()));
  world.driveLine(spot, level);
}

/** A line that moves to and fro without end: `perS` edges a second, for `forMs`; it ends where it began. */
export function injectFlood(
  { board: world, clock, line: spot }: FaultContext,
  { perS, forMs }: { perS: number; forMs: number },
): void {
  const all = 2 * Math.round((perS * forMs) / 2000);
  const startNs = clock.monotonicNs();
  const before = spot.net.level;
  let made = 0;
  const stop = clock.every(Math.max(TICK_LEAST_MS, Math.floor(1000 / perS)), () => {
    const due = Math.min(all, Math.floor((Number(clock.monotonicNs() - startNs) * perS) / 1e9));
    while (made < due) {
      made++;
      const atNs = startNs + BigInt(Math.round((made * 1e9) / perS));
      world.driveLine(spot, before === (made % 2 === 0), atNs);
    }
    if (made === all) stop();
  });
  world.setStimulus(spot, stop);
}

/** Numbers in [0, 1), the same for the same seed: a linear congruential generator of 32 bits. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
