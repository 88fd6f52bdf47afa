import { type Static, Type } from '@sinclair/typebox';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  type OpenInstance,
  type VariableDeclaration,
  variableType,
} from '../../../src/device/module.js';
import { lastCount } from './dropped-edges.js';
import type { Edge } from '../backends/line.js';
import type { Merges } from './coalesced-edges.js';
import { Throttle } from './throttle.js';
import { dayOf, type Periods, rollOver } from './counter-periods.js';
import { inputProperties, missingLineError } from '../line-properties.js';
import { PulseRate } from './pulse-rate.js';
import type { RequestedInput } from './request-inputs.js';
import type { LineWatcher } from './line-watcher.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/** What is measured: profiles of a quantity and of its rate, and the seconds that a rate is for. */
const measures = {
  pulses: { quantity: '', rate: '~Hertz', perS: 1 },
  electricity: { quantity: '~Electricity', rate: '~Power', perS: 3600 },
  water: { quantity: '~Water', rate: '~Flow', perS: 3600 },
  gas: { quantity: '~Gas', rate: '~Flow', perS: 3600 },
} as const;
const words = ['pulses', 'electricity', 'water', 'gas'] as const satisfies (keyof typeof measures)[];

/** However fast pulses come, they are reported no more often than this. */
const REPORT_EVERY_MS = 200;
/** How often the calendar and a falling rate are looked at. */
const LOOK_EVERY_MS = 1_000;

const properties = Type.Object({
  ...inputProperties(0),
  Edges: enumProperty(['active', 'both'] as const, 'active'),
  Measures: enumProperty(words, 'pulses'),
  PulsesPerUnit: Type.Number({ default: 1, exclusiveMinimum: 0 }),
  Offset: Type.Number({ default: 0 }),
  RateTimeoutS: Type.Integer({ default: 600, minimum: 1, maximum: 86_400 }),
  KeepEvery: Type.Integer({ default: 1000, minimum: 1 }),
  KeepWithinS: Type.Integer({ default: 10, minimum: 1 }),
  /** MERGED is there, and kept. */
  CountMerged: Type.Boolean({ default: false }),
});
type Settings = Static<typeof properties>;

/** The module **Counter**: a meter's pulses. */
export function counterModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{D8F1CBC7-50C2-419E-9A2F-6DC6FF0F9941}',
    name: 'Counter',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables,
    check,
    open: (host) => open(host, board, ways),
  };
}

function check(properties: Settings): string | undefined {
  if (properties.CountMerged && properties.DebounceUs > 0)
    return 'CountMerged needs DebounceUs to be 0: what debouncing merges it merges on purpose';
  return missingLineError(properties);
}

async function open(host: Host<Settings>, board: GpioBoard, ways: Backends): Promise<OpenInstance> {
  const [{ watchLine }, { Merges }] = await Promise.all([
    import('./line-watcher.js'),
    host.properties.CountMerged ? import('./coalesced-edges.js') : { Merges: undefined },
  ]);
  const mergesOf = (line: RequestedInput) => Merges && new Merges(host, line);
  return watchLine(host, { board, backends: ways }, new Counter(host, mergesOf));
}

function variables({ Measures, KeepEvery, KeepWithinS, CountMerged }: Settings): VariableDeclaration[] {
  const { quantity, rate } = measures[Measures];
  const durable = { every: KeepEvery, withinS: KeepWithinS };
  const { integer, float, string } = variableType;
  const all: Omit<VariableDeclaration, 'position'>[] = [
    { ident: 'COUNT', name: 'Count', type: integer, durable },
    { ident: 'QUANTITY', name: 'Quantity', type: float, profile: quantity },
    { ident: 'RATE', name: 'Rate', type: float, profile: rate },
    { ident: 'TODAY', name: 'Today', type: float, profile: quantity },
    { ident: 'YESTERDAY', name: 'Yesterday', type: float, profile: quantity, durable },
    { ident: 'MONTH', name: 'This month', type: float, profile: quantity },
    { ident: 'LAST_MONTH', name: 'Last month', type: float, profile: quantity, durable },
    { ident: 'LOST', name: 'Lost', type: integer },
    ...(CountMerged ? [{ ident: 'MERGED', name: 'Merged', type: integer }] : []),
    { ident: 'DAY', name: 'Day', type: string, durable },
    { ident: 'DAY_FROM', name: 'Count at its beginning', type: integer, durable },
    { ident: 'MONTH_FROM', name: 'Count at the beginning of the month', type: integer, durable },
  ];
  return all.map((one, at) => ({ ...one, position: at + 1 }));
}

