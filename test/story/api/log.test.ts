import t from 'tap';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { callOverWebSocket, openWebSocket, type Frame } from '../../tools/client/message-stream.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import type { RawWebSocket } from '../../tools/client/raw-websocket.js';

/** The next line of the log on a socket; other messages are skipped. */
async function nextLine(socket: RawWebSocket): Promise<Frame> {
  for (;;) {
    const frame = (await socket.json()) as Frame;
    if (frame.Message === messageNumber.GW_LOG) return frame;
  }
}

t.test('the owner reads the log since a time, and gets new lines pushed on request', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  await using reader = await openWebSocket(fixture);
  await using other = await openWebSocket(fixture);
  await callOverWebSocket(reader, 'GW_Subscribe', [[], [messageNumber.GW_LOG]]);
  const { counter } = fixture.gateway.kernel.changes;
  await rpc(fixture, 'SVC_LogMessage', 'heating', 'http://host/?token=SECRET is cold');
  const frame = await nextLine(reader);
  t.match(frame, { SenderID: 0, Data: [{ Level: 'info', Subject: 'call', InstanceID: 0 }] });
  t.match(JSON.stringify(frame), /token=\*\*\* is cold/);
  t.equal(frame.TimeStamp, fixture.gateway.kernel.changes.counter, 'the counter of the last change');
  const [line] = frame.Data as unknown as [{ TimeMs: number }];
  const found = await rpc(fixture, 'GW_GetLog', line.TimeMs, 'info', 'call');
  t.strictSame((found as unknown[]).at(-1), line, 'the same record');
  t.strictSame(await rpc(fixture, 'GW_GetLog', line.TimeMs + 60_000), []);
  t.match(await rpc(fixture, 'GW_GetLog', 0, 'debug', 'call', 1), { length: 1 });
  t.notOk(
    fixture.gateway.kernel.changes.since(counter).some(({ Message }) => Message === messageNumber.GW_LOG),
    'it is no change',
  );
  const category = await rpc(fixture, 'SVC_CreateCategory');
  for (;;) {
    const { Message, SenderID } = (await reader.json()) as Frame;
    if (Message === messageNumber.OM_REGISTER && SenderID === category) break;
  }
  t.pass('changes are not limited');
  await rpc(fixture, 'SVC_LogMessage', 'heating', 'again');
  const shown = JSON.stringify(await callOverWebSocket(other, 'GW_GetLog', []));
  t.match(shown, /again/);
  await callOverWebSocket(reader, 'GW_Subscribe', [[], []]);
  t.equal(await rpc(fixture, 'GW_GetLog', 0, 'loud'), 'PARAMETER_TYPE');
  t.equal(await rpc(fixture, 'GW_GetLog', 0, 'info', '', 501), 'PARAMETER_BOUNDS');
});
