import type { Static, TObject } from '@sinclair/typebox';
import type { Cancel } from '../../../src/base/clock.js';
import { isAbort, messageOf } from '../../../src/base/fault.js';
import type { Host } from '../../../src/device/module.js';
import type { outputPolicies } from '../line-properties.js';

type TimeoutProperties = Pick<Static<TObject<typeof outputPolicies>>, 'OnSilence' | 'SilentAfterS'>;

/** Gives an output its `OnSilence` value when nobody has commanded it for `SilentAfterS`; once, until the next command. */
export class CommandTimeout {
  readonly #host: Host<TimeoutProperties>;
  readonly #write: (active: boolean) => Promise<void>;
  #cancel: Cancel = () => undefined;

  /** `write` is the way of a command: rules count. */
  constructor(host: Host<TimeoutProperties>, write: (active: boolean) => Promise<void>) {
    this.#host = host;
    this.#write = write;
    this.#wait();
  }

  /** A command has come, whether it was done or not: its source is there. */
  restart(): void {
    this.#cancel();
    this.#host.setProblem('SILENT', undefined);
    this.#wait();
  }

  close(): void {
    this.#cancel();
  }

  #wait(): void {
    const { SilentAfterS, OnSilence } = this.#host.properties;
    if (SilentAfterS === 0 || OnSilence === 'hold') return;
    this.#cancel = this.#host.clock.after(SilentAfterS * 1000, () => this.#apply());
  }

  #apply(): void {
    const { SilentAfterS, OnSilence } = this.#host.properties;
    const text = `no command for ${SilentAfterS} s`;
    this.#host.setProblem('SILENT', `${text}: it was made ${OnSilence} (OnSilence)`);
    this.#write(OnSilence === 'active').catch((thrown: unknown) => {
      if (isAbort(thrown)) return;
      this.#host.setProblem(
        'SILENT',
        `${text}, and it could not be made ${OnSilence} (OnSilence): ${messageOf(thrown)}`,
      );
    });
  }
}
