import type { Clock } from '../../../src/base/clock.js';
import type { SimulatedBoard, SimulatedLine } from './simulated-board.js';

/** The shortest timer interval of a flood; all edges of one interval keep their own timestamps. */
const MIN_TICK_MS = 1;

/** The line that a fault is injected into. */
interface FaultContext {
  readonly board: SimulatedBoard;
  readonly clock: Clock;
  readonly line: SimulatedLine;
}

/**
 * Simulates a bouncing contact: the line changes to `level`, bounces `bounces` times at random moments within
 * `withinMs`, and then stays at `level`.
 */
export function injectBounce(
  { board, clock, line }: FaultContext,
  level: boolean,
  { bounces, withinMs, seed }: { bounces: number; withinMs: number; seed: number },
): void {
  const random = randomNumbers(seed);
  const atMs = Array.from({ length: 2 * bounces }, () => random() * withinMs).sort((a, b) => a - b);
  const cancels = atMs.map((ms, n) => clock.after(ms, () => board.driveLine(line, level === (n % 2 === 1))));
  board.setStimulus(line, () => cancels.forEach((cancel) => cancel()));
  board.driveLine(line, level);
}

/** Toggles a line `perS` times per second for `forMs`; it ends at the level at which it began. */
export function injectFlood(
  { board, clock, line }: FaultContext,
  { perS, forMs }: { perS: number; forMs: number },
): void {
  const total = 2 * Math.round((perS * forMs) / 2000);
  const startNs = clock.monotonicNs();
  const before = line.net.level;
  let made = 0;
  const stop = clock.every(Math.max(MIN_TICK_MS, Math.floor(1000 / perS)), () => {
    const due = Math.min(total, Math.floor((Number(clock.monotonicNs() - startNs) * perS) / 1e9));
    while (made < due) {
      made++;
      const atNs = startNs + BigInt(Math.round((made * 1e9) / perS));
      board.driveLine(line, before === (made % 2 === 0), atNs);
    }
    if (made === total) stop();
  });
  board.setStimulus(line, stop);
}

/** Numbers in [0, 1), the same for the same seed: a 32-bit linear congruential generator. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
