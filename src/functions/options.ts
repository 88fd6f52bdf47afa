import { coded } from '../base/codes/coded-text.js';
import { parseJsonOr } from '../base/json.js';
import { fault } from '../base/fault.js';
import { Signal } from '../base/signal.js';
import { numberOf } from '../kernel/convert.js';

/** An option that can be changed at run time; all options are integers. */
interface OptionRow {
  readonly standard: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly help: string;
}

/** The options (`SVC_GetOptionList`). Names that the original product has too mean the same as there. */
const rows = {
  SaveInterval: {
    standard: 10,
    minimum: 1,
    maximum: 3600,
    help: 'Interval in seconds at which last values are saved to the disk',
  },
  ArchiveInterval: {
    standard: 5,
    minimum: 1,
    maximum: 3600,
    help: 'Interval in seconds at which the archive is saved to the disk',
  },
  BackupCount: { standard: 7, minimum: 1, maximum: 100, help: 'Number of daily backups that are kept' },
  ScriptTimeLimit: {
    standard: 30,
    minimum: 1,
    maximum: 3600,
    help: 'Maximum run time of a script, in seconds',
  },
  ScriptMemoryLimit: { standard: 64, minimum: 16, maximum: 1024, help: 'Maximum heap of a script, in MiB' },
  ScriptThreadCount: {
    standard: 4,
    minimum: 1,
    maximum: 32,
    help: 'Number of scripts that run at the same time; a script that another one waits for is not counted',
  },
  ScriptOutputBufferLimit: {
    standard: 1_048_576,
    minimum: 1024,
    maximum: 16_777_216,
    help: 'Maximum output of a script, in bytes',
  },
  ScriptCallLimit: {
    standard: 25_000,
    minimum: 100,
    maximum: 10_000_000,
    help: 'Maximum number of function calls in one run of a script',
  },
  ScriptCallRate: {
    standard: 1000,
    minimum: 10,
    maximum: 100_000,
    help: 'Maximum function calls of a script per second; bursts of the calls of up to five seconds are allowed',
  },
  MessageQueueWatch: {
    standard: 0,
    minimum: 0,
    maximum: 1,
    help: '1 measures how long the delivery of messages takes (SVC_GetInstanceMessageStatistics)',
  },
  ServerMaxPostSize: {
    standard: 25_165_824,
    minimum: 1024,
    maximum: 268_435_456,
    help: 'Maximum size of a request, in bytes',
  },
} as const satisfies Record<string, OptionRow>;

type OptionName = keyof typeof rows;
type ConfiguredOptions = Readonly<Partial<Record<OptionName, number | undefined>>>;

/** An option with its value, default and limits (`SVC_GetOptionEx`). */
interface OptionRecord {
  readonly Name: string;
  readonly Value: number;
  readonly Default: number;
  readonly Minimum: number;
  readonly Maximum: number;
  readonly Description: string;
}

/** Where changed options are saved. */
interface OptionStore {
  /** The saved values; unknown names and invalid values are ignored. */
  readonly saved: Readonly<Record<string, unknown>>;
  /** Values of the configuration file, which apply until one is set at run time. */
  readonly configured?: ConfiguredOptions;
  /** Resolves when it is on the disk. */
  save(name: string, value: number): Promise<void>;
}

/** The current options. */
export class Options {
  /** Emits the name of an option whose value has changed. */
  readonly changed = new Signal<OptionName>();
  readonly #values = new Map<OptionName, number>();
  readonly #store: OptionStore;

  constructor(store: OptionStore) {
    this.#store = store;
    for (const [name, value] of Object.entries(store.saved))
      if (isOption(name) && isAllowed(name, value)) this.#values.set(name, value);
  }

  get(name: OptionName): number {
    return this.#values.get(name) ?? this.#store.configured?.[name] ?? rows[name].standard;
  }

  /** The value set at run time, in this or an earlier run; undefined if none was set. */
  runtimeValue(name: OptionName): number | undefined {
    return this.#values.get(name);
  }

  /** By name. Throws `OPTION_MISSING`. */
  record(name: string): OptionRecord {
    const known = nameOf(name);
    const { standard, minimum, maximum, help } = rows[known];
    return {
      Name: known,
      Value: this.get(known),
      Default: standard,
      Minimum: minimum,
      Maximum: maximum,
      Description: help,
    };
  }

  names(): OptionName[] {
    return Object.keys(rows) as OptionName[];
  }

  /** All options as the snapshot contains them. */
  all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.names().map((name) => [name, this.get(name)]));
  }

  /**
   * Resolves when it is on the disk. Throws `OPTION_MISSING`, `PARAMETER_TYPE`, `PARAMETER_BOUNDS`; rejects
   * with `STORE_FAILED`.
   */
  async set(name: string, value: unknown): Promise<void> {
    const known = nameOf(name);
    const number = typeof value === 'string' ? numberOf(value) : value;
    if (!Number.isSafeInteger(number))
      throw fault('PARAMETER_TYPE', 'Value', coded`EXPECTED_INTEGER: expected an integer`);
    if (!isAllowed(known, number)) throw fault('PARAMETER_BOUNDS', 'Value');
    if (this.get(known) === number) return;
    this.#values.set(known, number);
    this.changed.emit(known);
    await this.#store.save(known, number);
  }
}

/** Name under which the store keeps changed options. */
const KEPT = 'options';

/** The part of the store that keeps texts by name; changed options are one such text. */
interface OptionMetadata {
  meta(name: string): string | undefined;
  setMeta(name: string, text: string): void;
  committed(): Promise<void>;
}

/** Loads the options with their saved values; `configured` are those of the configuration file. */
export function loadOptions(
  texts: OptionMetadata,
  configured: ConfiguredOptions = {},
): { saved: Record<string, number>; settings: Options } {
  const saved = parseJsonOr<Record<string, number>>(texts.meta(KEPT), {});
  const save = async (name: string, value: number) => {
    saved[name] = value;
    texts.setMeta(KEPT, JSON.stringify(saved));
    await texts.committed();
  };
  return { saved, settings: new Options({ saved, configured, save }) };
}

function isOption(name: string): name is OptionName {
  return Object.hasOwn(rows, name);
}

function nameOf(name: string): OptionName {
  if (!isOption(name)) throw fault('OPTION_MISSING', name);
  return name;
}

function isAllowed(name: OptionName, value: unknown): value is number {
  return (
    Number.isSafeInteger(value) && Number(value) >= rows[name].minimum && Number(value) <= rows[name].maximum
  );
}
