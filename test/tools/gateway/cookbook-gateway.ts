import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { objectType } from '../../../src/kernel/object.js';
import { ROOT } from '../../law/sources.js';
import { idOf, rpc, valueAt } from '../client/json-rpc.js';
import { BIN, SIMULATED_CONFIG, startGateway, type GatewayFixture } from './gateway-fixture.js';
import { environment } from '../program.js';
import { until } from '../until.js';
import { passTime } from '../devices/device-fixture.js';
import { enableLinearPatterns } from '../linear-patterns.js';

enableLinearPatterns();

/** The inputs that the RELAYn of the simulated board are wired to; pages of the cookbook do not have them. */
const WIRES = `  - category: Wires
    ident: wires
    children:
${[1, 2, 3].map((n) => `      - { instance: Wire ${n}, ident: relay${n}, module: GPIO Input, properties: { Line: SENSE${n} } }\n`).join('')}`;

/**
 * Speed of the clock while a page's commands run: a button that one command presses and the next releases is
 * down for longer than it bounces, and a script has enough time on a busy machine.
 */
const PACE = 0.5;
const TICK_MS = 10;

/** A gateway that is configured as a page of the cookbook says, with a manual clock. */
export class CookbookGateway {
  readonly gateway: GatewayFixture;
  readonly clock: ManualClock;
  readonly #page: string;
  readonly #config: string;

  constructor(fixture: GatewayFixture, clock: ManualClock, page: string) {
    this.gateway = fixture;
    this.clock = clock;
    this.#page = page;
    this.#config = join(fixture.directory, 'cli.yaml');
  }

