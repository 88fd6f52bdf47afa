/**
 * The kernel's record of the outputs, by its monotonic clock: every driven value, every released line, every
 * signal that ends or stops a process, and every end of a process. It also covers lines that the host cannot
 * see, and shows which process drove them.
 */
import type { GuestAgent } from '../machine/agent.js';
import { CHIPS, type Line, LINES } from './lines.js';

/** Recorded by the kernel in its `trace` file until {@link Trace.clear}. */
const SETUP = `#!/bin/bash
set -e
cd /sys/kernel/tracing
echo mono >trace_clock
# Where its module is loaded later, the probe waits for it.
grep -q sim_free kprobe_events || echo 'p:lab/sim_free gpio_sim:gpio_sim_free offset=%x1' >kprobe_events
echo 'sig == 9 || sig == 15 || sig == 19' >events/signal/signal_generate/filter
for event in gpio lab signal/signal_generate sched/sched_process_exit; do echo 1 >events/$event/enable; done
`;
/** Before anything that may drive an output at boot. */
const UNIT = `[Unit]
DefaultDependencies=no
RequiresMountsFor=/sys/kernel/tracing
Before=stellwerk-keeper.service stellwerk.service lab-gpio.service
[Service]
Type=oneshot
ExecStart=/root/trace.sh
[Install]
WantedBy=multi-user.target
`;
const BASES =
  'for chip in /sys/class/gpio/gpiochip*; do echo "$(cat $chip/base) $(cat $chip/ngpio) $(cat $chip/label)"; done';
const ENTRY = /^\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+(\d+\.\d+): (\w+): (.*)$/;

/** A driven value that changed a line. */
export interface Move {
  readonly line: Line;
  readonly active: boolean;
  readonly atS: number;
  /** The process that drove it. */
  readonly pid: number;
}

/** A signal that was sent to a process. */
export interface Signal {
  readonly signal: number;
  readonly to: number;
  readonly atS: number;
}

/** Everything since the record was cleared, in order. */
export interface Observation {
  readonly moves: readonly Move[];
  readonly signals: readonly Signal[];
  /** When threads ended, by id: just before the kernel closed their descriptors. */
  readonly ends: ReadonlyMap<number, number>;
  /** Lines that were released or made inputs. */
  readonly released: readonly string[];
}

/** The record of one machine. */
export class Trace {
  readonly #agent: GuestAgent;
  /** By the kernel's number. */
  #lines: ReadonlyMap<number, Line> = new Map();

  private constructor(agent: GuestAgent) {
    this.#agent = agent;
  }

  /** Starts recording now and at each following boot of the machine. */
  static async begin(agent: GuestAgent): Promise<Trace> {
    await agent.put('/root/trace.sh', SETUP);
    await agent.put('/etc/systemd/system/lab-trace.service', UNIT);
    await agent.run('chmod +x /root/trace.sh && systemctl enable -q lab-trace && /root/trace.sh');
    const trace = new Trace(agent);
    await trace.number();
    return trace;
  }

  /** Reads the kernel's numbers of the lines, which may differ after a boot. */
  async number(): Promise<void> {
    const numbers = new Map<number, Line>();
    for (const text of (await this.#agent.run(BASES)).split('\n')) {
      const [base, , label] = text.split(' ');
      for (const line of LINES) if (CHIPS[line.chip] === label) numbers.set(Number(base) + line.offset, line);
    }
    if (numbers.size !== LINES.length) throw new Error(`${numbers.size} of ${LINES.length} lines were found`);
    this.#lines = numbers;
  }

  /** Clears the record. */
  async clear(): Promise<void> {
    await this.#agent.run('echo >/sys/kernel/tracing/trace');
  }

  /**
   * Everything since then, given the lines that were active at the beginning. Throws if the kernel has lost
   * records.
   */
  async read(were: ReadonlyMap<Line, boolean>): Promise<Observation> {
    const text = await this.#agent.run('cat /sys/kernel/tracing/trace');
    const [, kept, written] = /entries-in-buffer\/entries-written: (\d+)\/(\d+)/.exec(text) ?? [];
    if (kept === undefined || kept !== written)
      throw new Error(`the kernel kept ${kept} of ${written} events`);
    const levels = new Map(were);
    const moves: Move[] = [];
    const signals: Signal[] = [];
    const ends = new Map<number, number>();
    const released: string[] = [];
    for (const entry of text.split('\n')) {
      const [, , task, at, event, rest = ''] = ENTRY.exec(entry) ?? [];
      const [pid, atS] = [Number(task), Number(at)];
      const [number, how, value] = rest.split(' ');
      const line = this.#lines.get(Number(number));
      if (event === 'gpio_value' && how === 'set' && line !== undefined) {
        const active = (value === '1') === (line.chip === 'pl061');
        if (levels.get(line) !== active) moves.push({ line, active, atS, pid });
        levels.set(line, active);
      }
      if (event === 'gpio_direction' && how === 'in' && line !== undefined)
        released.push(`${line.ident} was made an input by process ${pid}`);
      if (event === 'sim_free') {
        const offset = Number(/offset=(\w+)/.exec(rest)?.[1]);
        const one = LINES.find((candidate) => candidate.chip === 'sim' && candidate.offset === offset);
        if (one !== undefined) released.push(`${one.ident} was released`);
      }
      if (event === 'sched_process_exit') ends.set(pid, atS);
      const [, signal, to] = /sig=(\d+) .* pid=(\d+) /.exec(rest) ?? [];
      if (event === 'signal_generate') signals.push({ signal: Number(signal), to: Number(to), atS });
    }
    return { moves, signals, ends, released };
  }
}
