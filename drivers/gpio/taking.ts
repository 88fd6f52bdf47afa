import type { Static, TObject } from '@sinclair/typebox';
import { Fault } from '../../src/base/fault.js';
import type { Host } from '../../src/device/module.js';
import type { Boot, OutputLine } from './line.js';
import { findLine } from './places.js';
import type { outputProperties } from './properties.js';
import type { GpioBoard, Ways } from './ways.js';

/** The properties by which an output's line is taken; where there is no Boot, who takes it says what it becomes. */
type OutputProperties = Partial<Pick<Static<Outputs>, 'Boot'>> & Omit<Static<Outputs>, 'Boot'>;
type Outputs = TObject<typeof outputProperties>;

/** A line that was found and is not taken yet. */
export interface FoundOutput {
  /** Chip and offset: the same for every instance that is on this line. */
  readonly mark: string;
  /** What the line becomes: Boot, or `hold` where that was applied since the machine booted. */
  readonly boot: Boot;
  take(boot: Boot): Promise<OutputLine>;
  /** Boot is done; from now until the machine boots the line is kept. */
  booted(): void;
}

/** Looks for the line that the properties name. Rejects as `findLine` and `Ways.binding` do. */
export async function findOutput(
  host: Host<OutputProperties>,
  board: GpioBoard,
  ways: Ways,
): Promise<FoundOutput> {
  const { Backend, Chip, Line, ActiveLow, Drive, Boot = 'hold' } = host.properties;
  const binding = await ways.binding(Backend);
  const place = await findLine(binding, board.gpio, { chip: Chip, line: Line });
  host.signal.throwIfAborted();
  // Boot is for the machine's boot: a line that was taken since is left as it is, whoever restarts or reconnects.
  const mark = `output ${place.chip.name} ${place.chip.label} ${place.offset}`;
  return {
    mark,
    boot: host.marks.has(mark) ? 'hold' : Boot,
    take: async (boot) => {
      const line = await binding.requestOutput(place, { activeLow: ActiveLow, drive: Drive, boot });
      ways.owners.set(line, host.id);
      host.log.debug({ line: place.name, chip: place.chip.label, backend: binding.backend }, 'output taken');
      return line;
    },
    booted: () => host.marks.add(mark),
  };
}

/** Drives a line; where that shows that its chip is gone, the supervisor hears of it. */
export async function setLine(host: Host, line: OutputLine, active: boolean): Promise<void> {
  try {
    await line.set(active);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'DEVICE_OFFLINE') host.lost(thrown);
    throw thrown;
  }
}
