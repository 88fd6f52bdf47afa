import { coded } from '../../base/codes/coded-text.js';
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';

/** Outcomes kept per configurator, and for how long: enough for a client that reconnects. */
const OUTCOMES_LIMIT = 64;
const KEPT_NS = 300_000_000_000n;

/** The outcome of a command; `unknown`: there is no such key, or it is no longer kept. */
interface Outcome {
  readonly state: 'running' | 'done' | 'failed' | 'unknown';
  /** What was thrown; present if it failed. */
  readonly failure?: unknown;
}

interface KeyedCommand {
  outcome: Outcome;
  /** A digest: values may be long. */
  readonly digest: string;
  readonly finished: Promise<void>;
  /** When it ended, on the monotonic clock; undefined while it runs. */
  endedNs?: bigint;
}

/**
 * The outcomes of commands by a key that the client chose, so that a client that lost the reply learns what
 * happened, and can repeat the call without executing it twice. They are kept in memory only.
 */
export class CommandOutcomes {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  /** By configurator, then key; oldest first. */
  readonly #commands = new Map<number, Map<string, KeyedCommand>>();

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
  }

  of(configurator: number, key: string): Outcome {
    return this.#commandsOf(configurator).get(key)?.outcome ?? { state: 'unknown' };
  }

  /**
   * Executes a command unless its key is known; resolves with true when it is done, rejects with its failure.
   * Rejects with `KEY_USED` if the key belongs to another request, and with `BUSY` if too many are running.
   */
  async once(
    [configurator, key]: readonly [number, string],
    request: unknown,
    execute: () => Promise<unknown>,
  ): Promise<true> {
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const commands = this.#commandsOf(configurator);
    const command = commands.get(key) ?? this.#start(commands, [key, digest], execute);
    if (command.digest !== digest) throw fault('KEY_USED');
    await command.finished;
    if (command.outcome.state === 'failed') throw command.outcome.failure;
    return true;
  }

  #start(
    commands: Map<string, KeyedCommand>,
    [key, digest]: readonly [string, string],
    execute: () => Promise<unknown>,
  ): KeyedCommand {
    if (commands.size >= OUTCOMES_LIMIT) {
      const oldest = [...commands].find(([, { endedNs }]) => endedNs !== undefined);
      if (oldest === undefined)
        throw fault('BUSY', coded`TOO_MANY_COMMANDS_FRONT: Too many commands of this front are running`);
      commands.delete(oldest[0]);
    }
    const end = (outcome: Outcome) => {
      command.outcome = outcome;
      command.endedNs = this.#clock.monotonicNs();
    };
    const finished = execute().then(
      () => end({ state: 'done' }),
      (thrown: unknown) => end({ state: 'failed', failure: thrown }),
    );
    const command: KeyedCommand = { outcome: { state: 'running' }, digest, finished };
    commands.set(key, command);
    return command;
  }

  /** The commands of a configurator, without those that ended too long ago. */
  #commandsOf(configurator: number): Map<string, KeyedCommand> {
    const commands = this.#commands.get(configurator) ?? new Map<string, KeyedCommand>();
    this.#commands.set(configurator, commands);
    const sinceNs = this.#clock.monotonicNs() - KEPT_NS;
    for (const [key, { endedNs }] of commands)
      if (endedNs !== undefined && endedNs < sinceNs) commands.delete(key);
    return commands;
  }
}
