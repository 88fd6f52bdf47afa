import type { Change } from '../../../src/kernel/changes.js';
import { ownerLine } from '../gateway/api-fixture.js';
import type { ApiAddress } from './json-rpc.js';
import { RawWebSocket } from './raw-websocket.js';

/** A message as it arrives over a WebSocket. */
export type Frame = Pick<Change, 'TimeStamp' | 'SenderID' | 'Message' | 'Data'>;

/** Opens a WebSocket, as the owner unless other headers are given. */
export const openWebSocket = (at: ApiAddress, path = '/api/', headers: readonly string[] = [ownerLine]) =>
  RawWebSocket.open({ port: at.port, path, headers });

/** The next `count` messages. */
export async function takeFrames(socket: RawWebSocket, count: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  while (frames.length < count) frames.push((await socket.json()) as Frame);
  return frames;
}

/** True for the message that reports lost changes. */
export const isChangesLost = ({ SenderID, Message, Data }: Frame) =>
  SenderID === 0 && Message === 0 && Data[0] === 'CHANGES_LOST';

/** Calls a function over a WebSocket and waits for the reply; messages before it are skipped. */
export async function callOverWebSocket(
  socket: RawWebSocket,
  method: string,
  params: unknown,
): Promise<unknown> {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'q', method, params }));
  for (;;) {
    const frame = (await socket.json()) as { id?: unknown; result?: unknown; error?: unknown };
    if (frame.id === 'q') return frame.result ?? frame.error;
  }
}
