import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { message } from '../../../src/kernel/messages.js';
import { objectType } from '../../../src/kernel/object.js';
import { startApi } from '../../tools/gateway/api-fixture.js';
import {
  callOverWebSocket,
  isChangesLost,
  openWebSocket,
  takeFrames,
  type Frame,
} from '../../tools/client/message-stream.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { closeOf, frameBytes, opcode } from '../../tools/client/raw-websocket.js';
import { withinPatience } from '../../tools/until.js';

t.test('every change is sent as one frame, in order, to all clients that may see it', async (t) => {
  const fixture = await startApi(t);
  await using one = await openWebSocket(fixture);
  await using two = await openWebSocket(fixture);
  await using ground = await openWebSocket(fixture, '/wfc/50001/api/', [basicLine('webfront', 'tulip')]);
  const { lamp, blind, kernel } = fixture;
  const first = kernel.changes.counter + 1;
  for (let n = 1; n <= 50; n++) fixture.set(n % 2 === 0 ? blind : lamp, n / 4);
  fixture.set(kernel.variables.create(3, { parent: fixture.ground, name: 'Text' }), 'ü€😀"\n');
  const all = kernel.changes.since(first - 1).map(({ frame }) => JSON.parse(frame) as Frame);
  t.strictSame(await takeFrames(one, all.length), all);
  t.strictSame(await takeFrames(two, all.length), all);
  const mine = all.filter(({ SenderID, Message }) => SenderID !== blind.id && Message !== 0);
  t.strictSame(await takeFrames(ground, mine.length), mine);
});

t.test('a client that reconnects gets the missed changes, without a gap or a repetition', async (t) => {
  const fixture = await startApi(t);
  const { kernel, lamp } = fixture;
  const since = kernel.changes.counter;
  for (let n = 0; n < 5000; n++) fixture.set(lamp, n);
  const opening = openWebSocket(fixture, `/api/?since=${since}`);
  let live = 5000;
  const timer = setInterval(() => fixture.set(lamp, live++), 1);
  await using socket = await opening;
  const frames = await takeFrames(socket, 5050);
  clearInterval(timer);
  t.strictSame(
    frames.map(({ TimeStamp }) => TimeStamp),
    frames.map((_, index) => since + 1 + index),
  );
  t.strictSame(
    frames.map(({ Data }) => Data[0]),
    frames.map((_, index) => index),
  );
  for (const [path, hint] of [
    ['/api/?since=5', 'too old'],
    [`/api/?since=${kernel.changes.counter + 1000}`, 'from the future'],
  ] as const) {
    await using lost = await openWebSocket(fixture, path);
    const counter = kernel.changes.counter;
    fixture.set(lamp, -1);
    const [frame, next] = await takeFrames(lost, 2);
    t.strictSame(frame, { TimeStamp: counter, SenderID: 0, Message: 0, Data: ['CHANGES_LOST'] }, hint);
    t.equal(next?.TimeStamp, counter + 1);
  }
  kernel.changes.setLimits({ messages: 10, bytes: 1e6 });
  await using tooOld = await openWebSocket(fixture, `/api/?since=${since}`);
  t.ok(isChangesLost((await takeFrames(tooOld, 1))[0] as Frame));
});

t.test('a client may subscribe to objects with their children, and to message types', async (t) => {
  const fixture = await startApi(t);
  const { kernel, lamp, blind, ground, upper } = fixture;
  await using socket = await openWebSocket(fixture);
  t.equal(
    await callOverWebSocket(socket, 'GW_Subscribe', [
      [ground.id],
      [message.VM_UPDATE, message.OM_UNREGISTER],
    ]),
    true,
  );
  fixture.set(blind, 1);
  fixture.set(lamp, 2);
  const other = kernel.variables.create(0, { parent: ground });
  kernel.tree.delete(other);
  kernel.tree.move(lamp, upper);
  fixture.set(lamp, 3);
  kernel.tree.move(lamp, ground);
  fixture.set(lamp, 4);
  const frames = await takeFrames(socket, 3);
  t.strictSame(
    frames.map(({ SenderID, Message, Data }) => [SenderID, Message, Data[0]]),
    [
      [lamp.id, message.VM_UPDATE, 2],
      [other.id, message.OM_UNREGISTER, 2],
      [lamp.id, message.VM_UPDATE, 4],
    ],
  );
  t.equal(await callOverWebSocket(socket, 'GW_Subscribe', [[], []]), true);
  fixture.set(blind, 5);
  t.equal((await takeFrames(socket, 1))[0]?.SenderID, blind.id);
});

