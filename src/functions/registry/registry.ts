import { coded } from '../../base/codes/coded-text.js';
import type { Clock } from '../../base/clock.js';
import { Fault, fault, faultFrom, isAbort } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import type { Caller, FunctionDeclaration, Parameter } from '../../device/declare.js';
import { auditRoleOf, shortenParameters, type AuditSink } from './audit.js';
import { converterOf, type Converter } from './parameter-converters.js';

/** The version of the configuration, and when it is on the disk. */
interface Durability {
  /** Increases with every change of the configuration. */
  readonly version: number;
  /**
   * Resolves when all changes so far are on the disk; rejects with `STORE_FAILED`. They stay in memory in
   * both cases.
   */
  committed(): Promise<void>;
}

/** What a registry is created from. */
export interface RegistryOptions {
  readonly functions: Iterable<FunctionDeclaration>;
  /** Another product's prefix → ours (`{ IPS: 'SVC' }`), for clients that use the other names. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly durability: Durability;
  readonly audit: AuditSink;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  /**
   * Returns the id of the object at a path; throws `PATH_NOT_FOUND`, `PATH_AMBIGUOUS`. If absent, paths are
   * not accepted.
   */
  readonly idAt?: (path: string) => number;
}

interface Entry {
  readonly declaration: FunctionDeclaration;
  readonly converters: readonly Converter[];
  /** The number of mandatory parameters. */
  readonly required: number;
  readonly run: (caller: Caller, ...args: readonly unknown[]) => unknown;
}

/**
 * The functions that can be called, by name. A call is looked up, authorised, its parameters are converted
 * and checked (interface, decision 6), and it is executed. A call that switches or changes something is
 * written to the audit. The reply is sent when its changes are durable.
 */
export class Registry {
  readonly #entries = new Map<string, Entry>();
  readonly #declarations: readonly FunctionDeclaration[];
  readonly #durability: Durability;
  readonly #audit: AuditSink;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #log: Log;
  readonly #idAt: ((path: string) => number) | undefined;

  /** Throws a RangeError if two functions have the same name. */
  constructor({ functions, aliases = {}, durability, audit, clock, log, idAt }: RegistryOptions) {
    this.#idAt = idAt;
    this.#durability = durability;
    this.#audit = audit;
    this.#clock = clock;
    this.#log = log;
    this.#declarations = [...functions].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const declaration of this.#declarations) {
      if (this.#entries.has(declaration.name))
        throw new RangeError(`two functions have the name ${declaration.name}`);
      this.#entries.set(declaration.name, entryOf(declaration));
    }
    this.#addAliases(aliases);
  }

  /** All functions, sorted by name, without aliases. */
  all(): readonly FunctionDeclaration[] {
    return this.#declarations;
  }

  find(name: string): FunctionDeclaration | undefined {
    return this.#entries.get(name)?.declaration;
  }

  /** Every name that can be called, including aliases. */
  names(): string[] {
    return [...this.#entries.keys()];
  }

  /**
   * Calls a function with positional (array), named (object) or no parameters. Returns the result or a
   * promise of it; throws or rejects only with a `Fault`.
   */
  call(method: string, params: unknown, caller: Caller): unknown {
    const entry = this.#entries.get(method);
    if (entry === undefined) throw fault('METHOD_NOT_FOUND');
    const { access } = entry.declaration;
    if (access !== 'public' && caller.role !== 'owner' && (caller.role !== 'webfront' || access === 'owner'))
      throw fault('ACCESS_DENIED');
    // Only the owner may use paths: for others a path would reveal which objects exist.
    const args = argumentsOf(entry, params, caller.role === 'owner' ? this.#idAt : undefined);
    // A web front user may only name its own configurator, in the first parameter (interface, decision 15).
    if (caller.role === 'webfront' && access === 'webfront' && args[0] !== caller.configurator)
      throw fault('ACCESS_DENIED');
    if (entry.declaration.confirmed === true && caller.session?.isConfirmed() === false)
      throw this.#failed(entry, [caller, args], fault('CONFIRMATION_REQUIRED', entry.declaration.name));
    const version = this.#durability.version;
    let result: unknown;
    try {
      result = entry.run(caller, ...args);
    } catch (thrown) {
      throw this.#failed(entry, [caller, args], thrown);
    }
    if (result instanceof Promise) return this.#later(entry, [caller, args], { result, version });
    this.#done(entry, [caller, args]);
    return this.#durability.version === version ? result : this.#committed(result);
  }

  async #later(
    entry: Entry,
    call: readonly [Caller, readonly unknown[]],
    { result, version }: { result: Promise<unknown>; version: number },
  ): Promise<unknown> {
    let value: unknown;
    try {
      value = await result;
    } catch (thrown) {
      throw this.#failed(entry, call, thrown);
    }
    this.#done(entry, call);
    return this.#durability.version === version ? value : this.#committed(value);
  }

  async #committed(result: unknown): Promise<unknown> {
    await this.#durability.committed();
    return result;
  }

