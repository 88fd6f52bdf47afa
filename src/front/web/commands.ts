import { type Signal, signal } from '@preact/signals';
import { RpcError } from '../../client/errors.js';
import { realTiming } from '../../client/timing.js';

/** A state shows for this long after a command was rejected, ms. */
const REFUSED_MS = 8000;
/** A command shows as waiting only if it takes longer, ms. */
const WAITING_MS = 150;

/** The outcome of the last command to a variable or a script. The variable itself shows only what was reported. */
export type CommandState =
  | { readonly kind: 'waiting' }
  /** `code`: a fault code; `rule`, `untilMs`: the rule that rejected it. */
  | { readonly kind: 'rejected'; readonly code: string; readonly rule: string; readonly untilMs: number }
  /** The reply was lost. */
  | { readonly kind: 'unknown' };

interface CommandOutcome {
  readonly id: number;
  readonly state: CommandState | undefined;
}

/** Sends commands and remembers, for each object, what became of the last one. */
export class Commands {
  readonly #onOutcome: (outcome: CommandOutcome) => void;
  readonly #states = new Map<number, Signal<CommandState | undefined>>();
  readonly #newest = new Map<number, number>();
  #count = 0;

  /** `onOutcome` is called when a command is done, rejected or lost. */
  constructor(onOutcome: (outcome: CommandOutcome) => void) {
    this.#onOutcome = onOutcome;
  }

  stateOf(id: number): Signal<CommandState | undefined> {
    let state = this.#states.get(id);
    if (state === undefined) this.#states.set(id, (state = signal(undefined)));
    return state;
  }

  /** Clears the unknown outcome of a variable: it has reported since. */
  reported(id: number): void {
    const state = this.#states.get(id);
    if (state?.peek()?.kind === 'unknown') state.value = undefined;
  }

  /** Says what became of a command whose reply was lost; undefined: it was done. */
  settle(id: number, state: CommandState | undefined): void {
    if (this.stateOf(id).peek()?.kind !== 'unknown') return;
    this.#newest.set(id, ++this.#count);
    this.#finish(id, state);
  }

  /** Sends a command to an object. The outcome is in `stateOf`. */
  run(id: number, send: () => Promise<unknown>): void {
    const state = this.stateOf(id);
    const number = ++this.#count;
    this.#newest.set(id, number);
    const isNewest = () => this.#newest.get(id) === number;
    const cancelWaiting = realTiming.after(WAITING_MS, () => {
      if (isNewest()) state.value = { kind: 'waiting' };
    });
    const finish = (result: CommandState | undefined) => {
      cancelWaiting();
      if (isNewest()) this.#finish(id, result);
    };
    send().then(
      () => finish(undefined),
      (thrown: unknown) => finish(stateOfError(thrown)),
    );
  }

  #finish(id: number, result: CommandState | undefined): void {
    const state = this.stateOf(id);
    const number = this.#newest.get(id);
    state.value = result;
    this.#onOutcome({ id, state: result });
    if (result?.kind === 'rejected')
      realTiming.after(REFUSED_MS, () => {
        if (this.#newest.get(id) === number) state.value = undefined;
      });
  }
}

function stateOfError(thrown: unknown): CommandState {
  if (!(thrown instanceof RpcError)) return { kind: 'unknown' };
  const data = (thrown.data ?? {}) as { readonly rule?: unknown; readonly untilMs?: unknown };
  return {
    kind: 'rejected',
    code: thrown.reason ?? 'OTHER',
    rule: typeof data.rule === 'string' ? data.rule : '',
    untilMs: typeof data.untilMs === 'number' ? data.untilMs : 0,
  };
}
