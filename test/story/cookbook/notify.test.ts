import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../../law/sources.js';
import { codeBlocks } from '../../tools/gateway/cookbook-gateway.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';

t.test('a message is sent with ntfy, with Telegram and to a webhook', async (t) => {
  const received: Record<string, unknown>[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body });
      response.writeHead(status).end('{"ok":true}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const gateway = await startGateway(t, SIMULATED_CONFIG);
  const page = readFileSync(join(ROOT, 'docs/use/cookbook/notify.md'), 'utf8');
  const ids: number[] = [];
  for (const block of codeBlocks(page, 'js')) {
    const [, file] = /^\/\/ ([\w-]+\.js):/.exec(block) ?? [];
    const id = (await rpc(gateway, 'SVC_CreateScript', 0)) as number;
    ids.push(id);
    await rpc(gateway, 'SVC_SetScriptFile', id, file);
    const here = block.replace(/https:\/\/(ntfy\.sh|api\.telegram\.org|hooks\.example\.org)/g, local);
    await rpc(gateway, 'SVC_SetScriptContent', id, here);
  }
  t.equal(await rpc(gateway, 'SVC_RunScriptWait', ids[1]), 'sent');
  t.match(received, [
    {
      method: 'POST',
      url: '/house-3f9c2a7d',
      headers: { title: 'Hall', priority: 'high' },
      body: 'The door is open',
    },
    {
      method: 'POST',
      url: '/bot123456:your-bots-token/sendMessage',
      headers: { 'content-type': 'application/json' },
      body: '{"chat_id":4711,"text":"The door is open"}',
    },
    {
      method: 'POST',
      url: '/house',
      headers: { authorization: 'Bearer your-webhooks-token' },
      body: '{"door":"hall","open":true}',
    },
  ]);

  status = 401;
  const said = await rpc(gateway, 'SVC_RunScriptWait', ids[1]);
  t.match(said, /^not sent: The URL cannot be read: 127\.0\.0\.1:\d+ returned 401 Unauthorized$/);
  t.notMatch(gateway.log.join('\n'), /your-bots-token|your-webhooks-token|3f9c2a7d/, 'the log has no secret');
});
