import { CodedError, CodedText, type Parameter, type Text } from './codes/coded-text.js';
import { maskUrls } from './url-secrets.js';

/** Error codes of replies: those of JSON-RPC 2.0 §5.1, and one of our own. */
const rpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  failed: -32603,
  /** Rejected by the transport: credentials, origin, size, rate (interface, decision 5). */
  rejected: -32000,
} as const;

const OFFLINE = 'The device is offline';

/**
 * The table of all failures: stable name → JSON-RPC code, whether a retry can succeed, and the text. A name
 * never changes its meaning. Texts are English (interface, decision 5) and say what to do where that is
 * known.
 */
export const faults = {
  PARSE_ERROR: row(rpcCode.parseError, false, (why: string) => `Parse error: ${why}`),
  INVALID_REQUEST: row(rpcCode.invalidRequest, false, (why: string) => `Invalid request: ${why}`),
  METHOD_NOT_FOUND: row(rpcCode.methodNotFound, false, () => 'Method not found'),
  PARAMETER_COUNT: row(
    rpcCode.invalidParams,
    false,
    (name: string, takes: string) => `Wrong parameter count for ${name}(): it takes ${takes}`,
  ),
  PARAMETER_TYPE: row(
    rpcCode.invalidParams,
    false,
    (name: string, why: string) => `Parameter type of ${name} does not match: ${why}`,
  ),
  PARAMETER_BOUNDS: row(
    rpcCode.invalidParams,
    false,
    (name: string) => `Parameter ${name} not inside of the specified bounds`,
  ),
  PARAMETER_UNKNOWN: row(
    rpcCode.invalidParams,
    false,
    (name: string, method: string) => `${method} has no parameter ${name}`,
  ),
  INEXACT_NUMBER: row(
    rpcCode.invalidParams,
    false,
    (numeral: string) =>
      `${numeral.length > 40 ? `${numeral.slice(0, 40)}…` : numeral} cannot be represented exactly; send it as a string, or send a number that a double can represent`,
  ),
  CANNOT_CONVERT: row(
    rpcCode.invalidParams,
    false,
    (name: string, why: string) => `Cannot auto-convert value for parameter ${name} (${why})`,
  ),

  OBJECT_MISSING: row(rpcCode.failed, false, (id: number) => `Object #${id} does not exist`),
  NOT_OF_TYPE: row(rpcCode.failed, false, (type: string, id: number) => `${type} #${id} does not exist`),
  NAME_NOT_FOUND: row(rpcCode.failed, false, (name: string) => `Object with name ${name} could not be found`),
  IDENT_NOT_FOUND: row(
    rpcCode.failed,
    false,
    (ident: string) => `Object with ident ${ident} could not be found`,
  ),
  PATH_NOT_FOUND: row(
    rpcCode.failed,
    false,
    (step: string, place: string, there: string) =>
      `Nothing ${place} has the ident or the name ${step}; ${there}`,
  ),
  PATH_AMBIGUOUS: row(
    rpcCode.failed,
    false,
    (path: string, found: string) => `The path ${path} is ambiguous: it leads to ${found}; use the ID`,
  ),
  IDENT_TAKEN: row(rpcCode.failed, false, () => 'Ident must be unique for each category/level'),
  IDENT_INVALID: row(rpcCode.failed, false, () => 'Ident may contain only letters and numbers'),
  ROOT_FIXED: row(rpcCode.failed, false, () => 'Cannot change root'),
  HAS_CHILDREN: row(rpcCode.failed, false, () => 'Cannot call UnregisterObject if a children is present'),
  PARENT_LOOP: row(rpcCode.failed, false, () => 'An object cannot be moved below itself'),
  IDS_EXHAUSTED: row(rpcCode.failed, false, () => 'No object ID is left; delete objects first'),
  ID_TAKEN: row(rpcCode.failed, false, (id: number) => `The ID ${id} belongs to another object now`),
  DELETION_MISSING: row(
    rpcCode.failed,
    false,
    (id: number) => `Deletion ${id} does not exist or is no longer kept; GW_GetDeleted lists those that are`,
  ),
  RESTORE_IMPOSSIBLE: row(rpcCode.failed, false, (why: string) => `It cannot be restored: ${why}`),
  TEXT_TOO_LONG: row(
    rpcCode.failed,
    false,
    (what: string, limit: number, unit: 'bytes' | 'characters') => `${what} is longer than ${limit} ${unit}`,
  ),
  VARIABLE_TYPE: row(rpcCode.failed, false, (id: number) => `Variable #${id}: variable type does not match`),
  PROFILE_MISSING: row(
    rpcCode.failed,
    false,
    (name: string) => `Profile with the name ${name} does not exist`,
  ),
  PROFILE_EXISTS: row(
    rpcCode.failed,
    false,
    (name: string) => `Profile with the name ${name} already exists`,
  ),
  PROFILE_NAME: row(rpcCode.failed, false, () => 'A profile name must not be empty and must not contain ~'),
  PROFILE_BUILT_IN: row(
    rpcCode.failed,
    false,
    (name: string) => `Profile ${name} is built in and cannot be changed`,
  ),
  PROFILE_TYPE: row(rpcCode.failed, false, (name: string) => `Profile ${name} is of another type`),
  ASSOCIATION_MISSING: row(
    rpcCode.failed,
    false,
    (value: string) => `Cannot find association for deletion with value ${value}`,
  ),
  CHANGES_LOST: row(
    rpcCode.failed,
    false,
    () => 'Changes since that counter are no longer kept; take a snapshot',
  ),

  MODULE_MISSING: row(
    rpcCode.failed,
    false,
    (id: string, hint: string = '') => `Module #${id} does not exist${hint}`,
  ),
  LIBRARY_MISSING: row(rpcCode.failed, false, (id: string) => `Library #${id} does not exist`),
  PROPERTY_MISSING: row(rpcCode.failed, false, (name: string) => `Property ${name} does not exist`),
  PROPERTY_INVALID: row(rpcCode.failed, false, (name: string, why: string) => `Property ${name}: ${why}`),
  CONFIGURATION_INVALID: row(rpcCode.failed, false, (why: string) => `Configuration is not valid: ${why}`),
  CONFIGURATION_CHANGED: row(
    rpcCode.failed,
    false,
    () => 'The configuration has changed since it was read; read it again',
  ),
  INCOMPATIBLE: row(rpcCode.failed, false, () => 'The data flow is incompatible'),
  ACTION_INVALID: row(
    rpcCode.failed,
    false,
    (why: string = '') => `Action is invalid${why === '' ? '' : `: ${why}`}`,
  ),
  READ_ONLY: row(rpcCode.failed, false, (what: string) => `${what} cannot be written`),
  WRONG_MODULE: row(
    rpcCode.failed,
    false,
    (id: number, name: string) => `Instance #${id} is not an instance of ${name}`,
  ),
  // A device behind another offline device repeats no prefix.
  DEVICE_OFFLINE: row(rpcCode.failed, true, (why: string) =>
    why.startsWith(OFFLINE) ? why : `${OFFLINE}: ${why}`,
  ),
  DEVICE_REFUSED: row(rpcCode.failed, true, (why: string) => `The device rejected the request: ${why}`),
  RULE_FORBIDS: row(
    rpcCode.failed,
    true,
    (rule: string, why: string) => `The rule forbids it: ${rule}: ${why}`,
  ),
  CHIP_NOT_ENABLED: row(rpcCode.failed, false, (why: string) => `The chip cannot be enabled: ${why}`),
  DEVICE_CONFIGURATION: row(rpcCode.failed, false, (why: string) => why),
  TIMED_OUT: row(rpcCode.failed, true, (what: string) => `${what} took too long`),
  URL_FAILED: row(rpcCode.failed, true, (why: string) => `The URL cannot be read: ${why}`),
  SCRIPT_FAILED: {
    ...row(rpcCode.failed, false, (why: string) => why),
    general: 'The script failed; the log has the details',
  },
  PROGRAM_FAILED: row(
    rpcCode.failed,
    false,
    (file: string, why: string) => `${file} could not be started: ${why}`,
  ),
  NOT_ALLOWED: row(rpcCode.failed, false, (what: string) => `${what} is not allowed`),
  FUNCTION_MISSING: row(rpcCode.failed, false, (name: string) => `Function ${name} does not exist`),
  NOTHING_TO_DO: row(
    rpcCode.failed,
    false,
    (name: string, why: string) => `${name} is not supported: ${why}`,
  ),
  NOT_SUPPORTED: row(rpcCode.failed, false, (what: string) => `${what} is not supported`),
  ACCESS_DENIED: row(rpcCode.failed, false, () => 'Access denied'),
  CONFIRMATION_REQUIRED: row(
    rpcCode.failed,
    false,
    (name: string) => `${name} requires the password again: send it to /console/confirm first`,
  ),
  ITEM_MISSING: row(rpcCode.failed, false, (id: string) => `Item ${id} does not exist`),
  ITEMS_INVALID: row(rpcCode.failed, false, (why: string) => `Items are not valid: ${why}`),
  KEY_USED: row(rpcCode.failed, false, () => 'The key belongs to another command; choose a new one'),
  OPTION_MISSING: row(rpcCode.failed, false, (name: string) => `Option ${name} does not exist`),
  EVENT_TYPE: row(rpcCode.failed, false, (id: number, kind: string) => `Event #${id} is not a ${kind} event`),
  EVENT_PART_MISSING: row(rpcCode.failed, false, (what: string) => `${what} does not exist`),
  ACTION_MISSING: row(rpcCode.failed, false, (id: string) => `Action ${id} does not exist`),
  FILE_NAME: row(
    rpcCode.failed,
    false,
    (name: string, why: string) => `${name} is not a usable file name: ${why}`,
  ),
  ICON_MISSING: row(rpcCode.failed, false, (name: string) => `Icon ${name} does not exist`),
  RETAINED_MISSING: row(rpcCode.failed, false, (topic: string) => `The broker retains nothing on ${topic}`),
  FILE_MISSING: row(rpcCode.failed, false, (name: string) => `File ${name} does not exist`),
  STORE_FAILED: row(
    rpcCode.failed,
    true,
    (why: string) => `The change is in memory but not yet on the disk: ${why}`,
  ),
  ARCHIVE_FAILED: row(rpcCode.failed, true, (why: string) => `The archive failed: ${why}`),
  NOT_LOGGED: row(
    rpcCode.failed,
    false,
    (id: number) => `Variable #${id} is not logged; switch it on with AC_SetLoggingStatus`,
  ),
  FILE_FAILED: row(rpcCode.failed, true, (name: string, why: string) => `${name} cannot be written: ${why}`),
  STORE_UNUSABLE: row(rpcCode.failed, false, (why: string) => why),
  LISTEN_FAILED: row(rpcCode.failed, true, (where: string, why: string) => `${where} does not work: ${why}`),
  INTERNAL: row(rpcCode.failed, false, () => 'Internal error; the log has the details'),
  BACKUP_TARGET_FAILED: row(rpcCode.failed, true, (why: string) => `The backup target failed: ${why}`),
  BACKUP_DAMAGED: row(rpcCode.failed, false, (why: string) => `The backup is damaged: ${why}`),
  RECOVERY_KEY_WRONG: row(rpcCode.failed, false, (why: string) => `The recovery key is wrong: ${why}`),
  CANCELLED: row(rpcCode.failed, false, () => 'It was cancelled'),
  STOPPING: row(rpcCode.failed, true, () => 'The gateway is stopping'),
  BUSY: row(rpcCode.rejected, true, (what: string) => `${what}; try again later`),

  UNAUTHORIZED: row(rpcCode.rejected, false, () => 'Credentials are missing or wrong'),
  HOST_REFUSED: row(rpcCode.rejected, false, () => 'This Host is not allowed; the log names the key to add'),
  ORIGIN_REFUSED: row(
    rpcCode.rejected,
    false,
    () => 'This Origin is not allowed; the log names the key to add',
  ),
  NOT_FOUND: row(rpcCode.rejected, false, () => 'Not found; the API is at /api/'),
  METHOD_NOT_ALLOWED: row(rpcCode.rejected, false, () => 'Use POST'),
  BODY_TIMEOUT: row(rpcCode.rejected, true, () => 'The request took too long to arrive'),
  BODY_TOO_LARGE: row(
    rpcCode.rejected,
    false,
    (limit: number) => `The request is larger than ${limit} bytes`,
  ),
  TOO_MANY_REQUESTS: row(rpcCode.rejected, true, () => 'Too many requests; slow down'),
} as const;

