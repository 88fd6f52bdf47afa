/**
 * A program that runs in the box and keeps its gateway busy: it changes a name, a setting and the archive, makes
 * backups, and switches a relay. Each change has a number. When it was acknowledged, the number is printed on the
 * console, which the test reads even after a power cut.
 */
import type { AllowedValues } from '../../campaign/facts.js';
import { SAMPLE_TREE } from '../../tools/gateway/gateway-fixture.js';

export const PASSWORD = 'a long password';
/** Records that one call adds. */
const BATCH = 20;
/** Changes that can be acknowledged, but whose number did not get through the serial line before the power cut. */
const UNPRINTED = 200;
const ACKNOWLEDGED = /^load: (\[.*\])\r?$/gm;

/** What `gateway.yaml` of the box has in addition; its relays are simulated. */
export const BUSY_CONFIG = `board: simulated
${SAMPLE_TREE}configurators:
  - { title: Before, ident: wf, base: ground_floor, password: tulip }
`;

/** The program (CommonJS for Node). */
export const BUSY_CLIENT = `
const { openSync, writeSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const terminal = openSync('/dev/console', 'w');
const headers = {
  Authorization: 'Basic ' + Buffer.from('owner:${PASSWORD}').toString('base64'),
  'Content-Type': 'application/json',
};
async function call(method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch('http://127.0.0.1:3777/api/', { method: 'POST', headers, body });
  const { result, error } = await reply.json();
  if (error) throw new Error(method + ': ' + error.message);
  return result;
}
const print = (...acknowledged) => writeSync(terminal, '\\nload: ' + JSON.stringify(acknowledged) + '\\n');
const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';

async function names() {
  const id = await call('SVC_CreateCategory');
  for (let n = 1; ; n++) {
    await call('SVC_SetName', id, 'n ' + n);
    print('name of ' + id, n);
  }
}
async function titles() {
  for (let n = 1; ; n++) {
    const { Digest } = await call('GW_GetSettings');
    await call('GW_ChangeSettings', [{ Path: 'configurators[0].title', Value: 'n ' + n }], Digest);
    print('title', n);
    await sleep(300);
  }
}
async function records() {
  const [archive] = await call('SVC_GetInstanceListByModuleID', ARCHIVE);
  const id = await call('SVC_CreateVariable', 1);
  await call('AC_SetLoggingStatus', archive, id, true);
  for (let n = 1; ; n++) {
    const values = Array.from({ length: ${BATCH} }, (_, m) => ({
      TimeStamp: 1700000000 + (n - 1) * ${BATCH} + m,
      Value: (n - 1) * ${BATCH} + m,
    }));
    await call('AC_AddLoggedValues', archive, id, values);
    print('records of ' + id, n);
    await sleep(100);
  }
}
async function backups() {
  for (let n = 1; n < 6; n++) {
    const { Name } = await call('GW_MakeBackup', 'n ' + n);
    print('backup ' + Name, n);
    await sleep(4000);
  }
}
async function relay() {
  let id = 0;
  for (const ident of ['ground_floor', 'hall_relay', 'STATE']) id = await call('SVC_GetObjectIDByIdent', ident, id);
  for (let n = 1; ; n++) {
    await call('RequestAction', id, n % 2 === 1);
    await sleep(200);
  }
}
Promise.all([names(), titles(), records(), backups(), relay()]).catch((thrown) => {
  writeSync(terminal, '\\nload failed: ' + thrown.stack + '\\n');
  process.exit(1);
});
`;

/** The kinds of changes that the program makes. */
export const KINDS = ['name', 'title', 'records', 'backup'] as const;

/** What the gateway may have after a power cut, from what the console had printed before it. */
export function allowedAfterPrinted(console: string): AllowedValues {
  const newest = new Map<string, number>();
  for (const [, text = ''] of console.matchAll(ACKNOWLEDGED)) {
    const [key, n] = JSON.parse(text) as [string, number];
    newest.set(key, n);
  }
  const allowed = new Map<string, readonly unknown[]>();
  for (const [key, n] of newest) {
    const numbers = Array.from({ length: UNPRINTED }, (_, more) => n + more);
    if (key.startsWith('backup ')) allowed.set(key, [true]);
    else if (key.startsWith('records '))
      allowed.set(
        key,
        numbers.map((one) => one * BATCH),
      );
    else
      allowed.set(
        key,
        numbers.map((one) => `n ${one}`),
      );
  }
  return allowed;
}
