/** A snapshot in the simplest way: `node snapshot.js FILE`, which contains the object of every reply. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from './json-rpc-server.js';

const result = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as object;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
listen(server);
