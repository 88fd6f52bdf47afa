/**
 * 1-Wire on a real kernel: its core and its family drivers, on a bus whose devices are simulated bit by bit
 * by a module of the lab (recipe/w1-sim.c). The installed gateway uses them under its unit, with the rights
 * of its user.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';
import { runInGuest } from './machine/guest-program.js';

const CONTRACT_LIMIT_MS = 240_000;
const BUS = 'w1_bus_master1';
const [HALL, SINGLE, EIGHT, PAIR] = [
  '28-0000075565ad',
  '12-000000c0ffee',
  '29-000000d0d0d0',
  '3a-000000123456',
] as const;

const device = (ident: string, address: string) =>
  `    - { instance: ${ident}, ident: ${ident}, module: 1-Wire Device, properties: { Address: ${address}, EveryS: 2 } }\n`;

await using box = await Box.taken(
  t,
  `- instance: Bus
  ident: bus
  module: 1-Wire Bus
  properties: { Bus: ${BUS} }
  children:
${device('hall', HALL)}${device('single', SINGLE)}${device('eight', EIGHT)}${device('pair', PAIR)}`,
);
const { agent } = box.machine;

const set = (address: string, word: string, number: number) =>
  agent.run(`echo ${address} ${word} ${number} >/sys/devices/w1-sim/set`);
const conducting = async (address: string) =>
  Number((await agent.run(`grep ${address} /sys/devices/w1-sim/state`)).split(' ')[1]);
const writes = async () => agent.run(`cut -d' ' -f3 /sys/devices/w1-sim/state`);
const act = async (path: string, value: unknown) => box.call('RequestAction', await box.id(path), value);

await t.test('a bus that appears is opened with its devices, and nothing is written to it', async (t) => {
  await box.becomes('bus/LINK', 'waiting');
  t.match(await box.value('bus/STATUS'), /no 1-Wire bus.*dtoverlay=w1-gpio/);
  // Searched each second; a device that two searches miss is removed.
  await agent.run('modprobe wire timeout=1 slave_ttl=2 && modprobe w1-sim');
  // The only one that the kernel does not load automatically.
  await agent.run('modprobe w1_ds2406');
  await box.becomes('bus/LINK', 'online');
  await until('all devices', async () => (await box.value('bus/DEVICES')) === 4, PATIENCE_MS);
  await set(HALL, 'raw', 344);
  await box.becomes('bus/hall/TEMPERATURE', 21.5);
  await box.becomes('bus/eight/PORT', 0);
  t.equal(new Set((await writes()).split('\n')).size, 1, 'nothing was written');
});

await t.test('the gateway’s user may switch pins, and their state is reported', async (t) => {
  for (const [ident, address] of [
    ['single', SINGLE],
    ['eight', EIGHT],
    ['pair', PAIR],
  ] as const) {
    t.equal(await act(`bus/${ident}/PIN1`, true), true);
    t.equal(await conducting(address), 2, address);
    t.equal(await box.value(`bus/${ident}/PORT`), 2);
  }
  await set(EIGHT, 'pulled', 0x80);
  await box.becomes('bus/eight/INPUT7', true);
  t.equal(await box.value('bus/eight/PIN7'), false);
});

await t.test('the gateway is killed and restarted: no pin changes', async (t) => {
  const before = await writes();
  await agent.run('systemctl kill -s KILL stellwerk');
  await box.answers(3 * PATIENCE_MS);
  await box.becomes('bus/LINK', 'online');
  await box.becomes('bus/eight/PORT', 2);
  t.equal(await writes(), before);
});

await t.test(
  '85 °C without a measurement is not reported, and a device disappears and comes back',
  async (t) => {
    const quality = async () => {
      const [found] = (await box.call('GW_GetQuality', [await box.id('bus/hall/TEMPERATURE')])) as [
        { Reason: string },
      ];
      return found.Reason;
    };
    await set(HALL, 'weak', 1);
    await until('POWER_ON', async () => (await quality()) === 'POWER_ON', PATIENCE_MS);
    t.equal(await box.value('bus/hall/TEMPERATURE'), 21.5);
    await set(HALL, 'weak', 0);
    await until('a measurement', async () => (await quality()) === '', PATIENCE_MS);
    await set(HALL, 'silent', 1);
    await until('it to be reported missing', async () => (await quality()) === 'UNAVAILABLE', PATIENCE_MS);
    await set(HALL, 'silent', 0);
    await set(HALL, 'raw', -40);
    await box.becomes('bus/hall/TEMPERATURE', -2.5);
    t.equal(await quality(), '');
  },
);

await t.test('the contract', async (t) => {
  await agent.run('systemctl stop stellwerk');
  for (const [address, word] of [
    [EIGHT, 'pulled'],
    [HALL, 'silent'],
    [HALL, 'weak'],
  ] as const)
    await set(address, word, 0);
  await runInGuest(t, agent, {
    file: 'contract/onewire/kernel-program.js',
    words: BUS,
    minAssertions: 10,
    limitMs: CONTRACT_LIMIT_MS,
  });
});
