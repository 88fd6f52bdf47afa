import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from '../../base/fault.js';
import { parseJsonOr } from '../../base/json.js';

const REASONS = ['unhealthy', 'configuration', 'start'] as const;

/** An update that was rolled back, as the package or the box describes it (`systemd/note-rollback.sh`). */
export interface RollbackNote {
  /** The version that was rolled back. */
  readonly version: string;
  /** The previous version, which runs again. */
  readonly running: string;
  /** When, in UTC (ISO 8601). */
  readonly time: string;
  /** `start`: it never ran far enough to be checked. */
  readonly reason: (typeof REASONS)[number];
  /** Time that the version had to become healthy, seconds. */
  readonly limit: number;
}

/** A note has about 150 bytes; larger files are not read. */
const MAX_BYTES = 4096;
/** The versions that dpkg allows (deb-version(7)). */
const VERSION = /^\d[\w.+~:-]{0,99}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/**
 * Reads the note of the last rollback. Undefined if there is none; 'unreadable' for everything but a valid
 * note in a regular file.
 */
export async function readRollbackNote(path: string): Promise<RollbackNote | 'unreadable' | undefined> {
  try {
    // Opening a named pipe must not wait for a writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile() || found.size > MAX_BYTES) return 'unreadable';
    const buffer = Buffer.alloc(MAX_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_BYTES, 0);
    return noteFrom(parseJsonOr<unknown>(buffer.toString('utf8', 0, bytesRead), undefined));
  } catch (thrown) {
    return codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR' ? undefined : 'unreadable';
  }
}

function noteFrom(read: unknown): RollbackNote | 'unreadable' {
  const { version, running, time, reason, limit } = (read ?? {}) as Partial<Record<string, unknown>>;
  const known = REASONS.find((one) => one === reason);
  if (known === undefined || typeof limit !== 'number' || !Number.isFinite(limit)) return 'unreadable';
  if (!matches(version, VERSION) || !matches(running, VERSION) || !matches(time, TIME)) return 'unreadable';
  return { version, running, time, reason: known, limit };
}

const matches = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);
