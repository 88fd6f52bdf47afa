import { codeOf, generalOf } from '../../../src/base/fault.js';
import { variableType, type Value, type VariableType } from '../../../src/device/module.js';
import type { NewEntry } from '../queue/entry.js';

const QUALITIES = ['good', 'stale', 'bad'] as const;
/** A longer payload is not a command. */
const COMMAND_LIMIT = 4096;
/** The id of a command is returned as it is. */
const ID_LIMIT = 200;

/** The payload of a value. `seq` is 0 if the variable has had no value since forwarding began. */
export function encodeValue(entry: NewEntry, seq: number): Buffer {
  const { value, quality, reason, atMs, untrusted } = entry;
  return Buffer.from(
    JSON.stringify({
      value: value ?? null,
      quality: QUALITIES[quality],
      ...(reason !== '' && { reason }),
      time: Math.round(atMs),
      ...(untrusted !== undefined && { clock: 'untrusted' }),
      ...(seq > 0 && { seq }),
    }),
  );
}

/** A command to set a variable. */
interface JsonCommand {
  readonly value: unknown;
  /** Returned with the reply. */
  readonly id: string | number | undefined;
  /** The topic of the reply. */
  readonly response: string | undefined;
}

/**
 * A command from its payload: a value, or an object with `value`, `id` and `response`; undefined if it is
 * none.
 */
export function parseCommand(payload: Buffer): JsonCommand | undefined {
  if (payload.length === 0 || payload.length > COMMAND_LIMIT) return undefined;
  const json = parse(payload.toString());
  if (typeof json !== 'object') return { value: json, id: undefined, response: undefined };
  if (json === null || Array.isArray(json) || !('value' in json)) return undefined;
  const { value } = json;
  const id = 'id' in json ? json.id : undefined;
  const response = 'response' in json ? json.response : undefined;
  const isId =
    id === undefined || typeof id === 'number' || (typeof id === 'string' && id.length <= ID_LIMIT);
  if (!isId || (response !== undefined && typeof response !== 'string')) return undefined;
  return { value, id, response };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A payload that is not JSON is not a command.
    return null;
  }
}

/** The value for a variable of this type; undefined if it is of another one. */
export function valueFor(type: VariableType, value: unknown): Value | undefined {
  if (type === variableType.boolean) return typeof value === 'boolean' ? value : undefined;
  if (type === variableType.string) return typeof value === 'string' ? value : undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return type === variableType.integer && !Number.isSafeInteger(value) ? undefined : value;
}

/** The reply to a command; `thrown` is why it was not performed. */
export function encodeReply(id: JsonCommand['id'], thrown?: unknown): Buffer {
  const failure = thrown === undefined ? {} : { code: codeOf(thrown) ?? 'FAILED', text: generalOf(thrown) };
  return Buffer.from(
    JSON.stringify({ ...(id !== undefined && { id }), ok: thrown === undefined, ...failure }),
  );
}
