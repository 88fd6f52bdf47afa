import { coded } from '../../../src/base/codes/coded-text.js';
import type { Static, TObject } from '@sinclair/typebox';
import type { Cancel } from '../../../src/base/clock.js';
import { isAbort, codedMessageOf } from '../../../src/base/fault.js';
import type { Host } from '../../../src/device/module.js';
import type { outputPolicies } from '../line-properties.js';

type TimeoutProperties = Pick<Static<TObject<typeof outputPolicies>>, 'OnSilence' | 'SilentAfterS'>;

/**
 * Drives an output to its `OnSilence` value, once, when no command has arrived for `SilentAfterS` seconds.
 */
export class CommandTimeout {
  readonly #host: Host<TimeoutProperties>;
  readonly #write: (active: boolean) => Promise<void>;
  #cancelTimer: Cancel = () => undefined;

  /** `write` executes a command, under the rules of the output. */
  constructor(host: Host<TimeoutProperties>, write: (active: boolean) => Promise<void>) {
    this.#host = host;
    this.#write = write;
    this.#start();
  }

  /** Call this for each command, even one that fails: its source is alive. */
  restart(): void {
    this.#cancelTimer();
    this.#host.setProblem('SILENT', undefined);
    this.#start();
  }

  close(): void {
    this.#cancelTimer();
  }

  #start(): void {
    const { SilentAfterS, OnSilence } = this.#host.properties;
    if (SilentAfterS === 0 || OnSilence === 'hold') return;
    this.#cancelTimer = this.#host.clock.after(SilentAfterS * 1000, () => this.#onTimeout());
  }

  #onTimeout(): void {
    const { SilentAfterS, OnSilence } = this.#host.properties;
    const text = coded`NO_COMMAND_S: no command for ${SilentAfterS} s`;
    this.#host.setProblem(
      'SILENT',
      coded`SILENCE_APPLIED: ${text}: the output was set to ${OnSilence} (OnSilence)`,
    );
    this.#write(OnSilence === 'active').catch((thrown: unknown) => {
      if (isAbort(thrown)) return;
      this.#host.setProblem(
        'SILENT',
        coded`SILENCE_NOT_APPLIED: ${text}, and the output could not be set to ${OnSilence} (OnSilence): ${codedMessageOf(thrown)}`,
      );
    });
  }
}