  #done({ declaration }: Entry, [caller, args]: readonly [Caller, readonly unknown[]]): void {
    if (isAudited(declaration, caller)) this.#record(declaration, caller, { args, ok: true });
  }

  #failed(
    { declaration }: Entry,
    [caller, args]: readonly [Caller, readonly unknown[]],
    thrown: unknown,
  ): Fault {
    let failure: Fault;
    if (thrown instanceof Fault)
      failure =
        caller.role === 'owner' || thrown.general === thrown.message
          ? thrown
          : new Fault(thrown.code, thrown.general, {
              cause: thrown,
              ...(thrown.details !== undefined && { details: thrown.details }),
            });
    else if (isAbort(thrown)) failure = fault('STOPPING');
    else {
      this.#log.error(
        { err: thrown, method: declaration.name, user: caller.user },
        'function failed with an internal error',
      );
      failure = faultFrom(thrown, 'INTERNAL');
    }
    if (isAudited(declaration, caller))
      this.#record(declaration, caller, { args, ok: false, code: failure.code });
    return failure;
  }

  #record(
    { name, auditParameters }: FunctionDeclaration,
    caller: Caller,
    { args, ...outcome }: { args: readonly unknown[]; ok: boolean; code?: string },
  ): void {
    const params = shortenParameters(
      auditParameters === undefined ? args : auditParameters(...(args as never[])),
    );
    const { user, remote, session } = caller;
    this.#audit.record({
      role: auditRoleOf(caller),
      at: Math.floor(this.#clock.nowMs() / 1000),
      user,
      remote,
      ...(session !== undefined && session.device !== '' && { device: session.device }),
      method: name,
      params,
      ...outcome,
    });
  }

  #addAliases(aliases: Readonly<Record<string, string>>): void {
    for (const [foreign, ours] of Object.entries(aliases)) {
      for (const { name } of this.#declarations) {
        const alias = name.startsWith(`${ours}_`) ? `${foreign}${name.slice(ours.length)}` : name;
        const entry = this.#entries.get(name);
        if (entry !== undefined && !this.#entries.has(alias)) this.#entries.set(alias, entry);
      }
    }
  }
}

function isAudited({ audited }: FunctionDeclaration, caller: Caller): boolean {
  if (audited !== 'outside') return audited;
  return caller.remote !== 'local' || !caller.user.startsWith(SCRIPT_USER);
}

/** Prefix of the user name of calls from a script; the id of the script follows. */
const SCRIPT_USER = 'script';

function entryOf(declaration: FunctionDeclaration): Entry {
  const { parameters } = declaration;
  return {
    declaration,
    converters: parameters.map(converterOf),
    required: parameters.filter(({ optional }) => optional !== true).length,
    run: declaration.run as Entry['run'],
  };
}

/** Finds an object by its path; undefined if paths are not accepted. */
type IdAt = ((path: string) => number) | undefined;

function argumentsOf(entry: Entry, params: unknown, idAt: IdAt): unknown[] {
  if (Array.isArray(params)) return positional(entry, params as readonly unknown[], idAt);
  if (params === undefined) return positional(entry, [], idAt);
  if (typeof params === 'object' && params !== null)
    return named(entry, params as Record<string, unknown>, idAt);
  throw fault('INVALID_REQUEST', coded`PARAMS_MUST_ARRAY_OBJECT: params must be an array or an object`);
}

function positional(entry: Entry, params: readonly unknown[], idAt: IdAt): unknown[] {
  const { converters, required } = entry;
  const count = params.length;
  if (count < required || count > converters.length) throw wrongCount(entry);
  const args: unknown[] = [];
  for (let i = 0; i < count; i++) args.push(converted(entry, i, params[i], idAt));
  return args;
}

/** Arguments from named parameters. Names are case-sensitive. */
function named(entry: Entry, params: Record<string, unknown>, idAt: IdAt): unknown[] {
  const { name: method, parameters } = entry.declaration;
  for (const name of Object.keys(params)) {
    if (!parameters.some((parameter) => parameter.name === name))
      throw fault('PARAMETER_UNKNOWN', name, method);
  }
  return parameters.map(({ name }, i) => {
    if (Object.hasOwn(params, name)) return converted(entry, i, params[name], idAt);
    if (i < entry.required) throw wrongCount(entry);
    return undefined;
  });
}

/**
 * One argument, converted. For an integer without an enumeration, a string with `/` in it is the path of an
 * object.
 */
function converted({ converters, declaration }: Entry, i: number, given: unknown, idAt: IdAt): unknown {
  if (typeof given === 'string' && idAt !== undefined && given.includes('/')) {
    const { kind, enumeration } = declaration.parameters[i] as Parameter;
    if (kind === 'integer' && enumeration === undefined) return idAt(given);
  }
  return (converters[i] as Converter)(given);
}

function wrongCount({ declaration: { name, parameters } }: Entry): Fault {
  const names = parameters.map((one) => (one.optional === true ? `[${one.name}]` : one.name));
  return fault('PARAMETER_COUNT', name, names.length === 0 ? 'no parameters' : names.join(', '));
}
