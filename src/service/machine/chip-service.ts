import { lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { CodedError, recordOf, type TextRecord } from '../../base/codes/coded-text.js';
import { messageOf } from '../../base/fault.js';
import { parseJsonOr } from '../../base/json.js';
import { readSmall } from '../updates/box-files.js';
import { checkChip } from './chip-check.js';
import { applyChange } from './enable-chip.js';

/** The file in the gateway's runtime directory that starts the service (`stellwerk-chips.path`). */
export const CHIP_REQUEST_FILE = 'chip-request';
/** Exists while the service is enabled. */
const CHIP_UNIT = 'etc/systemd/system/multi-user.target.wants/stellwerk-chips.path';
/** What the service replied last, a {@link ChipReply}; only root writes there. */
const CHIP_REPLY = 'run/stellwerk-chips/reply';

/** What the gateway requests of the service, which runs as root. */
export interface ChipRequest {
  /** Distinguishes the replies: 16 to 64 letters, digits, `-` and `_`. */
  readonly id: string;
  /** The chip and its place: `bme280@1-0076`. */
  readonly device: string;
}

/** What the service did. */
export interface ChipReply {
  /** Of the request. */
  readonly id: string;
  /** Why nothing was written; null if the chip is declared now. */
  readonly problem: TextRecord | null;
}

const READABLE_FOR_ALL = 0o644;

/**
 * Does what the gateway requested: declares a chip, if {@link checkChip} accepts it. The request is removed
 * first, so that it is done once; one without a valid id is ignored. Resolves to the reply, which the gateway
 * reads. `root` is `/`, except in tests.
 */
export async function serveChipRequest(requestFile: string, root: string): Promise<ChipReply | undefined> {
  const read = await readSmall(requestFile);
  await rm(requestFile, { force: true });
  const { id, device } = parseJsonOr<Partial<Record<string, unknown>>>(read, {}) ?? {};
  if (typeof id !== 'string' || !/^[\w-]{16,64}$/.test(id) || typeof device !== 'string') return undefined;
  const reply: ChipReply = { id, problem: await problemOf(device, root) };
  const path = join(root, CHIP_REPLY);
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await writeFileAtomically(path, JSON.stringify(reply), READABLE_FOR_ALL);
  return reply;
}

async function problemOf(device: string, root: string): Promise<TextRecord | null> {
  try {
    const change = await checkChip(device, root);
    if (change.added.length > 0) await applyChange(change);
    return null;
  } catch (thrown) {
    return recordOf(thrown instanceof CodedError ? thrown.codedText : messageOf(thrown));
  }
}

/** Whether the service is installed and enabled. */
export const hasChipService = (root: string): Promise<boolean> =>
  lstat(join(root, CHIP_UNIT)).then(
    () => true,
    () => false,
  );

/** The reply to a request; undefined as long as there is none. */
export async function readChipReply(id: string, root: string): Promise<ChipReply | undefined> {
  const text = await readSmall(join(root, CHIP_REPLY));
  const reply = parseJsonOr<ChipReply | undefined>(text, undefined);
  return reply?.id === id ? reply : undefined;
}
