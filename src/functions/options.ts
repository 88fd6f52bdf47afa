import { parseJsonOr } from '../base/json.js';
import { fault } from '../base/fault.js';
import { Signal } from '../base/signal.js';
import { numberOf } from '../kernel/convert.js';

/** An option that can be changed while the gateway runs; all are integers. */
interface OptionRow {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
  readonly help: string;
}

/** The options (`SVC_GetOptionList`). Names that the original has mean what they mean there. */
const rows = {
  SaveInterval: {
    standard: 10,
    least: 1,
    most: 3600,
    help: 'Seconds between two savings of the last values to the disk',
  },
  ArchiveInterval: {
    standard: 5,
    least: 1,
    most: 3600,
    help: 'Seconds between two savings of the archive to the disk',
  },
  BackupCount: { standard: 7, least: 1, most: 100, help: 'How many daily backups are kept' },
  ScriptTimeLimit: { standard: 30, least: 1, most: 3600, help: 'Seconds that a script may run' },
  ScriptMemoryLimit: { standard: 64, least: 16, most: 1024, help: 'MiB of heap that a script may use' },
  ScriptThreadCount: {
    standard: 4,
    least: 1,
    most: 32,
    help: 'How many scripts run at the same time, those that others wait for not counted',
  },
  ScriptOutputBufferLimit: {
    standard: 1_048_576,
    least: 1024,
    most: 16_777_216,
    help: 'Bytes that a script may print',
  },
  ScriptCallLimit: {
    standard: 25_000,
    least: 100,
    most: 10_000_000,
    help: 'How many functions a script may call in one run',
  },
  ScriptCallRate: {
    standard: 1000,
    least: 10,
    most: 100_000,
    help: 'How many functions a script may call in a second; five seconds of them may come at once',
  },
  MessageQueueWatch: {
    standard: 0,
    least: 0,
    most: 1,
    help: 'Whether it is measured how long messages take to be told (SVC_GetInstanceMessageStatistics)',
  },
  ServerMaxPostSize: {
    standard: 25_165_824,
    least: 1024,
    most: 268_435_456,
    help: 'Bytes that a request may have',
  },
} as const satisfies Record<string, OptionRow>;

export type OptionName = keyof typeof rows;

/** An option with all that is known of it (`SVC_GetOptionEx`). */
export interface OptionRecord {
  readonly Name: string;
  readonly Value: number;
  readonly Default: number;
  readonly Minimum: number;
  readonly Maximum: number;
  readonly Description: string;
}

/** Where changed options are kept. */
export interface OptionStore {
  /** What was saved; unknown names and unusable values in it are passed over. */
  readonly saved: Readonly<Record<string, unknown>>;
  /** Resolves when it is on the disk. */
  save(name: string, value: number): Promise<void>;
}

/** The options as they are now. */
export class Options {
  /** Tells the name of an option that has another value now. */
  readonly changed = new Signal<OptionName>();
  readonly #values = new Map<OptionName, number>();
  readonly #store: OptionStore;

  constructor(store: OptionStore) {
    this.#store = store;
    for (const [name, value] of Object.entries(store.saved))
      if (isOption(name) && isAllowed(name, value)) this.#values.set(name, value);
  }

  get(name: OptionName): number {
    return this.#values.get(name) ?? rows[name].standard;
  }

  /** The value that was set at run time, now or before a restart; undefined where none was. */
  runtimeValue(name: OptionName): number | undefined {
    return this.#values.get(name);
  }

  /** By name. Throws `OPTION_MISSING`. */
  record(name: string): OptionRecord {
    const known = nameOf(name);
    const { standard, least, most, help } = rows[known];
    return {
      Name: known,
      Value: this.get(known),
      Default: standard,
      Minimum: least,
      Maximum: most,
      Description: help,
    };
  }

  names(): OptionName[] {
    return Object.keys(rows) as OptionName[];
  }

  /** All of them as the snapshot shows them. */
  all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.names().map((name) => [name, this.get(name)]));
  }

  /** Resolves when it is on the disk. Throws `OPTION_MISSING`, `PARAMETER_TYPE`, `PARAMETER_BOUNDS`; rejects with `STORE_FAILED`. */
  async set(name: string, value: unknown): Promise<void> {
    const known = nameOf(name);
    const number = typeof value === 'string' ? numberOf(value) : value;
    if (!Number.isSafeInteger(number)) throw fault('PARAMETER_TYPE', 'Value', 'it takes an integer');
    if (!isAllowed(known, number)) throw fault('PARAMETER_BOUNDS', 'Value');
    if (this.get(known) === number) return;
    this.#values.set(known, number);
    this.changed.emit(known);
    await this.#store.save(known, number);
  }
}

/** Name in the store of options that were changed. */
const KEPT = 'options';

/** Where options that were changed are kept: as one text under a name. */
export interface OptionMetadata {
  meta(name: string): string | undefined;
  setMeta(name: string, text: string): void;
  committed(): Promise<void>;
}

/** The options as they were last set, with what was kept of them. */
export function loadOptions(texts: OptionMetadata): { saved: Record<string, number>; settings: Options } {
  const saved = parseJsonOr<Record<string, number>>(texts.meta(KEPT), {});
  const save = async (name: string, value: number) => {
    saved[name] = value;
    texts.setMeta(KEPT, JSON.stringify(saved));
    await texts.committed();
  };
  return { saved, settings: new Options({ saved, save }) };
}

function isOption(name: string): name is OptionName {
  return Object.hasOwn(rows, name);
}

function nameOf(name: string): OptionName {
  if (!isOption(name)) throw fault('OPTION_MISSING', name);
  return name;
}

function isAllowed(name: OptionName, value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= rows[name].least && Number(value) <= rows[name].most;
}
