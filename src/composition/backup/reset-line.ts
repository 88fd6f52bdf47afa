import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Backends, isHeld } from '../../../drivers/gpio/index.js';
import { syncDirectory } from '../../base/atomic-write.js';
import type { Clock } from '../../base/clock.js';
import { coded } from '../../base/codes/coded-text.js';
import { codedMessageOf, messageOf } from '../../base/fault.js';
import type { HealthFinding } from '../../base/health-check.js';
import type { Log } from '../../base/log.js';
import { boardNameIn } from '../../config/board.js';
import type { ConfigSource } from '../../config/config-source.js';
import type { BoardLoader } from '../module-list.js';
import { requestReset, RESET_LINE_FILE } from './factory-reset.js';

/** How long the line must be active, ms. */
const HOLD_MS = 10_000;

interface ResetLineOptions {
  readonly source: ConfigSource;
  readonly boardNamed: BoardLoader;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Requests a factory reset if the board has a reset line and the line is active for 10 s. A line that stays
 * active after a reset, for example because of a forgotten jumper, causes no further reset until a start
 * finds it released. Without a reset line, there is no finding and no delay. Does not reject.
 */
export async function checkResetLine(
  directory: string,
  { source, boardNamed, clock, log }: ResetLineOptions,
): Promise<HealthFinding | undefined> {
  try {
    const board = await boardNamed(boardNameIn(await readFile(source.file, 'utf8')));
    if (board.reset === undefined || !existsSync(directory)) return undefined;
    const { line, activeLow = true, bias = activeLow ? 'pull-up' : 'pull-down' } = board.reset;
    const used = join(directory, RESET_LINE_FILE);
    const hasReset = existsSync(used);
    const isActive = await isHeld(
      new Backends(board, clock),
      { line, activeLow, bias },
      {
        // After a reset, one reading is enough to see that the line is still active.
        holdMs: hasReset ? 0 : HOLD_MS,
        onActive: () =>
          log.warn(
            {},
            `the line ${line} is active: the gateway is reset if it stays so for ${HOLD_MS / 1000} s`,
          ),
      },
    );
    if (!isActive) {
      if (hasReset) {
        await rm(used);
        await syncDirectory(directory);
      }
      return { state: 'ok', text: coded`RESET_LINE_READY: ${line} resets the gateway`, whatToDo: '' };
    }
    if (!hasReset) await requestReset(directory, 'line');
    log.warn({}, hasReset ? `the line ${line} is still active` : `the line ${line} resets the gateway`);
    return {
      state: 'warning',
      text: coded`RESET_LINE_ACTIVE: the gateway was reset by ${line}, which was still active at the start`,
      whatToDo: coded`RELEASE_RESET_LINE: remove the jumper or release the button, and restart the gateway`,
    };
  } catch (thrown) {
    log.warn({}, `the line for a factory reset cannot be read: ${messageOf(thrown)}`);
    return {
      state: 'warning',
      text: coded`RESET_LINE_FAILED: the line for a factory reset cannot be read: ${codedMessageOf(thrown)}`,
      whatToDo: coded`CORRECT_RESET_LINE: correct reset in the board file`,
    };
  }
}
