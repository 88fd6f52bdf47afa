/**
 * A machine with guarded outputs, and the proof that an event changes them only according to their policies,
 * as seen by the host at the pins and by the machine's kernel (trace.ts), over many rounds.
 */
import type { Test } from 'tap';
import { messageOf } from '../../../src/base/fault.js';
import { until } from '../../tools/until.js';
import { Box, PATIENCE_MS } from '../machine/box.js';
import type { Pins } from '../machine/pins.js';
import { StallMonitor } from '../machine/stall-monitor.js';
import { allowed, before, DEAD_TIME_MS, HOLD_S, isOfPair, type Line, LINES, PAIR, TREE } from './lines.js';
import { saveRound } from './rounds.js';
import { type Move, type Observation, Trace } from './trace.js';

/** Rounds per event: 2 for everyday use, 20 for the table (`make proof`). */
export const ROUNDS = Number(process.env['ROUNDS'] ?? 2);
/** Timeout of an installation or a boot while another machine uses the host's processors, too. */
const RETURN_LIMIT_MS = 300_000;
/** The keeper's state file: one line per output, whose twelfth word is the phase. */
const STATE = '/run/stellwerk-keeper/state';
/** The phase CLAIMED (drivers/gpio/keeper/table.h). */
const CLAIMED = 1;
const LOGS = 'journalctl --no-pager -n 40 -u stellwerk -u stellwerk-keeper';

/**
 * When the time to the safe level begins, by the machine's monotonic clock: at a signal, or at a given time.
 */
export type Moment = { readonly signal: number; readonly to: number } | { readonly atS: number };

/** One event of the table. */
export interface Event {
  /** Its name in the table. */
  readonly name: string;
  /**
   * Whether it ends the gateway or the machine, so that policies apply. Otherwise no output may change by
   * itself.
   */
  readonly ends: boolean;
  /** Whether the gateway gets commands meanwhile. */
  readonly isCommanded?: boolean;
  /** Triggers the event; resolves even if its effects continue. */
  make(fixture: Fixture, round: number): Promise<Moment>;
  /** The levels when the record begins, if they differ from the prepared ones. */
  found?(line: Line): boolean;
}

/** See above. Use with `await using`. */
export class Fixture implements AsyncDisposable {
  readonly box: Box;
  readonly pins: Pins;
  readonly trace: Trace;
  readonly stalls: StallMonitor;
  /** The changes of each pin since the round began, as seen by the host. */
  readonly moves = new Map<number, boolean[]>();
  #pid = NaN;
  #threads: number[] = [];
  #ids: Record<string, number> = {};

  private constructor(box: Box, { pins, trace, stalls }: Pick<Fixture, 'pins' | 'trace' | 'stalls'>) {
    this.box = box;
    this.pins = pins;
    this.trace = trace;
    this.stalls = stalls;
    pins.watch((pin, high) => this.moves.get(pin)?.push(high));
  }

  static async open(t: Test): Promise<Fixture> {
    const box = await Box.taken(t, TREE);
    const { agent } = box.machine;
    const fixture = new Fixture(box, {
      pins: await box.machine.pins(),
      trace: await Trace.begin(agent),
      stalls: await StallMonitor.start(agent),
    });
    for (const { ident } of LINES)
      for (const path of [ident, `${ident}/STATE`, `${ident}/LINK`]) fixture.#ids[path] = await box.id(path);
    await agent.run('sync');
    return fixture;
  }

  /** The gateway's process. */
  get pid(): number {
    return this.#pid;
  }

  /** Its threads; the process is dead when the last of them has ended. */
  get threads(): readonly number[] {
    return this.#threads;
  }

  /** The id of an object of the tree. */
  id(path: string): number {
    const id = this.#ids[path];
    if (id === undefined) throw new Error(`${path} is not part of the fixture`);
    return id;
  }

  /** A property of a systemd unit. */
  async unit(name: string, property: string): Promise<string> {
    return this.box.machine.agent.run(`systemctl show ${name} --property=${property} --value`);
  }

  /** Waits until the pins have changed as often as their policies require in that round. */
  async safe(round: number): Promise<void> {
    const pins = LINES.filter(({ chip }) => chip === 'pl061');
    const isSafe = () =>
      pins.every(
        (line) => (this.moves.get(line.offset) ?? []).length >= allowed(line, before(line, round)).length,
      );
    await until('all pins are at their safe level', isSafe, PATIENCE_MS);
  }

  /** Waits until the gateway is running and holds all outputs, guarded. */
  async back(): Promise<void> {
    // systemd may not have noticed yet that the previous process is gone.
    const hasEnded = (await this.box.machine.agent.try(`kill -0 ${this.#pid}`)).code !== 0;
    const another = `[ "$(systemctl show stellwerk -p MainPID --value)" != ${this.#pid} ]`;
    await this.#wait(`systemctl is-active -q stellwerk${hasEnded ? ` && ${another}` : ''}`);
    await this.online();
  }

