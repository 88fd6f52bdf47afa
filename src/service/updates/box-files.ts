import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { parseJsonOr } from '../../base/json.js';

/**
 * The files with which the gateway and the service for updates, which runs as root, exchange what they need. They
 * are in memory, except for the release and the skipped version.
 */
export interface BoxFiles {
  /** os-release, with the version of the image. */
  readonly release: string;
  /** The note of a rollback. */
  readonly rolledBack: string;
  /** What the service reports: an {@link UpdateState}. */
  readonly state: string;
  /** The version that the owner left: it is not installed automatically. */
  readonly skipped: string;
  /** `healthy …` once the slot that runs is confirmed. */
  readonly verdict: string;
  /** The directory in which confirm-slot notes the version that was confirmed in a slot, and why it was not. */
  readonly confirmations: string;
  /** Where an update is stored while it is installed. */
  readonly download: string;
}

/** Where the image of a box has them. */
export const BOX_FILES: BoxFiles = {
  release: '/usr/lib/os-release',
  rolledBack: '/var/lib/stellwerk-update/rolled-back',
  state: '/run/stellwerk-update/state',
  skipped: '/var/lib/stellwerk-update/skipped',
  verdict: '/run/box/verdict',
  confirmations: '/data/box',
  download: '/data/box/update.raucb',
};

/** The runtime directory of stellwerk.service, in which it leaves its requests. */
export const RUNTIME_DIRECTORY = '/run/stellwerk';

/** The file in the gateway's runtime directory that starts the service (`box-update.path`). */
export const REQUEST_FILE = 'update-request';

/** One of the two systems on a box. */
export interface Slot {
  /** Its name for U-Boot, `A` or `B`. */
  readonly name: string;
  /** The version that is installed there; undefined if it is not known. */
  readonly version: string | undefined;
  /** Whether it runs now. */
  readonly isBooted: boolean;
  /** Whether the next start is to use it. */
  readonly isNext: boolean;
  /** Whether U-Boot may start it. */
  readonly isGood: boolean;
}

/** What the service does, and what it found. */
export interface UpdateState {
  /** When it was written, ms of the monotonic clock. While work is done, it is written every 10 s. */
  readonly atMs: number;
  /** Empty if it does nothing. */
  readonly busy: '' | 'download' | 'install' | 'back';
  /** The version that is being installed; '' if it is not known yet. */
  readonly version: string;
  readonly percent: number;
  /** Why the last work failed; '' if it succeeded. */
  readonly problem: string;
  readonly slots: readonly Slot[];
}

const updateActions = ['status', 'install', 'back', 'restart'] as const;

/** What the gateway requests. */
export interface UpdateRequest {
  readonly action: (typeof updateActions)[number];
  /** install: an https or http address, or a file on a USB stick; otherwise ''. */
  readonly source: string;
  /** install: only a version that is newer, and was neither rolled back nor left by the owner. */
  readonly isAutomatic: boolean;
  /** install: the version that the update must have; '' if any. */
  readonly version: string;
}

const MAX_BYTES = 16_384;
/** A stick below /media, without `..`, and URLs. */
const SOURCE = /^(https?:\/\/[^\s]+|\/media\/(?!.*\.\.)[^\0\n]+\.raucb)$/;

/** Whether a text is the version of an image. */
export const isImageVersion = (version: string): boolean => /^\d[\w.+~-]{0,99}$/.test(version);

/** Whether an update may be installed from there on request of the gateway. */
export const isUpdateSource = (source: string): boolean => source.length <= 1000 && SOURCE.test(source);

/** The version in os-release; undefined if this is not a box with slots. */
export const imageVersion = (release: string): string | undefined =>
  /^IMAGE_VERSION="?([^"\n]*)/m.exec(release)?.[1];

/** Takes the request, so that it is done once. Undefined if there is none, or it is not valid. */
export async function takeRequest(path: string): Promise<UpdateRequest | undefined> {
  const read = await readSmall(path);
  await rm(path, { force: true });
  const parsed = parseJsonOr<Partial<Record<string, unknown>>>(read ?? '', {}) ?? {};
  const { action, source, isAutomatic, version } = parsed;
  const known = updateActions.find((one) => one === action);
  if (known === undefined || typeof source !== 'string' || typeof isAutomatic !== 'boolean') return undefined;
  if (typeof version !== 'string' || (version !== '' && !isImageVersion(version))) return undefined;
  if (known === 'install' && !isUpdateSource(source)) return undefined;
  return { action: known, source, isAutomatic, version };
}

/** What the service reported last; undefined if it has reported nothing since the start of the box. */
export async function readState(path: string): Promise<UpdateState | undefined> {
  const text = await readSmall(path);
  return text === undefined ? undefined : parseJsonOr<UpdateState | undefined>(text, undefined);
}

/** The content of a small regular file; undefined for everything else. A link is not followed. */
export async function readSmall(path: string): Promise<string | undefined> {
  try {
    // Opening a named pipe must not wait for a writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    const buffer = Buffer.alloc(MAX_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  }
}
