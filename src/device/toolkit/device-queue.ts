import type { Text } from '../../base/codes/coded-text.js';
import { codeOf } from '../../base/fault.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { Host } from '../module.js';

/**
 * Runs the jobs of one open device in sequence, for devices that need several steps per job. No job starts
 * after `close`.
 */
export class DeviceQueue {
  readonly #host: Pick<Host, 'reportLost'>;
  readonly #name: Text;
  readonly #turn = new SerialQueue();
  #isClosed = false;

  /** `name` is the device's name, for messages. */
  constructor(host: Pick<Host, 'reportLost'>, name: Text) {
    this.#host = host;
    this.#name = name;
  }

  /** Rejects as the job does. If the device is gone (`DEVICE_OFFLINE`), the supervisor is notified. */
  run(job: () => Promise<void>): Promise<void> {
    return this.#turn.run(async () => {
      if (this.#isClosed) throw new DOMException(`${this.#name.toString()} is closed`, 'AbortError');
      try {
        await job();
      } catch (thrown) {
        if (codeOf(thrown) === 'DEVICE_OFFLINE') this.#host.reportLost(thrown);
        throw thrown;
      }
    });
  }

  /** Waits for the running job, then releases the device. */
  close(release: () => void): Promise<void> {
    this.#isClosed = true;
    return this.#turn.run(async () => release());
  }
}
