import { objectType } from '../../../src/kernel/object.js';
import type { Entry } from '../../tools/client/replica.js';

type Objects = Readonly<Record<string, Entry>>;

/** What a start finds anew. */
const FOUND_ANEW = [
  'quality',
  'status',
  'nextRun',
  'isBroken',
  'isAvailable',
  'crc',
  'size',
  'heard',
  'untimed',
];

/**
 * What has to be the same after a restart. What an instance reports, and what the gateway reports of itself,
 * is not.
 */
function kept(entry: Entry, objects: Objects): object {
  const parent = objects[`ID${entry.parentID}`];
  const isReported =
    entry.type === objectType.variable &&
    (parent?.type === objectType.instance || parent?.ident === 'stellwerk');
  const { data, ...attributes } = entry;
  const own = Object.fromEntries(Object.entries(data).filter(([name]) => !FOUND_ANEW.includes(name)));
  if (!isReported) return { ...attributes, ...own };
  return {
    ident: entry.ident,
    name: entry.name,
    parentID: entry.parentID,
    customProfile: own['customProfile'],
  };
}

/** The ids of objects that are not what they were, each with how. */
export function differences(
  before: Objects,
  after: Objects,
  { wasEdited }: { wasEdited: boolean },
): Map<number, string> {
  const found = new Map<number, string>();
  for (const [key, entry] of Object.entries(before)) {
    const now = after[key];
    // Positions follow from the order of the entries.
    const place = wasEdited ? { position: 0 } : {};
    const was = JSON.stringify({ ...kept(entry, before), ...place });
    const is = now === undefined ? 'is gone' : JSON.stringify({ ...kept(now, after), ...place });
    if (was !== is) found.set(Number(key.slice(2)), `${was} → ${is}`);
  }
  return found;
}
