/**
 * Notices when the machine itself stalls because its host does not run it. The line keeper then takes
 * over the outputs, as it should, and a test of something else shows nothing.
 */
import type { Test } from 'tap';
import type { GuestAgent } from './agent.js';

/** A gap between two looks at the clock, in which a gateway has no time for its messages either, s. */
const STALL_S = 2;
const LOOK_EVERY_S = 0.5;
/** Runs until one is undisturbed. */
const RUNS = 4;
const FILE = '/run/lab-stalls';
/** Notes gaps of the monotonic clock. One runs on each processor, because the host can stop them separately. */
const WATCH = `use Time::HiRes qw(clock_gettime sleep CLOCK_MONOTONIC);
$before = clock_gettime(CLOCK_MONOTONIC);
for (;;) {
  sleep ${LOOK_EVERY_S};
  $now = clock_gettime(CLOCK_MONOTONIC);
  if ($now - $before > ${STALL_S}) { open(F, ">>${FILE}"); printf F "%.1f s\\n", $now - $before; close F; }
  $before = $now;
}
`;
const UNIT = `[Service]
ExecStart=/usr/bin/taskset --cpu-list %i /usr/bin/perl /root/stalls.pl
[Install]
WantedBy=multi-user.target
`;

/** See above. It also runs after each following boot of the machine. */
export class StallMonitor {
  readonly #agent: GuestAgent;

  private constructor(agent: GuestAgent) {
    this.#agent = agent;
  }

  static async start(agent: GuestAgent): Promise<StallMonitor> {
    await agent.put('/root/stalls.pl', WATCH);
    await agent.put('/etc/systemd/system/lab-stalls@.service', UNIT);
    await agent.run('systemctl enable -q --now $(seq -f lab-stalls@%g.service 0 $(($(nproc) - 1)))');
    return new StallMonitor(agent);
  }

  /**
   * The result of a run in which the machine did not stall. `run` prepares everything itself, and is called up to
   * {@link RUNS} times; the last result is used as it is, and the last error is thrown.
   */
  async undisturbed<T>(t: Test, run: () => Promise<T>): Promise<T> {
    for (let n = 1; ; n++) {
      await this.#agent.run(`rm -f ${FILE}`);
      const [outcome] = await Promise.allSettled([run()]);
      const { code, out } = await this.#agent.try(`cat ${FILE}`);
      if (code === 0 && n < RUNS) {
        t.comment(`repeated, because the machine stalled: ${out.trimEnd().replaceAll('\n', ', ')}`);
        continue;
      }
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }
  }
}
