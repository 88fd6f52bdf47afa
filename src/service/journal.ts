import { fstatSync } from 'node:fs';
import { logKind, type LogKind } from '../base/codes/log-kinds.js';
import { loadServiceAddon } from './notify.js';

/** Where journald receives entries with fields (systemd.io/JOURNAL_NATIVE_PROTOCOL). */
const SOCKET = '/run/systemd/journal/socket';
/** Characters of a field other than the message; fields are there to be filtered by. */
const FIELD_LENGTH = 200;
/** Journald rejects longer names. */
const NAME_LENGTH = 64;

/** The message id of each kind of line; `systemd/stellwerk.catalog` explains them. */
export const MESSAGE_IDS: Readonly<Record<LogKind, string>> = {
  [logKind.gatewayStarted]: 'd13c513a42f84da197b1165f0971b7c4',
  [logKind.gatewayNotStarted]: '25abd89bd67e4d928a8318174d645fa6',
  [logKind.gatewayStopped]: '3cbb7daa64c144fa88a7c8252abc5619',
  [logKind.configurationReloaded]: 'eca9bad1449e48e4b15ce760f3e452f2',
  [logKind.configurationRejected]: '76e9c8092966493d8bc16f01162794bf',
  [logKind.instanceOnline]: '29ec148cead54263b4d6d23508bd9d96',
  [logKind.instanceFailed]: '959575fe0a734d03b43a2c9fbed3e91c',
  [logKind.outputsTakenOver]: '7d791a3ca63c45f9bdcdc219fe72c33b',
  [logKind.outputsUnguarded]: 'cc9ff851b6ab4f1ab79db4df2694e1f7',
  [logKind.databaseRecovered]: '72488b810dfa4e398727d4dad921bf95',
  [logKind.archiveDamaged]: 'e14c1d7e84484709af4d6ee6dda4dd1e',
  [logKind.changesLost]: 'f9fc2f72a562407cbc2c8e3e93afd954',
  [logKind.backupMade]: '4630de19bf77438d8b9b7cefad989a70',
  [logKind.backupRestored]: '86ad910108d243b7b25a55f4796ce0e9',
  [logKind.factoryReset]: '3dbf2458c92840e1b9c919c108050a4e',
  [logKind.updateRolledBack]: '627e79c72b424dd882e2e271c93de18f',
  [logKind.passwordRejected]: 'e973d4d0d37e47498087c813f045f6e0',
  [logKind.requestRejected]: '68b49734b70d403b866b3aa827a0018a',
  [logKind.scriptFailed]: 'a06bcdfe753340fda33911c082f5e35d',
  [logKind.eventFailed]: 'c53c9fd548744684bc51acd4e4479493',
  [logKind.limitReached]: '1b5d04ff86dd4a43825dc254fc639b8b',
};

/** pino's levels as priorities of the journal (sd-daemon(3)). */
export function priorityOf(level: number): number {
  if (level >= 60) return 2;
  if (level >= 50) return 3;
  if (level >= 40) return 4;
  return level >= 30 ? 6 : 7;
}

/**
 * The entry of a line of the log: the line itself as the message, with its details as fields `STELLWERK_…`, and
 * the message id of its kind.
 */
export function journalEntry(line: string): string {
  const {
    level,
    time: _time,
    msg: _msg,
    err,
    kind,
    ...details
  } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const fields = [
    ['MESSAGE', line.trimEnd()],
    ['PRIORITY', String(priorityOf(Number(level)))],
    ['SYSLOG_IDENTIFIER', 'stellwerk'],
  ];
  const id = typeof kind === 'string' && Object.hasOwn(MESSAGE_IDS, kind) && MESSAGE_IDS[kind as LogKind];
  if (typeof id === 'string') fields.push(['MESSAGE_ID', id]);
  const code = typeof err === 'object' && err !== null && 'code' in err ? { code: err.code } : {};
  for (const [key, value] of Object.entries({ ...code, ...details })) {
    const name = `STELLWERK_${key.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toUpperCase()}`;
    if (!/^[A-Z0-9_]+$/.test(name) || name.length > NAME_LENGTH) continue;
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
    fields.push([name, String(value).replace(/\s+/g, ' ').slice(0, FIELD_LENGTH)]);
  }
  return fields.map(([name, value]) => `${name}=${value}\n`).join('');
}

/**
 * Sends lines of the log to journald, with fields. The function returns false if that is not possible; the line
 * then belongs on stdout.
 */
export function journalSender(socket = SOCKET): (line: string) => boolean {
  const { notify } = loadServiceAddon();
  return (line) => {
    try {
      notify(socket, journalEntry(line));
      return true;
    } catch {
      // There is no such socket, or the line is too long.
      return false;
    }
  };
}

/** Whether stdout is connected to the journal: a redirected one is not (systemd.exec(5), `JOURNAL_STREAM`). */
export function isJournal({ JOURNAL_STREAM: stream }: NodeJS.ProcessEnv, fd = 1): boolean {
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(fd);
  return stream === `${dev}:${ino}`;
}
