/** Every value that is set is sent to all WebSocket clients, in the simplest way that `ws` allows. */
import { WebSocketServer } from 'ws';
import { bareApi, listen } from './json-rpc-server.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

let counter = 0;
const values = new Map<number, unknown>();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
const server = bareApi(values, (SenderID) => {
  const Data = [values.get(SenderID), true, 0, 1_700_000_000, 1_700_000_000, 1_700_000_000];
  const text = JSON.stringify({ TimeStamp: ++counter, SenderID, Message: messageNumber.VM_UPDATE, Data });
  for (const client of sockets.clients) client.send(text);
});
server.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, () => undefined),
);
listen(server);
