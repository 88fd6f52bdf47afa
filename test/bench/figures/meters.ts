import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FrameParser } from '../../../drivers/meter/mbus/frames.js';
import { readTelegram } from '../../../drivers/meter/mbus/telegram.js';
import { SmlParser } from '../../../drivers/meter/sml/sml-parser.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { parseAll, recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';
import type { Cores } from '../machine.js';
import {
  formatRounds,
  interleaved,
  quietCpuUs,
  type Effort,
  type Report,
  type Round,
} from '../statistics.js';

/** Debian package libsml-dev. */
const LIBSML_HEADER = '/usr/include/sml/sml_file.h';
/** Bytes that a serial port delivers at a time. */
const CHUNK_BYTES = 256;
/** Recordings per round and second of its load. */
const REPEATS_PER_S = 400;

/** Recorded telegrams through the parsers of meters, in telegrams per second of processor time. */
export async function meterFigures(effort: Effort, _cores: Cores, directory: string): Promise<Report> {
  const root = join(directory, 'meters');
  mkdirSync(root, { recursive: true });
  const wrong: string[] = [];
  const sml = await smlFigure(effort, root, wrong);
  const mbus = await mbusFigure(effort, wrong);
  return { figures: [sml, mbus], wrong };
}

async function smlFigure(effort: Effort, root: string, wrong: string[]) {
  const recordings = recordedTelegrams('SML')
    .map(({ hex }) => Buffer.from(hex, 'hex'))
    .filter((bytes) => parseAll((listener) => new SmlParser(listener), bytes).telegrams.length === 1);
  const repeats = Math.ceil(effort.seconds * REPEATS_PER_S);
  const stream = Buffer.concat(Array.from({ length: repeats }, () => recordings).flat());
  const sent = repeats * recordings.length;
  const ours = async (): Promise<Round> => {
    let count = 0;
    const parser = new SmlParser({
      onTelegram: () => (count += 1),
      onRejected: () => undefined, // then the count is wrong
    });
    const round = measured(sent, () => {
      for (let at = 0; at < stream.length; at += CHUNK_BYTES)
        parser.push(stream.subarray(at, at + CHUNK_BYTES));
    });
    if (count !== sent) wrong.push(`${count} of ${sent} SML telegrams were read`);
    return round;
  };
  const name = 'SML telegrams, per second of processor time';
  const common = { name, unit: '/s', goal: { is: 'at least', value: 10_000 } as const };
  if (!existsSync(LIBSML_HEADER)) {
    const [rounds] = (await interleaved(effort.rounds, [ours])) as [Round[]];
    const baseline = 'none: libsml-dev is not installed';
    return { ...common, value: 1e6 / quietCpuUs(rounds), ours: formatRounds(rounds), baseline };
  }
  const [program, file] = [join(root, 'libsml'), join(root, 'telegrams.bin')];
  const source = join(PACKAGE_ROOT, 'test/bench/baselines/libsml.c');
  execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', program, source, '-lsml']);
  writeFileSync(file, stream);
  const theirs = async (): Promise<Round> => {
    const [count = NaN, us = NaN] = execFileSync(program, [file, String(sent)], {
      encoding: 'utf8',
      timeout: 60_000,
    })
      .split(' ')
      .map(Number);
    if (count !== sent) wrong.push(`libsml read ${count} of ${sent} telegrams`);
    return { cpuUs: us / count, perSecond: (count * 1e6) / us };
  };
  const [mine, yours] = (await interleaved(effort.rounds, [ours, theirs])) as [Round[], Round[]];
  return {
    ...common,
    value: 1e6 / quietCpuUs(mine),
    ours: formatRounds(mine),
    baseline: formatRounds(yours),
    note: `${(quietCpuUs(yours) / quietCpuUs(mine)).toFixed(2)} × libsml with its own reader`,
  };
}

/** Debian has no library for M-Bus: the baseline is JSON with the same records. */
async function mbusFigure(effort: Effort, wrong: string[]) {
  const recordings = recordedTelegrams('MBUS')
    .map(({ hex }) => Buffer.from(hex, 'hex'))
    .filter((bytes) => jsonOf(bytes) !== undefined);
  const texts = recordings.map((bytes) => jsonOf(bytes) ?? '');
  const repeats = Math.ceil(effort.seconds * REPEATS_PER_S);
  const sent = repeats * recordings.length;
  const ours = async (): Promise<Round> => {
    let count = 0;
    const parser = new FrameParser({
      onFrame(frame) {
        readTelegram(frame);
        count += 1;
      },
    });
    const round = measured(sent, () => {
      for (let n = 0; n < repeats; n++) for (const bytes of recordings) parser.push(bytes);
    });
    if (count !== sent) wrong.push(`${count} of ${sent} M-Bus telegrams were read`);
    return round;
  };
  const theirs = async () =>
    measured(sent, () => {
      for (let n = 0; n < repeats; n++) for (const text of texts) JSON.parse(text);
    });
  const [mine, yours] = (await interleaved(effort.rounds, [ours, theirs])) as [Round[], Round[]];
  return {
    name: 'M-Bus telegrams, per second of processor time',
    value: 1e6 / quietCpuUs(mine),
    unit: '/s',
    goal: { is: 'at least', value: 10_000 } as const,
    ours: formatRounds(mine),
    baseline: formatRounds(yours),
    note: `${(quietCpuUs(yours) / quietCpuUs(mine)).toFixed(2)} × JSON.parse of the same records`,
  };
}

/** The records of a recording as JSON; undefined if it was recorded with an error. */
function jsonOf(bytes: Buffer): string | undefined {
  const found: string[] = [];
  try {
    new FrameParser({ onFrame: (frame) => found.push(JSON.stringify(readTelegram(frame))) }).push(bytes);
  } catch {
    return undefined;
  }
  return found.length === 1 ? found[0] : undefined;
}

function measured(count: number, run: () => void): Round {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return { cpuUs: (user + system) / count, perSecond: (count * 1e6) / (user + system) };
}