t.test('when a configurator’s area changes, its clients are notified that changes are lost', async (t) => {
  const fixture = await startApi(t);
  const { kernel, ground, upper, lamp, blind } = fixture;
  const { tree, links } = kernel;
  await using socket = await openWebSocket(fixture, '/wfc/50001/api/', [basicLine('webfront', 'tulip')]);
  /** Changes something, then the lamp; returns the messages that the client received before the lamp’s. */
  let mark = 100;
  const reported = async (change: () => void) => {
    change();
    fixture.set(lamp, ++mark);
    const seen: (number | string)[] = [];
    for (;;) {
      const [frame] = await takeFrames(socket, 1);
      if (frame === undefined || frame.Data[0] === mark) return seen;
      seen.push(isChangesLost(frame) ? 'LOST' : frame.Message);
    }
  };
  const {
    OM_REGISTER,
    VM_CREATE,
    OM_CHANGEPARENT,
    OM_CHILDADDED,
    OM_CHILDREMOVED,
    VM_DELETE,
    OM_UNREGISTER,
  } = message;
  let made = lamp;
  const creation = [OM_REGISTER, VM_CREATE, OM_CHANGEPARENT, OM_CHILDADDED];
  t.strictSame(await reported(() => (made = kernel.variables.create(2, { parent: ground }))), creation);
  t.strictSame(await reported(() => tree.delete(made)), [OM_CHILDREMOVED, VM_DELETE, OM_UNREGISTER]);
  t.strictSame(await reported(() => tree.delete(kernel.variables.create(2, { parent: upper }))), []);
  t.strictSame(await reported(() => tree.move(blind, ground)), ['LOST'], 'moved in');
  t.strictSame(await reported(() => tree.move(blind, upper)), ['LOST'], 'moved out');
  let link = links.create({ parent: ground });
  await reported(() => undefined);
  t.strictSame(await reported(() => links.setTarget(link, blind.id)), ['LOST'], 'another target');
  t.strictSame(await reported(() => fixture.set(blind, 7)), [message.VM_UPDATE], 'which is now in the area');
  t.strictSame(await reported(() => tree.delete(link)), [OM_CHILDREMOVED, message.LM_DELETE, 'LOST']);
  t.strictSame(await reported(() => fixture.set(blind, 8)), []);
  link = links.create({ parent: ground }, blind.id);
  await reported(() => undefined);
  t.strictSame(await reported(() => tree.delete(blind)), ['LOST'], 'a target is deleted');
  const linked = kernel.variables.create(2, { parent: ground });
  link = links.create({ parent: ground }, linked.id);
  await reported(() => undefined);
  t.strictSame(await reported(() => tree.delete(linked)), [OM_CHILDREMOVED, VM_DELETE, 'LOST']);
  const restored = kernel.variables.create(2, { id: linked.id, parent: upper });
  tree.delete(link);
  await reported(() => undefined);
  t.strictSame(await reported(() => fixture.set(restored, 1)), [], 'restored outside the area');
  const above = tree.create(objectType.category, {}, { name: 'House' });
  t.strictSame(await reported(() => tree.move(ground, above)), ['LOST'], 'the category between');
  t.strictSame(await reported(() => tree.set(above, 'name', 'Villa')), ['LOST']);
  t.strictSame(await reported(() => tree.set(upper, 'name', 'Attic')), []);

  const since = kernel.changes.counter;
  fixture.set(lamp, 1);
  tree.set(upper, 'name', 'Roof');
  await using again = await openWebSocket(fixture, `/wfc/50001/api/?since=${since}`, [
    basicLine('webfront', 'tulip'),
  ]);
  t.strictSame((await takeFrames(again, 1))[0]?.Data[0], 1, 'what was in the area in between');
  tree.delete(kernel.variables.create(2, { parent: ground }));
  await using late = await openWebSocket(fixture, `/wfc/50001/api/?since=${since}`, [
    basicLine('webfront', 'tulip'),
  ]);
  t.ok(
    isChangesLost((await takeFrames(late, 1))[0] as Frame),
    'objects were moved: the missed changes cannot be reported',
  );
});

t.test('a client that requests more than it reads is paused, without an effect on others', async (t) => {
  const fixture = await startApi(t);
  await using greedy = await openWebSocket(fixture);
  greedy.connection.socket.pause();
  const big = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'Echo', params: ['x'.repeat(50_000)] });
  let sent = 0;
  let isStuck = false;
  while (!isStuck && sent < 2000) {
    greedy.send(big);
    sent += 1;
    if (greedy.connection.socket.writableLength > 1_000_000) isStuck = true;
    if (sent % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  t.ok(isStuck, 'its requests are not read any more');
  await using other = await openWebSocket(fixture);
  t.equal(await callOverWebSocket(other, 'Echo', [1]), 1);
  greedy.connection.socket.resume();
  for (let n = 0; n < sent; n++) t.equal((await greedy.frame())?.payload.length, 50_036);
});

