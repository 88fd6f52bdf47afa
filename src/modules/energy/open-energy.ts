import { coded, type CodedText } from '../../base/codes/coded-text.js';
import type { Cancel } from '../../base/clock.js';
import { codedMessageOf } from '../../base/fault.js';
import { localDay } from '../../base/local-time.js';
import {
  quality,
  type Host,
  type OpenInstance,
  type QualityProblem,
  type Value,
} from '../../device/module.js';
import { numberIdentOf } from '../../device/toolkit/meter-counts.js';
import { TransientProblems } from '../../device/toolkit/transient-problems.js';
import { counterRoles, EnergyBalance, type CounterRole, type Readings } from './energy-balance.js';
import type { EnergyProperties } from './energy-properties.js';
import { COUNTERS, energyVariables, METERS, READINGS } from './energy-variables.js';
import { SurplusSwitch } from './surplus-switch.js';
import { priceAt } from './tariffs.js';

const MINUTE_MS = 60_000;
/** The interval of load profiles; offsets from UTC are multiples of it. */
const QUARTER_MS = 15 * MINUTE_MS;
/** The power in W with which 1 kWh takes 1 ms. */
const WATTS_PER_KWH_MS = 3.6e9;

/** The factor to kWh or W by the unit of a profile; a variable without a unit is in kWh or W. */
const FACTORS = new Map(Object.entries({ Wh: 0.001, kWh: 1, MWh: 1000, W: 1, kW: 1000, MW: 1e6 }));

/** Sums of decimal fractions have errors in their last digits. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

const WAITING: QualityProblem = {
  state: quality.stale,
  reason: 'NOT_REPORTED',
  text: 'a variable that it is computed from has no valid value',
};

const PROPERTY: Readonly<Record<CounterRole, keyof typeof READINGS>> = {
  import: 'Import',
  export: 'Export',
  generation: 'Generation',
  charge: 'Charge',
  discharge: 'Discharge',
};

type PowerProperty = 'GridPower' | 'GenerationPower' | 'StoragePower';
const POWERS: readonly PowerProperty[] = ['GridPower', 'GenerationPower', 'StoragePower'];
const FOLLOWED = [...POWERS, 'Switch'] as const;

/** A variable of the tree that is read. */
interface SourceVariable {
  readonly id: number;
  readonly factor: number;
}

/** An open instance: it counts once a minute, and follows powers as soon as those that came together are there. */
export class OpenEnergy implements OpenInstance {
  readonly #host: Host<EnergyProperties>;
  readonly #problems: TransientProblems;
  readonly #idents: ReadonlySet<string>;
  readonly #balance: EnergyBalance;
  readonly #switch: SurplusSwitch | undefined;
  readonly #stopWatching: Cancel;
  #hasOtherObjects = false;
  #cancelFollow: Cancel | undefined;
  readonly #sources = new Map<string, SourceVariable>();
  /** The reading of the grid's counter at the beginning of the quarter of an hour. */
  #quarter: { readonly monotonicMs: number; readonly kWh: number } | undefined;
  #timer: Cancel | undefined;

