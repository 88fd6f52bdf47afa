/** Complete gateways on disks that are full or read-only. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { callText, idOf, post, replyIn, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { withOwnMounts } from '../../tools/namespace.js';
import { empty, fill, remount, smallDisk } from '../../tools/small-disk.js';
import { until } from '../../tools/until.js';

interface Check {
  readonly Name: string;
  readonly State: string;
  readonly Text: string;
  readonly WhatToDo: string;
}

async function check(fixture: GatewayFixture, name: string): Promise<Check | undefined> {
  const { Checks } = (await rpc(fixture, 'GW_GetHealth')) as { Checks: Check[] };
  return Checks.find(({ Name }) => Name === name);
}

/** Switches the relay, and reads the line that it is wired to. */
async function switched(fixture: GatewayFixture, isOn: boolean): Promise<unknown> {
  await rpc(fixture, 'HW_WriteValueBoolean', await idOf(fixture, 'ground_floor/hall_relay'), 'STATE', isOn);
  return valueAt(fixture, 'ground_floor/hall_sense/STATE');
}

await withOwnMounts(import.meta.url, (skip) => {
  t.test(
    'on a full disk changes are rejected with a text, switching continues, and nothing is lost',
    { skip },
    async (t) => {
      const disk = await smallDisk(t);
      const clock = new ManualClock();
      const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { directory: disk, clock });
      fill(disk);
      const ground = await idOf(fixture, 'ground_floor');
      let length = 50_000;
      const failed = await until(
        'a change that is rejected',
        async () =>
          replyIn(await post(fixture, callText('SVC_SetInfo', [ground, 'x'.repeat(++length)]))).error,
      );
      t.match(failed, { code: -32_603, data: { code: 'STORE_FAILED' } });
      t.match(failed, { message: /in memory but not yet on the disk/ });
      t.match(await check(fixture, 'store'), { State: 'failed', Text: /full/, WhatToDo: /free some space/ });
      t.strictSame(
        [await switched(fixture, true), await switched(fixture, false), await switched(fixture, true)],
        [true, false, true],
      );
      clock.advance(10_000);
      t.match(await valueAt(fixture, 'stellwerk/HEALTH'), /store failed/, 'it is in the tree too');
      t.equal(await rpc(fixture, 'SVC_SetName', ground, 'Down'), 'STORE_FAILED');
      empty(disk);
      clock.advance(60_000);
      await until('all to be written', async () => (await check(fixture, 'store'))?.State === 'ok');
      await fixture.gateway.close();
      const again = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { directory: disk });
      t.equal(await rpc(again, 'SVC_GetName', ground), 'Down');
    },
  );

  for (const [what, block, free] of [
    ['full', fill, empty],
    ['read-only', (disk: string) => remount(disk, 'ro'), (disk: string) => remount(disk, 'rw')],
  ] as const)
    t.test(
      `with a disk that is ${what} at the start, it starts, reports what to do, and switches`,
      { skip },
      async (t) => {
        const disk = await smallDisk(t);
        const directory = join(disk, 'house');
        await mkdir(directory);
        const first = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { directory });
        const id = await idOf(first, 'ground_floor/setpoint');
        await first.gateway.close();
        block(disk);
        const clock = new ManualClock();
        const fixture = await startGateway(t, undefined, { directory, clock });
        t.match(await check(fixture, 'database'), {
          State: 'failed',
          Text: /cannot be written to/,
          WhatToDo: /./,
        });
        t.ok(
          fixture.log.some((line) => line.includes('"level":50') && line.includes('cannot be written to')),
        );
        t.equal(await idOf(fixture, 'ground_floor/setpoint'), id);
        t.equal(await switched(fixture, true), true);
        t.equal(await rpc(fixture, 'SVC_SetName', id, 'Changed'), 'STORE_FAILED');
        free(disk);
        clock.advance(60_000);
        await until('all to be written', async () => (await check(fixture, 'store'))?.State === 'ok');
        await fixture.gateway.close();
        const again = await startGateway(t, undefined, { directory });
        t.equal(await rpc(again, 'SVC_GetName', id), 'Changed');
      },
    );
});
