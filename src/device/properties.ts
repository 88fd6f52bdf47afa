import type { TObject, TSchema } from '@sinclair/typebox';
import { Value as Schema, type ValueError } from '@sinclair/typebox/value';
import { fault } from '../base/fault.js';
import { findBigInt, isInexact, parseJson } from '../base/json.js';
import { maskUrlsIn, urlSecretsIn, unmaskUrlsIn } from '../base/url-secrets.js';
import { booleanOf, numberOf } from '../kernel/convert.js';
import type { InstanceData } from '../kernel/object.js';
import { validateSemantics } from './common-variables.js';
import type { ModuleDefinition } from './module.js';

/** The properties of an instance by name. */
export type Properties = Readonly<Record<string, unknown>>;

/** What is shown for a secret that is set; writing it back leaves the secret as it is (decision 16). */
export const HIDDEN = '***';

/** The properties that a new instance of the module has. */
export function defaultsOf(module: ModuleDefinition): Properties {
  return Schema.Default(module.properties, {}) as Properties;
}

/** Stored or configured properties with those filled in that a newer version of the module added, and unknown ones left out. */
export function completeStored(module: ModuleDefinition, stored: Properties): Properties {
  // What comes from a damaged store may be anything.
  const known = Object.entries(isRecord(stored) ? stored : {}).filter(([name]) =>
    Object.hasOwn(module.properties.properties, name),
  );
  return { ...defaultsOf(module), ...Object.fromEntries(known) };
}

/**
 * `properties` with one changed. Text is taken for numbers, booleans, lists and objects where the schema wants those, as the
 * original's JSON-in-a-string habit has it. Throws `PROPERTY_MISSING`, `PROPERTY_INVALID`.
 */
export function withProperty(
  module: ModuleDefinition,
  properties: Properties,
  [name, value]: readonly [name: string, value: unknown],
): Properties {
  const schema = schemaOf(module.properties, name);
  if (schema === undefined) throw fault('PROPERTY_MISSING', name);
  if (isSecret(schema) && value === HIDDEN) return properties;
  // A URL as it was shown stands for the one with its password.
  const taken = unmaskUrlsIn(coerceProperty(schema, value), properties[name]);
  const numeral = findBigInt(taken);
  if (numeral !== undefined)
    throw fault('PROPERTY_INVALID', name, `${numeral} cannot be represented exactly`);
  const mistake = Schema.Errors(schema, taken).First();
  if (mistake !== undefined)
    throw fault('PROPERTY_INVALID', name + mistake.path.replaceAll('/', '.'), textOf(mistake));
  return { ...properties, [name]: taken };
}

/** What is wrong with the properties as a whole and what to do; undefined when they can be opened. */
export function validateProperties(module: ModuleDefinition, properties: Properties): string | undefined {
  const mistake = Schema.Errors(module.properties, properties).First();
  if (mistake !== undefined) return `${mistake.path.slice(1).replaceAll('/', '.')}: ${textOf(mistake)}`;
  return validateSemantics(module, properties);
}

/** Where some words are allowed, those; they stand in the schema for readers (`choice`). */
function textOf({ schema, message }: ValueError): string {
  const words = schema['enum'] as readonly string[] | undefined;
  return words === undefined ? message : `expected ${words.join(' or ')}`;
}

/** Why an instance that could be opened stays closed: its module's own switch, or nobody has looked at this copy yet. */
export function disabledReasonOf(
  module: ModuleDefinition,
  { asleep, properties }: InstanceData,
): string | undefined {
  if (asleep === true) return 'a copy: set properties of its own and apply them (SVC_ApplyChanges)';
  return module.disabledReason?.(properties);
}

/** The properties as anybody may see them: secrets that are set show as `***`, also within URLs. */
export function redactProperties(module: ModuleDefinition | undefined, properties: Properties): Properties {
  if (module === undefined) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const schema = schemaOf(module.properties, name);
      return [name, schema !== undefined && isSecret(schema) && value !== '' ? HIDDEN : maskUrlsIn(value)];
    }),
  );
}

/** Whether a property must not be shown; one that the module does not know might be, misspelt. */
export function isSecretProperty(module: ModuleDefinition, name: string): boolean {
  const schema = schemaOf(module.properties, name);
  return schema === undefined || isSecret(schema);
}

/** The secrets that are set, to be kept out of what is shown. */
export function secretsOfProperties(module: ModuleDefinition, properties: Properties): string[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    if (typeof value === 'string' && value !== '' && isSecretProperty(module, name)) return [value];
    return urlSecretsIn(value);
  });
}

function isRecord(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemaOf(object: TObject, name: string): TSchema | undefined {
  return Object.hasOwn(object.properties, name) ? object.properties[name] : undefined;
}

function isSecret(schema: TSchema): boolean {
  return schema['secret'] === true;
}

/** A property's value as its schema wants it, where a text stands for a number, a boolean, a list or an object. */
export function coerceProperty(schema: TSchema, value: unknown): unknown {
  switch (schema['type']) {
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'number':
    case 'integer':
      return typeof value === 'string' && !isInexact(value.trim()) ? (numberOf(value) ?? value) : value;
    case 'boolean':
      return booleanOf(value) ?? value;
    case 'array':
    case 'object':
      return typeof value === 'string' ? parsed(value) : value;
    default:
      return value;
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
