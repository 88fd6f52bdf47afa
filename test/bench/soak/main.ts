/**
 * A soak test of the gateway: `make soak HOURS=24`. 1,000 variables of an MQTT device change at the stated rate,
 * half of them are recorded. Measures 120 times: memory, descriptors, threads, bytes written, delay of a call. Writes
 * docs/reference/soak.md and docs/images/soak.svg with WRITE=1. VALUES_S and ARCHIVE_S replace the intervals in
 * which values and records are written. SPEED=20 compresses the run: the changes of 20 s come in each second, and
 * the intervals of writing are divided by 20.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { BUFFER_MESSAGES } from '../../../src/kernel/changes.js';
import { call, startGateway } from '../gateway.js';
import { cpuMs, residentMiB, takeCores, writtenBytes } from '../machine.js';
import { message, Publisher } from '../publisher.js';
import { quantile } from '../statistics.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { until } from '../../tools/until.js';
import { report, type Sample } from './report.js';

const SPEED = Number(process.env['SPEED'] ?? 1);
/** Of the load: the run takes HOURS / SPEED. */
const HOURS = Number(process.env['HOURS'] ?? 24);
const VARIABLES = 1000;
/** Sensors, which report once per minute, and meters, every 10 s. The others change four times per day. */
const [SENSORS, METERS] = [100, 20] as const;
const [SENSOR_S, METER_S, OTHER_S] = [60, 10, 21_600] as const;
/** The intervals of a box. */
const VALUES_S = Number(process.env['VALUES_S'] ?? 300);
const ARCHIVE_S = Number(process.env['ARCHIVE_S'] ?? 300);
const SAMPLES = 120;
const CALLS_PER_SAMPLE = 100;
/** How many samples there are per collection of garbage, after which memory is what is in use. */
const SAMPLES_PER_COLLECTION = 6;

