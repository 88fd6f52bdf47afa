/** MQTT to WebSocket, in the simplest way: `node bridge.js BROKER_PORT`. */
import { connect } from 'mqtt';
import { WebSocketServer } from 'ws';
import { bareApi, listen } from './json-rpc-server.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

let counter = 0;
const values = new Map<number, unknown>();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
const server = bareApi(values);
server.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, () => undefined),
);
const client = connect(`mqtt://127.0.0.1:${process.argv[2]}`);
await new Promise((resolve) => client.once('connect', resolve));
await client.subscribeAsync('bridge/#');
client.on('message', (topic, payload) => {
  const SenderID = Number(topic.slice('bridge/'.length));
  const value = Number(payload.toString());
  values.set(SenderID, value);
  const Data = [value, true, 0, 1_700_000_000, 1_700_000_000, 1_700_000_000];
  const text = JSON.stringify({ TimeStamp: ++counter, SenderID, Message: messageNumber.VM_UPDATE, Data });
  for (const socket of sockets.clients) socket.send(text);
});
listen(server);
