import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import {
  type Host,
  type ModuleDefinition,
  type OpenInstance,
  type VariableDeclaration,
  variableType,
} from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import type { Edge } from '../backends/line.js';
import { gpioModule, inputProperties, missingLineError } from '../line-properties.js';
import type { CoalescedEdges } from './coalesced-edges.js';
import { dayOf, type Periods, rollOver } from './counter-periods.js';
import { lastCount } from './last-count.js';
import type { LineWatcher } from './line-watcher.js';
import { PulseRate } from './pulse-rate.js';
import type { RequestedInput } from './request-inputs.js';
import { Throttle } from './throttle.js';
import { openWatchedInput } from './watched-input.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';

/** What a meter measures: the profiles of the quantity and of its rate, and the rate's unit of time in seconds. */
const quantities = {
  pulses: { quantity: '', rate: '~Hertz', perS: 1 },
  electricity: { quantity: '~Electricity', rate: '~Power', perS: 3600 },
  water: { quantity: '~Water', rate: '~Flow', perS: 3600 },
  gas: { quantity: '~Gas', rate: '~Flow', perS: 3600 },
} as const;
const quantityNames = [
  'pulses',
  'electricity',
  'water',
  'gas',
] as const satisfies (keyof typeof quantities)[];

/** Minimum interval between two reports of the count. */
const REPORT_INTERVAL_MS = 200;
/** Interval at which the calendar and a falling rate are checked. */
const CHECK_INTERVAL_MS = 1_000;

const properties = Type.Object({
  ...inputProperties(0),
  Edges: withHelp(enumProperty(['active', 'both'] as const, 'active'), 'Meter', 'The edges that count.'),
  Measures: withHelp(
    enumProperty(quantityNames, 'pulses'),
    'Meter',
    'What the meter measures; decides the units.',
  ),
  PulsesPerUnit: withHelp(
    Type.Number({ default: 1, exclusiveMinimum: 0 }),
    'Meter',
    'Pulses per unit, for example per kilowatt-hour.',
  ),
  Offset: withHelp(
    Type.Number({ default: 0 }),
    'Meter',
    'Added to the count, so that it agrees with the display of the meter.',
  ),
  RateTimeoutS: withAdvancedHelp(
    Type.Integer({ default: 600, minimum: 1, maximum: 86_400 }),
    'Meter',
    'Without a pulse for this time, the rate is 0.',
  ),
  KeepEvery: withAdvancedHelp(
    Type.Integer({ default: 1000, minimum: 1 }),
    'Storage',
    'The count is stored after this many pulses.',
  ),
  KeepWithinS: withAdvancedHelp(
    Type.Integer({ default: 10, minimum: 1 }),
    'Storage',
    'The count is stored this long after a pulse, in seconds.',
  ),
  CountMerged: withAdvancedHelp(
    Type.Boolean({ default: false }),
    'Storage',
    'Adds a variable with the number of merged edges.',
  ),
});
type CounterProperties = Static<typeof properties>;

/** The module **Counter**: the pulses of a meter. */
export const counterModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{D8F1CBC7-50C2-419E-9A2F-6DC6FF0F9941}',
    name: 'Counter',
    description: 'The pulses of a meter: electricity, water or gas, with its rate.',
    icon: 'Electricity',
    page: 'hardware/inputs.md',
    properties,
    variables,
    check,
    open: (host) => open(host, backends),
  });

function check(properties: CounterProperties): Text | undefined {
  if (properties.CountMerged && properties.DebounceUs > 0)
    return coded`COUNTMERGED_REQUIRES_DEBOUNCEUS_0: CountMerged requires DebounceUs 0: debouncing coalesces edges on purpose`;
  return missingLineError(properties);
}

async function open(host: Host<CounterProperties>, backends: Backends): Promise<OpenInstance> {
  const coalescedEdges = host.properties.CountMerged ? await import('./coalesced-edges.js') : undefined;
  const countCoalesced = (line: RequestedInput) =>
    coalescedEdges && new coalescedEdges.CoalescedEdges(host, line);
  return openWatchedInput(host, backends, new Counter(host, countCoalesced));
}