  /** Runs the next block of commands of the page, and returns their output; rejects if one of them fails. */
  async run(block: number): Promise<string> {
    await writeFile(this.#config, SIMULATED_CONFIG.replace('port: 0', `port: ${this.gateway.port}`));
    const commands = codeBlocks(this.#page, 'sh')[block];
    if (commands === undefined) throw new Error(`the page has no block ${block} of commands`);
    const env = environment({
      PATH: `${dirname(BIN)}:${process.env['PATH'] ?? ''}`,
      STELLWERK_CONFIG: this.#config,
    });
    const shell = spawn('sh', ['-euc', commands], { cwd: this.gateway.directory, env });
    const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
    let isRunning = true;
    void ended.then(() => (isRunning = false));
    const said = Promise.all([text(shell.stdout), text(shell.stderr), ended]);
    while (isRunning) {
      await sleep(TICK_MS);
      this.clock.advance(TICK_MS * PACE);
    }
    const [stdout, stderr, code] = await said;
    if (code !== 0 || stderr !== '' || /^false$/m.test(stdout))
      throw new Error(`${commands}\nended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Drives a line of the board, and waits until it has stopped bouncing. */
  async set(line: string, value: boolean): Promise<void> {
    await rpc(this.gateway, 'GW_SimulateLine', line, value);
    this.clock.advance(100);
  }

  async press(line: string): Promise<void> {
    await this.set(line, true);
    await this.set(line, false);
  }

  /** Advances the clock second by second, and hardly at all while a script runs, whose time is limited. */
  async pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n++) {
      await passTime(this.clock, 1000);
      await this.#idle();
    }
  }

  /**
   * Advances the clock until a variable has that value, and its consequences have run; at most this number of
   * seconds.
   */
  async passUntil(path: string, value: unknown, seconds: number): Promise<void> {
    for (let n = 0; n < seconds && (await this.value(path)) !== value; n++) await this.pass(1);
    await this.waitForValue(path, value);
    await this.waitForScripts();
  }

  /** Advances the clock until a value is good, at most this number of seconds. */
  async passUntilGood(path: string, seconds: number): Promise<void> {
    for (let n = 0; n < seconds && (await this.quality(path)) !== 0; n++) await this.pass(1);
    if ((await this.quality(path)) !== 0) throw new Error(`${path} has no good value`);
  }

  /** Sets the clock forward to that time. */
  async sleepUntil(at: string): Promise<void> {
    this.clock.stepWallClock(Date.parse(at) - this.clock.nowMs());
    await this.pass(61);
  }

  /** Waits until no script runs; the clock hardly advances. */
  async waitForScripts(): Promise<void> {
    await rpc(this.gateway, 'SVC_RunScriptTextWait', '');
    await this.#idle();
  }

  async #idle(): Promise<void> {
    await until('no script runs', async () => {
      const threads = (await rpc(this.gateway, 'SVC_GetScriptThreads', [])) as { StartTime: number }[];
      if (threads.every(({ StartTime }) => StartTime === 0)) return true;
      // It may be waiting for a device.
      this.clock.advance(TICK_MS);
      return false;
    });
  }

  /** 0 if the value is good. */
  async quality(path: string): Promise<number> {
    const states = await rpc(this.gateway, 'GW_GetQuality', [await idOf(this.gateway, path)]);
    return (states as [{ Quality: number }])[0].Quality;
  }

  value(path: string): Promise<unknown> {
    return valueAt(this.gateway, path);
  }

  /** When an event runs next, from its record; 0 for never, or if it is missing. */
  async nextRun(path: string): Promise<number> {
    const id = await idOf(this.gateway, path).catch(() => 0);
    const { NextRun = 0 } = ((await rpc(this.gateway, 'SVC_GetEvent', id)) ?? {}) as { NextRun?: number };
    return NextRun;
  }

  /**
   * Waits until a script has set or removed its timer; `before` is its previous next run. The clock does not
   * advance.
   */
  async waitForTimer(script: string, before: number): Promise<void> {
    const timer = `${script}/ScriptTimer`;
    await until(`${timer} is set again`, async () => (await this.nextRun(timer)) !== before);
  }

  /** Waits until a variable has that value; the clock does not advance. */
  async waitForValue(path: string, value: unknown): Promise<void> {
    let now: unknown;
    await until(`${path} = ${String(value)}`, async () => (now = await this.value(path)) === value).catch(
      (thrown: unknown) => {
        throw new Error(`${String(thrown)}, now ${String(now)}; ${this.gateway.log.slice(-5).join('\n')}`);
      },
    );
  }
}

/**
 * Creates the configuration of a page of docs/cookbook, at that time, and runs its first block of commands.
 */
export async function startCookbookPage(t: Test, page: string, at: string): Promise<CookbookGateway> {
  const said = readFileSync(join(ROOT, 'docs/use/cookbook', page), 'utf8');
  const clock = new ManualClock(Date.parse(at));
  const fixture = await startGateway(t, pageConfiguration(said) + WIRES, { clock });
  for (const script of codeBlocks(said, 'js')) {
    const name = /^\/\/ ([\w-]+\.js):/.exec(script)?.[1];
    if (name === undefined) throw new Error(`a script of ${page} does not begin with its name`);
    await writeFile(join(fixture.directory, name), script);
  }
  const kitchen = new CookbookGateway(fixture, clock, said);
  await kitchen.run(0);
  const before = await objectsOf(fixture);
  await kitchen.run(0);
  const after = await objectsOf(fixture);
  t.strictSame(after, before, 'the first block can run again, with the same result');
  return kitchen;
}

/**
 * Every object with its name and position, scripts and events with their content; without what changes at run
 * time.
 */
async function objectsOf(fixture: GatewayFixture): Promise<readonly unknown[]> {
  const ids = (await rpc(fixture, 'SVC_GetObjectList')) as number[];
  return Promise.all(
    ids.map(async (id) => {
      const { ObjectName, ObjectIdent, ParentID, ObjectType } = (await rpc(
        fixture,
        'SVC_GetObject',
        id,
      )) as Record<string, unknown>;
      const event = ObjectType === objectType.event ? await rpc(fixture, 'SVC_GetEvent', id) : {};
      const { LastRun: _, NextRun: __, ...lasting } = event as Record<string, unknown>;
      return [id, ObjectType, ParentID, ObjectIdent, ObjectName, lasting];
    }),
  );
}

/** The configuration of a page, with free ports. Its tree is at its end. */
export function pageConfiguration(page: string): string {
  return (
    SIMULATED_CONFIG +
    codeBlocks(page, 'yaml')
      .join('')
      .replace(/port: \d+, serve/, 'port: 0, serve')
  );
}

/** The blocks of that language, in order. */
export function codeBlocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```/gm)].flatMap(([, is, block = '']) =>
    is === language ? [block] : [],
  );
}
