import { coded, either, type CodedText, type Text } from '../base/codes/coded-text.js';
import type { TObject, TSchema } from '@sinclair/typebox';
import { Errors, type ValueError } from '@sinclair/typebox/errors';
import { Default } from '@sinclair/typebox/value';
import { fault } from '../base/fault.js';
import { findBigInt, isInexact, parseJson } from '../base/json.js';
import { HIDDEN, maskUrlsIn, urlSecretsIn, unmaskUrlsIn } from '../base/url-secrets.js';
import { booleanOf, numberOf } from '../kernel/convert.js';
import type { InstanceData } from '../kernel/object.js';
import { validateSemantics } from './common-variables.js';
import type { ModuleDefinition } from './module.js';
import { schemaText } from './toolkit/schema-text.js';

/** The properties of an instance, by name. */
export type Properties = Readonly<Record<string, unknown>>;

/** The default properties of a module. */
export function defaultsOf(module: ModuleDefinition): Properties {
  return Default(module.properties, {}) as Properties;
}

/**
 * Completes stored or configured properties: adds the defaults of those that a newer version of the module
 * introduced, and removes unknown ones.
 */
export function completeStored(module: ModuleDefinition, stored: Properties): Properties {
  // A damaged store may contain anything.
  const known = Object.entries(isRecord(stored) ? stored : {}).filter(([name]) =>
    Object.hasOwn(module.properties.properties, name),
  );
  return { ...defaultsOf(module), ...Object.fromEntries(known) };
}

/**
 * Returns `properties` with one changed. Text is accepted for numbers, booleans, lists and objects, as the
 * original product's clients send JSON in a string. Throws `PROPERTY_MISSING`, `PROPERTY_INVALID`.
 */
export function withProperty(
  module: ModuleDefinition,
  properties: Properties,
  [name, value]: readonly [name: string, value: unknown],
): Properties {
  const schema = schemaOf(module.properties, name);
  if (schema === undefined) throw fault('PROPERTY_MISSING', name);
  if (isSecret(schema) && value === HIDDEN) return properties;
  // A URL with a masked password refers to the stored one.
  const coerced = unmaskUrlsIn(coerceProperty(schema, value), properties[name]);
  const numeral = findBigInt(coerced);
  if (numeral !== undefined)
    throw fault(
      'PROPERTY_INVALID',
      name,
      coded`NUMBER_INEXACT: ${String(numeral)} cannot be represented exactly`,
    );
  const error = Errors(schema, coerced).First();
  if (error !== undefined)
    throw fault('PROPERTY_INVALID', name + error.path.replaceAll('/', '.'), textOf(error));
  return { ...properties, [name]: coerced };
}

/**
 * Validates all properties together. Returns what is wrong and what to do; undefined if an instance can be
 * opened with them.
 */
export function validateProperties(module: ModuleDefinition, properties: Properties): Text | undefined {
  const error = Errors(module.properties, properties).First();
  if (error !== undefined) return coded`ABOUT: ${error.path.slice(1).replaceAll('/', '.')}: ${textOf(error)}`;
  return validateSemantics(module, properties);
}

/** For an enumeration, the allowed words, which the schema has for readers (`enumProperty`). */
function textOf(error: ValueError): CodedText {
  const words = error.schema['enum'] as readonly string[] | undefined;
  return words === undefined ? schemaText(error) : coded`EXPECTED_WORDS: expected ${either(words)}${''}`;
}

/**
 * Why an instance with valid properties stays closed: its module's enable property is off, or it is a copy
 * that was never applied.
 */
export function disabledReasonOf(
  module: ModuleDefinition,
  { asleep, properties }: InstanceData,
): Text | undefined {
  if (asleep === true)
    return coded`COPY_NOT_APPLIED: a copy: set properties of its own and apply them (SVC_ApplyChanges)`;
  return module.disabledReason?.(properties);
}

/** Hides secrets: secret properties that are set become `***`, as do passwords in URLs. */
export function redactProperties(module: ModuleDefinition | undefined, properties: Properties): Properties {
  if (module === undefined) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const schema = schemaOf(module.properties, name);
      return [name, schema !== undefined && isSecret(schema) && value !== '' ? HIDDEN : maskUrlsIn(value)];
    }),
  );
}

/** Whether a property is secret. One that the module does not know may be, misspelt. */
export function isSecretProperty(module: ModuleDefinition, name: string): boolean {
  const schema = schemaOf(module.properties, name);
  return schema === undefined || isSecret(schema);
}

/** The secrets that are set, so that they can be hidden in output. */
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

/**
 * Converts text to the number, boolean, list or object that the schema requires; returns other values as they
 * are.
 */
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
