import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startApi } from '../../tools/gateway/api-fixture.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { runCli } from '../../tools/gateway/run-cli.js';
import { exchangeRaw } from '../../tools/client/json-rpc.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const LIVE = 'GET /health/live HTTP/1.1\r\nHost: monitoring.example\r\n\r\n';

/** Runs `health --alive` with a configuration of this text. */
async function runAlive(t: { teardown(end: () => unknown): void }, yaml: string) {
  const config = join(await tempDirectory(t), 'gateway.yaml');
  await writeFile(config, yaml);
  return runCli(['health', '--alive', '--config', config]);
}

t.test('a gateway is alive without a password, on each of its listeners', async (t) => {
  const gateway = await startGateway(
    t,
    `${SIMULATED_CONFIG}webServers: [{ name: secure, host: 127.0.0.1, port: 0, tls: auto, serve: front }]\n`,
  );
  const closed = await reservePort();
  const secure = gateway.gateway.port('secure');
  for (const listeners of [
    `api: { port: ${gateway.port} }\n`,
    // Its certificate is not trusted here.
    `api: { port: ${secure}, tls: auto }\n`,
    `api: { port: ${closed} }\nwebServers: [{ name: secure, host: 127.0.0.1, port: ${secure}, tls: auto, serve: front }]\n`,
  ])
    t.strictSame(await runAlive(t, listeners), { code: 0, stdout: '', stderr: '' });
});

t.test('a listener on an IPv6 address with a zone does not keep the others from being asked', async (t) => {
  const { port } = await startGateway(t, SIMULATED_CONFIG);
  const closed = await reservePort();
  const zoned = `host: "fe80::1%none0", port: ${closed}, tls: auto`;
  const web = (listener: string) => `webServers: [{ name: web, ${listener}, serve: front }]\n`;
  for (const listeners of [
    `api: { port: ${port} }\n${web(zoned)}`,
    `api: { ${zoned} }\n${web(`host: 127.0.0.1, port: ${port}`)}`,
  ])
    t.strictSame(await runAlive(t, listeners), { code: 0, stdout: '', stderr: '' });
  const { code, stderr } = await runAlive(t, `api: { port: ${closed} }\n${web(zoned)}`);
  t.equal(code, 69);
  t.match(stderr, `\nhttps://[fe80::1%none0]:${closed}: `);
});

t.test('no gateway, and one whose store does not reply, are not alive', async (t) => {
  const closed = await reservePort();
  t.match(await runAlive(t, `api: { port: ${closed} }\n`), {
    code: 69,
    stdout: '',
    stderr: `The gateway is not alive.\nhttp://127.0.0.1:${closed}: `,
  });
  const api = await startApi(t, {}, { pingStore: () => Promise.reject(new Error('the store has ended')) });
  t.match(await runAlive(t, `api: { port: ${api.port} }\n`), { code: 69, stderr: 'HTTP status 503' });
  t.match(await exchangeRaw(api, LIVE), { status: 503, body: '{"live":false}' });
});

t.test('many requests at the same time ask the store once', async (t) => {
  const reply = Promise.withResolvers<void>();
  let pings = 0;
  const pingStore = () => {
    pings += 1;
    return reply.promise;
  };
  const api = await startApi(t, {}, { pingStore });
  const replies = Array.from({ length: 20 }, () => exchangeRaw(api, LIVE));
  await exchangeRaw(api, LIVE.replace('GET', 'POST')).then(({ status }) => t.equal(status, 403));
  reply.resolve();
  for (const { status, headers } of await Promise.all(replies))
    t.strictSame([status, headers['cache-control']], [200, 'no-store']);
  t.equal(pings, 1);
  await exchangeRaw(api, LIVE);
  t.equal(pings, 2, 'the next request asks again');
});

t.test('errors in the configuration and wrong options are reported as such', async (t) => {
  t.match(await runAlive(t, 'colour: blue\n'), { code: 78, stderr: /there is no such key/ });
  t.match(await runCli(['health', '--alive', '--json']), { code: 64, stderr: /--alive goes with --config/ });
});
