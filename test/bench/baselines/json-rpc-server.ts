import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [number, unknown];
}

/** The minimum on a bare `node:http` to replace the API: JSON and a Map of values. */
export function bareApi(
  values: Map<number, unknown>,
  messages: (id: number) => void = () => undefined,
): Server {
  const one = ({ id, method, params: [variable, value] }: Request) => {
    if (method === 'GetValue') return { jsonrpc: '2.0', id, result: values.get(variable) };
    values.set(variable, value);
    messages(variable);
    return { jsonrpc: '2.0', id, result: true };
  };
  // As long as the gateway's: connections are idle while the other side is measured.
  return createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString()) as Request | Request[];
      const text = JSON.stringify(Array.isArray(message) ? message.map(one) : one(message));
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
}

/** Listens on a free port and prints it. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
}
