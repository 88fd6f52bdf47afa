import { coded, type Text } from '../base/codes/coded-text.js';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { ReferenceKind } from './module.js';
import type { BoardParts } from './module-registry.js';
import type { Properties } from './properties.js';

/** A property value that refers to something (`referenceKind`), with its path within the instance's entry. */
export interface Reference {
  readonly refers: ReferenceKind;
  readonly value: string | number;
  readonly path: readonly (string | number)[];
}

/** Yields the references in properties; '' and 0 refer to nothing. */
export function* referencesIn(
  schema: TSchema,
  value: unknown,
  path: Reference['path'] = ['properties'],
): Generator<Reference> {
  const refers = kindOf(schema);
  if (refers !== undefined && (typeof value === 'string' || typeof value === 'number')) {
    if (value !== '' && value !== 0) yield { refers, value, path };
  } else if (schema['type'] === 'array' && Array.isArray(value)) {
    for (const [i, one] of value.entries())
      yield* referencesIn(schema['items'] as TSchema, one, [...path, i]);
  } else if (schema['type'] === 'object' && typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries((schema as TObject).properties))
      yield* referencesIn(one, (value as Readonly<Record<string, unknown>>)[name], [...path, name]);
  }
}

/** Whether a property of the module refers to something of this kind. */
export const canReferTo = ({ properties }: TObject, kind: ReferenceKind): boolean =>
  Object.values(properties).some((schema) => kindOf(schema) === kind);

const kindOf = (schema: TSchema): ReferenceKind | undefined => schema['refers'] as ReferenceKind | undefined;

/** Something that only one instance can have. */
export interface ExclusiveResource {
  readonly key: string;
  /** Its name in messages. */
  readonly what: Text;
  /** Of a port: the address; it is exclusive at that address. */
  readonly host?: string;
}

/** Wildcard addresses. */
const ALL: readonly string[] = ['0.0.0.0', '::'];

/** Whether only one of two claims is possible. */
export const areInConflict = (one: ExclusiveResource, other: ExclusiveResource): boolean =>
  one.key === other.key &&
  (one.host === other.host || ALL.includes(one.host ?? '') || ALL.includes(other.host ?? ''));

/** The resource that a property refers to; undefined if it is not exclusive. */
export function resourceOf(
  { refers, value }: Pick<Reference, 'refers' | 'value'>,
  properties: Properties,
  parts: BoardParts | undefined,
): ExclusiveResource | undefined {
  const text = String(value);
  const chip = textIn(properties, 'Chip');
  const host = textIn(properties, 'BindIP');
  switch (refers) {
    case 'line':
      return { key: `line ${lineKey(text, chip, parts)}`, what: coded`LINE_NAMED: line ${text}` };
    case 'channel':
      return {
        key: `channel ${channelKey(text, chip, parts)}`,
        what: coded`PWM_CHANNEL_NAMED: PWM channel ${text}`,
      };
    case 'led':
    case 'bus':
    case 'onewire':
    case 'sensor':
    case 'serialPort':
      return { key: `${refers} ${text}`, what: text };
    case 'tcpPort':
      return { key: `tcp ${text}`, what: coded`PORT_NAMED: port ${text}`, host };
    case 'udpPort':
      if (properties['EnableReuseAddress'] === true) return undefined;
      return { key: `udp ${text}`, what: coded`PORT_NAMED: port ${text}`, host };
    case 'switch':
    case 'file':
      return undefined;
  }
}

function textIn(properties: Properties, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value : '';
}

/** The key of a line: the same for its name and its offset. */
function lineKey(name: string, chip: string, parts: BoardParts | undefined): string {
  const named = parts?.gpio.find(
    (one) => (chip === '' || one.chip === chip) && Object.hasOwn(one.lines, name),
  );
  if (named !== undefined) return `${named.chip}/${named.lines[name]}`;
  const [only, ...others] = parts?.gpio ?? [];
  return `${chip === '' && others.length === 0 ? (only?.chip ?? '') : chip}/${name}`;
}

function channelKey(name: string, chip: string, parts: BoardParts | undefined): string {
  const named = parts?.pwm?.find(
    (one) => (chip === '' || one.chip === chip) && Object.hasOwn(one.channels, name),
  );
  return named === undefined ? `${chip}/${name}` : `${named.chip}/${named.channels[name]}`;
}
