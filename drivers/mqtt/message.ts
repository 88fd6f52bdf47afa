import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import { isUtf8 } from 'node:buffer';

/** The fields of a PUBLISH packet other than topic and payload, as the package `mqtt` names them. */
interface PublishFlags {
  readonly retain: boolean;
  readonly qos?: number;
  readonly properties?: { readonly subscriptionIdentifier?: number | readonly number[] };
}

/** Marks a payload that is not JSON; no JSON value equals it. */
export const NOT_JSON = Symbol('not JSON');

/** A received message. It is decoded as text and parsed as JSON at most once, for all subscribers. */
export class Message {
  readonly topic: string;
  readonly payload: Buffer;
  /** True for a retained message: it is the last known state, not a new event. */
  readonly isRetained: boolean;
  readonly qos: number;
  /** Identifiers of the matching subscriptions; undefined if the broker does not send them. */
  readonly subscriptionIds: readonly number[] | undefined;
  #text: string | undefined;
  #json: unknown;
  #isParsed = false;

  constructor(topic: string, payload: Buffer, flags: PublishFlags) {
    this.topic = topic;
    this.payload = payload;
    this.isRetained = flags.retain;
    this.qos = flags.qos ?? 0;
    const id = flags.properties?.subscriptionIdentifier;
    this.subscriptionIds = typeof id === 'number' ? [id] : id;
  }

  /** A copy to be kept: it does not reference the network buffer. */
  copy(): Message {
    const { topic, payload, isRetained: retained, qos, subscriptionIds: subscriptions } = this;
    const properties =
      subscriptions === undefined ? {} : { properties: { subscriptionIdentifier: subscriptions } };
    return new Message(topic, Buffer.from(payload), { retain: retained, qos, ...properties });
  }

  /** The payload as UTF-8 text; undefined if it is not valid UTF-8. */
  get text(): string | undefined {
    if (this.#text === undefined && isUtf8(this.payload)) this.#text = this.payload.toString();
    return this.#text;
  }

  /** The payload as JSON, or {@link NOT_JSON}. */
  get json(): unknown {
    if (!this.#isParsed) {
      this.#isParsed = true;
      this.#json = parseJson(this.text);
    }
    return this.#json;
  }
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return NOT_JSON;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOT_JSON;
  }
}

/** The steps from the root of a JSON document to a value. */
export type JsonPath = readonly (string | number)[];

/** Parses `a.b[0]["odd.name"]`, with or without a leading `$`. Throws `DEVICE_CONFIGURATION`. */
export function parseJsonPath(source: string): JsonPath {
  const step = /\.?(?:([^.[\]"']+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\])/y;
  const steps: (string | number)[] = [];
  step.lastIndex = source.startsWith('$') ? 1 : 0;
  while (step.lastIndex < source.length) {
    const match = step.exec(source);
    if (match === null)
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`JSON_PATH_INVALID: ${source} is not a JSON path; use the form a.b[0]`,
      );
    const [, name, index, quoted] = match;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else steps.push(JSON.parse(quoted ?? '""') as string);
  }
  return steps;
}

/** The value at a path of a JSON document, or undefined. Inherited members are ignored. */
export function valueAtPath(document: unknown, path: JsonPath): unknown {
  let value = document;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
