import type { Lines } from '../../client/index.js';
import { type TextStyle, escapeControls } from './terminal.js';

/** The data of the picture. */
export interface HeaderData {
  readonly lines: Lines;
  /** The names of the instances that have lines. */
  readonly names: ReadonlyMap<number, string>;
}

/** The width of the terminal, and the function that styles a text. */
interface DrawOptions {
  readonly width: number;
  paint(style: TextStyle, text: string): string;
}

type Line = Lines['Lines'][number];

/** One side of a row, not yet truncated to its width. */
interface Cell {
  /** Pin number, or offset where no header is known. */
  readonly pin: string;
  readonly name: string;
  readonly style: TextStyle | undefined;
  readonly line: Line | undefined;
}

/** Minimum width for the user of a line; with less, only names and marks are drawn. */
const MIN_USE_WIDTH = 8;
/** The width of a symbol and a word: `● out`. */
const STATE_WIDTH = 5;
/** The gap between the parts of a side. */
const GAP = 2;

const powers: Readonly<Record<string, TextStyle>> = { '5V': 'red', '3V3': 'yellow', GND: 'dim' };
const directions = { input: 'in', output: 'out', unknown: '' } as const;

/**
 * The board's header and other lines in use; all lines of a board without a header. One text per
 * row.
 */
export function drawHeader({ lines, names }: HeaderData, look: DrawOptions): string[] {
  const { paint } = look;
  const headed = lines.Header.length > 0;
  const header = headerOf(lines);
  const onHeader = new Set(lines.Header.flat());
  const others = lines.Lines.filter(({ Name, Used }) => !headed || (Used && !onHeader.has(Name)));
  return [
    paint('bold', escapeControls(lines.Board)),
    '',
    ...rowsOf(header, { names, look }),
    ...[...Map.groupBy(others, ({ Chip }) => Chip)].flatMap(([chip, some]) => [
      ...(headed ? [''] : []),
      paint('bold', escapeControls(chip)),
      ...(headed
        ? listOf(some.map(cellOf), { names, look })
        : rowsOf(inPairs(some.map(cellOf)), { names, look })),
    ]),
    '',
    `${paint('green', '●')} active  ○ inactive  ${paint('dim', 'no mark: not the gateway’s, so it is not read')}`,
  ];
}

function headerOf({ Header, Lines: all }: Lines): Cell[][] {
  const byName = new Map(all.map((line) => [line.Name, line]));
  return Header.map((row, n) =>
    row.map((name, side) => {
      const line = byName.get(name);
      const style = line === undefined ? (powers[name] ?? 'dim') : undefined;
      return { pin: String(n * 2 + side + 1), name, line, style };
    }),
  );
}

/** Two columns that meet at their pins. */
function rowsOf(pairs: readonly (readonly Cell[])[], drawing: Drawing): string[] {
  // The separator ` │ ` is between the pins of the two sides.
  const measures = measuresOf(pairs.flat(), drawing.names, Math.floor((drawing.look.width - 3) / 2));
  return pairs.map(([left, right]) => {
    const near = left === undefined ? [] : partsOf(left, { ...drawing, measures });
    const far = right === undefined ? [] : partsOf(right, { ...drawing, measures });
    const before = near.map((part) => part.before).reverse();
    return `${before.join('  ')} │ ${far.map((part) => part.after).join('  ')}`.trimEnd();
  });
}

/** One column. */
function listOf(cells: readonly Cell[], drawing: Drawing): string[] {
  const measures = measuresOf(cells, drawing.names, drawing.look.width);
  return cells.map((cell) =>
    partsOf(cell, { ...drawing, measures })
      .map((part) => part.after)
      .join('  ')
      .trimEnd(),
  );
}

const cellOf = (line: Line): Cell => ({
  pin: String(line.Offset),
  name: line.Name || '-',
  style: undefined,
  line,
});

const inPairs = (cells: readonly Cell[]): Cell[][] =>
  Array.from({ length: Math.ceil(cells.length / 2) }, (_, n) => cells.slice(n * 2, n * 2 + 2));

/** The width of each part of a side. */
interface Measures {
  readonly pin: number;
  readonly name: number;
  /** 0 if there is no room for it. */
  readonly use: number;
}

function measuresOf(cells: readonly Cell[], names: HeaderData['names'], width: number): Measures {
  const pin = Math.max(2, ...cells.map((cell) => cell.pin.length));
  const name = Math.max(3, ...cells.map((cell) => widthOf(cell.name)));
  const room = width - pin - name - STATE_WIDTH - GAP * 3;
  const needed = Math.max(MIN_USE_WIDTH, ...cells.map(({ line }) => widthOf(useOf(line, names))));
  return { pin, name, use: room < MIN_USE_WIDTH ? 0 : Math.min(room, needed) };
}

interface Drawing {
  readonly names: ReadonlyMap<number, string>;
  readonly look: DrawOptions;
}

/** A part of a side, padded on its left (`before`) or right (`after`). */
interface Part {
  readonly before: string;
  readonly after: string;
}

/** The parts from the middle outward: pin, name, state, user. */
function partsOf(cell: Cell, { names, look: { paint }, measures }: Drawing & { measures: Measures }): Part[] {
  const { line } = cell;
  const use = useOf(line, names);
  const isOurs = line !== undefined && line.InstanceID !== 0;
  const mark = line?.Active === undefined ? ' ' : line.Active ? '●' : '○';
  // The direction of an unused input is not worth showing.
  const isPlain = line === undefined || (!line.Used && line.Direction === 'input');
  const direction = isPlain ? '' : directions[line.Direction];
  const ink = line?.Active === true ? 'green' : isOurs ? undefined : 'dim';
  const state = { before: `${direction.padStart(3)} ${mark}`, after: `${mark} ${direction.padEnd(3)}` };
  const paintIf = (style: TextStyle | undefined, text: string) =>
    style === undefined || text.trim() === '' ? text : paint(style, text);
  const put = (text: string, width: number, style: TextStyle | undefined): Part => {
    const short = cut(text, width);
    const room = ' '.repeat(width - widthOf(short));
    return { before: room + paintIf(style, short), after: paintIf(style, short) + room };
  };
  return [
    put(cell.pin, measures.pin, 'dim'),
    put(escapeControls(cell.name), measures.name, cell.style ?? (line?.Used === true ? 'bold' : undefined)),
    { before: paintIf(ink, state.before), after: paintIf(ink, state.after) },
    ...(measures.use === 0
      ? []
      : [put(use, measures.use, isOurs ? undefined : line?.Used ? 'yellow' : 'dim')]),
  ];
}

/** The user of a line; for a free line the kernel's name for it, if it differs. */
function useOf(line: Line | undefined, names: ReadonlyMap<number, string>): string {
  if (line === undefined) return '';
  if (line.InstanceID !== 0) return escapeControls(names.get(line.InstanceID) ?? `#${line.InstanceID}`);
  if (line.Used) return escapeControls(line.Consumer || 'in use');
  return line.KernelName === line.Name ? '' : escapeControls(line.KernelName);
}

const charsOf = (text: string): string[] => Array.from(text);
const widthOf = (text: string): number => charsOf(text).length;

function cut(text: string, width: number): string {
  return widthOf(text) <= width
    ? text
    : `${charsOf(text)
        .slice(0, width - 1)
        .join('')}…`;
}
