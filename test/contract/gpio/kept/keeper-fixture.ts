import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { ADDON, SANITIZERS, compileC, sanitizerLibrary, sourcesIn } from '../../../tools/compile-c.js';
import { tempDirectory } from '../../../tools/temp-directory.js';
import { Program } from '../../../tools/program.js';
import { until } from '../../../tools/until.js';
import type { KeeperSocket } from '../../../../drivers/gpio/keeper/keeper-protocol.js';
import { PACKAGE_ROOT } from '../../../../src/base/package-root.js';

const here = join(PACKAGE_ROOT, 'test/contract/gpio/kept');

/** Only the addon is instrumented, so memory that Node keeps until its end is not a leak. */
const ASAN_OPTIONS = 'detect_leaks=0:halt_on_error=1:abort_on_error=0';

/** The addon as built for the gateway. */
const { KeeperSocket: AddonSocket } = createRequire(import.meta.url)(
  join(PACKAGE_ROOT, 'build/gpio.node'),
) as {
  KeeperSocket: new (
    path: string,
    onMessage: (text: string, request: unknown) => void,
    onEnd: (code: string) => void,
  ) => KeeperSocket;
};

/**
 * The keeper built for the sanitizers, and the stand-in for the kernel that is preloaded into it and into
 * gateways.
 */
export interface BuiltKeeper {
  readonly keeper: string;
  readonly lines: string;
  /** The gateway's addon, built for the sanitizers. */
  readonly addon: string;
  readonly asan: string;
}

/** Builds everything; needs gcc. */
export async function buildKeeper(): Promise<BuiltKeeper> {
  const gpio = join(PACKAGE_ROOT, 'drivers/gpio');
  const [keeper, addon, lines, asan] = await Promise.all([
    compileC('stellwerk-keeper', await sourcesIn(join(gpio, 'keeper')), SANITIZERS),
    compileC('gpio.node', await sourcesIn(join(gpio, 'native')), [...ADDON, ...SANITIZERS]),
    compileC('keptlines.so', [join(here, 'keptlines.c')], ['-fPIC', '-shared']),
    sanitizerLibrary(),
  ]);
  return { keeper, lines, addon, asan };
}

/** A value that was driven: when, by which process, where, and the level. */
export interface DrivenValue {
  readonly atNs: bigint;
  readonly pid: number;
  readonly offset: number;
  readonly level: boolean;
}

/** A machine with one chip, `kept`, on which a keeper and gateways run. */
export class KeeperFixture {
  readonly built: BuiltKeeper;
  readonly folder: string;
  readonly #t: Test;

  private constructor(built: BuiltKeeper, folder: string, t: Test) {
    this.built = built;
    this.folder = folder;
    this.#t = t;
  }

  static async make(t: Test, built: BuiltKeeper): Promise<KeeperFixture> {
    const fixture = new KeeperFixture(built, await tempDirectory(t), t);
    await mkdir(fixture.runtime);
    await mkdir(fixture.devices);
    await writeFile(join(fixture.devices, 'gpiochip0'), 'kept');
    return fixture;
  }

  get devices(): string {
    return join(this.folder, 'dev');
  }

  get runtime(): string {
    return join(this.folder, 'run');
  }

  get socket(): string {
    return join(this.runtime, 'socket');
  }

  get table(): string {
    return join(this.folder, 'outputs.table');
  }

  /** Starts a keeper; resolves when it listens. */
  async keeper(): Promise<Program> {
    const program = new Program(this.built.keeper, this.#keeping, { env: this.#env(this.built.asan) });
    this.#t.teardown(() => program.end());
    (await this.stranger()).close();
    return program;
  }

  /** A keeper under a stand-in for systemd, which stores its descriptors and restarts it. */
  async service(): Promise<Program> {
    const env = [`LD_PRELOAD=${this.built.asan} ${this.built.lines}`, `KEPT_LINES=${this.devices}`];
    const command = ['/usr/bin/env', ...env, this.built.keeper, ...this.#keeping];
    const program = new Program('python3', [
      join(here, 'service.py'),
      join(this.folder, 'notify'),
      ...command,
    ]);
    this.#t.teardown(() => program.end());
    await program.waitFor(/READY=1/);
    return program;
  }

  /** Starts a gateway (`gateway.ts`), which is controlled by lines of JSON. */
  gateway(): Gateway {
    const program = fileURLToPath(new URL('gateway.js', import.meta.url));
    const args = ['--enable-source-maps', program, this.devices, this.socket, this.folder, this.built.addon];
    const env = { ...this.#env(this.built.asan), ASAN_OPTIONS };
    const gateway = new Gateway(process.execPath, args, { env, stdin: 'pipe' });
    this.#t.teardown(() => gateway.end('SIGKILL'));
    return gateway;
  }

  /** Connects to the keeper as soon as it listens. */
  stranger(onEnd: (code: string) => void = () => undefined): Promise<KeeperSocket> {
    return until('the keeper to listen', () => {
      try {
        return new AddonSocket(this.socket, () => undefined, onEnd);
      } catch {
        return undefined;
      }
    });
  }

  /** All driven values in order. */
  async history(): Promise<DrivenValue[]> {
    const text = await readFile(join(this.devices, 'history'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [atNs = '', pid, , offset, level] = line.split(' ');
        return { atNs: BigInt(atNs), pid: Number(pid), offset: Number(offset), level: level === '1' };
      });
  }

  /** The present levels of these lines. */
  async levels(...offsets: readonly number[]): Promise<(boolean | undefined)[]> {
    const all = await this.history();
    return offsets.map((offset) => all.findLast((driven) => driven.offset === offset)?.level);
  }

  /** Waits until the lines have these levels; returns the last change. */
  async become(levels: Readonly<Record<number, boolean>>): Promise<DrivenValue> {
    const offsets = Object.keys(levels).map(Number);
    const expected = JSON.stringify(Object.values(levels));
    await until(`the lines ${offsets.join()} to be ${expected}`, async () => {
      return JSON.stringify(await this.levels(...offsets)) === expected;
    });
    return (await this.history()).findLast(({ offset }) => offsets.includes(offset)) as DrivenValue;
  }

  get #keeping(): string[] {
    return ['--keep', this.table, this.runtime, this.devices];
  }

  #env(asan: string): NodeJS.ProcessEnv {
    return { LD_PRELOAD: `${asan} ${this.built.lines}`.trim(), KEPT_LINES: this.devices };
  }
}

/** A gateway's process. */
export class Gateway extends Program {
  #lastRequestId = 0;

  /** Sends a command and waits for its reply. */
  async send(what: object): Promise<string> {
    const requestId = ++this.#lastRequestId;
    this.process.stdin?.write(`${JSON.stringify({ ...what, requestId })}\n`);
    const [, reply = ''] = await this.waitFor(new RegExp(`^done ${requestId} ?(.*)$`, 'm'));
    return reply;
  }
}
