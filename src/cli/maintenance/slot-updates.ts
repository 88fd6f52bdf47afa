import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { syncDirectory } from '../../base/atomic-write.js';
import { codeOf } from '../../base/fault.js';
import { BOX_FILES, imageVersion, type BoxFiles, type Slot } from '../../service/updates/box-files.js';
import { readRollbackNote, type RollbackNote } from '../../service/updates/rollback-note.js';

/** What runs on a box. */
interface RunningVersion {
  readonly version: string;
  /** The last update, if it was rolled back. */
  readonly rolledBack: RollbackNote | undefined;
}

/** The systems of a box. */
export interface BoxStatus extends RunningVersion {
  readonly slots: readonly Slot[];
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

type Files = Pick<BoxFiles, 'release' | 'rolledBack' | 'confirmations'>;

/** Updates of a box with two systems, through RAUC, which checks signatures and writes slots. Needs root. */
export class SlotUpdates {
  readonly #rauc: string;
  readonly #files: Files;

  /** `rauc` and `files`: the program and the files of the box. */
  constructor(rauc = 'rauc', files: Files = BOX_FILES) {
    this.#rauc = rauc;
    this.#files = files;
  }

  /** What runs on this box. Rejects if it has no slots. */
  async running(): Promise<RunningVersion> {
    const version = imageVersion(textOf(this.#files.release));
    if (version === undefined) throw new Error(NO_SLOTS);
    const note = await readRollbackNote(this.#files.rolledBack);
    return { version, rolledBack: note === 'unreadable' ? undefined : note };
  }

  /** The systems of this box. Rejects if it has none. */
  async status(): Promise<BoxStatus> {
    const running = await this.running();
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

  /** The version of an update file. Rejects if it is damaged, or not signed with a trusted key. */
  async inspect(source: string): Promise<string> {
    const { version } = JSON.parse(await this.#run(['info', '--output-format=json', source])) as {
      version?: string;
    };
    if (version === undefined) throw new Error(`${source} has no version`);
    return version;
  }

  /** Writes an update to the other slot, which the next start then uses; passes RAUC's lines on. */
  async install(source: string, onLine: (line: string) => void): Promise<void> {
    await this.#forgetOther();
    await this.#run(['install', source], onLine);
  }

  /**
   * Removes what was noted about the other slot's system. Otherwise a rebuilt version counts as confirmed before
   * it has run, and is not rolled back.
   */
  async #forgetOther(): Promise<void> {
    const { confirmations } = this.#files;
    if (!existsSync(confirmations)) return;
    const { slots } = await this.status();
    for (const { name } of slots.filter(({ isBooted }) => !isBooted))
      for (const note of ['confirmed', 'reason'])
        rmSync(join(confirmations, `${note}.${name}`), { force: true });
    // Before RAUC writes: a power cut must not bring the notes back.
    await syncDirectory(confirmations);
  }

  /** Makes the other slot the one that the next start uses. */
  async activateOther(): Promise<void> {
    await this.#run(['status', 'mark-active', 'other']);
  }

  /** Restarts the box. */
  async restart(): Promise<void> {
    await this.#run(['--no-block', 'reboot'], undefined, 'systemctl');
  }

  /** Runs RAUC or another program; resolves with its output, rejects with what it printed as an error. */
  async #run(
    args: readonly string[],
    onLine?: (line: string) => void,
    program = this.#rauc,
  ): Promise<string> {
    const rauc = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
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
