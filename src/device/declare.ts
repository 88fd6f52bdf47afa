import type { Static, TSchema } from '@sinclair/typebox';
import type { ChunkedResult } from '../base/json-chunks.js';
import type { Value } from '../kernel/value.js';

/** Types of parameters and results; the index is `Type_` in reflection records (interface §1). */
export const parameterKinds = ['boolean', 'integer', 'float', 'string', 'variant', 'array'] as const;
export type ParameterKind = (typeof parameterKinds)[number];

/** A parameter: its name in the command reference, its type, and the names of an enumeration by number. */
export interface Parameter<T = unknown> {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly enumeration?: readonly string[];
  /** Further names that the command reference does not have, by the numbers that follow. */
  readonly extension?: readonly string[];
  /** The schema of a list, a map or a variant, for callers; the function checks it itself. */
  readonly shape?: TSchema;
  /** May be omitted at the end of the list; only our own `GW_` functions have optional parameters. */
  readonly optional?: boolean;
  /** Never set; carries the type. */
  readonly type?: T;
}

export const bool = (name: string): Parameter<boolean> => ({ name, kind: 'boolean' });
/** An integer; with an enumeration, other numbers are rejected, except for those of its extension. */
export const int = (
  name: string,
  enumeration?: readonly string[],
  extension: readonly string[] = [],
): Parameter<number> =>
  enumeration === undefined ? { name, kind: 'integer' } : { name, kind: 'integer', enumeration, extension };
export const float = (name: string): Parameter<number> => ({ name, kind: 'float' });
export const text = (name: string): Parameter<string> => ({ name, kind: 'string' });
/** Any JSON value, checked by the function: a variable's value, unless its shape says otherwise. */
export const variant = (name: string, shape?: TSchema): Parameter<Value | null | object> =>
  shape === undefined ? { name, kind: 'variant' } : { name, kind: 'variant', shape };
/** A JSON array, or an object where the reference's "array" is a map of names. */
export const array = (name: string, shape: TSchema): Parameter<unknown[] | Record<string, unknown>> => ({
  name,
  kind: 'array',
  shape,
});
export const optional = <T>(parameter: Parameter<T>): Parameter<T | undefined> => ({
  ...parameter,
  optional: true,
});

/**
 * Who may call: everybody; a `webfront` user within its configurator's area, which the first parameter names;
 * the owner and a `webfront` user for its own socket; only the owner.
 */
export type Access = 'public' | 'webfront' | 'socket' | 'owner';

/** The caller of a function, for authorization and the audit log. */
export interface Caller {
  readonly role: 'owner' | 'webfront' | 'anonymous';
  /** The authenticated user name; for internal calls `script 12345`, `configuration`. */
  readonly user: string;
  /** The remote address; `local` for internal calls. */
  readonly remote: string;
  /** For `webfront`: the configurator that the password belongs to. */
  readonly configurator?: number;
  /** The change stream of the connection, for `GW_Subscribe`; absent over HTTP. */
  readonly stream?: ChangeStream;
  /** The session of the caller's browser; absent for clients that send a password or a token. */
  readonly session?: CallerSession;
}

/** The session of a browser, as functions and the audit see it. */
interface CallerSession {
  readonly id: string;
  /** What its user called the device; may be empty. */
  readonly device: string;
  /** Whether its user has given the password again within the last minutes. */
  isConfirmed(): boolean;
}

/** The user name of callers with a temporary token. */
export const TOKEN_USER = 'temporary token';

/** The user name of local callers without credentials (`api.local: open`). */
export const LOCAL_USER = 'local client';

/** One socket's view of the changes, which `GW_Subscribe` filters. */
export interface ChangeStream {
  /**
   * Empty lists mean everything; an id includes its subtree. Messages of `senders` are received in addition
   * to those of `ids`.
   */
  subscribe(ids: readonly number[], messages: readonly number[], senders?: readonly number[]): void;
}

/**
 * A function of the command reference, declared once: dispatch, checks, reflection, OpenRPC, the typed client
 * and help are derived from it. `run` gets converted and checked parameters (interface, decision 6) and may
 * return a promise. It throws only Faults. A configuration change is durable before the reply is sent,
 * without any action by `run`.
 */
export interface FunctionDeclaration {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly result: ParameterKind;
  /** The schema of an `array` or `variant` result; a variant without one is a variable's value. */
  readonly shape?: TSchema;
  readonly access: Access;
  readonly help: string;
  /**
   * Whether calls are written to the audit log, as they switch or change something. `outside`: except calls
   * by scripts.
   */
  readonly audited: boolean | 'outside';
  /** Whether the user of a browser session must have given the password again just before. */
  readonly confirmed?: boolean;
  /** For unsupported functions: the reason. Calls fail with `NOTHING_TO_DO`. */
  readonly unsupported?: string;
  /** The parameters as written to the audit log; required if they can contain a secret. Must not throw. */
  auditParameters?(...args: never[]): readonly unknown[];
  run(caller: Caller, ...args: never[]): unknown;
}

type Arguments<P extends readonly Parameter[]> = {
  [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

/** The read-only type of values that conform to a schema. */
export type ReadonlyStatic<S extends TSchema> = Unchanged<Static<S>>;
type Unchanged<T> = T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T;

interface ResultOf<S extends TSchema> {
  readonly boolean: boolean;
  readonly integer: number;
  readonly float: number;
  readonly string: string;
  readonly variant: ReadonlyStatic<S>;
  readonly array: ReadonlyStatic<S> | ChunkedResult;
}

/** A declaration whose `run` is typed by its parameters and its result. */
interface FunctionDefinition<P extends readonly Parameter[], K extends ParameterKind, S extends TSchema> {
  readonly name: string;
  readonly parameters: P;
  readonly result: K;
  readonly shape?: S;
  readonly access?: Access;
  readonly audited?: boolean | 'outside';
  readonly confirmed?: boolean;
  readonly help: string;
  readonly auditParameters?: (...args: Arguments<P>) => readonly unknown[];
  readonly run: (caller: Caller, ...args: Arguments<P>) => ResultOf<S>[K] | Promise<ResultOf<S>[K]>;
}

/** Declares a function. Defaults: `access` owner, `audited` false. */
export function declare<
  const P extends readonly Parameter[],
  K extends ParameterKind,
  S extends TSchema = TSchema,
>(declared: FunctionDefinition<P, K, S>): FunctionDeclaration {
  const { name, parameters, result, access = 'owner', audited = false, help } = declared;
  const run = declared.run as FunctionDeclaration['run'];
  const shown = declared.auditParameters as FunctionDeclaration['auditParameters'];
  const { shape } = declared;
  return {
    name,
    parameters,
    result,
    access,
    audited,
    help,
    run,
    ...(shape && { shape }),
    ...(shown && { auditParameters: shown }),
    ...(declared.confirmed && { confirmed: true }),
  };
}
