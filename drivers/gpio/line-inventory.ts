import type { HardwareItem, InstanceTemplate } from '../../src/device/hardware-search.js';
import type { Backends, GpioBoard } from './backends/backends.js';
import { type Chip, CONSUMER, type GpioBackend, type LineInfo, type RequestedLine } from './backends/line.js';

/** What is known about a line of this machine without requesting it. */
interface InventoryLine {
  readonly chip: Chip;
  readonly info: LineInfo;
  /** Its name on the board, or in the kernel if the board names none; empty if it has none. */
  readonly name: string;
  /** Whether the board names it; a line that a board file omits is not for general use. */
  readonly isNamed: boolean;
  /** The id of the instance that holds it; 0 if none does. */
  readonly instance: number;
  /** Its value if an instance holds it; other lines are not read. */
  readonly active: boolean | undefined;
}

/** All lines of all chips. Rejects as `Backends.get` does. */
export async function readLineInventory(backends: Backends): Promise<InventoryLine[]> {
  const backend = await backends.get('auto');
  const held = new Map([...backend.requestedLines()].map((line) => [keyOf(line.location), line]));
  const chips = await backend.chips();
  const lines = await Promise.all(chips.map((chip) => linesOf(backend, chip)));
  return Promise.all(
    chips.flatMap((chip, n) => {
      const boardNames = boardNamesOf(backends.board, chip);
      return (lines[n] ?? []).map(async (info) => {
        const line = held.get(keyOf({ chip, offset: info.offset }));
        const boardName = boardNames.get(info.offset);
        return {
          chip,
          info,
          name: boardName ?? info.name,
          isNamed: boardName !== undefined,
          instance: line === undefined ? 0 : (backends.ownerOf(line) ?? 0),
          active: await valueOf(line),
        };
      });
    }),
  );
}

/** The lines of a chip; none if the chip disappears meanwhile. */
const linesOf = (backend: GpioBackend, chip: Chip): Promise<readonly LineInfo[]> =>
  backend.lines(chip).catch(() => []);

const keyOf = ({ chip, offset }: { chip: Chip; offset: number }): string => `${chip.name}/${offset}`;

/** Offset → name on the board. */
function boardNamesOf({ gpio }: GpioBoard, { label }: Chip): Map<number, string> {
  const boardChips = gpio.filter(({ chip }) => chip === label);
  return new Map(
    boardChips.flatMap(({ lines }) => Object.entries(lines)).map(([name, offset]) => [offset, name]),
  );
}

/** The value of a held line; undefined if it was closed or lost meanwhile. */
async function valueOf(line: RequestedLine | undefined): Promise<boolean | undefined> {
  return line?.get().catch(() => undefined);
}

/** The modules that a line is offered for; an input first, because it drives nothing. */
const MODULES = ['GPIO Input', 'GPIO Output', 'Relay', 'Pulse', 'Blinker', 'Button', 'Counter', 'Frequency'];

/** Chips and lines for the hardware search; none on a machine without GPIO. */
export async function searchLines(backends: Backends): Promise<HardwareItem[]> {
  const lines = await readLineInventory(backends).catch(() => undefined); // this machine has no usable GPIO
  if (lines === undefined) return [];
  const byName = Map.groupBy(lines, ({ name }) => name);
  const chips = new Map(lines.map(({ chip }) => [chip.name, chip]));
  const isFree = ({ info, isNamed }: InventoryLine) =>
    !info.isUsed && (isNamed || backends.board.gpio.length === 0);
  return [
    ...[...chips.values()].map((chip) => chipItem(chip)),
    ...lines.map((line): HardwareItem => {
      const uniqueName = byName.get(line.name)?.length === 1 && line.name !== '' ? line.name : undefined;
      const properties = propertiesOf(line, uniqueName);
      return {
        ...lineItem(line),
        makes: isFree(line) ? MODULES.map((module) => ({ module, properties })) : [],
      };
    }),
  ];
}

/** The unique name if there is one, otherwise chip and offset. */
const propertiesOf = (
  { chip, info }: InventoryLine,
  uniqueName: string | undefined,
): InstanceTemplate['properties'] =>
  uniqueName === undefined ? { Chip: chip.label, Line: String(info.offset) } : { Line: uniqueName };

const chipItem = ({ name, label, lines }: Chip): HardwareItem => ({
  id: `chip ${label}`,
  kind: 'chip',
  name: label,
  about: `${name}, ${lines} lines`,
  usedBy: '',
  instance: 0,
  makes: [],
});

function lineItem({ chip, info, name, instance }: InventoryLine): Omit<HardwareItem, 'makes'> {
  const location = `${chip.label}/${info.offset}`;
  const kernelName = info.name === '' || info.name === name ? '' : `, ${info.name} in the kernel`;
  const direction = info.direction === 'unknown' ? '' : `, ${info.direction}`;
  const unknownUser = instance === 0 ? 'another program or the kernel' : CONSUMER;
  return {
    id: `line ${location}`,
    kind: 'line',
    name: name || location,
    about: `${location}${kernelName}${direction}`,
    usedBy: info.isUsed ? info.consumer || unknownUser : '',
    instance,
  };
}
