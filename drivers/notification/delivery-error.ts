import { CodedError, type Text } from '../../src/base/codes/coded-text.js';

/** Why a server has not accepted a message, and whether another attempt may succeed. */
export class DeliveryError extends CodedError {
  /** `deferred`: another attempt for this message may succeed; the server accepts others meanwhile. */
  readonly duration: 'temporary' | 'deferred' | 'permanent';

  constructor(text: Text, duration: DeliveryError['duration'] = 'permanent') {
    super(text);
    this.duration = duration;
  }
}
