import { type Cancel, ManualClock } from '../../src/base/clock.js';
import { isAbort } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import { Interlocks } from '../../src/device/switch/interlocks.js';
import { RuledSwitch } from '../../src/device/switch/ruled-switch.js';
import type { RuleStatus, SwitchRules } from '../../src/device/switch/switch-rules.js';
import type { Random } from '../tools/random.js';

/** The longest time that driving a line takes, ms. */
const SLOWEST_MS = 20;
/** The time until a failed off is retried (ruled-switch.ts) and done. */
const OFF_AGAIN_MS = 1000 + SLOWEST_MS;

/** A simulated output: driving it takes time, and may fail before or after it takes effect. */
class FakeLine {
  level: boolean;
  /** When the level last changed; undefined if before the simulation began. */
  sinceMs: number | undefined;
  /** Its level is unknown to the gateway after a failed drive or a crash, until an off succeeds. */
  isRough = false;
  /** The rules force it off, whatever else they say. */
  mustGo = false;
  readonly #under = new Set<Cancel>();
  /** Identifies one request of the line. */
  #held = {};

  constructor(level: boolean) {
    this.level = level;
  }

  /** Takes effect at a random time and resolves later, or fails. */
  drive(simulation: SwitchSimulation, active: boolean, apply: () => void): Promise<void> {
    const { random, clock } = simulation;
    const takesMs = random.below(SLOWEST_MS);
    const effectMs = random.below(takesMs + 1);
    const fails = random.chance(simulation.failing);
    const isDone = !fails || random.chance(0.5);
    if (fails) this.isRough = true;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (isDone) this.#under.add(clock.after(effectMs, apply));
    const held = this.#held;
    clock.after(takesMs, () => {
      if (held !== this.#held) return reject(new DOMException('it was closed', 'AbortError'));
      if (fails) return reject(new Error('injected'));
      if (!active) this.isRough = false;
      resolve();
    });
    return promise;
  }

  /** Releases the line: a drive in progress is cancelled. */
  release(): void {
    for (const cancel of this.#under) cancel();
    this.#under.clear();
    this.#held = {};
    this.isRough = true;
  }
}

/** One instance: its line, its rules, and its open switch if any. */
interface Member {
  readonly id: number;
  readonly line: FakeLine;
  readonly rules: SwitchRules;
  open: RuledSwitch | undefined;
  isOpening: boolean;
  offAt: number;
}

/** A group of outputs under random commands and failures, with checks of what must never happen. */
export class SwitchSimulation {
  readonly clock = new ManualClock();
  readonly random: Random;
  readonly failing: number;
  readonly members: Member[];
  /** Violations of the rules. */
  readonly violations: string[] = [];
  readonly seen = { on: 0, off: 0, forbidden: 0, clashes: 0, failed: 0, deaths: 0, waited: 0, byItself: 0 };
  #interlocks = new Interlocks(this.clock);

  constructor(random: Random) {
    this.random = random;
    this.failing = random.pick([0, 0, 0.02, 0.2]);
    const time = (most: number) => (random.chance(0.5) ? 0 : random.below(most));
    this.members = Array.from({ length: 2 + random.below(3) }, (_, id) => ({
      id,
      line: new FakeLine(random.chance(0.3)),
      rules: {
        minOnMs: time(100),
        minOffMs: time(100),
        maxOnMs: random.chance(0.5) ? 0 : 100 + random.below(400),
        isPulse: random.chance(0.2),
        group: 'group',
        deadTimeMs: time(80),
      },
      open: undefined,
      isOpening: false,
      offAt: 0,
    }));
  }

  /** One random event, and some time. */
  async step(): Promise<void> {
    const { random } = this;
    const member = random.pick(this.members);
    const dice = random.next();
    if (dice < 0.7) this.#command(member, random.chance(0.6));
    else if (dice < 0.75) this.#close(member);
    else if (dice < 0.98) this.#reopen(member);
    else this.#die();
    await this.pass(random.below(60));
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left--) {
      this.clock.advance(1);
      if (left % 4 === 0) await yieldToEventLoop();
      this.#look();
    }
    await yieldToEventLoop();
  }

  /** Opens all and waits: everything that is limited must have ended. */
  async settle(): Promise<void> {
    for (const member of this.members) this.#reopen(member);
    await this.pass(OFF_AGAIN_MS * 3);
    const active = this.members.filter(({ line }) => line.level);
    if (this.failing === 0 && active.length > 1)
      this.violations.push(`${active.length} are active at the end`);
  }

  #command(member: Member, active: boolean): void {
    const atMs = this.#nowMs();
    member.open?.write(active).then(
      () => {
        this.seen[active ? 'on' : 'off']++;
        if (this.#nowMs() - atMs > 2 * SLOWEST_MS) this.seen.waited++;
      },
      (thrown: unknown) => {
        const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
        if (code === 'RULE_FORBIDS') this.seen.forbidden++;
        else if ((thrown as Error).message === 'injected') this.seen.failed++;
        else if (code !== 'DEVICE_REFUSED' && !isAbort(thrown)) this.violations.push(String(thrown));
      },
    );
  }

  /** Texts and records say the same, and the records name a time that is still to come. */
  #checkStatus(member: Member, status: RuleStatus): void {
    const { inForce, scheduled, rule, pending, offAt } = status;
    member.offAt = offAt;
    if ((rule === '') !== (inForce === undefined) || (pending === '') !== (scheduled === undefined))
      this.violations.push(`not the same: ${JSON.stringify(status)}`);
    const isTimed = inForce?.code === 'MIN_ON' || inForce?.code === 'MIN_OFF';
    if (isTimed !== (inForce?.untilMs ?? 0) > this.clock.nowMs() - 1)
      this.violations.push(`a rule that is over: ${JSON.stringify(inForce)}`);
  }

