/** What a counter of energy counts, seen from the house. */
export const counterRoles = ['import', 'export', 'generation', 'charge', 'discharge'] as const;
export type CounterRole = (typeof counterRoles)[number];

/** Readings of the configured counters, kWh. */
export type Readings = Partial<Record<CounterRole, number>>;

/** Sums of a day, kWh, and the cost. */
interface DaySums {
  readonly import: number;
  readonly export: number;
  readonly generation: number;
  readonly consumption: number;
  readonly selfConsumed: number;
  readonly cost: number;
}

/** What is kept over a restart. */
interface BalanceState {
  readonly readings: Readings;
  /** Sums since the instance was created. */
  readonly consumption: number;
  readonly selfConsumed: number;
  readonly cost: number;
  readonly revenue: number;
  /** The local day of the sums of the day. */
  readonly day: number;
  readonly today: DaySums;
}

/** Money for a kilowatt hour at one moment. */
interface Prices {
  readonly price: number;
  readonly feedIn: number;
}

const NO_SUMS: DaySums = {
  import: 0,
  export: 0,
  generation: 0,
  consumption: 0,
  selfConsumed: 0,
  cost: 0,
};

/** A wall clock that was set back by less than this does not begin an earlier day. */
const SET_BACK_DAYS = 1;

/**
 * The balance of a house from its counters. A counter that falls was replaced or reset: counting continues
 * from its new reading. Pure arithmetic.
 */
export class EnergyBalance {
  #state: BalanceState;
  /**
   * A difference of counters can be negative, because they are not read simultaneously: it is carried over
   * until it is offset.
   */
  readonly #owed = { consumption: 0, selfConsumed: 0 };

  constructor(state: BalanceState) {
    this.#state = state;
  }

  get state(): BalanceState {
    return this.#state;
  }

  /** Begins a local day, if it is another one than that of the sums. */
  beginDay(day: number): void {
    const { day: before } = this.#state;
    if (day === before || (day < before && before - day <= SET_BACK_DAYS)) return;
    this.#state = { ...this.#state, day, today: NO_SUMS };
  }

  /**
   * Counts what the counters have counted since the last readings; a counter without an earlier reading, or
   * of another meter than before, begins with this one. Returns the counters that fell.
   */
  take(readings: Readings, { price, feedIn }: Prices, replaced: ReadonlySet<CounterRole>): CounterRole[] {
    const fallen: CounterRole[] = [];
    const risen = (role: CounterRole): number => {
      const [now, before] = [readings[role], this.#state.readings[role]];
      if (now === undefined || before === undefined || replaced.has(role)) return 0;
      if (now < before) fallen.push(role);
      return Math.max(0, now - before);
    };
    const [bought, sold, generated] = [risen('import'), risen('export'), risen('generation')];
    const stored = risen('charge') - risen('discharge');
    const consumption = this.#risen('consumption', bought - sold + generated - stored);
    const selfConsumed = this.#risen('selfConsumed', generated - sold);
    // With a negative price, who buys is paid, and who sells pays: both sums only rise.
    const [paid, earned] = [bought * price, sold * feedIn];
    const cost = Math.max(0, paid) + Math.max(0, -earned);
    const before = this.#state;
    const { today } = before;
    this.#state = {
      day: before.day,
      readings: { ...before.readings, ...readings },
      consumption: before.consumption + consumption,
      selfConsumed: before.selfConsumed + selfConsumed,
      cost: before.cost + cost,
      revenue: before.revenue + Math.max(0, earned) + Math.max(0, -paid),
      today: {
        import: today.import + bought,
        export: today.export + sold,
        generation: today.generation + generated,
        consumption: today.consumption + consumption,
        selfConsumed: today.selfConsumed + selfConsumed,
        cost: today.cost + cost,
      },
    };
    return fallen;
  }

  /** The share of today's consumption that was not bought, per cent; undefined without consumption. */
  get autarky(): number | undefined {
    const { consumption, import: bought } = this.#state.today;
    return shareOf(consumption - bought, consumption);
  }

  /** The share of today's generation that was not sold, per cent; undefined without generation. */
  get selfConsumption(): number | undefined {
    const { selfConsumed, generation } = this.#state.today;
    return shareOf(selfConsumed, generation);
  }

  #risen(sum: 'consumption' | 'selfConsumed', by: number): number {
    const risen = by + this.#owed[sum];
    this.#owed[sum] = Math.min(0, risen);
    return Math.max(0, risen);
  }
}

const shareOf = (part: number, all: number): number | undefined =>
  all > 0 ? Math.min(100, Math.max(0, (part / all) * 100)) : undefined;
