import type { Static, TObject } from '@sinclair/typebox';
import { codeOf } from '../../../src/base/fault.js';
import type { Host } from '../../../src/device/module.js';
import type { StatePolicy } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import type { Guard, LineLocation, OutputLine } from '../backends/line.js';
import type { outputPolicies, outputProperties } from '../line-properties.js';

/**
 * The properties of an output's line. The output of a module without policies is inactive while nothing commands
 * it; without Boot, the module itself decides on the first value.
 */
type OutputProperties = Partial<Pick<Static<Outputs>, Policies>> & Omit<Static<Outputs>, Policies>;
type Outputs = TObject<typeof outputProperties>;
type Policies = keyof typeof outputPolicies;

/** Settings for the line keeper that differ from the properties. */
interface OutputOverrides {
  /**
   * The value from the machine's boot until the gateway starts; the property Boot by default. Another one if a rule
   * may forbid that.
   */
  readonly boot?: StatePolicy;
  /** The longest hold that is allowed, seconds; 0 for any. */
  readonly holdForS?: number;
}

/** A line that was located and not requested yet. */
export interface FoundOutput {
  /**
   * Identifies the line: the same for every instance that uses it, and after its chip was plugged in again, when
   * the kernel may give it another number; see `ChipKeys`.
   */
  readonly lineKey: string;
  /** Whether Boot was applied since the machine booted. */
  readonly isBooted: boolean;
  /** The flag of this line, with the number that its chip has now. */
  readonly bootFlag: string;
  /** Whether the chip was lost since the line was requested, maybe by an earlier process: OnLost applies. */
  readonly isLost: boolean;
  /**
   * The first value: Boot; `hold` if Boot was applied since the machine booted; OnLost if the chip was lost since.
   */
  readonly boot: StatePolicy;
  request(boot: StatePolicy, overrides?: OutputOverrides): Promise<GpioOutput>;
  /** Marks Boot as applied: until the next boot of the machine, a request keeps the line as it is. */
  markBooted(): void;
}

/** A requested output of an instance. */
export interface GpioOutput {
  readonly location: LineLocation;
  /** The value that was driven last; initially the value when it was requested. */
  readonly value: boolean;
  /** Drives the line. Also reports to the supervisor if the chip is gone. */
  drive(active: boolean): Promise<void>;
  /** Rejects if the line is gone. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** Finds the line that the properties name. Rejects as `Backends.locate` does. */
export async function findOutput(host: Host<OutputProperties>, backends: Backends): Promise<FoundOutput> {
  const { Backend, Chip, Line, ActiveLow, Drive, Boot = 'hold', OnLost = 'inactive' } = host.properties;
  const lostFlag = `lost ${host.id} ${Chip} ${Line}`;
  const located = await backends.locate(Backend, { chip: Chip, line: Line });
  const { backend, location } = located;
  host.signal.throwIfAborted();
  // Boot applies once per boot of the machine: a line that was requested since then is kept, after a restart of
  // the gateway as well as after a reconnection.
  const { chip, offset } = location;
  const lineKey = `output ${backends.chipKeys.of(chip, await backend.chips())} ${offset}`;
  const bootFlag = `output ${chip.name} ${chip.label} ${offset}`;
  const isBooted = [lineKey, bootFlag].some((flag) => host.bootFlags.has(flag));
  const isLost = host.bootFlags.has(lostFlag);
  return {
    lineKey,
    isBooted,
    bootFlag,
    isLost,
    boot: isLost ? OnLost : isBooted ? 'hold' : Boot,
    request: async (boot, overrides = {}) => {
      let isTakenOver = false;
      const onLost = (cause: Error) => {
        isTakenOver = true;
        host.reportLost(cause);
      };
      const onGone = (cause: Error) => {
        host.bootFlags.add(lostFlag);
        host.reportLost(cause);
      };
      const guard = guardOf(host.properties, overrides);
      const options = { activeLow: ActiveLow, drive: Drive, boot, guard, onLost, onGone };
      const line = await backends.request(host, located, () => backend.requestOutput(location, options));
      host.bootFlags.delete(lostFlag);
      host.log.debug(
        { line: location.name, chip: location.chip.label, backend: backend.name },
        'output requested',
      );
      return new RequestedOutput(host, line, () => {
        if (!isTakenOver) host.bootFlags.add(lostFlag);
      });
    },
    markBooted() {
      for (const flag of [lineKey, bootFlag]) host.bootFlags.add(flag);
    },
  };
}

function guardOf(properties: OutputProperties, overrides: OutputOverrides): Guard {
  const { OnDeath = 'inactive', OnStop = 'inactive', OnUpdate = 'inactive', HoldForS = 0 } = properties;
  const { boot = properties.Boot ?? 'inactive', holdForS = 0 } = overrides;
  const isShorter = holdForS > 0 && (HoldForS === 0 || holdForS < HoldForS);
  return {
    boot,
    onDeath: OnDeath,
    onStop: OnStop,
    onUpdate: OnUpdate,
    holdForS: isShorter ? Math.ceil(holdForS) : HoldForS,
  };
}

class RequestedOutput implements GpioOutput {
  readonly #host: Host;
  readonly #line: OutputLine;
  readonly #onChipGone: () => void;
  #value: boolean;

  constructor(host: Host, line: OutputLine, onChipGone: () => void) {
    this.#host = host;
    this.#line = line;
    this.#onChipGone = onChipGone;
    this.#value = line.initial;
  }

  get location(): LineLocation {
    return this.#line.location;
  }

  get value(): boolean {
    return this.#value;
  }

  drive(active: boolean): Promise<void> {
    return this.#line.set(active).then(
      () => {
        this.#value = active;
        this.#host.debug('driven', active ? 'active' : 'inactive', this.location.name);
      },
      (thrown: unknown) => {
        if (this.#isGone(thrown)) this.#host.reportLost(thrown);
        throw thrown;
      },
    );
  }

  /**
   * An open drain that is read back would show what other devices do to the line, so the value is not used.
   */
  async probe(): Promise<void> {
    try {
      await this.#line.get();
    } catch (thrown) {
      this.#isGone(thrown);
      throw thrown;
    }
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  #isGone(thrown: unknown): boolean {
    const isGone = codeOf(thrown) === 'DEVICE_OFFLINE';
    if (isGone) this.#onChipGone();
    return isGone;
  }
}
