/** The globals of the original product that every script has; undefined unless the run sets them. */
const VALUES = ['VARIABLE', 'VALUE', 'OLDVALUE', 'EVENT', 'TARGET'] as const;

/** The setup of a realm, passed as JSON. */
interface RealmSetup {
  /** Global values, which are also in `PARAMETERS`. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The functions of the command reference. */
  readonly names: readonly string[];
  readonly undefinedNames: readonly string[];
}

/**
 * The only interface from a script's realm to its process. All arguments and results are primitive values,
 * because a script could reach the entire process through any of its objects or functions
 * (`x.constructor.constructor`).
 */
export interface Bridge {
  /** Calls the function with this index; `params` is JSON. Returns the reply as JSON. */
  readonly call: (index: number, params: string) => string;
  /**
   * Fetches and compiles another script; `what` is JSON. Returns JSON: a fault, or whether `run` must be
   * called.
   */
  readonly include: (what: string | undefined) => string;
  /** Runs the script compiled last. */
  readonly run: () => unknown;
  readonly print: (text: string) => void;
  readonly startTimer: (id: number, ms: number, isRepeated: boolean) => void;
  readonly stopTimer: (id: number) => void;
  /** Decodes or encodes Base64; undefined for invalid input. */
  readonly atob: (text: string) => string | undefined;
  readonly btoa: (text: string) => string | undefined;
  /** The script's promise is fulfilled. */
  readonly settled: () => void;
  /** Reports an exception that no caller handles. */
  readonly failed: (thrown: string) => void;
}

/** Functions of the realm, called by the process. They throw only if the stack is exhausted. */
export interface Realm {
  /** Runs the script compiled last; returns its exception as JSON. */
  readonly main: (isAsync: boolean) => string | undefined;
  /** Runs a timer's function; returns its exception as JSON. */
  readonly fire: (id: number, isLast: boolean) => string | undefined;
  /** An exception as JSON of {@link Thrown}. */
  readonly describe: (thrown: unknown) => string;
  /** The error that rejects a dynamic import. */
  readonly importError: () => unknown;
}

/** A description of an exception. */
export interface Thrown {
  readonly message: string;
  readonly stack?: string;
  /** The position of a syntax error. */
  readonly at?: { readonly file: string; readonly line: number; readonly column: number };
}

/**
 * Creates the globals of a script. The function's source is evaluated inside the script's own context, so
 * that every function and error that a script gets belongs to that context. It therefore refers to nothing
 * outside itself, and uses no method that a script can replace, except methods that only see the script's own
 * objects.
 */
