import { messageOf } from '../../src/base/fault.js';
import type { HardwareItem, InstanceTemplate } from '../../src/device/hardware-search.js';
import { type Chip, CONSUMER, type GpioBackend, type LineInfo, type RequestedLine } from './backends/line.js';
import type { GpioBoard, Backends } from './backends/backends.js';

/** A line of this machine, as it can be seen without touching it. */
export interface InventoryLine {
  readonly chip: Chip;
  readonly info: LineInfo;
  /** Its name on the board, else in the kernel; empty where it has none. */
  readonly name: string;
  /** Whether the board names it: what a board file leaves out is the machine's own. */
  readonly isNamed: boolean;
  /** The id of the instance that has it; 0 where none has. */
  readonly instance: number;
  /** Its value, where an instance has it: nobody else's line is touched for being seen. */
  readonly active: boolean | undefined;
}

/** All lines of all chips. Rejects as `Ways.binding` does. */
export async function readLineInventory(board: GpioBoard, ways: Backends): Promise<InventoryLine[]> {
  const binding = await ways.get('auto');
  const held = new Map([...binding.requestedLines()].map((line) => [keyOf(line.location), line]));
  const chips = await binding.chips();
  const all = await Promise.all(chips.map((chip) => linesOf(binding, chip)));
  return Promise.all(
    chips.flatMap((chip, n) => {
      const names = namesOf(board, chip);
      return (all[n] ?? []).map(async (info) => {
        const line = held.get(keyOf({ chip, offset: info.offset }));
        const named = names.get(info.offset);
        return {
          chip,
          info,
          name: named ?? info.name,
          isNamed: named !== undefined,
          instance: line === undefined ? 0 : (ways.ownerOf(line) ?? 0),
          active: await valueOf(line),
        };
      });
    }),
  );
}

/** A chip that goes away meanwhile has no lines. */
const linesOf = (binding: GpioBackend, chip: Chip): Promise<readonly LineInfo[]> =>
  binding.lines(chip).catch(() => []);

const keyOf = ({ chip, offset }: { chip: Chip; offset: number }): string => `${chip.name}/${offset}`;

function namesOf({ gpio }: GpioBoard, { label }: Chip): Map<number, string> {
  const own = gpio.filter(({ chip }) => chip === label);
  return new Map(own.flatMap(({ lines }) => Object.entries(lines)).map(([name, offset]) => [offset, name]));
}

async function valueOf(line: RequestedLine | undefined): Promise<boolean | undefined> {
  return line?.get().catch(() => undefined);
}

/** What lines can be turned into; an input first: it drives nothing. */
const MODULES = ['GPIO Input', 'GPIO Output', 'Relay', 'Pulse', 'Blinker', 'Button', 'Counter', 'Frequency'];

/** Chips and lines, as a search shows them. A machine without GPIO has none. */
export async function searchLines(board: GpioBoard, ways: Backends): Promise<HardwareItem[]> {
  const seen = await readLineInventory(board, ways).catch((thrown: unknown) => messageOf(thrown));
  if (typeof seen === 'string') return [];
  const uses = Map.groupBy(seen, ({ name }) => name);
  const chips = new Map(seen.map(({ chip }) => [chip.name, chip]));
  const isFree = ({ info, isNamed }: InventoryLine) => !info.used && (isNamed || board.gpio.length === 0);
  return [
    ...[...chips.values()].map((chip) => chipFound(chip)),
    ...seen.map((line): HardwareItem => {
      const Line = uses.get(line.name)?.length === 1 && line.name !== '' ? line.name : undefined;
      const properties = propertiesOf(line, Line);
      return {
        ...lineFound(line),
        makes: isFree(line) ? MODULES.map((module) => ({ module, properties })) : [],
      };
    }),
  ];
}

/** The name alone where it is the only one, else chip and offset. */
const propertiesOf = (
  { chip, info }: InventoryLine,
  name: string | undefined,
): InstanceTemplate['properties'] =>
  name === undefined ? { Chip: chip.label, Line: String(info.offset) } : { Line: name };

const chipFound = ({ name, label, lines }: Chip): HardwareItem => ({
  id: `chip ${label}`,
  kind: 'chip',
  name: label,
  about: `${name}, ${lines} lines`,
  usedBy: '',
  instance: 0,
  makes: [],
});

function lineFound({ chip, info, name, instance }: InventoryLine): Omit<HardwareItem, 'makes'> {
  const own = `${chip.label}/${info.offset}`;
  const kernel = info.name === '' || info.name === name ? '' : `, ${info.name} in the kernel`;
  const direction = info.direction === 'unknown' ? '' : `, ${info.direction}`;
  return {
    id: `line ${own}`,
    kind: 'line',
    name: name || own,
    about: `${own}${kernel}${direction}`,
    usedBy: info.used ? info.consumer || (instance === 0 ? 'another program or the kernel' : CONSUMER) : '',
    instance,
  };
}