t.test('a slow client gets the latest values instead of all, and delays no other client', async (t) => {
  const fixture = await startApi(t);
  const { kernel, lamp, blind, ground } = fixture;
  await using slow = await openWebSocket(fixture);
  await using quick = await openWebSocket(fixture);
  slow.connection.socket.pause();
  const text = kernel.variables.create(3, { parent: ground });
  await takeFrames(quick, 4);
  // More than the buffers of kernel and socket: 3,000 frames of 10 KB.
  let old = '';
  for (let n = 0; n < 3000; n++) {
    const value = String(n).padStart(5000, '.');
    fixture.set(text, value);
    fixture.set(lamp, n);
    if (n === 1500) kernel.tree.set(blind, 'name', 'Curtain');
    const [frame] = await takeFrames(quick, 2);
    if (n % 500 === 0)
      t.strictSame(frame?.Data.slice(0, 3), [value, true, old], 'the fast client receives every change');
    if (n === 1500) await takeFrames(quick, 1);
    old = value;
  }
  const waiting = fixture.api.sockets().map(({ bytes, messages }) => [bytes > 5000, messages > 0]);
  t.strictSame(waiting, [
    [true, true],
    [false, false],
  ]);
  slow.connection.socket.resume();
  const frames: Frame[] = [];
  for (
    let last: unknown;
    last !== old;
    last = frames.findLast(({ SenderID }) => SenderID === text.id)?.Data[0]
  )
    frames.push(...(await takeFrames(slow, 1)));
  const texts = frames.filter(
    ({ SenderID, Message }) => SenderID === text.id && Message === message.VM_UPDATE,
  );
  t.ok(texts.length < 3000, `${texts.length} of 3000 updates`);
  t.equal(
    frames.filter(({ Message }) => Message === message.OM_CHANGENAME).length,
    1,
    'all other messages are kept',
  );
  const stamps = frames.map(({ TimeStamp }) => TimeStamp);
  t.strictSame(
    stamps,
    stamps.toSorted((a, b) => a - b),
    'in order',
  );
  let known: unknown = '';
  const gaps = texts.filter(({ Data }) => {
    const before = known;
    known = Data[0];
    return Data[2] !== before;
  });
  t.strictSame(gaps, [], 'each old value is the one reported before');
});

t.test('a client that falls too far behind is disconnected with code 1013 and the reason', async (t) => {
  const fixture = await startApi(t);
  const { kernel, ground } = fixture;
  await using slow = await openWebSocket(fixture);
  slow.connection.socket.pause();
  for (let n = 0; n < 40; n++) {
    for (let m = 0; m < 10; m++) kernel.tree.set(ground, 'info', `${n}.${m}${'x'.repeat(60_000)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.ok(fixture.log.lines.some((line) => line.includes('too slow')));
  slow.connection.socket.resume();
  let frame = await slow.frame();
  while (frame !== undefined && frame.opcode !== opcode.close) frame = await slow.frame();
  t.match(frame && closeOf(frame), { code: 1013, reason: /too slow/ });
});

t.test('a silent client is pinged, and disconnected if it does not reply', async (t) => {
  const clock = new ManualClock();
  const fixture = await startApi(t, {}, { clock });
  await using dead = await openWebSocket(fixture);
  await using alive = await openWebSocket(fixture);
  for (let n = 0; n < 3; n++) {
    clock.advance(20_000);
    const frame = await alive.frame();
    t.equal(frame?.opcode, opcode.ping);
    alive.connection.write(frameBytes(opcode.pong, frame?.payload ?? ''));
    t.equal(await callOverWebSocket(alive, 'Echo', [n]), n);
  }
  clock.advance(20_000);
  await withinPatience('the silent client to be disconnected', dead.connection.closed);
  t.equal((await alive.frame())?.opcode, opcode.ping);
  t.equal(await callOverWebSocket(alive, 'Echo', [1]), 1);
});

t.test('a socket with alive=1 gets the time of the gateway, which is no change', async (t) => {
  const clock = new ManualClock();
  const fixture = await startApi(t, {}, { clock });
  const { kernel, lamp } = fixture;
  const before = kernel.changes.counter;
  await using page = await openWebSocket(fixture, '/api/?alive=1');
  await using other = await openWebSocket(fixture);
  const alive = () => ({
    TimeStamp: kernel.changes.counter,
    SenderID: 0,
    Message: message.GW_ALIVE,
    Data: [clock.nowMs()],
  });
  t.strictSame(await takeFrames(page, 1), [alive()], 'when it opens');
  await callOverWebSocket(page, 'GW_Subscribe', [[lamp.id], []]);
  clock.advance(15_000);
  t.strictSame(await takeFrames(page, 1), [alive()], 'whatever it subscribes to');
  fixture.set(lamp, 7);
  clock.advance(15_000);
  t.match(await takeFrames(page, 2), [{ SenderID: lamp.id }, alive()], 'after the changes that it counts');
  t.match(await takeFrames(other, 1), [{ SenderID: lamp.id, TimeStamp: before + 1 }], 'others get none');
});
