import { isUtf8 } from 'node:buffer';

/** The longest file that is written or read, bytes: entries are kept in memory while they are played. */
export const RECORDING_LIMIT = 64 * 1024 * 1024;

/** What a recording consists of: messages of an MQTT broker, or the bytes of a serial port or socket. */
const traffics = ['mqtt', 'bytes'] as const;
export type Traffic = (typeof traffics)[number];

/** `in`: the gateway received it, `out`: the gateway sent it. */
const directions = ['in', 'out'] as const;
export type Direction = (typeof directions)[number];

/** A message, or bytes that were transferred together. */
export interface Transfer {
  /** Since the start of the recording. */
  readonly ms: number;
  readonly direction: Direction;
  /** Empty for bytes. */
  readonly topic: string;
  readonly payload: Buffer;
  /** The broker had retained it, or was to retain it. */
  readonly isRetained: boolean;
  /** The payload is incomplete: a secret is hidden, or its end is missing. Then it cannot be compared. */
  readonly isIncomplete: boolean;
}

/** A remark of a person, or of the recorder; `replay` prints it. */
interface Note {
  readonly ms: number;
  readonly note: string;
}

/** One line of a recording. */
export type Entry = (Transfer | Note) & { readonly line: number };

export interface Recording {
  readonly traffic: Traffic;
  readonly entries: readonly Entry[];
  /** The last line is incomplete, because recording it was interrupted; it is not among the entries. */
  readonly isTorn: boolean;
}

/** The first line of a recording. */
export function headerOf(traffic: Traffic): string {
  return `${JSON.stringify({ recording: 1, traffic })}\n`;
}

/** The line of a remark. */
export function noteLine({ ms, note }: Note): string {
  return `${JSON.stringify({ ms, note })}\n`;
}

/** The line of a transfer. The payload is text if it is valid UTF-8, otherwise hexadecimal. */
export function transferLine(transfer: Transfer): string {
  const { ms, direction, topic, payload, isRetained, isIncomplete } = transfer;
  return `${JSON.stringify({
    ms,
    dir: direction,
    ...(topic !== '' && { topic }),
    ...(isUtf8(payload) ? { text: payload.toString() } : { hex: payload.toString('hex') }),
    ...(isRetained && { retain: true }),
    ...(isIncomplete && { incomplete: true }),
  })}\n`;
}

/**
 * Reads a recording. Throws an error that begins with the number of the line: `3: dir must be in or out`. A last
 * line without its end is ignored.
 */
export function parseRecording(text: string): Recording {
  const lines = text.split('\n');
  const isTorn = lines.pop() !== '';
  const [header = '', ...others] = lines;
  const traffic = trafficOf(header);
  const entries = others.flatMap((line, index) =>
    line.trim() === '' ? [] : [{ line: index + 2, ...entryOf(line, index + 2, traffic) }],
  );
  return { traffic, entries, isTorn };
}

function trafficOf(line: string): Traffic {
  const header = line === '' ? undefined : objectOf(line, 1);
  if (header?.['recording'] !== 1)
    throw invalid(1, 'this is not a recording: its first line must be {"recording":1,"traffic":"mqtt"}');
  const traffic = traffics.find((one) => one === header['traffic']);
  if (traffic === undefined) throw invalid(1, `traffic must be ${traffics.join(' or ')}`);
  return traffic;
}

const KEYS: ReadonlySet<string> = new Set([
  'ms',
  'note',
  'dir',
  'topic',
  'text',
  'hex',
  'retain',
  'incomplete',
]);

function entryOf(text: string, line: number, traffic: Traffic): Transfer | Note {
  const { ms, note, dir, topic, ...rest } = objectOf(text, line);
  const unknown = Object.keys(rest).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw invalid(line, `there is no key ${unknown}`);
  if (typeof ms !== 'number' || !(ms >= 0))
    throw invalid(line, 'ms must be the milliseconds since the start, 0 or more');
  if (typeof note === 'string') return { ms, note };
  const direction = directions.find((one) => one === dir);
  if (direction === undefined) throw invalid(line, `dir must be ${directions.join(' or ')}`);
  return {
    ms,
    direction,
    topic: topicOf(topic, line, traffic),
    payload: payloadOf(rest, line),
    isRetained: flag(rest['retain'], 'retain', line),
    isIncomplete: flag(rest['incomplete'], 'incomplete', line),
  };
}

/** A topic to publish to: no wildcards [MQTT-3.3.2-2], no NUL [MQTT-4.7.3-2]. */
function topicOf(topic: unknown, line: number, traffic: Traffic): string {
  if (traffic === 'bytes') {
    if (topic === undefined) return '';
    throw invalid(line, 'topic belongs to recordings of mqtt only');
  }
  if (typeof topic === 'string' && topic !== '' && !/[+#\0]/.test(topic)) return topic;
  throw invalid(line, 'topic must be the topic of the message, without wildcards');
}

function payloadOf({ text, hex }: Readonly<Record<string, unknown>>, line: number): Buffer {
  if (typeof text === 'string' && hex === undefined) return Buffer.from(text);
  if (typeof hex === 'string' && text === undefined && /^(?:[\da-f]{2})*$/i.test(hex))
    return Buffer.from(hex, 'hex');
  throw invalid(line, 'give the payload either as text, or as hex with two digits per byte');
}

function flag(value: unknown, name: string, line: number): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw invalid(line, `${name} must be true or false`);
}

function objectOf(text: string, line: number): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The same error as for other values.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw invalid(line, 'this is not an object of JSON on one line');
}

const invalid = (line: number, problem: string): Error => new Error(`${line}: ${problem}`);
