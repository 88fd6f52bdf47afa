/**
 * Gateways that are killed, and a broker that comes and goes: a reading client misses no value that the bridge has
 * accepted. ROUNDS sets the number of rounds.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import t from 'tap';
import { connectAsync } from 'mqtt';
import { startMosquitto, type Broker } from '../../tools/devices/mosquitto.js';
import { hasProgram } from '../../tools/program.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';
const ROUNDS = Number(process.env['ROUNDS'] ?? 4);
const VALUES = 400;
const PROGRAM = join(import.meta.dirname, 'bridge-process.js');
const seed = fuzzSeed();

/** A gateway in a process of its own. */
class Gateway {
  readonly #child: ChildProcessByStdio<null, Readable, null>;
  #output = '';

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  /** The numbers that it has printed. The last line may be cut. */
  get printed(): number[] {
    return this.#output
      .split('\n')
      .slice(0, -1)
      .filter((line) => line !== 'done')
      .map(Number);
  }

  async kill(): Promise<number[]> {
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
    return this.printed;
  }
}

const options = { skip, timeout: 60_000 + 15_000 * ROUNDS };

t.test(`${ROUNDS} rounds of killed gateways (${seedLabel(seed)})`, options, async (t) => {
  const random = new Random(seed);
  const [directory, queue] = [await tempDirectory(t), await tempDirectory(t)];
  // The session of the reading client survives the broker.
  const lines = ['persistence true', `persistence_location ${directory}/`, 'max_queued_messages 0'];
  let broker: Broker = await startMosquitto({ directory, lines });
  const { port } = broker;
  const reader = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    clientId: 'reader',
    clean: false,
    reconnectPeriod: 50,
  });
  const values = new Map<number, number>();
  let status: { waiting: number; seq: number; dropped: object } | undefined;
  reader.on('message', (topic, payload) => {
    const message = JSON.parse(payload.toString()) as { value: number; seq?: number };
    if (topic === 'box/status') status = JSON.parse(payload.toString()) as typeof status;
    else if (topic.endsWith('hall/COUNT') && message.seq !== undefined) {
      const known = values.get(message.seq);
      if (known !== undefined && known !== message.value)
        t.fail(`${message.seq}: ${known} and ${message.value}`);
      values.set(message.seq, message.value);
    }
  });
  await reader.subscribeAsync('box/#', { qos: 1 });
  const accepted: number[] = [];
  const url = `mqtt://127.0.0.1:${port}`;
  for (let round = 0; round < ROUNDS; round++) {
    const isDown = random.chance(0.4);
    if (isDown) await broker.program.end();
    const gateway = new Gateway([queue, url, String(1 + round * VALUES), String(VALUES)]);
    const least = random.below(VALUES);
    await until('some values', () => gateway.printed.length > least);
    if (isDown) broker = await startMosquitto({ directory, port, lines });
    else if (random.chance(0.4)) {
      await broker.program.end();
      broker = await startMosquitto({ directory, port, lines });
    }
    accepted.push(...(await gateway.kill()));
  }
  const last = new Gateway([queue, url, '0', '0']);
  const received = () => new Set(values.values());
  const missing = () => {
    const known = received();
    return accepted.filter((value) => !known.has(value));
  };
  await until(`all of ${accepted.length} values`, () => missing().length === 0, 60_000).catch(
    () => undefined,
  );
  t.strictSame(missing(), [], 'every accepted value arrives');
  t.strictSame(status?.dropped, {}, 'none is counted as dropped');
  await last.kill();
  await reader.endAsync(true);
  await broker.program.end();
});
