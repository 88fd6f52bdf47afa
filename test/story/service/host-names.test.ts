import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import {
  SIMULATED_CONFIG,
  configDirectory,
  startGatewayProcess,
} from '../../tools/gateway/gateway-fixture.js';
import { withOwnMounts } from '../../tools/namespace.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** A name server that never replies, at an address that no other program uses. */
const SILENT = '127.0.0.77';

const DEAD = ['dead1', 'dead2', 'dead3', 'dead4', 'dead5', 'dead6', 'dead7', 'dead8'];

await withOwnMounts(import.meta.url, (skip) => {
  t.test('a name lookup that hangs delays neither other lookups nor the stop', { skip }, async (t) => {
    const place = await tempDirectory(t);
    await writeFile(join(place, 'resolv.conf'), `nameserver ${SILENT}\n`);
    await writeFile(join(place, 'hosts'), '127.0.0.1 meter.lan\n');
    for (const name of ['resolv.conf', 'hosts'])
      execFileSync('mount', ['--bind', join(place, name), `/etc/${name}`]);
    const silent = createSocket('udp4').bind(53, SILENT);
    const requests = new Promise((resolve) => silent.once('message', resolve));
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await Promise.all([once(silent, 'listening'), once(server, 'listening')]);
    t.teardown(() => {
      silent.close();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const client = (name: string, host: string) =>
      `  - { instance: ${name}, ident: ${name}, module: Client Socket, properties: { Host: ${host}, Port: ${port} } }\n`;
    const broker = (name: string) =>
      `  - { instance: B${name}, ident: b${name}, module: MQTT Client, properties: { Url: "mqtt://b${name}.example" } }\n`;
    const tree = [
      ...DEAD.map((name) => client(name, `${name}.example`) + broker(name)),
      client('good', 'localhost'),
      client('listed', 'meter.lan'),
    ];
    const directory = await configDirectory(t, `${SIMULATED_CONFIG}tree:\n${tree.join('')}`);
    const { program } = await startGatewayProcess(t, directory);
    await requests;
    await program.waitFor(/"name":"good","msg":"online"/);
    await program.waitFor(/"name":"listed","msg":"online"/);
    program.process.kill('SIGTERM');
    await program.waitFor(/"msg":"stopped"/);
    t.equal(await program.ended(), 0);
  });
});
