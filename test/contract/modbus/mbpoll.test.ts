import { once } from 'node:events';
import t, { type Test } from 'tap';
import { openPtyPair } from '../../tools/devices/pty.js';
import { hasProgram, Program } from '../../tools/program.js';
import { reservePort } from '../../tools/reserve-port.js';
import { withinPatience } from '../../tools/until.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { makeServer, UNIT } from './served-plant.js';

const missing = ['mbpoll', 'socat'].filter((name) => !hasProgram(name)).join(' and ');
const skip = missing === '' ? false : `${missing} is not installed (Debian packages mbpoll and socat)`;

/** Runs `mbpoll` once, with addresses from 0: its options, and the values to write. Returns its output. */
type Poll = (options: string, ...values: readonly string[]) => Promise<string>;

const pollAt =
  (line: readonly string[], at: string): Poll =>
  async (options, ...values) => {
    const args = ['-0', '-1', '-a', String(UNIT), ...line, ...options.split(' '), at, ...values];
    await using program = new Program('mbpoll', args);
    await withinPatience('the end of mbpoll', once(program.process, 'close'));
    return program.output;
  };

/** What libmodbus reads and writes, whatever the line. */
async function libmodbusContract(
  t: Test,
  { fixture, pump }: Awaited<ReturnType<typeof makeServer>>,
  poll: Poll,
): Promise<void> {
  t.match(await poll('-t 4 -r 0 -c 3'), /\[0\]:\s+65321 \(-215\)\n\[1\]:\s+1\n\[2\]:\s+34464/);
  t.match(await poll('-t 4:int -B -r 1'), /\[1\]:\s+100000/, 'two registers, high word first');
  t.match(await poll('-t 3:float -r 0'), /\[0\]:\s+-21\.5/, 'input registers, low word first');
  t.match(await poll('-t 1 -r 0'), /\[0\]:\s+1/, 'a discrete input');
  t.match(await poll('-t 0 -r 5'), /\[5\]:\s+0/, 'a coil');
  t.match(await poll('-t 0 -r 5', '1'), /Written 1 references/);
  t.equal(fixture.value(pump, 'STATE'), true, 'the relay is switched by its action');
  t.match(await poll('-t 0 -r 5'), /\[5\]:\s+1/);
  t.match(await poll('-t 4 -r 10', '0'), /Slave device or server failure/, 'a rule forbids it');
  t.equal(fixture.value(pump, 'STATE'), true);
  t.match(await poll('-t 4 -r 0', '1'), /Illegal data address/, 'the map does not allow it');
  t.match(await poll('-t 4 -r 7'), /Illegal data address/, 'there is no such address');
}

t.test('TCP: mbpoll reads and writes parts of the tree', { skip }, async (t) => {
  const port = await reservePort();
  const made = await makeServer(t, ['Server Socket', { Port: port }], { Protocol: 'TCP' });
  await using _fixture = made.fixture;
  await libmodbusContract(t, made, pollAt(['-m', 'tcp', '-p', String(port)], '127.0.0.1'));
});

t.test('RTU: mbpoll reads and writes parts of the tree', { skip }, async (t) => {
  await using pair = await openPtyPair(await tempDirectory(t));
  const made = await makeServer(t, ['Serial Port', { Port: pair.near, BaudRate: '19200' }], {
    Protocol: 'RTU',
  });
  await using _fixture = made.fixture;
  await libmodbusContract(t, made, pollAt(['-m', 'rtu', '-b', '19200', '-P', 'none'], pair.far));
});
