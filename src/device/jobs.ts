import { codeOf } from '../base/fault.js';
import { Turn } from '../base/turn.js';
import type { Host } from './module.js';

/** What one opening does with its device, where that takes several steps: one job after the other, none after it was closed. */
export class Jobs {
  readonly #host: Pick<Host, 'lost'>;
  readonly #name: string;
  readonly #turn = new Turn();
  #isClosed = false;

  /** `name` is the device's, for texts. */
  constructor(host: Pick<Host, 'lost'>, name: string) {
    this.#host = host;
    this.#name = name;
  }

  /** Rejects as the job does; where that shows that the device is gone, the supervisor hears of it. */
  do(job: () => Promise<void>): Promise<void> {
    return this.#turn.run(async () => {
      if (this.#isClosed) throw new DOMException(`${this.#name} is closed`, 'AbortError');
      try {
        await job();
      } catch (thrown) {
        if (codeOf(thrown) === 'DEVICE_OFFLINE') this.#host.lost(thrown);
        throw thrown;
      }
    });
  }

  /** Waits for the job that is under way, and lets go of the device. */
  close(release: () => void): Promise<void> {
    this.#isClosed = true;
    return this.#turn.run(async () => release());
  }
}
