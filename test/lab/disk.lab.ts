/**
 * The disk rejects writes because it is full or has been remounted read-only, as ext4 does after an error:
 * the gateway reports it, continues to switch, and writes everything when it can.
 */
import t, { type Test } from 'tap';
import { RpcError } from '../../src/client/index.js';
import { until } from '../tools/until.js';
import { LAMP_AND_NOTE, LAMP_PIN } from './machine/lamp.js';
import { Box, PATIENCE_MS } from './machine/box.js';

/** A commit is retried after a minute at the latest. */
const AGAIN_LIMIT_MS = 240_000;
/** Large, so that there is no free space for it. */
const TEXT_BYTES = 60_000;

await using box = await Box.taken(t, LAMP_AND_NOTE);
const { agent } = box.machine;
const pins = await box.machine.pins();
const note = await box.id('note');
const lamp = await box.id('lamp/STATE');
let lit = false;
let notes = 0;

/** The health check of the store. */
async function storeCheck(): Promise<{ State: string; Text: string; WhatToDo: string } | undefined> {
  const { Checks: checks } = (await box.call('GW_GetHealth')) as {
    Checks: { Name: string; State: string; Text: string; WhatToDo: string }[];
  };
  return checks.find(({ Name }) => Name === 'store');
}

/** Changes the configuration and waits for the disk; returns the failure. */
function write(): Promise<unknown> {
  const text = `${++notes} `.padEnd(TEXT_BYTES, '.');
  return box.call('SVC_SetInfo', note, text).then(
    () => undefined,
    (failure: unknown) => failure,
  );
}

async function failsAndGoesOn(
  t: Test,
  { text, whatToDo }: { text: RegExp; whatToDo: RegExp },
): Promise<void> {
  const failure = await until('a change that cannot be written', write, PATIENCE_MS);
  t.ok(failure instanceof RpcError && failure.reason === 'STORE_FAILED', String(failure));
  t.match(await storeCheck(), { State: 'failed', Text: text, WhatToDo: whatToDo });
  lit = !lit;
  await box.call('RequestAction', lamp, lit);
  await until('the lamp', () => pins.level(LAMP_PIN) === lit, PATIENCE_MS);
  t.equal(await box.value('lamp/STATE'), lit, 'switching continues');
}

async function recovers(t: Test): Promise<void> {
  const isFine = async (): Promise<boolean> => (await storeCheck())?.State === 'ok';
  await until('everything is written', isFine, AGAIN_LIMIT_MS);
  t.equal(await write(), undefined, 'changes are accepted again');
}

await t.test('the disk is full', async (t) => {
  await agent.run(
    'fallocate -l $(df --output=avail -B1 / | tail -1) /root/filler; cat /dev/zero >/root/rest || true',
  );
  await failsAndGoesOn(t, { text: /full/, whatToDo: /free some space/ });
  await agent.run('rm /root/filler /root/rest');
  await recovers(t);
});

await t.test('changes from that time exist after a restart', async (t) => {
  await box.restart();
  const { ObjectInfo: info } = (await box.call('SVC_GetObject', note)) as { ObjectInfo: string };
  t.equal(info.split(' ')[0], String(notes));
});

// A disk that was read-only at the start and is writable again: test/contract/store/full-disk.test.ts.
await t.test(
  'ext4 remounts the disk read-only after an error, and the gateway is started on it',
  async (t) => {
    await agent.run('mount -o remount,errors=remount-ro / && echo lab >/sys/fs/ext4/vda/trigger_fs_error');
    const messages = { text: /I\/O error|readonly/, whatToDo: /dmesg/ };
    await failsAndGoesOn(t, messages);
    await box.restart();
    await box.becomes('lamp/LINK', 'online');
    await failsAndGoesOn(t, messages);
  },
);
