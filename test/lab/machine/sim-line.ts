/**
 * A line of the kernel's simulated chip in the machine (`recipe/overlay/opt/lab/gpio-sim.sh`): a program
 * there makes edges on it, and the kernel counts its interrupts.
 */
import type { GuestAgent } from './agent.js';

/** Offset of SENSE1 on the simulated chip; the others follow. */
export const FIRST_SENSE = 8;

/** How edges are made: a rate, and the seconds after which no more are made. */
interface Pace {
  readonly perS?: number;
  readonly withinS?: number;
}

/**
 * The command that makes edges in the machine: as fast as a loop can, or at a rate by the machine's clock and
 * for a limited time. It prints how many it has made.
 */
export const makeEdges = (offset: number, count: number, { perS, withinS }: Pace = {}): string =>
  `/opt/lab/edges ${count} /run/lab/gpio-sim/sim_gpio${offset}/pull ${perS ?? ''} ${withinS ?? ''}`;

/** Interrupts of the line since the gateway requested it; NaN if it has not. */
export async function interrupts(agent: GuestAgent, offset: number): Promise<number> {
  const lines = (await agent.run('cat /proc/interrupts')).split('\n').map((line) => line.trim().split(/\s+/));
  const mine = lines.find((words) => words.slice(-4).join(' ') === `irq_sim ${offset} Edge stellwerk`);
  return mine?.slice(1, -4).reduce((sum, count) => sum + Number(count), 0) ?? NaN;
}
