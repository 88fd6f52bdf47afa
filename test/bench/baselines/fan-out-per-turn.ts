/**
 * Every value that is set is sent to all WebSocket clients with one socket write per client and iteration of
 * the event loop.
 */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { bareApi, listen } from './json-rpc-server.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

/** RFC 6455 §1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

let counter = 0;
const values = new Map<number, unknown>();
const clients = new Set<Duplex>();
let pending: Buffer[] = [];
const server = bareApi(values, (SenderID) => {
  const Data = [values.get(SenderID), true, 0, 1_700_000_000, 1_700_000_000, 1_700_000_000];
  const text = Buffer.from(
    JSON.stringify({ TimeStamp: ++counter, SenderID, Message: messageNumber.VM_UPDATE, Data }),
  );
  const { length } = text;
  pending.push(Buffer.from(length < 126 ? [0x81, length] : [0x81, 126, length >> 8, length & 255]), text);
  if (pending.length > 2) return;
  setImmediate(() => {
    const bytes = Buffer.concat(pending);
    pending = [];
    for (const client of clients) client.write(bytes);
  });
});
server.on('upgrade', ({ headers }, socket) => {
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${GUID}`).digest('base64');
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
  clients.add(socket.on('error', () => socket.destroy()).on('close', () => clients.delete(socket)));
});
listen(server);
