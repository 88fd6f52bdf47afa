import { readFileSync } from 'node:fs';
import t from 'tap';
import { ASSETS_DIRECTORY } from '../../../src/front/assets.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';

t.test(
  'pages load the declarations of all functions and the schema, compressed, and keep them',
  async (t) => {
    const { port } = await startGateway(t, SIMULATED_CONFIG);
    const manifest = readFileSync(`${ASSETS_DIRECTORY}/manifest.json`, 'utf8');
    const { types, schema } = JSON.parse(manifest) as { types: string; schema: string };
    t.match(types, /^functions-[A-Z0-9]{8}\.d\.ts$/);
    const headers = { 'accept-encoding': 'br, gzip' };
    const reply = await fetch(`http://127.0.0.1:${port}/front/${types}`, { headers });
    t.equal(reply.status, 200);
    t.match(reply.headers.get('cache-control'), /immutable/);
    t.equal(reply.headers.get('content-encoding'), 'br');
    t.match(await reply.text(), /declare function GW_GetLog\(/);
    const document = await fetch(`http://127.0.0.1:${port}/front/${schema}`, { headers });
    t.match(document.headers.get('cache-control'), /immutable/);
    t.match(await document.json(), { title: 'gateway.yaml of stellwerk', properties: { api: Object } });
  },
);