/** Meters and sensors are spread over the tree. */
const PLACES = VARIABLES / (SENSORS + METERS);
const directory = mkdtempSync(join(process.env['SOAK_DIRECTORY'] ?? tmpdir(), 'stellwerk-soak-'));
try {
  await soak();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function periodOf(i: number): number {
  const place = i / PLACES;
  if (Math.floor(place) === Math.floor((i - 1) / PLACES)) return OTHER_S;
  return Math.floor(place) % 6 === 0 ? METER_S : SENSOR_S;
}
/** Not all change in the same second. */
function offsetOf(i: number): number {
  return (i * 7919) % periodOf(i);
}

/** An MQTT device with all variables. */
function tree(brokerPort: number): object[] {
  const topics = Array.from({ length: VARIABLES }, (_, i) => ({
    Ident: `T${i}`,
    Type: 'float',
    StateTopic: `t/${i}`,
    Profile: '~Temperature',
  }));
  const device = {
    instance: 'Sensors',
    ident: 'sensors',
    module: 'MQTT Device',
    properties: { Topics: topics },
  };
  const properties = { Url: `mqtt://127.0.0.1:${brokerPort}` };
  return [{ instance: 'Broker', ident: 'broker', module: 'MQTT Client', properties, children: [device] }];
}

/** The value of a variable at a second of the run. */
function payloadOf(i: number, second: number): string {
  return (20 + Math.round(50 * Math.sin((second + i) / 97)) / 10).toFixed(1);
}

async function soak(): Promise<void> {
  const { server: core } = takeCores();
  await using broker = await startMosquitto({ directory });
  const config = {
    store: { valuesEveryS: VALUES_S / SPEED, recordsEveryS: ARCHIVE_S / SPEED },
    tree: tree(broker.port),
  };
  await using gateway = await startGateway({ directory, core, config });
  using publisher = await Publisher.open(broker.port);
  const { port, pid } = gateway;
  const [archive] = (await call(port, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  const parent = await call(
    port,
    'SVC_GetObjectIDByIdent',
    'sensors',
    await call(port, 'SVC_GetObjectIDByIdent', 'broker', 0),
  );
  const ids: unknown[] = [];
  for (let i = 0; i < VARIABLES; i++) ids.push(await call(port, 'SVC_GetObjectIDByIdent', `T${i}`, parent));
  for (let i = 0; i < VARIABLES; i += 2) await call(port, 'AC_SetLoggingStatus', archive, ids[i], true);
  // All have a value before the measurement begins.
  await until('all values', async () => {
    for (let i = 0; i < VARIABLES; i++) publisher.send(message(`t/${i}`, payloadOf(i, 0)));
    return (await call(port, 'GetValue', ids.at(-1))) === Number(payloadOf(VARIABLES - 1, 0));
  });
  // The buffer of changes is filled: at this rate that takes five hours, and is not a leak.
  for (let round = 1; round * VARIABLES < 1.1 * BUFFER_MESSAGES; round++) {
    for (let i = 0; i < VARIABLES; i++) publisher.send(message(`t/${i}`, payloadOf(i, 150 * round)));
    await until(
      'all values',
      async () =>
        (await call(port, 'GetValue', ids.at(-1))) === Number(payloadOf(VARIABLES - 1, 150 * round)),
    );
  }
  // The daily backup is not due during the measurement, and is added to the bytes of a day.
  const bytesBefore = writtenBytes(pid);
  await call(port, 'GW_MakeBackup', 'before the measurement');
  const dailyBytes = writtenBytes(pid) - bytesBefore;
  const startMs = performance.now();
  const everyMs = (HOURS * 3_600_000) / SAMPLES / SPEED;
  const samples: Sample[] = [];
  let [seconds, changes] = [0, 0];
  const hours = () => ((performance.now() - startMs) / 3_600_000) * SPEED;
  const [startBytes, startCpu] = [writtenBytes(pid), cpuMs(pid)];
  while (samples.length < SAMPLES) {
    const isCollected = samples.length % SAMPLES_PER_COLLECTION === SAMPLES_PER_COLLECTION - 1;
    const dueMs = startMs + (samples.length + 1) * everyMs;
    while (performance.now() < dueMs) {
      const second = performance.now();
      const messages: Buffer[] = [];
      // Not counted, but taken from the clock: a busy machine makes a round longer than a second.
      for (const until = hours() * 3600; seconds < until; seconds++)
        for (const i of ids.keys())
          if ((offsetOf(i) + seconds) % periodOf(i) === 0)
            messages.push(message(`t/${i}`, payloadOf(i, seconds)));
      if (messages.length > 0) publisher.send(Buffer.concat(messages));
      changes += messages.length;
      await sleep(Math.max(0, 1000 - (performance.now() - second)));
    }
    const delays: number[] = [];
    for (let i = 0; i < CALLS_PER_SAMPLE; i++) {
      const before = performance.now();
      await call(port, 'GetValue', ids[i]);
      delays.push(performance.now() - before);
    }
    const beforeMiB = residentMiB(pid);
    if (isCollected) await call(port, 'SVC_TrimKernel');
    samples.push({
      hours: hours(),
      residentMiB: beforeMiB,
      usedMiB: isCollected ? residentMiB(pid) : undefined,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      threads: readdirSync(`/proc/${pid}/task`).length,
      writtenBytes: writtenBytes(pid) - startBytes,
      cpuMs: cpuMs(pid) - startCpu,
      medianMs: quantile(delays, 0.5),
      p99Ms: quantile(delays, 0.99),
    });
    if (samples.length % 12 === 0) console.log(JSON.stringify(samples.at(-1)));
  }
  const { markdown, svg, problems } = report(samples, {
    variables: VARIABLES,
    recorded: VARIABLES / 2,
    changesPerS: changes / seconds,
    intervals: [VALUES_S, ARCHIVE_S],
    speed: SPEED,
    dailyBytes,
  });
  console.log(markdown);
  if (process.env['WRITE'] === '1') {
    const page = join(PACKAGE_ROOT, 'docs/reference/soak.md');
    const text = readFileSync(page, 'utf8');
    const [begin, end] = ['<!-- measured: begin -->', '<!-- measured: end -->'];
    const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
    writeFileSync(page, `${text.slice(0, before)}\n\n${markdown}\n${text.slice(after)}`);
    writeFileSync(join(PACKAGE_ROOT, 'docs/images/soak.svg'), svg);
  }
  for (const problem of problems) console.log(`WRONG  ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
