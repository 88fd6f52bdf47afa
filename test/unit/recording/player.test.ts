import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { Player } from '../../../src/recording/player.js';
import type { Transfer } from '../../../src/recording/entry-format.js';
import { numbered, received, sent } from '../../tools/recording/transfers.js';
import { until } from '../../tools/until.js';

/** A peer that keeps what it was to send. */
function fakePeer() {
  const texts: string[] = [];
  return { texts, send: async ({ payload }: Transfer) => void texts.push(payload.toString()) };
}

const { signal } = new AbortController();

t.test('messages are sent with the pauses of the recording, or faster', async (t) => {
  for (const [speed, pauseMs] of [
    [1, 1000],
    [2, 500],
  ] as const) {
    const clock = new ManualClock();
    const peer = fakePeer();
    const player = new Player({ clock, speed, waitMs: 1000 });
    const entries = numbered([received(400, 'a', '1'), received(1400, 'a', '2'), received(1400, 'a', '3')]);
    const playing = player.play(entries, peer, signal);
    await until('the pause', () => clock.pendingTimers === 1);
    clock.advance(pauseMs - 1);
    t.strictSame(peer.texts, ['1'], 'the first without a pause');
    clock.advance(1);
    t.match(await playing, { sent: 3, awaited: 0 });
    t.strictSame(peer.texts, ['1', '2', '3']);
    t.equal(clock.pendingTimers, 0);
  }
});

t.test('what the gateway sent is awaited, and pauses count from there', async (t) => {
  const clock = new ManualClock();
  const peer = fakePeer();
  const player = new Player({ clock, speed: 1, waitMs: 30_000 });
  const entries = numbered([sent(5, 'lamp/set', 'ON'), received(105, 'lamp', 'ON')]);
  const playing = player.play(entries, peer, signal);
  player.take('lamp/set', Buffer.from('OFF'));
  clock.advance(20_000);
  t.strictSame(peer.texts, []);
  player.take('lamp/set', Buffer.from('ON'));
  await nextTurn();
  clock.advance(100);
  t.match(await playing, { sent: 1, awaited: 1 });
});

t.test('what the gateway does not send ends it, with the line', async (t) => {
  const clock = new ManualClock();
  const player = new Player({ clock, speed: 1, waitMs: 2000 });
  const playing = player.play(numbered([sent(0, 'lamp/set', 'ON')]), fakePeer(), signal);
  player.take('lamp/set', Buffer.from('OFF'));
  clock.advance(2000);
  await t.rejects(playing, {
    message: /^line 2: the gateway did not send this message on lamp\/set within 2 s, and 1 others/,
  });
  t.equal(clock.pendingTimers, 0);
  const unawaited = new Player({ clock, speed: 1, waitMs: 0 });
  t.match(await unawaited.play(numbered([sent(0, 'lamp/set', 'ON')]), fakePeer(), signal), { awaited: 0 });
});

t.test('a message with a hidden part is awaited by its topic, bytes with one are not', async (t) => {
  const player = new Player({ clock: new ManualClock(), speed: 0, waitMs: 1000 });
  player.take('door/set', Buffer.from('{"code":"1234"}'));
  const entries = numbered([
    { ...sent(0, 'door/set', '{"code":"***"}'), isIncomplete: true },
    { ...sent(0, '', 'login ***'), isIncomplete: true },
  ]);
  t.match(await player.play(entries, fakePeer(), signal), { awaited: 1 });
});

t.test('bytes are found in other pieces, and after others', async (t) => {
  const player = new Player({ clock: new ManualClock(), speed: 0, waitMs: 1000 });
  const playing = player.play(numbered([sent(0, '', 'READ?'), sent(0, '', 'ACK')]), fakePeer(), signal);
  for (const piece of ['\r\nRE', 'AD', '?AC', 'K']) player.take('', Buffer.from(piece));
  t.match(await playing, { awaited: 2 });
});

t.test('a signal ends a pause and a wait', async (t) => {
  for (const entries of [
    numbered([received(0, 'a', '1'), received(9000, 'a', '2')]),
    numbered([sent(0, 'a', '1')]),
  ]) {
    const clock = new ManualClock();
    const ended = new AbortController();
    const playing = new Player({ clock, speed: 1, waitMs: 1000 }).play(entries, fakePeer(), ended.signal);
    await until('a timer', () => clock.pendingTimers === 1);
    ended.abort(new Error('the broker is lost'));
    await t.rejects(playing, { message: 'the broker is lost' });
    t.equal(clock.pendingTimers, 0);
  }
});
