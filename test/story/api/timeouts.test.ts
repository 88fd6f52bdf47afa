import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { TIMEOUTS } from '../../../src/api/http/listener.js';
import { ManualClock } from '../../../src/base/clock.js';
import { ownerLine, startApi } from '../../tools/gateway/api-fixture.js';
import { callText, errorCodeOf, replyIn } from '../../tools/client/json-rpc.js';
import { callOverWebSocket, openWebSocket } from '../../tools/client/message-stream.js';
import { RawConnection, rawPost } from '../../tools/client/raw-http.js';
import { until, withinPatience } from '../../tools/until.js';

/** A file of 100 KB in ten pieces. */
const PIECES = Array.from({ length: 10 }, (_, n) => Buffer.alloc(10_000, n));
const FILE = Buffer.concat(PIECES);
const CODE = 'AAAAAAAA';

/** A gateway that keeps uploads in memory, and the heads of uploads to it. */
async function startWithUploads(t: Parameters<typeof startApi>[0], clock?: ManualClock) {
  const files: Buffer[] = [];
  let begun = 0;
  const keep = async (content: Parameters<typeof buffer>[0]) => {
    begun += 1;
    files.push(await buffer(content));
  };
  const claim = {
    code: () => CODE,
    facts: () => Promise.reject(new Error('not called')),
    set: () => Promise.reject(new Error('not called')),
    restore: () => Promise.reject(new Error('not called')),
    receive: keep,
    restart: () => undefined,
  };
  const backups = {
    path: () => Promise.reject(new Error('not called')),
    receive: async (_: string, content: Parameters<typeof buffer>[0]) => (await keep(content), {}),
  };
  const timeouts = { ...TIMEOUTS, headMs: 300, requestMs: 400, checkMs: 50 };
  const fixture = await startApi(t, {}, { timeouts, claim, backups, ...(clock && { clock }) });
  const url = `http://127.0.0.1:${fixture.port}`;
  const head = (path: string, ...lines: string[]) =>
    [
      `PUT /console/${path} HTTP/1.1`,
      `Host: 127.0.0.1:${fixture.port}`,
      `Content-Length: ${FILE.length}`,
      ...lines,
      '\r\n',
    ].join('\r\n');
  const heads = [
    head('backup/x.db', ownerLine),
    head('claim/backup', `Origin: ${url}`, `Stellwerk-Claim: ${CODE}`),
  ];
  return { fixture, files, heads, begun: () => begun };
}

/** Resolves with the reply to a call whose body stalls: the time for a request is over then. */
async function stalledCall(port: number) {
  await using slow = await RawConnection.open(port);
  slow.write(`POST /api/ HTTP/1.1\r\nHost: localhost\r\n${ownerLine}\r\nContent-Length: 100\r\n\r\n{"json`);
  return await slow.response();
}

t.test('an upload may take longer than other requests, as long as it continues', async (t) => {
  const { fixture, files, heads } = await startWithUploads(t);
  for (const head of heads) {
    await using upload = await RawConnection.open(fixture.port);
    upload.write(head);
    for (const [n, piece] of PIECES.entries()) {
      upload.write(piece);
      if (n % 4 > 0) continue;
      const late = await stalledCall(fixture.port);
      t.strictSame([late.status, errorCodeOf(late)], [408, 'BODY_TIMEOUT'], 'other bodies have a limit');
    }
    const { status, body } = await upload.response();
    t.equal(Math.floor(status / 100), 2, body);
    t.ok(files.pop()?.equals(FILE), 'it is complete');
    upload.write('POST /api/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"json');
    t.equal((await upload.response()).status, 408, 'the next request on the connection has the limit again');
  }
});

t.test('an upload that stalls ends, and the client sees why', async (t) => {
  const clock = new ManualClock();
  const { fixture, files, heads, begun } = await startWithUploads(t, clock);
  for (const [n, head] of heads.entries()) {
    await using upload = await RawConnection.open(fixture.port);
    const before = clock.pendingTimers;
    upload.write(head);
    await until('the upload', () => begun() > n && clock.pendingTimers > before);
    clock.advance(59_000);
    t.notOk(upload.isFinished);
    clock.advance(1000);
    const reply = await upload.response();
    t.strictSame([reply.status, errorCodeOf(reply)], [408, 'BODY_TIMEOUT']);
    await upload.closed;
    t.equal(clock.pendingTimers, before, 'nothing waits for it');
  }
  t.strictSame(files, []);
});

t.test('an idle connection is closed, but not one with a call in progress, nor a WebSocket', async (t) => {
  const fixture = await startApi(t, {}, { timeouts: { ...TIMEOUTS, idleMs: 200, stallMs: 150 } });
  const call = (method: string) =>
    rawPost({ port: fixture.port, headers: [ownerLine], body: callText(method, [1]) });
  await using socket = await openWebSocket(fixture);
  await using busy = await RawConnection.open(fixture.port);
  busy.write(call('Late'));
  t.equal(replyIn(await busy.response()).result, 'late');
  busy.write(call('Wait'));
  await using idle = await RawConnection.open(fixture.port);
  for (const method of ['Echo', 'Late']) {
    idle.write(call(method));
    t.equal((await idle.response()).status, 200);
  }
  // Longer than both times.
  await withinPatience('the end of the idle connection', idle.closed);
  fixture.releaseWait();
  t.equal(replyIn(await busy.response()).result, 'waited');
  t.equal(await callOverWebSocket(socket, 'Echo', [2]), 2);
  await withinPatience('the end of the other one, idle now', busy.closed);
});