/** Counts the pulses of one line; all goes on from where it stood. */
class Counter implements LineWatcher {
  readonly #host: Host<Settings>;
  readonly #rate: PulseRate;
  readonly #pace: Throttle;
  #count: number;
  #periods: Periods;
  #reported = -1;
  /** When the last pulse came, in this opening. */
  #lastNs: bigint | undefined;
  #cancel: () => void = () => undefined;
  readonly #mergesOf: (line: RequestedInput) => Merges | undefined;
  #merges: Merges | undefined;

  constructor(host: Host<Settings>, mergesOf: (line: RequestedInput) => Merges | undefined) {
    this.#host = host;
    this.#mergesOf = mergesOf;
    this.#rate = new PulseRate(host.properties.RateTimeoutS);
    this.#pace = new Throttle(host.clock, REPORT_EVERY_MS, () => this.flush());
    this.#count = lastCount(host, 'COUNT');
    const day = host.lastValue('DAY');
    this.#periods = {
      day: typeof day === 'string' ? day : '',
      dayFrom: lastCount(host, 'DAY_FROM'),
      monthFrom: lastCount(host, 'MONTH_FROM'),
    };
  }

  onInitial(_active: boolean, line: RequestedInput): void {
    this.#merges = this.#mergesOf(line);
    this.#turn();
    this.#report();
    this.#goOn();
    this.#cancel = this.#host.clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  onEdges(edges: readonly Edge[]): void {
    this.#merges?.note(edges);
    this.#turn();
    for (const { active, atNs } of edges) {
      if (!active && this.#host.properties.Edges === 'active') continue;
      this.#count++;
      this.#rate.addPulse(atNs);
      this.#lastNs = atNs;
    }
    if (this.#count !== this.#reported) this.#pace.schedule();
  }

  flush(): void {
    if (this.#count !== this.#reported) this.#report();
  }

  close(): void {
    this.#cancel();
    this.#pace.close();
  }

  /** What stands as it stood is told again: nobody else changes it, so it is as good as new. */
  #goOn(): void {
    for (const ident of ['RATE', 'YESTERDAY', 'LAST_MONTH', 'DAY', 'DAY_FROM', 'MONTH_FROM']) {
      const value = this.#host.lastValue(ident);
      if (value !== undefined) this.#host.report(ident, value);
    }
  }

  #look(): void {
    void this.#merges?.look();
    const turned = this.#turn();
    if (turned) this.#report();
    else this.#tellRate();
  }

  /** True when another day has begun. A clock that is not to be trusted begins none. */
  #turn(): boolean {
    const { clock } = this.#host;
    if (!clock.isTrusted()) return false;
    const after = rollOver(this.#periods, dayOf(clock.nowMs()), this.#count);
    if (after === this.#periods) return false;
    const { yesterday, lastMonth, ...periods } = after;
    this.#periods = periods;
    if (yesterday !== undefined) this.#host.report('YESTERDAY', this.#quantity(yesterday));
    if (lastMonth !== undefined) this.#host.report('LAST_MONTH', this.#quantity(lastMonth));
    this.#host.report('DAY', periods.day);
    this.#host.report('DAY_FROM', periods.dayFrom);
    this.#host.report('MONTH_FROM', periods.monthFrom);
    return true;
  }

  #report(): void {
    const { dayFrom, monthFrom, day } = this.#periods;
    this.#reported = this.#count;
    this.#host.report('COUNT', this.#count, this.#lastNs);
    this.#host.report('QUANTITY', this.#host.properties.Offset + this.#quantity(this.#count), this.#lastNs);
    if (day !== '') {
      this.#host.report('TODAY', this.#quantity(this.#count - dayFrom));
      this.#host.report('MONTH', this.#quantity(this.#count - monthFrom));
    }
    this.#tellRate();
  }

  #tellRate(): void {
    const { clock, properties } = this.#host;
    const rate = this.#quantity(this.#rate.at(clock.monotonicNs())) * measures[properties.Measures].perS;
    if (rate !== this.#host.lastValue('RATE')) this.#host.report('RATE', rate);
  }

  #quantity(pulses: number): number {
    return pulses / this.#host.properties.PulsesPerUnit;
  }
}
