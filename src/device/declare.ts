import type { Static, TSchema } from '@sinclair/typebox';
import type { ChunkedResult } from '../base/json-chunks.js';
import type { Value } from '../kernel/value.js';

/** Types of parameters and results; the index is `Type_` in reflection records (§1). */
export const parameterKinds = ['boolean', 'integer', 'float', 'string', 'variant', 'array'] as const;
export type ParameterKind = (typeof parameterKinds)[number];

/** A parameter: its name in the reference, its kind, and for enumerations the names by number. */
export interface Parameter<T = unknown> {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly enumeration?: readonly string[];
  /** What a list, a map or a value of any kind holds, for those who call; the function checks it by itself. */
  readonly shape?: TSchema;
  /** May be left out at the end of the list; only our own `GW_` functions have such. */
  readonly optional?: boolean;
  /** Never set; carries the type. */
  readonly type?: T;
}

export const bool = (name: string): Parameter<boolean> => ({ name, kind: 'boolean' });
/** An integer; with an enumeration, any other number is refused. */
export const int = (name: string, enumeration?: readonly string[]): Parameter<number> =>
  enumeration === undefined ? { name, kind: 'integer' } : { name, kind: 'integer', enumeration };
export const float = (name: string): Parameter<number> => ({ name, kind: 'float' });
export const text = (name: string): Parameter<string> => ({ name, kind: 'string' });
/** Any JSON value; what it may be is the function's business: a variable's value unless its shape says more. */
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

/** Who may call: anybody; a `webfront` user within its configurator's area; only the owner. */
export type Access = 'public' | 'webfront' | 'owner';

/** Who calls, and from where: for rights and for the audit. */
export interface Caller {
  readonly role: 'owner' | 'webfront' | 'anonymous';
  /** The user name as authenticated; for calls from inside: `script 12345`, `configuration`. */
  readonly user: string;
  /** Remote address, or `local` for calls from inside. */
  readonly remote: string;
  /** For `webfront`: the configurator whose password was given. */
  readonly configurator?: number;
  /** The change stream this call came over, for `GW_Subscribe`; absent on HTTP. */
  readonly stream?: ChangeStream;
}

/** The user name of a caller who was let in by a temporary token. */
export const TOKEN_USER = 'temporary token';

/** The user name of a caller on this machine that sent no credentials (`api.local: open`). */
export const LOCAL_USER = 'local client';

/** What `GW_Subscribe` narrows: one socket's view of the changes. */
export interface ChangeStream {
  /** Empty lists mean all; an id covers its subtree. */
  subscribe(ids: readonly number[], messages: readonly number[]): void;
}

/**
 * A function of the command reference, declared once: dispatch, checks, reflection, OpenRPC, typed client and help all
 * follow from it. `run` gets its parameters converted and checked (decision 6); it may return a promise. What it throws
 * is a Fault; a change of the configuration is durable before the reply leaves, without `run` doing anything for it.
 */
export interface FunctionDeclaration {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly result: ParameterKind;
  /** What a result of kind `array` or `variant` holds; a variant without it is a variable's value. */
  readonly shape?: TSchema;
  readonly access: Access;
  readonly help: string;
  /** True when it switches or changes something: the call is written to the audit. `outside`: unless a script made it. */
  readonly audited: boolean | 'outside';
  /** Why a gateway has nothing to do for it, where that is so: calling it fails with `NOTHING_TO_DO`. */
  readonly unsupported?: string;
  /** Its parameters as the audit may show them; needed where they can hold a secret. Must not throw. */
  auditParameters?(...args: never[]): readonly unknown[];
  run(caller: Caller, ...args: never[]): unknown;
}

type Arguments<P extends readonly Parameter[]> = {
  [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

/** What conforms to a schema, and is only read. */
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
export interface FunctionDefinition<
  P extends readonly Parameter[],
  K extends ParameterKind,
  S extends TSchema,
> {
  readonly name: string;
  readonly parameters: P;
  readonly result: K;
  readonly shape?: S;
  readonly access?: Access;
  readonly audited?: boolean | 'outside';
  readonly help: string;
  readonly auditParameters?: (...args: Arguments<P>) => readonly unknown[];
  readonly run: (caller: Caller, ...args: Arguments<P>) => ResultOf<S>[K] | Promise<ResultOf<S>[K]>;
}

/** Declares a function; `access` is the owner's unless said, `audited` false. */
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
  };
}
