import { builtInIcons } from '../../media/built-in-icons.js';

/** Icons of the pages' own controls: name → SVG path on 24 by 24, in the style of the gateway's icons. */
const controls = {
  back: 'M15 5l-7 7l7 7',
  close: 'M6 6l12 12M18 6L6 18',
  right: 'M9 6l6 6l-6 6',
  up: 'M6 15l6-6l6 6',
  down: 'M6 9l6 6l6-6',
  stop: 'M7 7h10v10H7z',
  minus: 'M5 12h14',
  plus: 'M12 5v14M5 12h14',
  star: 'M12 3l2.7 5.8l6.3.8l-4.6 4.4l1.2 6.2L12 17.2l-5.6 3l1.2-6.2L3 9.6l6.3-.8z',
  message: 'M4 5h16v11H9l-5 4z',
  device: 'M7 2h10v20H7zM11 18h2',
  rooms: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  picture: 'M4 5h16v14H4zM4 16l5-5l4 4l3-3l4 4M15 9h.01',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  text: 'M5 6h14M5 11h14M5 16h9',
  chip: 'M7 7h10v10H7zM10 7V3M14 7V3M10 21v-4M14 21v-4M7 10H3M7 14H3M21 10h-4M21 14h-4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20',
  dot: 'M12 10a2 2 0 1 0 0 4a2 2 0 0 0 0-4z',
  unlinked: 'M3 3l18 18M8 8l-3 3a4 4 0 0 0 6 6l2-2M16 16l3-3a4 4 0 0 0-6-6l-1 1',
} as const;

const all: ReadonlyMap<string, string> = new Map(Object.entries({ ...builtInIcons, ...controls }));

/** The path of a built-in icon or of a control; undefined: the icon is a file of the owner. */
export function iconPath(name: string): string | undefined {
  return all.get(name);
}
