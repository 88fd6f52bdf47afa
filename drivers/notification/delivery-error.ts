import { CodedError, type Text } from '../../src/base/codes/coded-text.js';

/** Why a server has not accepted a message, and whether another attempt may succeed. */
export class DeliveryError extends CodedError {
  readonly isTemporary: boolean;

  constructor(text: Text, duration: 'temporary' | 'permanent' = 'permanent') {
    super(text);
    this.isTemporary = duration === 'temporary';
  }
}
