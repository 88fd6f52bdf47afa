import t from 'tap';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { callOverWebSocket, openWebSocket, type Frame } from '../../tools/client/message-stream.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import type { RawWebSocket } from '../../tools/client/raw-websocket.js';
import { until } from '../../tools/until.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { basicLine } from '../../tools/client/raw-http.js';

const FRONT = `tree:
  - { category: Home, ident: home }
configurators:
  - { title: Home, ident: wf, base: home, password: tulip }
`;

/** The progress that a socket gets until a task has ended. */
async function progressOn(socket: RawWebSocket): Promise<readonly unknown[][]> {
  const progress: unknown[][] = [];
  while (progress.at(-1)?.[4] !== 'done') {
    const { Message, Data } = (await socket.json()) as Frame;
    if (Message === messageNumber.GW_PROGRESS) progress.push([...Data]);
  }
  return progress;
}

/** The numbers of the messages that a socket has got before the reply to a call. */
async function messagesBeforeReply(socket: RawWebSocket): Promise<number[]> {
  const numbers: number[] = [];
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'GW_Subscribe', params: [[]] }));
  for (;;) {
    const frame = (await socket.json()) as Partial<Frame> & { readonly id?: string };
    if (frame.id === 'last') return numbers;
    numbers.push(Number(frame.Message));
  }
}

t.test('the owner’s pages get the progress of a backup, and no one else does', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FRONT);
  await using page = await openWebSocket(fixture, '/api/?alive=1');
  await using named = await openWebSocket(fixture);
  await using other = await openWebSocket(fixture);
  const front = `/wfc/${await idOf(fixture, 'wf')}/api/?alive=1`;
  await using resident = await openWebSocket(fixture, front, [basicLine('webfront', 'tulip')]);
  await callOverWebSocket(resident, 'GW_Subscribe', [[], [messageNumber.GW_PROGRESS]]);
  await callOverWebSocket(named, 'GW_Subscribe', [[], [messageNumber.GW_PROGRESS]]);
  const { counter } = fixture.gateway.kernel.changes;
  await rpc(fixture, 'GW_MakeBackup', 'with progress');
  for (const socket of [page, named]) {
    const progress = await progressOn(socket);
    t.match(progress[0], [Number, 'backup', 0, 0, 'running', '']);
    t.match(progress.at(-1), [Number, 'backup', 3, 3, 'done', '']);
  }
  for (const socket of [other, resident])
    t.notOk((await messagesBeforeReply(socket)).includes(messageNumber.GW_PROGRESS));
  t.notOk(
    fixture.gateway.kernel.changes
      .since(counter)
      .some(({ Message }) => Message === messageNumber.GW_PROGRESS),
    'it is no change',
  );
  t.strictSame(await rpc(fixture, 'GW_GetTasks'), []);
});

t.test('a hardware search is a task, which ends with it', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  await using page = await openWebSocket(fixture, '/api/?alive=1');
  const hardware = await rpc(fixture, 'SVC_CreateInstance', 'Hardware');
  await until(
    'the first search ends',
    async () => (await rpc(fixture, 'SVC_IsSearching', hardware)) === false,
  );
  await rpc(fixture, 'SVC_StartSearch', hardware);
  const progress = await progressOn(page);
  t.match(progress[0], [Number, 'search', 0, 0, 'running', '']);
  t.strictSame(await rpc(fixture, 'GW_GetTasks'), []);
});
