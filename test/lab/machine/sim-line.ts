/**
 * A line of the kernel's simulated chip in the machine (`recipe/overlay/opt/lab/gpio-sim.sh`): edges are made
 * on it by a program there, and the kernel counts its interrupts.
 */
import type { GuestAgent } from './agent.js';

/** Offset of SENSE1 on the simulated chip; the others follow. */
export const FIRST_SENSE = 8;

/**
 * How a program in the machine makes edges: as fast as a loop can, or so many a second by the machine's own
 * clock.
 */
export const makeEdges = (offset: number, count: number, perS?: number): string =>
  `/opt/lab/edges ${count} /run/lab/gpio-sim/sim_gpio${offset}/pull ${perS ?? ''}`;

/** How often the kernel was interrupted for the line, since the gateway has it; NaN where it hasn't. */
export async function interrupts(agent: GuestAgent, offset: number): Promise<number> {
  const lines = (await agent.run('cat /proc/interrupts')).split('\n').map((line) => line.trim().split(/\s+/));
  const mine = lines.find((words) => words.slice(-4).join(' ') === `irq_sim ${offset} Edge stellwerk`);
  return mine?.slice(1, -4).reduce((sum, count) => sum + Number(count), 0) ?? NaN;
}
