import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import type { Chip, GpioBackend, LineLocation } from './line.js';

/** Lines that a board file names itself, because kernels name them differently or not at all. */
export interface BoardChip {
  /** The chip's label. */
  readonly chip: string;
  /** Name → offset. */
  readonly lines: Readonly<Record<string, number>>;
}

/** The properties that select a line. */
export interface LineSelector {
  /** A chip's label or, if labels repeat, its name (`gpiochip2`); empty for any chip of this machine. */
  readonly chip: string;
  /** The line's name on the board or in the kernel, or its offset on the chip. */
  readonly line: string;
}

/**
 * Finds a line: first by its name on the board, then by its name in the kernel, then by its offset. Throws
 * `DEVICE_OFFLINE` while the chip is missing, `DEVICE_CONFIGURATION` if the line is ambiguous or does not
 * exist.
 */
export async function findLine(
  backend: GpioBackend,
  board: readonly BoardChip[],
  selector: LineSelector,
): Promise<LineLocation> {
  const all = await backend.chips();
  const boardChip = board.find(
    ({ chip, lines }) =>
      (selector.chip === '' || chip === selector.chip) && Object.hasOwn(lines, selector.line),
  );
  if (boardChip !== undefined) {
    const chip = findChip(all, boardChip.chip);
    return locationAt(chip, boardChip.lines[selector.line] as number, selector.line);
  }
  const chips = selector.chip === '' ? all : [findChip(all, selector.chip)];
  const matches = await linesNamed(backend, chips, selector.line);
  const [first] = matches;
  if (matches.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`LINES_NAMED_SET_CHIP: ${matches.length} lines are named ${selector.line}; set Chip, or set Line to an offset`,
    );
  if (first !== undefined) return first;
  if (/^\d{1,5}$/.test(selector.line)) return locationAt(onlyChip(chips), Number(selector.line), undefined);
  if (selector.chip === '')
    throw fault(
      'DEVICE_OFFLINE',
      coded`NO_GPIO_CHIP_LINE: no GPIO chip here has a line named ${selector.line} (${labels(all)})`,
    );
  throw fault(
    'DEVICE_CONFIGURATION',
    coded`GPIO_CHIP_NO_LINE: the GPIO chip ${selector.chip} has no line named ${selector.line}; an offset is accepted too`,
  );
}

async function linesNamed(
  backend: GpioBackend,
  chips: readonly Chip[],
  name: string,
): Promise<LineLocation[]> {
  const matches: LineLocation[] = [];
  for (const chip of chips)
    for (const line of await backend.lines(chip))
      if (line.name === name) matches.push({ chip, offset: line.offset, name });
  return matches;
}

function findChip(all: readonly Chip[], labelOrName: string): Chip {
  const matches = all.filter((chip) => chip.label === labelOrName);
  if (matches.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`GPIO_CHIPS_LABELLED_USE: ${matches.length} GPIO chips are labelled ${labelOrName}; use one of the names ${names(matches)}`,
    );
  const chip = matches[0] ?? all.find((other) => other.name === labelOrName);
  if (chip === undefined)
    throw fault('DEVICE_OFFLINE', coded`NO_SUCH_CHIP: there is no GPIO chip ${labelOrName} (${labels(all)})`);
  return chip;
}

function onlyChip(chips: readonly Chip[]): Chip {
  const [chip] = chips;
  if (chip === undefined)
    throw fault('DEVICE_OFFLINE', coded`MACHINE_WITHOUT_CHIP: there is no GPIO chip on this machine`);
  if (chips.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`OFFSET_NEEDS_CHIP: an offset needs its Chip: this machine has several (${labels(chips)})`,
    );
  return chip;
}

function locationAt(chip: Chip, offset: number, name: string | undefined): LineLocation {
  if (offset >= chip.lines)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`CHIP_LINE_RANGE: the GPIO chip ${chip.label} has lines 0 to ${chip.lines - 1}, no line ${offset}`,
    );
  return { chip, offset, name: name ?? `${chip.label}/${offset}` };
}

const labels = (chips: readonly Chip[]): Text =>
  chips.length === 0
    ? coded`THERE_NONE: there is none`
    : coded`CHIPS_THERE: available chips: ${chips.map((chip) => chip.label).join(', ')}`;
const names = (chips: readonly Chip[]): Text => chips.map((chip) => chip.name).join(', ');