  /** Waits until all outputs are open and the keeper and the gateway agree on their owner. */
  async online(): Promise<void> {
    const claimed = `awk '$12 == ${CLAIMED}' ${STATE} | wc -l`;
    await this.#wait(`[ "$(${claimed})" = ${LINES.length} ]`);
    await this.box.answers(RETURN_LIMIT_MS);
    const links = LINES.map(({ ident }) => this.id(`${ident}/LINK`));
    const areOnline = async () => {
      const values = await Promise.all(links.map((id) => this.box.call('GetValue', id)));
      return values.every((value) => value === 'online') && (await this.#isGuarded());
    };
    await until('all outputs are open and guarded', areOnline, PATIENCE_MS);
    this.#pid = Number(await this.unit('stellwerk', 'MainPID'));
    const threads = await this.box.machine.agent.run(`ls /proc/${this.#pid}/task`);
    this.#threads = threads.split('\n').map(Number);
  }

  /** Waits in the machine until a command succeeds. */
  async #wait(command: string): Promise<void> {
    const script = `for n in {1..600}; do ${command} && exit; sleep 0.5; done; ${LOGS}; exit 1`;
    await this.box.machine.agent.run(script, RETURN_LIMIT_MS);
  }

  /** Whether the gateway's health says that the outputs are guarded. */
  async #isGuarded(): Promise<boolean> {
    const { Checks: checks } = (await this.box.call('GW_GetHealth')) as {
      Checks: { Name: string; State: string }[];
    };
    return checks.some(({ Name, State }) => Name === 'outputs' && State === 'ok');
  }

  /** Commands a line. */
  async write({ ident }: Line, active: boolean): Promise<void> {
    await this.box.call('HW_WriteValueBoolean', this.id(ident), 'STATE', active);
  }

  /**
   * A script that toggles all lines a number of times, the pair alternately; it ignores what a rule forbids.
   */
  flood(turns: number): string {
    const all = LINES.map((line) => [this.id(line.ident), line === PAIR[1] ? 1 : 0]);
    return `for (let n = 0; n < ${turns}; n++)
      for (const [id, first] of ${JSON.stringify(all)})
        try { HW_WriteValueBoolean(id, 'STATE', n % 2 === first); } catch {}`;
  }

  /**
   * Drives all lines to their initial values of a round and clears the records. Returns which lines are
   * active.
   */
  async prepare(round: number): Promise<Map<Line, boolean>> {
    await this.online();
    const were = new Map(LINES.map((line) => [line, before(line, round)]));
    // Switched off first: one of the pair blocks the other.
    for (const active of [false, true]) {
      const lines = [...were.keys()].filter((line) => were.get(line) === active);
      await until('the commands', () => this.#accepts(lines, active), PATIENCE_MS);
    }
    const isThere = () =>
      [...were].every(
        ([{ chip, offset }, is]) => chip === 'sim' || (this.pins.level(offset) ?? false) === is,
      );
    await until('all pins are as commanded', isThere, PATIENCE_MS);
    for (const { chip, offset } of LINES) if (chip === 'pl061') this.moves.set(offset, []);
    await this.trace.clear();
    return were;
  }

  /** Commands lines. False if the gateway was stalled for longer than its deadline just before: they are reopened. */
  async #accepts(lines: readonly Line[], active: boolean): Promise<boolean> {
    const outcomes = await Promise.allSettled(lines.map((line) => this.write(line, active)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return true;
    if (!/the output is reopened/.test(messageOf(failed.reason))) throw failed.reason as Error;
    await this.online();
    return false;
  }

  /** Waits until the tree shows the values of all outputs. */
  async shown(levels: ReadonlyMap<Line, boolean>): Promise<void> {
    const isShown = async () => {
      const requests = [...levels].map(async ([{ ident }, is]) => {
        return (await this.box.call('GetValue', this.id(`${ident}/STATE`))) === is;
      });
      return (await Promise.all(requests)).every(Boolean);
    };
    await until('the tree shows what the outputs are', isShown, PATIENCE_MS);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.box[Symbol.asyncDispose]();
  }
}

/**
 * Triggers an event {@link ROUNDS} times while the machine does not stall, compares every change with the
 * policies, and records the rounds that passed.
 */
export async function prove(t: Test, fixture: Fixture, event: Event): Promise<void> {
  await t.test(event.name, async (t) => {
    for (let round = 1; round <= ROUNDS; round++) {
      const { prepared, pid, threads, since } = await fixture.stalls.undisturbed(t, async () => {
        const levels = await fixture.prepare(round);
        const gateway = { pid: fixture.pid, threads: fixture.threads };
        const moment = await event.make(fixture, round);
        await fixture.back();
        return { prepared: levels, ...gateway, since: moment };
      });
      // After a reset, the number of the earlier process can be that of any other one.
      const gateway = event.found === undefined ? pid : fixture.pid;
      const were = new Map(LINES.map((line) => [line, event.found?.(line) ?? prepared.get(line) === true]));
      const seen = await fixture.trace.read(were);
      const commands = seen.moves.filter((move) => move.pid === gateway);
      const others = seen.moves.filter((move) => move.pid !== gateway);
      if (event.isCommanded !== true)
        t.strictSame(movesOf(commands), movesOf([]), `round ${round}: no commands`);
      // An event during commands begins with the levels that the last command left.
      const from = levelsAfter(were, commands);
      const policies = LINES.map((line) => [
        line.ident,
        event.ends ? allowed(line, from.get(line) === true) : [],
      ]);
      t.strictSame(
        movesOf(others),
        Object.fromEntries(policies),
        `round ${round}: changes without a command`,
      );
      t.strictSame(seen.released, [], `round ${round}: no line was released`);
      t.strictSame(
        together(were, seen.moves),
        [],
        `round ${round}: never two of the pair, and never too soon`,
      );
      await pinsAgree(t, fixture, { prepared, were, seen, round });
      await fixture.shown(levelsAfter(were, seen.moves));
      const startS = beginning(since, seen);
      // Infinite if it did not end, which is null in JSON.
      const deathS = Math.max(...threads.map((thread) => seen.ends.get(thread) ?? -Infinity));
      const moves = others.map(({ line: { policy }, atS }) => {
        return { policy, afterMs: (atS - startS) * 1000, afterDeathMs: (atS - deathS) * 1000 };
      });
      for (const { policy, afterMs } of moves)
        if (policy === 'late')
          t.ok(afterMs >= HOLD_S * 1000, `round ${round}: held for ${afterMs.toFixed(0)} ms`);
      if (t.passing()) saveRound({ event: event.name, moves });
    }
  });
}

/** Checks that the host saw exactly the changes that the kernel drove. */
async function pinsAgree(
  t: Test,
  fixture: Fixture,
  at: {
    prepared: ReadonlyMap<Line, boolean>;
    were: ReadonlyMap<Line, boolean>;
    seen: Observation;
    round: number;
  },
): Promise<void> {
  const pins = LINES.filter(({ chip }) => chip === 'pl061');
  const expected = pins.map((line): [string, boolean[]] => {
    // A reset of the machine in between changes the pin.
    const reset = at.prepared.get(line) === at.were.get(line) ? [] : [at.were.get(line) === true];
    const driven = at.seen.moves.filter((move) => move.line === line).map(({ active }) => active);
    return [line.ident, [...reset, ...driven]];
  });
  const saw = () =>
    Object.fromEntries(pins.map(({ ident, offset }) => [ident, fixture.moves.get(offset) ?? []]));
  const many = expected.reduce((sum, [, moves]) => sum + moves.length, 0);
  await until('the changes of the pins', () => Object.values(saw()).flat().length >= many, PATIENCE_MS);
  t.strictSame(saw(), Object.fromEntries(expected), `round ${at.round}: the host saw the same`);
}

function beginning(since: Moment, { signals }: Observation): number {
  if ('atS' in since) return since.atS;
  const sent = signals.find(({ signal, to }) => signal === since.signal && to === since.to);
  if (sent === undefined) throw new Error(`signal ${since.signal} to process ${since.to} was not seen`);
  return sent.atS;
}

function levelsAfter(were: ReadonlyMap<Line, boolean>, moves: readonly Move[]): Map<Line, boolean> {
  const levels = new Map(were);
  for (const { line, active } of moves) levels.set(line, active);
  return levels;
}

function movesOf(moves: readonly Move[]): Record<string, boolean[]> {
  return Object.fromEntries(
    LINES.map((line) => [line.ident, moves.filter((move) => move.line === line).map(({ active }) => active)]),
  );
}

/** Violations of the interlock: both of the pair active, or one within the dead time of the other. */
function together(were: ReadonlyMap<Line, boolean>, moves: readonly Move[]): string[] {
  const wrong: string[] = [];
  const active = new Set<Line>(PAIR.filter((line) => were.get(line)));
  const offAtS = new Map<Line, number>();
  for (const { line, active: goesOn, atS } of moves) {
    const other = isOfPair(line) ? PAIR.find((one) => one !== line) : undefined;
    if (other === undefined) continue;
    if (goesOn && active.has(other)) wrong.push(`${line.ident} at ${atS} together with ${other.ident}`);
    const afterS = atS - (offAtS.get(other) ?? -Infinity);
    if (goesOn && afterS < DEAD_TIME_MS / 1000) wrong.push(`${line.ident} ${afterS} s after ${other.ident}`);
    if (goesOn) active.add(line);
    else if (active.delete(line)) offAtS.set(line, atS);
  }
  return wrong;
}
