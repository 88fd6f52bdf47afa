const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** Tiles, and the links to their details. */
const STOPS = '.tile, .more';

/** Makes the grid one stop of the Tab key: the element that had the focus last, at first its first tile. */
export function setTabStop(grid: HTMLElement): void {
  const stops = grid.querySelectorAll<HTMLElement>(STOPS);
  const focused = document.activeElement;
  let present: HTMLElement | undefined;
  for (const stop of stops) if (stop === focused || (stop.dataset['stop'] && !present)) present = stop;
  for (const stop of stops) mark(stop, stop === (present ?? stops[0]));
}

/** Arrow keys move between the tiles of a grid and their links, Home and End to its ends. */
export function moveFocus(grid: HTMLElement, event: KeyboardEvent): void {
  const present = (event.target as HTMLElement).closest<HTMLElement>(STOPS);
  const next = present === null ? undefined : targetOf(event.key, grid, present);
  if (next === undefined) return;
  next.focus();
  for (const stop of grid.querySelectorAll<HTMLElement>(STOPS)) mark(stop, stop === next);
}

function mark(stop: HTMLElement, isStop: boolean): void {
  stop.tabIndex = isStop ? 0 : -1;
  if (isStop) stop.dataset['stop'] = 'true';
  else delete stop.dataset['stop'];
}

function targetOf(key: string, grid: HTMLElement, present: HTMLElement): HTMLElement | undefined {
  const stops = [...grid.querySelectorAll<HTMLElement>(STOPS)];
  if (key === 'Home') return stops[0];
  if (key === 'End') return stops[stops.length - 1];
  const step = steps[key];
  if (step === undefined) return undefined;
  if (step[0] !== 0) return stops[stops.indexOf(present) + step[0]];
  const tiles = [...grid.querySelectorAll<HTMLElement>('.tile')];
  const index = tiles.findIndex((tile) => tile.parentElement === present.parentElement);
  return tiles[index + step[1] * columnsOf(tiles)];
}

function columnsOf(tiles: readonly HTMLElement[]): number {
  const top = tiles[0]?.getBoundingClientRect().top;
  const next = tiles.findIndex((tile) => tile.getBoundingClientRect().top !== top);
  return next === -1 ? tiles.length : next;
}
