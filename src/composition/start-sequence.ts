import { coded } from '../base/codes/coded-text.js';
import { codedMessageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { Health } from '../service/health.js';

/** Starts the parts of a gateway. If one fails, health reports it, and the others start. */
export class StartSequence {
  readonly #health: Health;
  readonly #log: Log;

  constructor(health: Health, log: Log) {
    this.#health = health;
    this.#log = log;
  }

  /** Does not reject. `name` appears in health and in the log. */
  async run(name: string, start: () => unknown): Promise<void> {
    try {
      await start();
    } catch (thrown) {
      this.#log.error({ part: name, err: thrown }, 'a part of the gateway did not start');
      this.#health.set(`start: ${name}`, {
        state: 'failed',
        text: coded`DID_NOT_START_GATEWAY: ${name} did not start; the gateway runs without it: ${codedMessageOf(thrown)}`,
        whatToDo: coded`CORRECT_CAUSE_RESTART_GATEWAY: correct the cause and restart the gateway`,
      });
    }
  }
}