  #close(member: Member): void {
    member.open?.close();
    member.open = undefined;
    member.line.release();
  }

  #reopen(member: Member): void {
    if (member.open !== undefined || member.isOpening) return;
    member.isOpening = true;
    this.clock.after(this.random.below(SLOWEST_MS), () => {
      member.isOpening = false;
      this.#open(member);
    });
  }

  /** The process is killed: only what was reported is remembered. */
  #die(): void {
    this.seen.deaths++;
    for (const member of this.members) this.#close(member);
    this.#interlocks = new Interlocks(this.clock);
    for (const member of this.members) this.#reopen(member);
  }

  #open(member: Member): void {
    const { line, rules, id } = member;
    member.open = new RuledSwitch(
      {
        id,
        name: `R${id}`,
        clock: this.clock,
        rules,
        interlocks: this.#interlocks,
        line: `line ${id}`,
        configured: () => this.members.map((one) => ({ id: one.id, name: `R${one.id}` })),
        drive: (active) => line.drive(this, active, () => this.#apply(member, active)),
        onStatus: (status) => this.#checkStatus(member, status),
        setProblem: (text) => {
          if (text?.toString().includes('together') !== true) return;
          this.seen.clashes++;
          line.mustGo = true;
        },
      },
      { active: line.level, offAt: member.offAt },
    );
  }

  /** Checks a change of level before it happens. */
  #apply({ id, line, rules }: Member, active: boolean): void {
    if (line.level === active) return;
    const nowMs = this.#nowMs();
    const forMs = line.sinceMs === undefined ? undefined : nowMs - line.sinceMs;
    if (active) {
      for (const other of this.members) {
        if (other.id === id) continue;
        const dead = Math.max(rules.deadTimeMs, other.rules.deadTimeMs);
        if (other.line.level) this.violations.push(`R${id} switches on while R${other.id} is on`);
        else if (other.line.sinceMs !== undefined && nowMs - other.line.sinceMs < dead)
          this.violations.push(`R${id} switches on within the dead time of R${other.id}`);
      }
      if (forMs !== undefined && forMs < rules.minOffMs && !line.isRough)
        this.violations.push(`R${id} switches on after ${forMs} ms, minimum ${rules.minOffMs}`);
    } else {
      const isOver = rules.maxOnMs > 0 && forMs !== undefined && forMs >= rules.maxOnMs - SLOWEST_MS;
      if (isOver) this.seen.byItself++;
      if (forMs !== undefined && forMs < rules.minOnMs && !isOver && !line.isRough && !line.mustGo)
        this.violations.push(`R${id} switches off after ${forMs} ms, minimum ${rules.minOnMs}`);
    }
    line.level = active;
    line.sinceMs = nowMs;
    line.mustGo = false;
  }

  /** Checks that no output is active for too long while its instance is open. */
  #look(): void {
    for (const { id, line, rules, open } of this.members) {
      if (!line.level || line.isRough || open === undefined || line.sinceMs === undefined) continue;
      const forMs = this.#nowMs() - line.sinceMs;
      if (rules.maxOnMs > 0 && forMs > rules.maxOnMs + 3 * SLOWEST_MS)
        this.violations.push(`R${id} is on for ${forMs} ms, maximum ${rules.maxOnMs}`);
    }
  }

  #nowMs(): number {
    return Number(this.clock.monotonicNs() / 1_000_000n);
  }
}
