import type { Static, TObject } from '@sinclair/typebox';
import { codeOf } from '../../../src/base/fault.js';
import type { Host } from '../../../src/device/module.js';
import type { StatePolicy } from '../../../src/device/toolkit/enum-property.js';
import type { Guard, OutputLine } from '../backends/line.js';
import { findLine } from '../backends/find-line.js';
import type { outputPolicies, outputProperties } from '../line-properties.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/**
 * The properties by which an output's line is taken. A module that has none of the policies is one whose output is
 * inactive whenever nobody commands it; where there is no Boot, who takes the line says what it becomes.
 */
type OutputProperties = Partial<Pick<Static<Outputs>, Policies>> & Omit<Static<Outputs>, Policies>;
type Outputs = TObject<typeof outputProperties>;
type Policies = keyof typeof outputPolicies;

/** What a module knows better than the properties. */
export interface OutputOverrides {
  /** What the line becomes at the machine's boot while the gateway is not there yet: Boot, unless a rule may be against it. */
  readonly boot?: StatePolicy;
  /** The longest hold that it may have, seconds; 0: any. */
  readonly holdForS?: number;
}

/** A line that was found and is not taken yet. */
export interface FoundOutput {
  /** Chip and offset: the same for every instance that is on this line. */
  readonly lineKey: string;
  /** What the line becomes: Boot, or `hold` where that was applied since the machine booted; OnLost where its chip was lost. */
  readonly boot: StatePolicy;
  request(boot: StatePolicy, known?: OutputOverrides): Promise<OutputLine>;
  /** Boot is done; from now until the machine boots the line is kept. */
  markBooted(): void;
}

/** Looks for the line that the properties name. Rejects as `findLine` and `Ways.binding` do. */
export async function findOutput(
  host: Host<OutputProperties>,
  board: GpioBoard,
  ways: Backends,
): Promise<FoundOutput> {
  const { Backend, Chip, Line, ActiveLow, Drive, Boot = 'hold', OnLost = 'inactive' } = host.properties;
  const wish = `${host.id} ${Chip} ${Line}`;
  const binding = await ways.get(Backend);
  const place = await findLine(binding, board.gpio, { chip: Chip, line: Line });
  host.signal.throwIfAborted();
  // Boot is for the machine's boot: a line that was taken since is left as it is, whoever restarts or reconnects.
  const mark = `output ${place.chip.name} ${place.chip.label} ${place.offset}`;
  const isBooted = host.bootFlags.has(mark);
  return {
    lineKey: mark,
    boot: ways.lostOutputs.has(wish) ? OnLost : isBooted ? 'hold' : Boot,
    request: async (boot, known = {}) => {
      let isTaken = false;
      const lost = (cause: Error) => {
        isTaken = true;
        host.reportLost(cause);
      };
      const guard = guardOf(host.properties, known);
      const settings = { activeLow: ActiveLow, drive: Drive, boot, guard, lost };
      const line = await ways.request(host, { binding, place }, () => binding.requestOutput(place, settings));
      ways.lostOutputs.delete(wish);
      host.log.debug({ line: place.name, chip: place.chip.label, backend: binding.name }, 'output taken');
      return watchForLoss(line, () => void (isTaken || ways.lostOutputs.add(wish)));
    },
    markBooted: () => host.bootFlags.add(mark),
  };
}

function guardOf(properties: OutputProperties, known: OutputOverrides): Guard {
  const { OnDeath = 'inactive', OnStop = 'inactive', OnUpdate = 'inactive', HoldForS = 0 } = properties;
  const { boot = properties.Boot ?? 'inactive', holdForS = 0 } = known;
  const shorter = holdForS > 0 && (HoldForS === 0 || holdForS < HoldForS);
  return {
    boot,
    onDeath: OnDeath,
    onStop: OnStop,
    onUpdate: OnUpdate,
    holdForS: shorter ? Math.ceil(holdForS) : HoldForS,
  };
}

const isOffline = (thrown: unknown): boolean => codeOf(thrown) === 'DEVICE_OFFLINE';

/** The line, with word of it when its chip is found gone. */
function watchForLoss(line: OutputLine, onGone: () => void): OutputLine {
  const noted = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked;
    } catch (thrown) {
      if (isOffline(thrown)) onGone();
      throw thrown;
    }
  };
  return {
    location: line.location,
    initial: line.initial,
    get: () => noted(line.get()),
    set: (active) => noted(line.set(active)),
    close: () => line.close(),
    [Symbol.asyncDispose]: () => line.close(),
  };
}

/** Drives a line; where that shows that its chip is gone, the supervisor hears of it. */
export async function driveLine(host: Host, line: OutputLine, active: boolean): Promise<void> {
  try {
    await line.set(active);
    host.debug('driven', active ? 'active' : 'inactive', line.location.name);
  } catch (thrown) {
    if (isOffline(thrown)) host.reportLost(thrown);
    throw thrown;
  }
}