function variables({
  Measures,
  KeepEvery,
  KeepWithinS,
  CountMerged,
}: CounterProperties): VariableDeclaration[] {
  const { quantity, rate } = quantities[Measures];
  const durable = { every: KeepEvery, withinS: KeepWithinS };
  const { integer, float, string } = variableType;
  const all: Omit<VariableDeclaration, 'position'>[] = [
    { ident: 'COUNT', name: 'Count', type: integer, role: 'detail', durable },
    { ident: 'QUANTITY', name: 'Quantity', type: float, role: 'main', profile: quantity },
    { ident: 'RATE', name: 'Rate', type: float, role: 'main', profile: rate },
    { ident: 'TODAY', name: 'Today', type: float, role: 'detail', profile: quantity },
    { ident: 'YESTERDAY', name: 'Yesterday', type: float, role: 'detail', profile: quantity, durable },
    { ident: 'MONTH', name: 'This month', type: float, role: 'detail', profile: quantity },
    { ident: 'LAST_MONTH', name: 'Last month', type: float, role: 'detail', profile: quantity, durable },
    { ident: 'LOST', name: 'Lost', type: integer, role: 'diagnostic' },
    ...(CountMerged ? [{ ident: 'MERGED', name: 'Merged', type: integer, role: 'diagnostic' } as const] : []),
    { ident: 'DAY', name: 'Day', type: string, role: 'diagnostic', durable },
    { ident: 'DAY_FROM', name: 'Count at its beginning', type: integer, role: 'diagnostic', durable },
    {
      ident: 'MONTH_FROM',
      name: 'Count at the beginning of the month',
      type: integer,
      role: 'diagnostic',
      durable,
    },
  ];
  return all.map((one, index) => ({ ...one, position: index + 1 }));
}

/** Counts the pulses of one line. The counts continue from the stored ones. */
class Counter implements LineWatcher {
  readonly #host: Host<CounterProperties>;
  readonly #rate: PulseRate;
  readonly #throttle: Throttle;
  #count: number;
  #periods: Periods;
  #reportedCount = -1;
  /** The time of the last pulse since opening. */
  #lastNs: bigint | undefined;
  #cancelChecks: () => void = () => undefined;
  readonly #countCoalesced: (line: RequestedInput) => CoalescedEdges | undefined;
  #coalesced: CoalescedEdges | undefined;

  constructor(
    host: Host<CounterProperties>,
    countCoalesced: (line: RequestedInput) => CoalescedEdges | undefined,
  ) {
    this.#host = host;
    this.#countCoalesced = countCoalesced;
    this.#rate = new PulseRate(host.properties.RateTimeoutS);
    this.#throttle = new Throttle(host.clock, REPORT_INTERVAL_MS, () => this.flush());
    this.#count = lastCount(host, 'COUNT');
    const day = host.lastValue('DAY');
    this.#periods = {
      day: typeof day === 'string' ? day : '',
      dayFrom: lastCount(host, 'DAY_FROM'),
      monthFrom: lastCount(host, 'MONTH_FROM'),
    };
  }

  onInitial(_active: boolean, line: RequestedInput): void {
    this.#coalesced = this.#countCoalesced(line);
    this.#rollOver();
    this.#report();
    this.#reportUnchanged();
    this.#cancelChecks = this.#host.clock.every(CHECK_INTERVAL_MS, () => this.#check());
  }

  onEdges(edges: readonly Edge[]): void {
    this.#coalesced?.noteEdges(edges);
    const isNewDay = this.#rollOver();
    for (const { active, atNs } of edges) {
      if (!active && this.#host.properties.Edges === 'active') continue;
      this.#count++;
      this.#rate.addPulse(atNs);
      this.#lastNs = atNs;
    }
    // Also if none of the edges counts: the next check finds the new day already begun.
    if (isNewDay) this.#report();
    else if (this.#count !== this.#reportedCount) this.#throttle.schedule();
  }

  flush(): void {
    if (this.#count !== this.#reportedCount) this.#report();
  }

  close(): void {
    this.#cancelChecks();
    this.#throttle.close();
  }

  /** Reports the values that the first report does not contain, so that their quality is good. */
  #reportUnchanged(): void {
    for (const ident of ['RATE', 'YESTERDAY', 'LAST_MONTH', 'DAY', 'DAY_FROM', 'MONTH_FROM']) {
      const value = this.#host.lastValue(ident);
      if (value !== undefined) this.#host.report(ident, value);
    }
  }

  #check(): void {
    void this.#coalesced?.sample();
    if (this.#rollOver()) this.#report();
    else this.#reportRate();
  }

  /** Begins a new day or month if necessary; returns whether it did. Waits until the clock can be trusted. */
  #rollOver(): boolean {
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
    this.#reportedCount = this.#count;
    this.#host.report('COUNT', this.#count, this.#lastNs);
    this.#host.report('QUANTITY', this.#host.properties.Offset + this.#quantity(this.#count), this.#lastNs);
    if (day !== '') {
      this.#host.report('TODAY', this.#quantity(this.#count - dayFrom));
      this.#host.report('MONTH', this.#quantity(this.#count - monthFrom));
    }
    this.#reportRate();
  }

  #reportRate(): void {
    const { clock, properties } = this.#host;
    const rate = this.#quantity(this.#rate.at(clock.monotonicNs())) * quantities[properties.Measures].perS;
    if (rate !== this.#host.lastValue('RATE')) this.#host.report('RATE', rate);
  }

  #quantity(pulses: number): number {
    return pulses / this.#host.properties.PulsesPerUnit;
  }
}
