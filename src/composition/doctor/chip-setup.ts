import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { coded, CodedError, fromRecord } from '../../base/codes/coded-text.js';
import { delay, type Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';
import type { ChipsPort } from '../../functions/ports.js';
import { checkChip } from '../../service/machine/chip-check.js';
import {
  CHIP_REQUEST_FILE,
  hasChipService,
  readChipReply,
  type ChipReply,
  type ChipRequest,
} from '../../service/machine/chip-service.js';

/** Interval for checking whether the service has replied, ms. */
const POLL_MS = 250;
/** The service has this long: it starts a program, which takes seconds on a small board. */
const REPLY_POLLS = 80;

interface Dependencies {
  readonly clock: Clock;
  readonly runtimeDirectory: string;
  /** The machine's root directory. */
  readonly root: string;
}

/**
 * Declares chips on I²C. The gateway may not write the machine's configuration: it requests a chip from
 * `stellwerk-chips.service`, which runs as root and checks the request itself.
 */
export class ChipSetup implements ChipsPort {
  readonly #clock: Clock;
  readonly #root: string;
  readonly #request: string;
  readonly #closing = new AbortController();
  #isBusy = false;

  constructor({ clock, runtimeDirectory, root }: Dependencies) {
    this.#clock = clock;
    this.#root = root;
    this.#request = join(runtimeDirectory, CHIP_REQUEST_FILE);
  }

  /** Requests nothing more; a call that waits for the service is rejected with `STOPPING`. */
  close(): void {
    this.#closing.abort();
  }

  /** See {@link ChipsPort}. */
  async check(device: string): ReturnType<ChipsPort['check']> {
    const { path, added } = await checkChip(device, this.#root).catch((thrown: unknown) => {
      throw thrown instanceof CodedError ? fault('CHIP_NOT_ENABLED', thrown.codedText) : thrown;
    });
    return {
      Device: device,
      Path: path,
      Lines: [...added],
      CanWrite: await hasChipService(this.#root),
    };
  }

  /** See {@link ChipsPort}. */
  async enable(device: string): ReturnType<ChipsPort['enable']> {
    const planned = await this.check(device);
    if (!planned.CanWrite)
      throw fault(
        'NOT_SUPPORTED',
        coded`WHAT_CHIP_WITHOUT_SERVICE: Declaring a chip without stellwerk-chips.path (run sudo stellwerk enable-chip --yes ${device} instead)`,
      );
    if (planned.Lines.length === 0) return planned;
    if (this.#isBusy) throw fault('BUSY', coded`WHAT_CHIP_IN_PROGRESS: Another chip is being written`);
    this.#isBusy = true;
    try {
      const problem = (await this.#requested(device)).problem;
      if (problem !== null) throw fault('CHIP_NOT_ENABLED', fromRecord(problem));
      return planned;
    } finally {
      // A request that nobody took must not be done later.
      await rm(this.#request, { force: true });
      this.#isBusy = false;
    }
  }

  /** Requests a chip and waits for the reply. Throws `CHIP_NOT_ENABLED` without one, `STOPPING`. */
  async #requested(device: string): Promise<ChipReply> {
    const request: ChipRequest = { id: randomUUID(), device };
    await writeFileAtomically(this.#request, JSON.stringify(request), 0o600);
    for (let polls = 0; polls < REPLY_POLLS; polls += 1) {
      await delay(this.#clock, POLL_MS, this.#closing.signal).catch(() => {
        throw fault('STOPPING');
      });
      const reply = await readChipReply(request.id, this.#root);
      if (reply !== undefined) return reply;
    }
    throw fault(
      'CHIP_NOT_ENABLED',
      coded`CHIP_NO_REPLY: stellwerk-chips.service did not reply; journalctl -u stellwerk-chips shows why`,
    );
  }
}
