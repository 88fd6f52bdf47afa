import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  copyInPlace,
  makeDirectory,
  putInPlace,
  renameDatabase,
  syncPath,
} from '../sqlite/database-files.js';

/** The name of the configuration in a backup, and of the one in a data directory, which takes precedence. */
export const CONFIGURATION = 'gateway.yaml';

/** The directory with everything that a restore puts in place, below the data directory. */
export const RESTORE_STAGING = 'restore-staging';
/** The journal in it; while it exists, the restore has to be completed. */
const JOURNAL = 'journal.json';

/** What a restore does with the files of a data directory. */
interface RestoreJournal {
  /** The name of the backup. */
  readonly backup: string;
  /** Files and folders that are moved from the staging directory; those that are there are kept. */
  readonly added: readonly string[];
  /** Files and folders that are kept under another name, and have no successor. */
  readonly removed: readonly string[];
  /** Whether the configuration is restored. Its path is the caller's: root may complete what the service's user wrote. */
  readonly hasConfiguration: boolean;
  /** The suffix of the names of what is kept. */
  readonly suffix: string;
}

/** The staging directory of a data directory. */
export const stagingIn = (directory: string): string => join(directory, RESTORE_STAGING);

/**
 * Flushes the staging directory and then the journal. From then on, a power cut does not prevent the restore:
 * {@link completeStaged} completes it.
 */
export function commitStaging(directory: string, journal: RestoreJournal): void {
  const staging = stagingIn(directory);
  const path = join(staging, JOURNAL);
  writeFileSync(`${path}.new`, JSON.stringify(journal), { mode: 0o600 });
  const { uid, gid } = statSync(directory);
  for (const name of ['.', ...readdirSync(staging, { recursive: true, encoding: 'utf8' })]) {
    // The service's user completes what root has begun.
    if (isRoot() && uid !== 0) lchownSync(join(staging, name), uid, gid);
    syncPath(join(staging, name));
  }
  syncPath(directory);
  putInPlace(`${path}.new`, path);
}

/** Removes the staging directory; its journal first, because the rest is not complete then. */
export function removeStaging(directory: string): void {
  const staging = stagingIn(directory);
  if (!existsSync(staging)) return;
  rmSync(join(staging, JOURNAL), { force: true });
  syncPath(staging);
  rmSync(staging, { recursive: true, force: true });
}

/**
 * Does what the journal of a staging directory says, or what is left of that. Returns one line for each file or
 * folder that was renamed or written; undefined if there is no journal, and nothing is changed then. `config` is
 * the path for the configuration. The data directory must be locked.
 */
export function completeStaged(directory: string, config: string | undefined): string[] | undefined {
  const staging = stagingIn(directory);
  const path = join(staging, JOURNAL);
  const journal = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RestoreJournal) : undefined;
  if (journal === undefined || !staysInside(journal)) {
    removeStaging(directory);
    return undefined;
  }
  const done: string[] = [];
  const keep = (target: string, rename: (from: string, to: string) => void) => {
    const kept = target + journal.suffix;
    // A gateway has run between two attempts: what the first one has kept must not be replaced.
    const newName = existsSync(target) && existsSync(kept) ? `${kept}-2` : kept;
    if (existsSync(target)) done.push(`${target} is kept as ${basename(newName)}`);
    rename(target, newName);
  };
  for (const name of journal.removed) keep(join(directory, name), renameDatabase);
  for (const name of journal.added) {
    const [from, to] = [join(staging, name), join(directory, name)];
    // Otherwise it is in place already.
    if (!existsSync(from)) continue;
    makeDirectory(dirname(to));
    keep(to, renameDatabase);
    renameSync(from, to);
    syncPath(dirname(to));
    done.push(name === journal.added[0] ? `${to} from ${journal.backup}` : to);
  }
  if (journal.hasConfiguration && config !== undefined) {
    // A gateway without its configuration does not start: at no time is there none.
    if (existsSync(config) && !existsSync(config + journal.suffix)) keep(config, copyInPlace);
    putConfiguration(config, readFileSync(join(staging, CONFIGURATION)));
    done.push(config);
    // It would take precedence. Last: until then, a start completes the restore, and writes over it.
    const overlay = join(directory, CONFIGURATION);
    if (existsSync(overlay) && !isSameFile(overlay, config)) keep(overlay, renameDatabase);
  }
  removeStaging(directory);
  return done;
}

/** Whether all names stay within the data directory. */
function staysInside({ added, removed, suffix }: RestoreJournal): boolean {
  const isInside = (name: string) => !`/${name}/`.includes('/../');
  return [...added, ...removed].every(isInside) && !suffix.includes('/');
}

function putConfiguration(path: string, content: Uint8Array): void {
  makeDirectory(dirname(path));
  const old = statSync(path, { throwIfNoEntry: false });
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  if (old !== undefined && isRoot() && (old.uid !== 0 || old.gid !== 0)) {
    // The service's user must be able to read it, even if the power is cut now.
    chownSync(`${path}.new`, old.uid, old.gid);
    chmodSync(`${path}.new`, old.mode & 0o640);
  }
  putInPlace(`${path}.new`, path);
}

/** Whether two paths, which exist, name one file. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)];
  return a.dev === b.dev && a.ino === b.ino;
}

const isRoot = (): boolean => process.getuid?.() === 0;
