import { join } from 'node:path';
import { healthy, type HealthFinding } from '../../../src/base/health-check.js';
import { manualPage } from '../../../src/base/manual-page.js';
import type { Clock } from '../../../src/base/clock.js';
import { Lazy } from '../../../src/base/lazy.js';
import type { Log } from '../../../src/base/log.js';
import type { KeeperConnection, ConnectKeeper } from './keeper-connection.js';

/** The table's name in the data directory. */
const TABLE = 'outputs.table';

/** Where the line keeper is reached, and the file by which it knows at the machine's boot what to do. */
export interface KeeperPaths {
  readonly socket: string;
  readonly table: string;
}

/** Why a gateway ends, as the policies tell it apart. */
export type EndReason = 'stop' | 'update';

/** What is said of the gateway that the outputs are in. */
export interface KeeperClientOptions {
  /** The keeper's socket, where one is set up. */
  readonly socket: string | undefined;
  /** The data directory. */
  readonly directory: string;
  /** Without a sign of life for so long the gateway counts as dead; longer than any turn of a healthy event loop. 5 s unless said. */
  readonly deadlineMs?: number;
  /** How long a closed line is kept that may be opened anew: longer than instances wait for that. 40 s unless said. */
  readonly releaseAfterMs?: number;
  /** Whether the stop that is under way is for an update. */
  isUpdating(): boolean;
}

/** Outputs of this machine's own lines that are held, and how many of them the keeper keeps too. */
export interface OutputCounts {
  readonly held: number;
  readonly kept: number;
}

/** The part of the line keeper in one gateway. Nothing is loaded or opened before an output needs it. */
export class KeeperClient {
  readonly #places: KeeperPaths | undefined;
  readonly #deadlineMs: number;
  readonly #letGoMs: number;
  readonly #isUpdating: () => boolean;
  readonly #clock: Clock;
  readonly #log: Log;
  #keeper: Lazy<KeeperConnection> | undefined;
  #why = 'no keeper is set up for this gateway (STELLWERK_KEEPER)';
  /** To be asked for what is held; set by whoever opens the lines. */
  outputs: () => OutputCounts = () => ({ held: 0, kept: 0 });

  /** Without a socket there is no keeper: a developer's desk, another system's box. */
  constructor(
    {
      socket,
      directory,
      deadlineMs = 5000,
      releaseAfterMs: letGoMs = 40_000,
      isUpdating,
    }: KeeperClientOptions,
    { clock, log }: { clock: Clock; log: Log },
  ) {
    this.#places = socket === undefined ? undefined : { socket, table: join(directory, TABLE) };
    this.#deadlineMs = deadlineMs;
    this.#letGoMs = letGoMs;
    this.#isUpdating = isUpdating;
    this.#clock = clock;
    this.#log = log;
  }

  /** The way to the keeper, or undefined where there is none. It looks for it again and again by itself. */
  async connection(link: ConnectKeeper): Promise<KeeperConnection | undefined> {
    const places = this.#places;
    if (places === undefined) return undefined;
    const parts = {
      places,
      deadlineMs: this.#deadlineMs,
      letGoMs: this.#letGoMs,
      link,
      clock: this.#clock,
      log: this.#log,
      tell: (why: string) => (this.#why = why),
    };
    this.#keeper ??= new Lazy(async () => (await import('./keeper-connection.js')).connectKeeper(parts));
    return this.#keeper.get();
  }

  /** The gateway ends: after all outputs are closed. The keeper gives them their policy, and waits for no sign of life. */
  async goodbye(): Promise<void> {
    await (await this.#keeper?.current())?.goodbye(this.#isUpdating() ? 'update' : 'stop');
  }

  /** The health check `outputs`. */
  check(): HealthFinding {
    const { held, kept } = this.outputs();
    if (held === 0) return healthy('there are none on lines of this machine');
    if (kept === held) return healthy(`${held} guarded by the line keeper`);
    return {
      state: 'warning',
      text: `${held - kept} of ${held} not guarded: when the gateway ends, they are what their chip makes of them; ${this.#why}`,
      whatToDo: `see whether stellwerk-keeper.service runs (${manualPage('hardware/safe-outputs.md')})`,
    };
  }
}
