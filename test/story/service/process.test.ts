import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  configDirectory,
  startGatewayProcess,
} from '../../tools/gateway/gateway-fixture.js';
import { isChangesLost, openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { RawConnection } from '../../tools/client/raw-http.js';
import { reservePort } from '../../tools/reserve-port.js';
import { PATIENCE_MS, until } from '../../tools/until.js';

t.test('after being killed during a change, it restarts with everything that was acknowledged', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const first = await startGatewayProcess(t, directory);
  const setpoint = await idOf(first, 'ground_floor/setpoint');
  const known = new Map<unknown, string>();
  for (let n = 0; n < 20; n++) {
    const id = await rpc(first, 'SVC_CreateVariable', n % 4);
    known.set(id, `made ${n}`);
    t.equal(await rpc(first, 'SVC_SetName', id, `made ${n}`), true);
  }
  await rpc(first, 'SetValue', setpoint, 18.5);
  await using socket = await openWebSocket(first);
  await rpc(first, 'SVC_SetName', setpoint, 'Changed');
  const [frame] = await takeFrames(socket, 1);
  const underWay = Array.from({ length: 50 }, (_, n) =>
    rpc(first, 'SVC_SetInfo', setpoint, `${n}`).catch(() => undefined),
  );
  await Promise.race(underWay);
  await first.program.end('SIGKILL');
  await Promise.all(underWay);

  const second = await startGatewayProcess(t, directory);
  t.equal(await idOf(second, 'ground_floor/setpoint'), setpoint);
  t.equal(await rpc(second, 'SVC_GetName', setpoint), 'Changed');
  for (const [id, name] of known) t.equal(await rpc(second, 'SVC_GetName', id), name);
  const [{ TimeStamp }] = (await rpc(second, 'SVC_GetSnapshotChanges', 0)) as [{ TimeStamp: number }];
  t.ok(TimeStamp > (frame?.TimeStamp ?? 0), 'the counter never decreases');
  await using late = await openWebSocket(second, `/api/?since=${frame?.TimeStamp}`);
  t.ok(
    isChangesLost((await takeFrames(late, 1))[0]!),
    'a client that reconnects is notified that changes are lost',
  );
  t.equal(
    await rpc(second, 'HW_WriteValueBoolean', await idOf(second, 'ground_floor/hall_relay'), 'STATE', true),
    true,
  );
  t.equal(await second.program.end().then(() => second.program.ended()), 0);
});

t.test(
  'SIGTERM closes connections, writes the last values, releases port and data, and exits with 0',
  async (t) => {
    const port = `port: ${await reservePort()}`;
    const directory = await configDirectory(t, SIMULATED_CONFIG.replace('port: 0', port) + SAMPLE_TREE);
    const first = await startGatewayProcess(t, directory);
    await rpc(first, 'SetValue', await idOf(first, 'ground_floor/setpoint'), 19);
    await using socket = await openWebSocket(first);
    await first.program.end();
    t.equal(await first.program.ended(), 0);
    await t.rejects(takeFrames(socket, 1000), /closed: 1001/);
    await t.rejects(RawConnection.open(first.port));
    const second = await startGatewayProcess(t, directory);
    t.equal(second.port, first.port);
    t.equal(await valueAt(second, 'ground_floor/setpoint'), 19);
  },
);

t.test('last values survive a crash if there is a runtime directory (RUNTIME_DIRECTORY)', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const env = { RUNTIME_DIRECTORY: join(directory, 'runtime') };
  const first = await startGatewayProcess(t, directory, { env });
  const setpoint = await idOf(first, 'ground_floor/setpoint');
  await rpc(first, 'SetValue', setpoint, 17.25);
  const file = join(env.RUNTIME_DIRECTORY, 'values.db');
  await until('the file of last values', () => existsSync(file) && statSync(file).size > 0);
  await until('the value in the runtime directory', () => {
    const kept = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE_MS });
    const rows = kept.prepare('SELECT value FROM last_values WHERE id = ?').all(setpoint);
    kept.close();
    return rows[0]?.['value'] === 17.25;
  });
  await first.program.end('SIGKILL');
  const second = await startGatewayProcess(t, directory, { env });
  t.equal(await rpc(second, 'GetValue', setpoint), 17.25);
});

t.test('a start uses the compiled code that Node brings along for its own modules', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG);
  // A flag of V8 that differs from those of Node's build would have it discarded, in every thread.
  const env = { NODE_DEBUG_NATIVE: 'code_cache' };
  const { program } = await startGatewayProcess(t, directory, { env });
  await program.waitFor(/"started"/);
  t.match(program.output, /Code cache of sqlite .* is accepted/);
  t.notMatch(program.output, /is rejected/);
});
