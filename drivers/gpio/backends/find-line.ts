import { fault } from '../../../src/base/fault.js';
import type { Chip, GpioBackend, LineLocation } from './line.js';

/** Lines that a board names by itself, because its kernels name them differently or not at all. */
export interface BoardChip {
  /** The chip's label. */
  readonly chip: string;
  /** Name → offset. */
  readonly lines: Readonly<Record<string, number>>;
}

/** What a person writes to say which line is meant. */
export interface LineSelector {
  /** A chip's label, or (where labels repeat) its name, as `gpiochip2`; empty: any chip of this machine. */
  readonly chip: string;
  /** A line's name on the board, or in the kernel, or its offset on the chip. */
  readonly line: string;
}

/**
 * Finds a line: a name of the board's first, then a name that the kernel knows, then an offset.
 * Throws `DEVICE_OFFLINE` while the chip is not there, `DEVICE_CONFIGURATION` when the line can't be meant unambiguously.
 */
export async function findLine(
  binding: GpioBackend,
  board: readonly BoardChip[],
  wish: LineSelector,
): Promise<LineLocation> {
  const all = await binding.chips();
  const named = board.find(
    ({ chip, lines }) => (wish.chip === '' || chip === wish.chip) && Object.hasOwn(lines, wish.line),
  );
  if (named !== undefined) {
    const chip = chipNamed(all, named.chip);
    return placeAt(chip, named.lines[wish.line] as number, wish.line);
  }
  const chips = wish.chip === '' ? all : [chipNamed(all, wish.chip)];
  const found = await linesNamed(binding, chips, wish.line);
  const [first] = found;
  if (found.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      `${found.length} lines are named ${wish.line}; give Chip, or Line as an offset`,
    );
  if (first !== undefined) return first;
  if (/^\d{1,5}$/.test(wish.line)) return placeAt(onlyChip(chips), Number(wish.line), undefined);
  if (wish.chip === '')
    throw fault('DEVICE_OFFLINE', `no GPIO chip here has a line named ${wish.line} (${labels(all)})`);
  throw fault(
    'DEVICE_CONFIGURATION',
    `the GPIO chip ${wish.chip} has no line named ${wish.line}; an offset will do too`,
  );
}

async function linesNamed(
  binding: GpioBackend,
  chips: readonly Chip[],
  name: string,
): Promise<LineLocation[]> {
  const found: LineLocation[] = [];
  for (const chip of chips)
    for (const line of await binding.lines(chip))
      if (line.name === name) found.push({ chip, offset: line.offset, name });
  return found;
}

function chipNamed(all: readonly Chip[], wish: string): Chip {
  const found = all.filter((chip) => chip.label === wish);
  if (found.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      `${found.length} GPIO chips are labelled ${wish}; name one of ${names(found)}`,
    );
  const chip = found[0] ?? all.find((other) => other.name === wish);
  if (chip === undefined) throw fault('DEVICE_OFFLINE', `there is no GPIO chip ${wish} (${labels(all)})`);
  return chip;
}

function onlyChip(chips: readonly Chip[]): Chip {
  const [chip] = chips;
  if (chip === undefined) throw fault('DEVICE_OFFLINE', 'there is no GPIO chip on this machine');
  if (chips.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      `an offset needs its Chip: this machine has several (${labels(chips)})`,
    );
  return chip;
}

function placeAt(chip: Chip, offset: number, name: string | undefined): LineLocation {
  if (offset >= chip.lines)
    throw fault(
      'DEVICE_CONFIGURATION',
      `the GPIO chip ${chip.label} has lines 0 to ${chip.lines - 1}, no line ${offset}`,
    );
  return { chip, offset, name: name ?? `${chip.label}/${offset}` };
}

const labels = (chips: readonly Chip[]): string =>
  chips.length === 0 ? 'there is none' : `there is ${chips.map((chip) => chip.label).join(', ')}`;
const names = (chips: readonly Chip[]): string => chips.map((chip) => chip.name).join(', ');