function makeRealm(bridge: Bridge, setupText: string): Realm {
  const { parse, stringify } = JSON;
  const { apply, defineProperty, deleteProperty, getPrototypeOf, ownKeys } = Reflect;
  const ObjectPrototype = Object.prototype;
  const { String, Number, Error, SyntaxError, TypeError, RangeError } = globalThis;
  // Globals are read and replaced by name.
  const globals = globalThis as unknown as Record<string, unknown>;
  type Callback = (...args: unknown[]) => unknown;
  type Reply = { is: string; value?: unknown; message?: string; code?: string; at?: Thrown['at'] };

  /** A syntax error with its position. */
  class CompileError extends SyntaxError {
    readonly #at: Thrown['at'];
    constructor(message: string, at: Thrown['at']) {
      super(message);
      this.#at = at;
    }
    static positionOf(thrown: object): Thrown['at'] {
      return #at in thrown ? thrown.#at : undefined;
    }
  }

  const define = (name: string, value: unknown) =>
    defineProperty(globals, name, { value, writable: true, enumerable: true, configurable: true });
  // A bridge function throws only if the stack is exhausted; that error belongs to the process.
  const exhausted = () => new RangeError('Maximum call stack size exceeded');

  function fromJson(text: string): unknown {
    const reply = parse(text) as Reply;
    if (reply.is !== 'fault') return reply.value;
    if (reply.at !== undefined) throw new CompileError(String(reply.message), reply.at);
    const error = new Error(reply.message) as Error & { code?: string };
    if (reply.code !== undefined) error.code = reply.code;
    throw error;
  }

  /** Whether an exception is a primitive, or an object of this realm. */
  function isOwn(thrown: unknown): boolean {
    if (typeof thrown !== 'function' && (typeof thrown !== 'object' || thrown === null)) return true;
    try {
      let prototype: object | null = getPrototypeOf(thrown);
      if (prototype === null) return true;
      while (prototype !== null && prototype !== ObjectPrototype) prototype = getPrototypeOf(prototype);
      return prototype !== null;
    } catch {
      return false;
    }
  }

  function describe(thrown: unknown): string {
    try {
      if (typeof thrown !== 'object' || thrown === null || !('message' in thrown) || !('stack' in thrown))
        return `{"message":${stringify(String(thrown))}}`;
      const at = stringify(CompileError.positionOf(thrown));
      const position = at === undefined ? '' : `,"at":${at}`;
      return `{"message":${stringify(String(thrown.message))},"stack":${stringify(String(thrown.stack))}${position}}`;
    } catch {
      return '{"message":"the script threw a value that cannot be described"}';
    }
  }

  /** Calls a function; returns its exception as JSON. */
  function thrownBy(callback: Callback, args: unknown[]): string | undefined {
    try {
      apply(callback, undefined, args);
      return undefined;
    } catch (thrown) {
      return describe(thrown);
    }
  }

  const toText = (item: unknown): string => String(item);

  /** Formats an item for output: text as it is, lists and objects as JSON. */
  function formatItem(item: unknown): string {
    if (typeof item !== 'object' || item === null || ('stack' in item && 'message' in item))
      return toText(item);
    try {
      return stringify(item) ?? toText(item);
    } catch {
      return toText(item); // it contains itself, or a BigInt
    }
  }

  function write(items: unknown[], between: string, end: string): void {
    let text = '';
    for (let i = 0; i < items.length; i++) text += (i === 0 ? '' : between) + formatItem(items[i]);
    try {
      bridge.print(text + end);
    } catch {
      throw exhausted();
    }
  }

  function call(index: number, params: unknown[]): unknown {
    // A script's own `Array.prototype.toJSON` would change the parameters.
    let text = '';
    for (let i = 0; i < params.length; i++) text += (i === 0 ? '' : ',') + (stringify(params[i]) ?? 'null');
    let reply: string;
    try {
      reply = bridge.call(index, `[${text}]`);
    } catch {
      throw exhausted();
    }
    return fromJson(reply);
  }

  function include(what: unknown): boolean {
    const text = stringify(what);
    let reply: string;
    try {
      reply = bridge.include(text);
    } catch {
      throw exhausted();
    }
    if (fromJson(reply) !== true) return false;
    try {
      bridge.run();
    } catch (thrown) {
      throw isOwn(thrown) ? thrown : exhausted();
    }
    return true;
  }

  // Without a prototype, because a script can add properties to that of other objects.
  const timers = { __proto__: null } as unknown as Record<number, { callback: Callback; args: unknown[] }>;
  let lastTimer = 0;

  function startTimer([callback, ms, ...args]: unknown[], isRepeated: boolean): number {
    if (typeof callback !== 'function') throw new TypeError('a timer requires a function');
    const delay = Number(ms ?? 0);
    const id = ++lastTimer;
    timers[id] = { callback: callback as Callback, args };
    try {
      bridge.startTimer(id, delay, isRepeated);
    } catch {
      throw exhausted();
    }
    return id;
  }

  function stopTimer(given: unknown): void {
    const id = Number(given);
    delete timers[id];
    try {
      bridge.stopTimer(id);
    } catch {
      throw exhausted();
    }
  }

  const fulfilled = (async () => undefined)();
  async function runMicrotask(callback: Callback): Promise<void> {
    await fulfilled;
    const thrown = thrownBy(callback, []);
    if (thrown !== undefined) bridge.failed(thrown);
  }

  async function settle(value: unknown): Promise<void> {
    let thrown: string | undefined;
    try {
      await value;
    } catch (reason) {
      thrown = describe(reason);
    }
    if (thrown === undefined) bridge.settled();
    else bridge.failed(thrown);
  }

  function recode(code: (text: string) => string | undefined, given: unknown, why: string): string {
    const text = String(given);
    let result: string | undefined;
    try {
      result = code(text);
    } catch {
      throw exhausted();
    }
    if (result === undefined) throw new Error(why);
    return result;
  }

  const { values, names, undefinedNames } = parse(setupText) as RealmSetup;
  for (let i = 0; i < undefinedNames.length; i++) define(undefinedNames[i] as string, undefined);
  const given = ownKeys(values) as string[];
  for (let i = 0; i < given.length; i++) define(given[i] as string, values[given[i] as string]);
  define('PARAMETERS', values);
  const print = (...items: unknown[]) => write(items, '', '');
  const line = (...items: unknown[]) => write(items, ' ', '\n');
  define('print', print);
  define('echo', print);
  define('console', { log: line, info: line, debug: line, warn: line, error: line });
  define('setTimeout', (...args: unknown[]) => startTimer(args, false));
  define('setInterval', (...args: unknown[]) => startTimer(args, true));
  define('setImmediate', (callback: unknown, ...args: unknown[]) =>
    startTimer([callback, 0, ...args], false),
  );
  define('queueMicrotask', (callback: unknown) => {
    if (typeof callback !== 'function') throw new TypeError('queueMicrotask requires a function');
    void runMicrotask(callback as Callback);
  });
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate'])
    define(name, (id: unknown) => stopTimer(id));
  define('include', (what: unknown) => include(what));
  define('atob', (text: unknown) => recode(bridge.atob, text, 'atob: the text is not Base64'));
  define('btoa', (text: unknown) =>
    recode(bridge.btoa, text, 'btoa: the text has a character beyond U+00FF'),
  );
  for (let i = 0; i < names.length; i++)
    define(names[i] as string, (...params: unknown[]) => call(i, params));

  // Through these properties, V8 exposes objects of the process: call sites, and internal errors.
  const constant = { writable: false, enumerable: false, configurable: false };
  defineProperty(Error, 'prepareStackTrace', { value: undefined, ...constant });
  defineProperty(globals, 'Error', { value: Error, ...constant });
  const wasm = globals['WebAssembly'] as object;
  deleteProperty(wasm, 'compileStreaming');
  deleteProperty(wasm, 'instantiateStreaming');
  // Their promises are settled by other threads, possibly after the run has ended.
  deleteProperty(wasm, 'compile');
  deleteProperty(wasm, 'instantiate');
  deleteProperty(globals['Atomics'] as object, 'waitAsync');

  return {
    main: (isAsync) => {
      let value: unknown;
      try {
        value = bridge.run();
      } catch (thrown) {
        return describe(thrown);
      }
      if (isAsync) void settle(value);
      return undefined;
    },
    fire: (id, isLast) => {
      const timer = timers[id];
      if (isLast) delete timers[id];
      return timer === undefined ? undefined : thrownBy(timer.callback, timer.args);
    },
    describe,
    importError: () => new Error('A script can import nothing; include(script) runs another script'),
  };
}

/** The source of the realm's function, evaluated in a script's context. */
export const REALM_SOURCE = `'use strict';(${makeRealm.toString()})`;

export type MakeRealm = typeof makeRealm;

export const undefinedNames: readonly string[] = VALUES;
