import { isUtf8 } from 'node:buffer';

/** What an MQTT PUBLISH packet says beside topic and payload, in the words of the package `mqtt`. */
export interface PublishFlags {
  readonly retain: boolean;
  readonly properties?: { readonly subscriptionIdentifier?: number | readonly number[] };
}

/** Stands for a payload that is not JSON; JSON itself has no such value. */
export const NOT_JSON = Symbol('not JSON');

/** A message as it arrived. Text and JSON are made once, for all who listen to its topic. */
export class Message {
  readonly topic: string;
  readonly payload: Buffer;
  /** True for a message that the broker had kept: how things stood, not news. */
  readonly isRetained: boolean;
  /** The identifiers of the subscriptions that it came by; undefined where the broker does not say. */
  readonly subscriptionIds: readonly number[] | undefined;
  #text: string | undefined;
  #json: unknown;
  #isParsed = false;

  constructor(topic: string, payload: Buffer, flags: PublishFlags) {
    this.topic = topic;
    this.payload = payload;
    this.isRetained = flags.retain;
    const id = flags.properties?.subscriptionIdentifier;
    this.subscriptionIds = typeof id === 'number' ? [id] : id;
  }

  /** To be kept: without the bytes that arrived together with it. */
  copy(): Message {
    const { topic, payload, isRetained: retained, subscriptionIds: subscriptions } = this;
    const properties =
      subscriptions === undefined ? {} : { properties: { subscriptionIdentifier: subscriptions } };
    return new Message(topic, Buffer.from(payload), { retain: retained, ...properties });
  }

  /** The payload as UTF-8; undefined when it is none. */
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

/** The steps from a JSON document to a value in it. */
export type JsonPath = readonly (string | number)[];

/** Reads `a.b[0]["odd.name"]`, with or without `$` in front. Throws a SyntaxError. */
export function parseJsonPath(source: string): JsonPath {
  const step = /\.?(?:([^.[\]"']+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\])/y;
  const steps: (string | number)[] = [];
  step.lastIndex = source.startsWith('$') ? 1 : 0;
  while (step.lastIndex < source.length) {
    const match = step.exec(source);
    if (match === null) throw new SyntaxError(`${source} is no JSON path; write it like a.b[0]`);
    const [, name, index, quoted] = match;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else steps.push(JSON.parse(quoted ?? '""') as string);
  }
  return steps;
}

/** What a JSON document has there; undefined where it has nothing. Only its own members count. */
export function valueAtPath(document: unknown, path: JsonPath): unknown {
  let value = document;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
