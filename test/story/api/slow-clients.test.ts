import t from 'tap';
import { ChunkedResult } from '../../../src/base/json-chunks.js';
import { startApi, type ApiFixture } from '../../tools/gateway/api-fixture.js';
import { callOverWebSocket, openWebSocket } from '../../tools/client/message-stream.js';
import { frameBytes, opcode } from '../../tools/client/raw-websocket.js';
import { until } from '../../tools/until.js';

const MIB = 2 ** 20;
const text = 'x'.repeat(MIB);

/** The frames of `count` calls, which arrive together. */
const callFrames = (method: string, count: number) =>
  Buffer.concat(
    Array.from({ length: count }, (_, id) =>
      frameBytes(opcode.text, JSON.stringify({ jsonrpc: '2.0', id, method, params: [] })),
    ),
  );

/** The bytes that wait for the client that connected first, after the gateway had time to produce more. */
async function waitingBytes(fixture: ApiFixture): Promise<number> {
  await using other = await openWebSocket(fixture);
  for (let n = 0; n < 200; n++) await callOverWebSocket(other, 'Echo', [n]);
  return fixture.api.sockets()[0]?.bytes ?? 0;
}

t.test('a reply in chunks is built when the client has read the one before', async (t) => {
  const fixture = await startApi(t);
  const sizeMiB = 8;
  let open = 0;
  fixture.functions.add('Large', () => {
    let left = sizeMiB;
    open += 1;
    return new ChunkedResult({
      next: () =>
        left-- > 0 ? `${left + 1 === sizeMiB ? '"' : ''}${text}${left === 0 ? '"' : ''}` : undefined,
      close: () => void (open -= 1),
    });
  });
  await using slow = await openWebSocket(fixture);
  slow.connection.socket.pause();
  slow.connection.write(callFrames('Large', 10));
  await until('a reply', () => (fixture.api.sockets()[0]?.bytes ?? 0) > MIB);
  const bytes = await waitingBytes(fixture);
  t.ok(bytes < 2 * sizeMiB * MIB, `${bytes} bytes wait`);
  slow.connection.socket.resume();
  for (let id = 0; id < 10; id++) {
    const frame = await slow.frame();
    t.match(frame?.payload.subarray(0, 40).toString(), `{"jsonrpc":"2.0","id":${id},"result":"x`);
    t.ok((frame?.payload.length ?? 0) > sizeMiB * MIB);
  }
  t.equal(open, 0);

  slow.connection.socket.pause();
  slow.connection.write(callFrames('Large', 10));
  await until('replies to wait', () => open > 1);
  slow.connection.socket.destroy();
  await until('them to be closed with the connection', () => open === 0);
});

t.test('calls that arrive together are limited like others', async (t) => {
  const fixture = await startApi(t);
  fixture.functions.add('Text', () => text);
  await using slow = await openWebSocket(fixture);
  slow.connection.socket.pause();
  slow.connection.write(callFrames('Text', 60));
  const bytes = await waitingBytes(fixture);
  t.ok(bytes < 10 * MIB, `${bytes} bytes wait`);
  slow.connection.socket.resume();
  for (let n = 0; n < 60; n++) t.ok(((await slow.frame())?.payload.length ?? 0) > MIB);

  slow.connection.write(callFrames('Wait', 50));
  const count = () => fixture.functions.calls.filter(({ method }) => method === 'Wait').length;
  await until('the first calls', () => count() > 0);
  await waitingBytes(fixture);
  t.equal(count(), 16);
  fixture.releaseWait();
  for (let id = 0; id < 50; id++) t.match(await slow.json(), { id, result: 'waited' });
});

t.test('calls before a close are performed, even if they had to wait', async (t) => {
  const fixture = await startApi(t);
  await using client = await openWebSocket(fixture);
  client.connection.write(
    Buffer.concat([callFrames('Wait', 50), frameBytes(opcode.close, Buffer.from([3, 232]))]),
  );
  client.connection.end();
  const count = () => fixture.functions.calls.filter(({ method }) => method === 'Wait').length;
  await until('all calls', () => count() === 50);
  fixture.releaseWait();
});