/** `general`: the text for callers who may not see the other texts; undefined if they may. */
function row<A extends unknown[]>(rpc: number, retry: boolean, text: (...args: A) => string) {
  return { rpc, retry, text, general: undefined };
}

/** The stable name of a failure, as in `error.data.code`. */
export type FaultCode = keyof typeof faults;

/** What a row's text is made from; a text may have a code. */
type Args<C extends FaultCode> = WithCodes<Parameters<(typeof faults)[C]['text']>>;
type WithCodes<P extends readonly unknown[]> = { [K in keyof P]: WithCode<P[K]> };
type WithCode<T> = string extends T ? T | CodedText : T;

/** What a fault has in addition to its text. */
interface FaultOptions extends ErrorOptions {
  /** The text without names of other objects; required if the text has some. */
  readonly general?: string;
  /** What the text is made from, for clients that make it in another language. */
  readonly parameters?: readonly Parameter[];
  /** Further members of `error.data`; they name no other object. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A coded failure, the only error class that replies are made from. `code` is stable, `rpc` is its JSON-RPC
 * code, `retry` is whether the same call can succeed later. Throw it as `fault('OBJECT_MISSING', id)`.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly rpc: number;
  readonly retry: boolean;
  /** The text for users who see only a part of the tree: it names no other object than the one concerned. */
  readonly general: string;
  /** What the text is made from; undefined if that is not known. */
  readonly parameters: readonly Parameter[] | undefined;
  /** Further members of `error.data`, if it has any. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    // URLs in error texts never show a password.
    super(maskUrls(message), options);
    this.code = code;
    this.rpc = faults[code].rpc;
    this.retry = faults[code].retry;
    this.parameters = options.parameters;
    this.details = options.details;
    this.general = maskUrls(options.general ?? faults[code].general ?? message);
  }
}

/** Makes a fault from the table. */
export function fault<C extends FaultCode>(code: C, ...args: Args<C>): Fault {
  return new Fault(code, textOf(code, args), { parameters: parametersOf(args) });
}

/** As {@link fault}, keeping what was caught as `cause` (for the log; it never reaches a client). */
export function faultFrom<C extends FaultCode>(cause: unknown, code: C, ...args: Args<C>): Fault {
  return new Fault(code, textOf(code, args), { cause, parameters: parametersOf(args) });
}

function textOf<C extends FaultCode>(code: C, args: Args<C>): string {
  return (faults[code].text as (...args: unknown[]) => string)(
    ...parametersOf(args).map((one) => (one instanceof CodedText ? one.text : one)),
  );
}

const parametersOf = (args: readonly unknown[]): Parameter[] =>
  args.map((one) => (typeof one === 'string' ? cut(maskUrls(one)) : (one as Parameter)));

/** Longest part of a caller's text that an error quotes, characters: callers may send megabytes. */
const QUOTED_LIMIT = 4096;
const cut = (text: string): string =>
  text.length > QUOTED_LIMIT ? `${text.slice(0, QUOTED_LIMIT)}… (${text.length} characters)` : text;

/** The message of a thrown value on one line, for logs and status texts. */
export function messageOf(thrown: unknown): string {
  return onOneLine(thrown instanceof Error ? thrown.message : String(thrown));
}

/** As {@link messageOf}, for users who see only a part of the tree, such as texts in variables. */
export function generalOf(thrown: unknown): string {
  return thrown instanceof Fault ? onOneLine(thrown.general) : messageOf(thrown);
}

/** As {@link messageOf}, with its code and parameters if it has them. */
export function codedMessageOf(thrown: unknown): Text {
  if (thrown instanceof CodedError) return thrown.codedText;
  return thrown instanceof Fault && thrown.parameters !== undefined
    ? new CodedText(thrown.code, thrown.parameters, messageOf(thrown))
    : messageOf(thrown);
}

/** As {@link generalOf}, with its code and parameters if its text has nothing to hide. */
export function codedGeneralOf(thrown: unknown): Text {
  const isGeneral = thrown instanceof Fault && thrown.general === thrown.message;
  return isGeneral ? codedMessageOf(thrown) : generalOf(thrown);
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The code of a thrown value: that of a fault, or of a system error (`ENOENT`); undefined if it has none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}

/**
 * Whether an operation was cancelled by the gateway itself: not logged as a failure, not returned as a fault.
 */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}
