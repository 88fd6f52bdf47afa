import t from 'tap';
import { message } from '../../../src/kernel/messages.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

t.test('the numbers of messages are those that clients know', async (t) => {
  t.strictSame(message, messageNumber);
});
