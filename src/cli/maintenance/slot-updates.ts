import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { codeOf } from '../../base/fault.js';

/** Where the image of the box has its facts. */
const BOX = { release: '/etc/os-release', rolledBack: '/var/lib/stellwerk-update/rolled-back' };

/** One of the two systems on a box. */
interface Slot {
  /** Its name in the boot loader, `A` or `B`. */
  readonly name: string;
  /** The version of the update that was installed there; undefined for that of the flashed image. */
  readonly version: string | undefined;
  /** Whether it runs now. */
  readonly isBooted: boolean;
  /** Whether the next start is to use it. */
  readonly isNext: boolean;
  /** Whether the boot loader may start it. */
  readonly isGood: boolean;
}

/** What runs on a box. */
export interface RunningVersion {
  readonly version: string;
  /** The last update, if it was rolled back. */
  readonly rolledBack: RolledBack | undefined;
}

/** The systems of a box. */
export interface BoxStatus extends RunningVersion {
  readonly slots: readonly Slot[];
}

/** The note of box-confirm.service or of the Debian package about a version that was rolled back. */
interface RolledBack {
  readonly version: string;
  readonly running: string;
  readonly time: string;
  readonly reason: string;
}

interface RaucSlot {
  bootname: string;
  state: string;
  boot_status: string;
  slot_status?: { bundle?: { version?: string } };
}
interface RaucStatus {
  boot_primary: string | null;
  slots: Record<string, RaucSlot>[];
}

/** Updates of a box with two systems, through RAUC, which checks signatures and writes slots. Needs root. */
export class SlotUpdates {
  readonly #rauc: string;
  readonly #box: typeof BOX;

  /** `rauc` and `box`: the program and the files of the box. */
  constructor(rauc = 'rauc', box = BOX) {
    this.#rauc = rauc;
    this.#box = box;
  }

  /** What runs on this box. Throws if it has no slots. */
  running(): RunningVersion {
    const version = /^IMAGE_VERSION="?([^"\n]*)/m.exec(textOf(this.#box.release))?.[1];
    if (version === undefined) throw new Error(NO_SLOTS);
    const note = textOf(this.#box.rolledBack);
    return { version, rolledBack: note === '' ? undefined : (JSON.parse(note) as RolledBack) };
  }

  /** The systems of this box. Rejects if it has none. */
  async status(): Promise<BoxStatus> {
    const running = this.running();
    const output = await this.#run(['status', '--detailed', '--output-format=json']);
    const { boot_primary: primary, slots } = JSON.parse(output) as RaucStatus;
    return {
      ...running,
      slots: slots
        .flatMap(Object.entries<RaucSlot>)
        .map(([id, slot]) => ({
          name: slot.bootname,
          version: slot.state === 'booted' ? running.version : slot.slot_status?.bundle?.version,
          isBooted: slot.state === 'booted',
          isNext: id === primary,
          isGood: slot.boot_status === 'good',
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }

  /** The version of an update (a file or an http address). Rejects if it is damaged, or signed by a stranger. */
  async inspect(source: string): Promise<string> {
    const { version } = JSON.parse(await this.#run(['info', '--output-format=json', source])) as {
      version?: string;
    };
    if (version === undefined) throw new Error(`${source} has no version`);
    return version;
  }

  /** Writes an update to the other slot, which the next start then uses; passes RAUC's lines on. */
  async install(source: string, onLine: (line: string) => void): Promise<void> {
    await this.#run(['install', source], onLine);
  }

  /** Makes the other slot the one that the next start uses. */
  async activateOther(): Promise<void> {
    await this.#run(['status', 'mark-active', 'other']);
  }

  /** Runs RAUC; resolves with its output, rejects with what it printed as an error. */
  async #run(args: readonly string[], onLine?: (line: string) => void): Promise<string> {
    const rauc = spawn(this.#rauc, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const code = new Promise<number | null>((resolve, reject) => {
      rauc.once('close', resolve);
      rauc.once('error', (error) => reject(codeOf(error) === 'ENOENT' ? new Error(NO_SLOTS) : error));
    });
    let rest = '';
    if (onLine)
      rauc.stdout.on('data', (data: Buffer) => {
        const lines = (rest + data.toString()).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(onLine);
      });
    const [ended, out, err] = await Promise.all([code, text(rauc.stdout), text(rauc.stderr)]);
    if (ended === 0) return out;
    throw new Error(reasonIn(err + out));
  }
}

const NO_SLOTS = 'this machine has no slots: it does not run an image of the box. Update its package instead';

/** The last line of RAUC's errors, which has the reason. */
function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const reason = lines.findLast((line) => /error|fail/i.test(line)) ?? lines.at(-1) ?? 'RAUC failed';
  return reason.replace(/^LastError: /, '');
}

/** The content of a file; '' if it does not exist. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return '';
    throw thrown;
  }
}
