import t from 'tap';
import { message } from '../../../src/kernel/messages.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

t.test('message numbers are those of the interface', async (t) => {
  t.strictSame(message, messageNumber);
});
