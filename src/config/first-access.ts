import { parseDocument } from 'yaml';

/** The settings that `stellwerk setup` writes. */
interface InitialAccess {
  readonly username: string;
  readonly passwordHash: string;
  /** A board's name or `auto`; undefined keeps the present one. */
  readonly board: string | undefined;
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
  const { username, passwordHash, board } = access;
  if (board !== undefined) document.set('board', board);
  document.set('remoteAccess', { username, passwordHash });
  return document.toString({ lineWidth: 0 });
}
