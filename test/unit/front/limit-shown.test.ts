import t from 'tap';
import { limitShown } from '../../../src/front/resident/messages/limit-shown.js';

t.test('popups and other messages are limited, and do not replace each other', async (t) => {
  let shown: { readonly kind: string; readonly key: number }[] = [];
  for (const kind of ['popup', 'notification'])
    for (let key = 1; key <= 5; key++) shown = limitShown([...shown, { kind, key }], 3);
  t.strictSame(
    shown.map(({ kind, key }) => `${kind} ${key}`),
    ['popup 3', 'popup 4', 'popup 5', 'notification 3', 'notification 4', 'notification 5'],
  );
});
