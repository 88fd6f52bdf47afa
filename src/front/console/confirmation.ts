import { type Signal, signal } from '@preact/signals';
import { RpcError } from '../../client/errors.js';

/** The owner did not confirm the password, so the call was not made. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed';
}

/** Makes calls for which the gateway may require that the owner confirms the password. */
export class Confirmation {
  /** Whether the dialog is shown. */
  readonly isOpen: Signal<boolean> = signal(false);
  #waiting: ((isConfirmed: boolean) => void)[] = [];

  /**
   * Makes a call. If the gateway requires the password, prompts for it and repeats the call. Rejects with
   * `NotConfirmed` if the owner cancels, otherwise as the call.
   */
  async call(make: () => Promise<unknown>): Promise<unknown> {
    try {
      return await make();
    } catch (thrown) {
      if (!(thrown instanceof RpcError) || thrown.reason !== 'CONFIRMATION_REQUIRED') throw thrown;
    }
    const isConfirmed = await new Promise<boolean>((resolve) => {
      this.#waiting.push(resolve);
      this.isOpen.value = true;
    });
    if (!isConfirmed) throw new NotConfirmed();
    return make();
  }

  /** Closes the dialog and continues with the calls that wait for it. */
  finish(isConfirmed: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.isOpen.value = false;
    for (const resolve of waiting) resolve(isConfirmed);
  }
}