  constructor(host: Host<EnergyProperties>) {
    this.#host = host;
    this.#problems = new TransientProblems(host);
    this.#idents = new Set(energyVariables(host.properties).map(({ ident }) => ident));
    this.#balance = new EnergyBalance(this.#restored());
    this.#switch = this.#createSwitch();
    this.#findSources();
    if (this.#idents.has('AUTO')) host.report('AUTO', host.lastValue('AUTO') ?? true);
    this.#count();
    this.#schedule();
    this.#stopWatching = host.tree.watch({
      onValue: (id) => {
        if (FOLLOWED.some((property) => this.#sources.get(property)?.id === id)) this.#followSoon();
      },
      onStructure: () => {
        this.#hasOtherObjects = true;
        this.#followSoon();
      },
    });
  }

  write(ident: string, value: Value): Promise<void> {
    if (ident === 'AUTO') {
      this.#host.report('AUTO', value);
      this.#switch?.setAutomatic(value === true);
    }
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#timer?.();
    this.#cancelFollow?.();
    this.#stopWatching();
    this.#switch?.close();
    this.#problems.close();
    await Promise.resolve();
  }

  #restored() {
    const last = (ident: string): number => {
      const value = this.#idents.has(ident) ? this.#host.lastValue(ident) : undefined;
      return typeof value === 'number' ? value : 0;
    };
    const readings: Readings = {};
    for (const role of counterRoles) {
      const ident = READINGS[PROPERTY[role]];
      const value = this.#idents.has(ident) ? this.#host.lastValue(ident) : undefined;
      if (typeof value === 'number') readings[role] = value;
    }
    return {
      readings,
      consumption: last('CONSUMPTION'),
      selfConsumed: last('SELF_CONSUMED'),
      cost: last('COST'),
      revenue: last('REVENUE'),
      day: last('DAY'),
      today: {
        import: last('IMPORT_TODAY'),
        export: last('EXPORT_TODAY'),
        generation: last('GENERATION_TODAY'),
        consumption: last('CONSUMPTION_TODAY'),
        selfConsumed: last('SELF_CONSUMED_TODAY'),
        cost: last('COST_TODAY'),
      },
    };
  }

