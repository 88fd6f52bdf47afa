/** `GetValue` as a route of fastify. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';

const values = new Map<number, unknown>();
const app = fastify({ logger: false });
app.post('/api/', async (request) => {
  const { id, params } = request.body as { id: number; params: [number] };
  return { jsonrpc: '2.0', id, result: values.get(params[0]) ?? 21.5 };
});
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`port ${(app.server.address() as AddressInfo).port}`);
