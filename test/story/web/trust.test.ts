import { X509Certificate } from 'node:crypto';
import { get } from 'node:https';
import t from 'tap';
import { exchangeRaw, rpc, type ApiAddress } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, configDirectory, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { runCli } from '../../tools/gateway/run-cli.js';
import { withinPatience } from '../../tools/until.js';

const SERVERS = `webServers:
  - { name: house, host: 127.0.0.1, port: 0, serve: front, tls: auto }
  - { name: files, host: 127.0.0.1, port: 0, serve: { directory: www }, basicAuth: { username: guest, password: rose } }
`;

/** A GET to a listener without TLS. */
async function fetched(at: ApiAddress, path: string, headers: readonly string[] = []) {
  const host = headers.some((line) => line.startsWith('Host:')) ? [] : [`Host: 127.0.0.1:${at.port}`];
  return exchangeRaw(at, [`GET ${path} HTTP/1.1`, ...host, ...headers, '', ''].join('\r\n'));
}

/** The status of a page over TLS, for a client that trusts only this authority. */
function trusted(port: number, path: string, ca: string): Promise<number | undefined> {
  return withinPatience(
    'a page over TLS',
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, ca, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    }),
  );
}

t.test('every listener explains how to trust it, and gives the authority without credentials', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SERVERS);
  const page = await fetched(fixture, '/tls');
  t.equal(page.status, 200);
  t.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/);
  t.match(page.body, /<html lang="en">/);
  const port = fixture.gateway.port('house') ?? 0;
  t.match(page.body, new RegExp(`href="https://127\\.0\\.0\\.1:${port}/"`));
  const german = ['Accept-Language: de-DE,de;q=0.9', 'User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)'];
  t.match(
    (await fetched(fixture, '/tls', german)).body,
    /lang="de">[^]*<details open><summary>iPhone und iPad/,
  );
  t.equal(
    (await fetched({ port: fixture.gateway.port('files') ?? 0 }, '/tls')).status,
    200,
    'also next to files behind a password',
  );

  const certificate = await fetch(`http://127.0.0.1:${fixture.port}/tls/ca.crt`);
  t.equal(certificate.headers.get('content-type'), 'application/x-x509-ca-cert');
  const authority = new X509Certificate(Buffer.from(await certificate.arrayBuffer()));
  t.match(page.body.replaceAll('<wbr>', ''), authority.fingerprint256);
  const pem = await fetched(fixture, '/tls/ca.pem');
  t.equal(pem.headers['content-type'], 'application/x-pem-file');
  t.equal(new X509Certificate(pem.body).fingerprint256, authority.fingerprint256);
  t.equal(await trusted(port, '/tls', pem.body), 200, 'a device that installed it trusts the listener');
  t.equal(await trusted(port, '/', pem.body), 200);
  for (const path of ['/tls/', '/tls/ca-key.pem', '/tls/../ca-key.pem', '/tls/auto-key.pem', '/tls/x'])
    t.equal((await fetched(fixture, path)).status, 404, path);

  const { Checks } = (await rpc(fixture, 'GW_GetHealth')) as { Checks: { Name: string; Text: string }[] };
  const check = Checks.find(({ Name }) => Name === 'certificates');
  t.match(check?.Text, authority.fingerprint256, 'the health check has the fingerprint to compare');
  const [config, data] = [`${fixture.directory}/gateway.yaml`, `${fixture.directory}/data`];
  const { stdout } = await runCli(['doctor', '--config', config, '--data', data]);
  t.match(stdout.replace(/\s/g, ''), authority.fingerprint256, 'and so has stellwerk doctor');
});

t.test('the owner sees each listener with its certificate, or why it is not open', async (t) => {
  const taken = await startGateway(t, SIMULATED_CONFIG);
  const busy = `  - { name: busy, host: 127.0.0.1, port: ${taken.port}, serve: front }\n`;
  const fixture = await startGateway(t, SIMULATED_CONFIG + SERVERS + busy);
  const plain = { HasTls: false, CertificateNames: [], ValidUntilMs: 0 };
  t.match(await rpc(fixture, 'GW_GetListeners'), [
    { Name: 'api', Host: '127.0.0.1', Port: fixture.port, ...plain, Problem: '' },
    {
      Name: 'house',
      Port: fixture.gateway.port('house'),
      HasTls: true,
      CertificateNames: /localhost/,
      Problem: '',
    },
    { Name: 'files', ...plain },
    { Name: 'busy', Port: 0, ...plain, Problem: /EADDRINUSE/ },
  ]);
  const [, house] = (await rpc(fixture, 'GW_GetListeners')) as { ValidUntilMs: number }[];
  t.ok((house?.ValidUntilMs ?? 0) > Date.now());
});

t.test('a gateway without tls: auto has no authority, and the page says so', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG);
  const fixture = await startGateway(t, undefined, { directory });
  t.match((await fetched(fixture, '/tls')).body, /issues no certificates yet/);
  t.match(await fetched(fixture, '/tls/ca.crt'), { status: 404, headers: { 'content-type': /json/ } });
  t.equal((await fetched(fixture, '/tls', ['Host: evil.example'])).status, 403);
});

t.test('a browser under an unknown name sees which address to open', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const browser = ['Host: <b>.example:3777', 'Accept: text/html,*/*', 'Accept-Language: de'];
  const page = await fetched(fixture, '/console/', browser);
  t.equal(page.status, 403);
  t.match(page.headers, { 'content-type': /html/, 'content-security-policy': /default-src 'none'/ });
  t.match(page.body, `href="http://127.0.0.1:${fixture.port}/console/"`);
  t.match(page.body, /„&#60;b&#62;\.example“/);
  t.notMatch(page.body, /<b>/);
  const json = await fetched(fixture, '/console/', ['Host: evil.example']);
  t.match(json, { status: 403, headers: { 'content-type': 'application/json' }, body: /HOST_REFUSED/ });
});
