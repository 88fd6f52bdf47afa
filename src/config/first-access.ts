import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { setPasswordHash } from './set-password.js';
import type { Setup } from './setup-file.js';

/** The settings as the configuration has them: with a hash of the password. */
type WrittenSetup = Omit<Setup, 'password'> & {
  /** Undefined: the gateway has no owner's password yet. */
  readonly passwordHash: string | undefined;
};

const NEW = `# stellwerk's configuration. \`stellwerk check\` says what is wrong with it, by line;
# \`systemctl reload stellwerk\` applies it.
api: { host: 127.0.0.1, port: 3777 }
`;

/** The keys of the configuration with their names in a set-up. */
const KEYS = [
  ['board', 'board'],
  ['name', 'hostname'],
  ['language', 'language'],
  ['timeZone', 'timezone'],
] as const;
/** The ident of the gateway's own category, and the module with its place (docs/use/location.md). */
const OWN = 'stellwerk';
const LOCATION = 'Location Control';

/** Whether somebody may have access already. The text must be valid. */
export const hasAccess = (text: string): boolean => parseDocument(text).has('remoteAccess');

/**
 * Writes settings into a configuration, or into a new one, and keeps everything else, comments included. The
 * given text must be valid.
 */
export function writeSetup(text: string | undefined, setup: WrittenSetup): string {
  const document = parseDocument(text ?? NEW);
  for (const [key, of] of KEYS) if (setup[of] !== undefined) document.set(key, setup[of]);
  if (setup.location !== undefined) setLocation(document, setup.location);
  // An empty document would be written as null.
  const written = document.contents === null ? (text ?? '') : document.toString({ lineWidth: 0 });
  const { username, passwordHash } = setup;
  if (passwordHash === undefined) return written;
  return setPasswordHash(written, { owner: true, username }, passwordHash) ?? written;
}

function setLocation(document: Document, { latitude, longitude }: NonNullable<Setup['location']>): void {
  const properties = { Latitude: latitude, Longitude: longitude };
  const instance = { instance: 'Location', ident: 'LC', module: LOCATION, properties };
  const own = entryIn(document, ['tree'], (entry) => entry['ident'] === OWN && 'category' in entry);
  if (own === undefined)
    return add(document, ['tree'], { category: 'Gateway', ident: OWN, children: [instance] });
  const present = entryIn(document, [...own, 'children'], ({ module }) => module === LOCATION);
  if (present === undefined) return add(document, [...own, 'children'], instance);
  for (const [key, value] of Object.entries(properties))
    document.setIn([...present, 'properties', key], value);
}

type Path = readonly (string | number)[];

/** The path of the first entry of a list that matches. */
function entryIn(
  document: Document,
  path: Path,
  matches: (entry: Readonly<Record<string, unknown>>) => boolean,
): Path | undefined {
  const list = document.getIn(path, true);
  if (!isSeq(list)) return undefined;
  const at = list.items.findIndex(
    (item) => isMap(item) && matches(item.toJS(document) as Record<string, unknown>),
  );
  return at < 0 ? undefined : [...path, at];
}

function add(document: Document, path: Path, entry: object): void {
  const node = document.createNode(entry);
  const list = document.getIn(path, true);
  if (isSeq(list)) list.add(node);
  else document.setIn(path, document.createNode([entry]));
}
