import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/clock.js';
import { type HealthFinding, healthy } from '../../../src/base/health-check.js';
import { Lazy } from '../../../src/base/lazy.js';
import type { Log } from '../../../src/base/log.js';
import { manualPage } from '../../../src/base/manual-page.js';
import type { KeeperConnection } from './keeper-connection.js';
import type { ConnectKeeper } from './keeper-protocol.js';

/** The name of the output table in the data directory. */
const TABLE_NAME = 'outputs.table';

/** The socket of the line keeper, and the table that it applies at boot. */
export interface KeeperPaths {
  readonly socket: string;
  readonly table: string;
}

/** Why a gateway stops, as far as the policies of outputs distinguish it. */
export type EndReason = 'stop' | 'update';

interface KeeperClientOptions {
  /** The keeper's socket; undefined if there is no keeper, as on a development machine. */
  readonly socket: string | undefined;
  /** The data directory. */
  readonly directory: string;
  /**
   * The keeper counts the gateway as dead if it has sent nothing for this long; must exceed any turn of a
   * healthy event loop. 5 s by default.
   */
  readonly deadlineMs?: number;
  /**
   * How long the keeper keeps a closed line for its instance to reopen; must exceed the retry interval of
   * instances. 40 s by default.
   */
  readonly releaseAfterMs?: number;
  /** Whether the gateway is stopping for an update. */
  isUpdating(): boolean;
}

/** An output of this machine's own lines, as the health check counts it. */
interface HeldOutput {
  readonly isGuarded: boolean;
}

/** The gateway's client of the line keeper. It connects when the first output needs it. */
export class KeeperClient {
  readonly #paths: KeeperPaths | undefined;
  readonly #deadlineMs: number;
  readonly #releaseAfterMs: number;
  readonly #isUpdating: () => boolean;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #outputs = new Set<HeldOutput>();
  /** Whether the table had outputs before this run; only a connection adds any. */
  readonly #hadOutputs = new Lazy(async () => {
    if (this.#paths === undefined) return false;
    const { OutputTableFile } = await import('./output-table-file.js');
    const options = { path: this.#paths.table, clock: this.#clock, log: this.#log };
    return !(await OutputTableFile.open(options)).isEmpty;
  });
  #connection: Lazy<KeeperConnection> | undefined;
  #unreachableReason: Text = coded`GATEWAY_NO_LINE_KEEPER: this gateway has no line keeper (STELLWERK_KEEPER is not set)`;

  constructor(
    { socket, directory, deadlineMs = 5000, releaseAfterMs = 40_000, isUpdating }: KeeperClientOptions,
    { clock, log }: { clock: Clock; log: Log },
  ) {
    this.#paths = socket === undefined ? undefined : { socket, table: join(directory, TABLE_NAME) };
    this.#deadlineMs = deadlineMs;
    this.#releaseAfterMs = releaseAfterMs;
    this.#isUpdating = isUpdating;
    this.#clock = clock;
    this.#log = log;
  }

  /** The connection to the keeper, which reconnects by itself; undefined if there is no keeper. */
  async connection(connect: ConnectKeeper): Promise<KeeperConnection | undefined> {
    const paths = this.#paths;
    if (paths === undefined) return undefined;
    const options = {
      paths,
      deadlineMs: this.#deadlineMs,
      releaseAfterMs: this.#releaseAfterMs,
      connect,
      clock: this.#clock,
      log: this.#log,
      onUnreachable: (reason: Text) => (this.#unreachableReason = reason),
    };
    this.#connection ??= new Lazy(async () =>
      (await import('./keeper-connection.js')).connectKeeper(options),
    );
    return this.#connection.get();
  }

  /**
   * The connection if there is one, or if the keeper may hold lines: those of the table, which were outputs in
   * an earlier run.
   */
  async connectionIfHolding(connect: ConnectKeeper): Promise<KeeperConnection | undefined> {
    const mayHold = this.#connection !== undefined || (await this.#hadOutputs.get());
    return mayHold ? this.connection(connect) : undefined;
  }

  /** Includes an output in the health check until it is removed. */
  addOutput(output: HeldOutput): void {
    this.#outputs.add(output);
  }

  removeOutput(output: HeldOutput): void {
    this.#outputs.delete(output);
  }

  /**
   * Notifies the keeper that the gateway stops, after all outputs are closed. The keeper then applies their
   * policies immediately instead of waiting for the deadline.
   */
  async goodbye(): Promise<void> {
    await (await this.#connection?.current())?.goodbye(this.#isUpdating() ? 'update' : 'stop');
  }

  /** The health check `outputs`. */
  check(): HealthFinding {
    const held = this.#outputs.size;
    const unguarded = [...this.#outputs].filter(({ isGuarded }) => !isGuarded).length;
    if (held === 0) return healthy(coded`NO_OUTPUTS: there are none on this machine's lines`);
    if (unguarded === 0) return healthy(coded`OUTPUTS_GUARDED: ${held} guarded by the line keeper`);
    return {
      state: 'warning',
      text: coded`OUTPUTS_NOT_GUARDED: ${unguarded} of ${held} not guarded: when the gateway ends, their chip decides what they become; ${this.#unreachableReason}`,
      whatToDo: coded`CHECK_KEEPER: check that stellwerk-keeper.service is running (${manualPage('hardware/safe-outputs.md')})`,
    };
  }
}
