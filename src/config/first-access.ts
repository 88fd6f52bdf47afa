import { isSeq, parseDocument } from 'yaml';

/** The settings that `stellwerk setup` writes. */
interface InitialAccess {
  readonly username: string;
  readonly passwordHash: string;
  /** A board's name or `auto`; undefined keeps the present one. */
  readonly board: string | undefined;
  /** The place of the gateway, degrees. */
  readonly location?: { readonly latitude: number; readonly longitude: number } | undefined;
}

const NEW = `# stellwerk's configuration. \`stellwerk check\` says what is wrong with it, by line;
# \`systemctl reload stellwerk\` applies it.
api: { host: 127.0.0.1, port: 3777 }
`;

/**
 * Adds a user name and password to a configuration, or to a new one, and keeps everything else. Returns
 * undefined if it has a `remoteAccess` already. The given text must be valid.
 */
export function addAccess(text: string | undefined, access: InitialAccess): string | undefined {
  const document = parseDocument(text ?? NEW);
  if (document.has('remoteAccess')) return undefined;
  const { username, passwordHash, board, location } = access;
  if (board !== undefined) document.set('board', board);
  document.set('remoteAccess', { username, passwordHash });
  const tree = document.get('tree');
  const hasOwn =
    isSeq(tree) && tree.items.some((_, i) => document.getIn(['tree', i, 'ident']) === 'stellwerk');
  if (location !== undefined && !hasOwn) {
    const entry = document.createNode(locationEntry(location.latitude, location.longitude));
    if (isSeq(tree)) tree.add(entry);
    else document.set('tree', [entry]);
  }
  return document.toString({ lineWidth: 0 });
}

/** The gateway's own category, with its place (docs/use/location.md). */
const locationEntry = (Latitude: number, Longitude: number) => ({
  category: 'Gateway',
  ident: 'stellwerk',
  children: [
    { instance: 'Location', ident: 'LC', module: 'Location Control', properties: { Latitude, Longitude } },
  ],
});