  #createSwitch(): SurplusSwitch | undefined {
    const { Switch, OnAbove, OffBelow, DelayS, MinOnS, MinOffS } = this.#host.properties;
    if (Switch === '') return undefined;
    return new SurplusSwitch(this.#host.clock, {
      rules: {
        onAbove: OnAbove,
        offBelow: OffBelow,
        delayMs: DelayS * 1000,
        minOnMs: MinOnS * 1000,
        minOffMs: MinOffS * 1000,
      },
      isAutomatic: this.#host.lastValue('AUTO') !== false,
      request: (isOn) => this.#requestSwitch(isOn),
    });
  }

  #requestSwitch(isOn: boolean): void {
    const output = this.#sources.get('Switch');
    if (output === undefined) return;
    this.#host.tree.request(output.id, isOn).catch((thrown: unknown) => {
      this.#problems.add('SWITCH', () => coded`SURPLUS_REJECTED: Switch: ${codedMessageOf(thrown)}`);
    });
  }

  #findSources(): void {
    const { tree, properties } = this.#host;
    this.#hasOtherObjects = false;
    this.#sources.clear();
    let problem: CodedText | undefined;
    for (const property of [...Object.values(PROPERTY), ...FOLLOWED]) {
      const path = properties[property];
      if (path === '') continue;
      const variable = tree.variableAt(path);
      if (variable === undefined)
        problem ??= coded`NO_VARIABLE_AT_PATH: there is no variable at ${path}; correct the property`;
      else if (variable.parentId === this.#host.id)
        problem ??= coded`OWN_VARIABLE: ${path} is a variable of this instance; enter one of a meter`;
      else
        this.#sources.set(property, {
          id: variable.id,
          factor: FACTORS.get(variable.profile?.suffix.trim() ?? '') ?? 1,
        });
    }
    this.#host.setProblem('NO_OBJECT', problem);
    this.#followPower();
    this.#followSwitch();
  }

  /** Not within the change: what is reported here may be followed by an instance that this one follows. */
  #followSoon(): void {
    this.#cancelFollow ??= this.#host.clock.after(0, () => {
      this.#cancelFollow = undefined;
      if (this.#hasOtherObjects) return this.#findSources();
      this.#followPower();
      this.#followSwitch();
    });
  }

  /** The value of a source, kWh or W; undefined if it is not known, or not good enough to be used. */
  #valueOf(property: string): number | undefined {
    const source = this.#sources.get(property);
    if (source === undefined) return undefined;
    const { value, problem } = this.#host.tree.valueOf(source.id);
    const isUsable = typeof value === 'number' && Number.isFinite(value) && problem === undefined;
    return isUsable ? value * source.factor : undefined;
  }

  #followSwitch(): void {
    const output = this.#sources.get('Switch');
    const now = output && this.#host.tree.valueOf(output.id);
    this.#switch?.setState(
      now?.isAvailable === true && typeof now.value === 'boolean' ? now.value : undefined,
    );
  }

  #followPower(): void {
    const { properties } = this.#host;
    if (properties.GridPower === '') return;
    const powers = POWERS.map((property) => (properties[property] === '' ? 0 : this.#valueOf(property)));
    const [grid, generation, storage] = powers;
    if (grid === undefined || generation === undefined || storage === undefined) {
      for (const ident of ['SURPLUS', 'POWER']) this.#markWaiting(ident);
      this.#switch?.setSurplus(undefined);
      return;
    }
    // Power that charges the storage is a surplus only if the storage is not charged first.
    const charging = properties.StorageFirst ? Math.max(0, storage) : storage;
    const surplus = rounded(-grid - charging);
    this.#host.report('SURPLUS', surplus);
    this.#host.report('POWER', rounded(Math.max(0, grid + generation + storage)));
    this.#switch?.setSurplus(surplus);
  }

  #markWaiting(ident: string): void {
    if (this.#host.lastValue(ident) !== undefined) this.#host.markUncertain(ident, WAITING);
  }

  /** At the next full minute, so that counting ends with an hour, a tariff and a day. */
  #schedule(): void {
    const { clock } = this.#host;
    this.#timer = clock.after(MINUTE_MS - (clock.nowMs() % MINUTE_MS), () => {
      this.#count();
      this.#schedule();
    });
  }

  #count(): void {
    const { clock, properties } = this.#host;
    if (properties.Import === '') return;
    if (!clock.isTrusted()) {
      const text = coded`CLOCK_NOT_SET_WAITING: the clock of this machine has not been set; counting continues then`;
      return this.#host.setProblem('CLOCK', text);
    }
    this.#host.setProblem('CLOCK', undefined);
    const nowMs = clock.nowMs();
    const readings: Readings = {};
    for (const role of counterRoles) {
      const property = PROPERTY[role];
      if (properties[property] === '') continue;
      const value = this.#valueOf(property);
      // A balance of only some of the counters would be wrong; the next complete reading includes what they
      // count meanwhile.
      if (value === undefined) return this.#wait(properties[property]);
      readings[role] = rounded(value);
    }
    this.#host.setProblem('NO_VALUE', undefined);
    // What was counted until now belongs to the day and the tariff that end now.
    this.#balance.beginDay(localDay(nowMs - 1));
    const { Tariffs, Price, FeedInPrice } = properties;
    const prices = { price: priceAt(Tariffs, Price, nowMs - 1), feedIn: FeedInPrice };
    for (const role of this.#balance.take(readings, prices, this.#replacedMeters())) {
      const path = properties[PROPERTY[role]];
      this.#problems.add(
        'FALLEN',
        () => coded`COUNTER_FELL: ${path} has fallen: counting continues from its new value`,
      );
    }
    this.#balance.beginDay(localDay(nowMs));
    this.#publish(readings, priceAt(Tariffs, Price, nowMs));
    this.#countQuarter(nowMs, readings.import ?? 0);
  }

  /**
   * The counters whose property has another path or unit, or whose meter has another number, than at the last
   * reading. Keeps them.
   */
  #replacedMeters(): ReadonlySet<CounterRole> {
    const replaced = new Set<CounterRole>();
    for (const role of counterRoles) {
      const property = PROPERTY[role];
      if (this.#isOtherCounter(property)) {
        replaced.add(role);
        if (role === 'import') this.#quarter = undefined;
      }
      const number = this.#meterNumberOf(property);
      if (number === '') continue;
      const before = this.#host.lastValue(METERS[property]) ?? '';
      this.#host.report(METERS[property], number);
      // A meter may begin to send its number: it is still the same meter. A configuration that was changed is
      // no problem.
      if (before === '' || before === number || replaced.has(role)) continue;
      replaced.add(role);
      if (role === 'import') this.#quarter = undefined;
      const path = this.#host.properties[property];
      this.#problems.add(
        'REPLACED',
        () =>
          coded`COUNTER_REPLACED: the meter of ${path} was replaced by ${number}: counting continues from its reading`,
      );
    }
    return replaced;
  }

  /** Whether a property has another path or unit than at the last reading. */
  #isOtherCounter(property: keyof typeof COUNTERS): boolean {
    const source = this.#sources.get(property);
    if (source === undefined) return false;
    const now = `${this.#host.properties[property]} × ${source.factor} kWh`;
    const before = this.#host.lastValue(COUNTERS[property]) ?? now;
    this.#host.report(COUNTERS[property], now);
    return before !== now;
  }

  /** The number of the meter that counts for a property; '' if it is not known. */
  #meterNumberOf(property: keyof typeof METERS): string {
    const { tree, properties } = this.#host;
    if (properties[property] === '') return '';
    const idents = properties[property].split('/');
    const counter = idents.pop() ?? '';
    const variable = tree.variableAt([...idents, numberIdentOf(counter)].join('/'));
    const value = variable && tree.valueOf(variable.id).value;
    return typeof value === 'string' ? value : '';
  }

  /** Reports the mean power of a quarter of an hour that was counted from its beginning to its end. */
  #countQuarter(nowMs: number, kWh: number): void {
    if (nowMs % QUARTER_MS >= MINUTE_MS) return;
    const begin = this.#quarter;
    const monotonicMs = Number(this.#host.clock.monotonicNs() / 1_000_000n);
    this.#quarter = { monotonicMs, kWh };
    if (begin === undefined) return;
    // A clock that was set makes it longer or shorter.
    const elapsedMs = monotonicMs - begin.monotonicMs;
    const isComplete = Math.abs(elapsedMs - QUARTER_MS) < MINUTE_MS;
    if (isComplete && kWh >= begin.kWh)
      this.#host.report('LOAD', rounded(((kWh - begin.kWh) * WATTS_PER_KWH_MS) / elapsedMs));
    else this.#markWaiting('LOAD');
  }

  #wait(path: string): void {
    this.#quarter = undefined;
    this.#host.setProblem(
      'NO_VALUE',
      coded`NO_VALID_VALUE: ${path} has no valid value; counting continues with the next one`,
    );
    for (const ident of this.#idents)
      if (!['SURPLUS', 'POWER', 'AUTO', 'PRICE'].includes(ident)) this.#markWaiting(ident);
  }

  #publish(readings: Readings, price: number): void {
    const { consumption, selfConsumed, cost, revenue, day, today } = this.#balance.state;
    const values: Record<string, number | undefined> = {
      CONSUMPTION: consumption,
      SELF_CONSUMED: selfConsumed,
      COST: cost,
      REVENUE: revenue,
      PRICE: price,
      CONSUMPTION_TODAY: today.consumption,
      IMPORT_TODAY: today.import,
      EXPORT_TODAY: today.export,
      GENERATION_TODAY: today.generation,
      SELF_CONSUMED_TODAY: today.selfConsumed,
      COST_TODAY: today.cost,
      SELF_CONSUMPTION: this.#balance.selfConsumption ?? 0,
      AUTARKY: this.#balance.autarky ?? 0,
      DAY: day,
    };
    for (const role of counterRoles) values[READINGS[PROPERTY[role]]] = readings[role];
    for (const [ident, value] of Object.entries(values))
      if (value !== undefined && this.#idents.has(ident)) this.#host.report(ident, rounded(value));
  }
}
