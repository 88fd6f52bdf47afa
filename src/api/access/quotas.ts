import { coded, type Text } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import type { Caller } from '../../device/declare.js';
import { clientKey } from '../../base/addresses.js';

/** Limits of something countable at any time. The share that fronts cannot take is reserved for the owner. */
export interface QuotaLimits {
  /** What is counted, in the plural: `sessions`. */
  readonly what: Text;
  readonly total: number;
  /** Of all fronts together. */
  readonly fronts: number;
  readonly perFront: number;
  /** Of the users of fronts at one address; a proxy's address represents many. */
  readonly perAddress: number;
  readonly whatToDo: Text;
}

/** Divides something limited into shares, so that no front and no address takes all of it. */
export class Quotas {
  readonly #rules: QuotaLimits;
  readonly #limits: LimitReporter;
  readonly #counts = new Map<string, number>();

  constructor(rules: QuotaLimits, limits: LimitReporter) {
    this.#rules = rules;
    this.#limits = limits;
  }

  /** Takes one; the returned function releases it. Throws `BUSY`. */
  take(caller: Caller): () => void {
    const { total, fronts, perFront, perAddress, what } = this.#rules;
    const bounds: (readonly [key: string, limit: number, name: Text])[] = [['all', total, what]];
    if (caller.role !== 'owner')
      bounds.push(
        ['fronts', fronts, coded`OF_ALL_FRONTS: ${what} of all fronts`],
        [`front ${caller.configurator ?? ''}`, perFront, coded`PER_FRONT: ${what} per front`],
        [
          `address ${clientKey(caller.remote)}`,
          perAddress,
          coded`OF_FRONTS_PER_ADDRESS: ${what} of fronts per address`,
        ],
      );
    for (const [key, limit, name] of bounds) {
      if ((this.#counts.get(key) ?? 0) < limit) continue;
      this.#limits.report(coded`LIMIT_OF: ${limit} ${name}`, caller.remote, this.#rules.whatToDo);
      throw fault('BUSY', coded`TOO_MANY: Too many ${name}`);
    }
    for (const [key] of bounds) this.#add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const [key] of bounds) this.#add(key, -1);
      isTaken = false;
    };
  }

  #add(key: string, by: number): void {
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
