/** Another reader of SML sees the values that ours sees: in recorded telegrams, and in those of the simulated meter. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { smlTelegram } from '../../../drivers/meter/simulation/sml-telegram.js';
import { SmlParser } from '../../../drivers/meter/sml/sml-parser.js';
import type { TelegramListener } from '../../../drivers/meter/telegram.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { parseAll, recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';
import { Random } from '../../tools/random.js';

/** What `open-sml` reads, as far as it is compared. */
interface PartnerFile {
  readonly valid: boolean;
  readonly messages: readonly {
    readonly messageBody?: { readonly valList?: { readonly listEntries: PartnerEntry[] } };
  }[];
  parse(bytes: Buffer): void;
}

interface PartnerEntry {
  readonly objName: Buffer;
  readonly scaler?: number;
  /** A number, an integer of 64 bits, or bytes. */
  readonly value: unknown;
}

function partner(): (new () => PartnerFile) | undefined {
  try {
    const require = createRequire(join(PACKAGE_ROOT, 'build/partners/package.json'));
    return (require('open-sml') as { SmlFile: new () => PartnerFile }).SmlFile;
  } catch {
    return undefined;
  }
}

const SmlFile = partner();
const skip =
  SmlFile === undefined &&
  'open-sml is not installed (npm install --prefix build/partners open-sml, as .ci/run does)';
const TELEGRAMS = 500;

/** The numbers of a telegram by OBIS code, as both read them. */
function numbersOf(bytes: Buffer): { readonly ours: unknown; readonly theirs: unknown } {
  const { telegrams } = parseAll((listener: TelegramListener) => new SmlParser(listener), bytes);
  const records = telegrams.flatMap((one) => one.records);
  const file = new (SmlFile as new () => PartnerFile)();
  file.parse(bytes);
  const entries = file.messages.flatMap(({ messageBody }) => messageBody?.valList?.listEntries ?? []);
  const numeric = entries.filter(({ value }) => !Buffer.isBuffer(value));
  return {
    ours: records.filter(({ value }) => typeof value === 'number').map(({ code, value }) => [code, value]),
    theirs: numeric.map(({ objName: [a, b, c, d, e, f], value, scaler = 0 }) => [
      `${a}-${b}:${c}.${d}.${e}*${f}`,
      Number(`${String(value)}e${scaler}`),
    ]),
  };
}

t.test('recorded telegrams', { skip }, async (t) => {
  for (const { id, hex } of recordedTelegrams('SML')) {
    const { ours, theirs } = numbersOf(Buffer.from(hex, 'hex'));
    t.strictSame(ours, theirs, id);
  }
});

t.test('telegrams of the simulated meter', { skip }, async (t) => {
  const random = new Random(1);
  for (let n = 0; n < TELEGRAMS; n++) {
    const bytes = smlTelegram(
      Array.from({ length: 1 + random.below(14) }, (_, at) => ({
        obis: [1, 0, 1 + at, 8, random.below(4), 255],
        number: random.below(2) === 0 ? -random.below(2 ** 40) : random.below(2 ** random.below(52)),
        scaler: random.below(7) - 3,
        unit: 30,
      })),
    );
    const { ours, theirs } = numbersOf(bytes);
    t.strictSame(ours, theirs, bytes.toString('hex'));
  }
});
