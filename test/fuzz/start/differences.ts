import { objectType } from '../../../src/kernel/object.js';
import type { Entry } from '../../tools/client/replica.js';

type Objects = Readonly<Record<string, Entry>>;

/** Members that a start determines again; a script that was not executed since has no `lastExecute`. */
const FOUND_ANEW = [
  'lastExecute',
  'quality',
  'status',
  'nextRun',
  'isBroken',
  'isAvailable',
  'crc',
  'size',
  'heard',
  'rule',
  'pending',
  'untimed',
];

/** The members that must be the same after a restart, without those that instances and the gateway report. */
function kept(entry: Entry, objects: Objects): object {
  const parent = objects[`ID${entry.parentID}`];
  const isReported =
    entry.type === objectType.variable &&
    (parent?.type === objectType.instance || parent?.ident === 'stellwerk');
  const { data, ...attributes } = entry;
  // The last update of a media object is that of its file, as are crc and size.
  const omitted = entry.type === objectType.media ? [...FOUND_ANEW, 'lastUpdate'] : FOUND_ANEW;
  const own = Object.fromEntries(Object.entries(data).filter(([name]) => !omitted.includes(name)));
  if (!isReported) return { ...attributes, ...own };
  return {
    ident: entry.ident,
    name: entry.name,
    parentID: entry.parentID,
    customProfile: own['customProfile'],
  };
}

/** The last run of an active event that has run since: it is not lost. */
function ran({ data: was }: Entry, { data: is }: Entry): { lastRun?: unknown } {
  return was['active'] === true && Number(is['lastRun']) > Number(was['lastRun'])
    ? { lastRun: was['lastRun'] }
    : {};
}

/** The ids of changed objects, each with the difference. */
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
    const is =
      now === undefined
        ? 'is missing'
        : JSON.stringify({ ...kept(now, after), ...place, ...ran(entry, now) });
    if (was !== is) found.set(Number(key.slice(2)), `${was} → ${is}`);
  }
  return found;
}
