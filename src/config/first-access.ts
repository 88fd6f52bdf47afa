import { parseDocument } from 'yaml';

/** What `setup` puts into a configuration. */
export interface InitialAccess {
  readonly username: string;
  readonly passwordHash: string;
  /** A board's name or `auto`; undefined: as it stands there. */
  readonly board: string | undefined;
}

const NEW = `# stellwerk's configuration. \`stellwerk check\` says what is wrong with it, by line;
# \`systemctl reload stellwerk\` applies it.
api: { host: 127.0.0.1, port: 3777 }
`;

/**
 * The text of a configuration with a name and a password: of a new one, or of the given one, with all else in it as it
 * was. Undefined when there is a remote access in it already. The given one is sound.
 */
export function addAccess(text: string | undefined, access: InitialAccess): string | undefined {
  const document = parseDocument(text ?? NEW);
  if (document.has('remoteAccess')) return undefined;
  const { username, passwordHash, board } = access;
  if (board !== undefined) document.set('board', board);
  document.set('remoteAccess', { username, passwordHash });
  return document.toString({ lineWidth: 0 });
}
