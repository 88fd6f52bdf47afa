import { Fault, isAbort } from '../../base/fault.js';
import type { Clock } from '../../base/clock.js';
import type { Caller } from '../../device/declare.js';
import type { Dispatcher } from './dispatcher.js';

/** Called after each call with the function's name, the fault's code or `OK`, and the duration. */
type Count = (method: string, code: string, seconds: number) => void;

/** Passes calls on and counts them by function and result. Names of unknown functions are not passed on. */
export class CountedDispatcher implements Dispatcher {
  readonly #inner: Dispatcher;
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #count: Count;

  constructor(inner: Dispatcher, clock: Pick<Clock, 'monotonicNs'>, count: Count) {
    this.#inner = inner;
    this.#clock = clock;
    this.#count = count;
  }

  find: Dispatcher['find'] = (method) => this.#inner.find(method);

  call(method: string, params: unknown, caller: Caller): unknown {
    const started = this.#clock.monotonicNs();
    const end = (code: string) => {
      const known = this.#inner.find(method) === undefined ? '' : method;
      this.#count(known, code, Number(this.#clock.monotonicNs() - started) / 1e9);
    };
    try {
      const result = this.#inner.call(method, params, caller);
      if (result instanceof Promise)
        result.then(
          () => end('OK'),
          (thrown: unknown) => end(codeOf(thrown)),
        );
      else end('OK');
      return result;
    } catch (thrown) {
      end(codeOf(thrown));
      throw thrown;
    }
  }
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.code;
  return isAbort(thrown) ? 'STOPPING' : 'INTERNAL';
}
