import { codeOf } from '../../base/fault.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { Host } from '../module.js';

/** What one opening does with its device, where that takes several steps: one job after the other, none after it was closed. */
export class DeviceQueue {
  readonly #host: Pick<Host, 'reportLost'>;
  readonly #name: string;
  readonly #turn = new SerialQueue();
  #isClosed = false;

  /** `name` is the device's, for texts. */
  constructor(host: Pick<Host, 'reportLost'>, name: string) {
    this.#host = host;
    this.#name = name;
  }

  /** Rejects as the job does; where that shows that the device is gone, the supervisor hears of it. */
  run(job: () => Promise<void>): Promise<void> {
    return this.#turn.run(async () => {
      if (this.#isClosed) throw new DOMException(`${this.#name} is closed`, 'AbortError');
      try {
        await job();
      } catch (thrown) {
        if (codeOf(thrown) === 'DEVICE_OFFLINE') this.#host.reportLost(thrown);
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
