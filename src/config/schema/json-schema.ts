import type { ModuleDefinition } from '../../device/module.js';
import { RESTART_SETTINGS, settingTexts } from './setting-texts.js';
import { gatewaySchema, nodeKinds, nodeSchemas } from './gateway-schema.js';

type Json = { readonly [key: string]: unknown };

const SCHEMA = 'http://json-schema.org/draft-07/schema#';
const NUMERIC = '^\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*$';

/**
 * A JSON Schema (draft 7) of `gateway.yaml` for editors, with the properties of these modules. What it
 * rejects, `stellwerk check` rejects; the check knows more, for instance which objects exist.
 */
export function jsonSchema(modules: Iterable<ModuleDefinition>): Json {
  const all = [...modules].sort((a, b) => (a.name < b.name ? -1 : 1));
  const definitions: Record<string, unknown> = {
    entry: { anyOf: nodeKinds.map((kind) => ref(kind)) },
    ...Object.fromEntries(nodeKinds.map((kind) => [kind, plain(nodeSchemas[kind])])),
    ...Object.fromEntries(all.map((module) => [definitionOf(module), propertiesOf(module)])),
  };
  definitions['instance'] = withModules(definitions['instance'] as Json, all);
  const schema = withTexts(plain(gatewaySchema)) as { properties: Json };
  const document = {
    $schema: SCHEMA,
    title: 'gateway.yaml of stellwerk',
    ...schema,
    properties: { ...schema.properties, tree: { type: 'array', items: ref('entry') } },
    definitions,
  };
  const recursive: Record<string, unknown> = {};
  const hoistedDocument = hoisted(document, recursive) as { definitions: Json };
  return { ...hoistedDocument, definitions: { ...hoistedDocument.definitions, ...recursive } };
}

const ref = (name: string): Json => ({ $ref: `#/definitions/${encodeURIComponent(name)}` });
const definitionOf = ({ name }: ModuleDefinition): string => `properties of ${name}`;

/** Removes TypeBox's own symbols. */
const plain = (schema: object): Json => JSON.parse(JSON.stringify(schema)) as Json;

/** Adds titles and help to settings, and a mark to those that only a restart applies. */
function withTexts(schema: Json, path = '', isPart = false): Json {
  const [title, description] = (isPart ? undefined : settingTexts[path]) ?? [];
  const parts = (key: 'properties' | 'patternProperties') =>
    Object.entries((schema[key] ?? {}) as Readonly<Record<string, Json>>);
  const [properties, patterns] = [parts('properties'), parts('patternProperties')];
  return {
    ...(title !== undefined && { title, description }),
    ...(!isPart && RESTART_SETTINGS.has(path) && { 'x-restart': true }),
    ...schema,
    ...(schema['items'] !== undefined && { items: withTexts(schema['items'] as Json, path, true) }),
    ...(Array.isArray(schema['anyOf']) && {
      anyOf: (schema['anyOf'] as Json[]).map((one) => withTexts(one, path, true)),
    }),
    ...(properties.length > 0 && {
      properties: Object.fromEntries(
        properties.map(([key, one]) => [key, withTexts(one, path === '' ? key : `${path}.${key}`)]),
      ),
    }),
    ...(patterns.length > 0 && {
      patternProperties: Object.fromEntries(patterns.map(([key, one]) => [key, withTexts(one, path, true)])),
    }),
  };
}

/** Replaces children by entries, and recursive schemas by definitions. */
function hoisted(schema: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => hoisted(one, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as Json;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => {
      if (key === '$ref' && typeof one === 'string' && !one.startsWith('#')) return [key, ref(one)['$ref']];
      const isChildren = key === 'children' && (one as Json)['type'] === 'array';
      return [key, isChildren ? { type: 'array', items: ref('entry') } : hoisted(one, definitions)];
    }),
  );
  if (typeof $id !== 'string') return inner;
  definitions[$id] = inner;
  return ref($id);
}

function withModules(instance: Json, modules: readonly ModuleDefinition[]): Json {
  const properties = instance['properties'] as Json;
  const named = modules.map((module) => ({
    if: {
      properties: { module: { type: 'string', pattern: anyCase(namesOf(module)) } },
      required: ['module'],
    },
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
    then: { properties: { properties: ref(definitionOf(module)) } },
  }));
  const known = { type: 'string', pattern: anyCase(modules.flatMap(namesOf)) };
  const names = { enum: modules.map(({ name }) => name) };
  return { ...instance, properties: { ...properties, module: { anyOf: [names, known] } }, allOf: named };
}

const namesOf = ({ name, id, aliases = [] }: ModuleDefinition): string[] => [name, id, ...aliases];

/** A pattern that matches these words in any case. */
function anyCase(words: readonly string[]): string {
  const either = (letter: string) =>
    letter.toLowerCase() === letter.toUpperCase()
      ? letter.replace(/[^\w\s-]/, '\\$&')
      : `[${letter.toLowerCase()}${letter.toUpperCase()}]`;
  return `^(?:${words.map((word) => word.replaceAll(/[^]/g, either)).join('|')})$`;
}

function propertiesOf({ properties }: ModuleDefinition): Json {
  const known = plain(properties)['properties'] as Record<string, Json>;
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(known).map(([name, schema]) => [name, acceptedBy(schema)])),
    additionalProperties: false,
  };
}

/**
 * What a property accepts: text in place of a number, boolean, list or object, and a number in place of text.
 */
function acceptedBy({ secret: _, ...schema }: Json): Json {
  switch (schema['type']) {
    case 'string': {
      const { type: _type, ...rest } = schema;
      const words = rest['enum'] as readonly string[] | undefined;
      const numbers = (words ?? []).filter((word) => word !== '' && !Number.isNaN(Number(word))).map(Number);
      return words === undefined
        ? { ...rest, type: ['string', 'number', 'boolean'] }
        : { ...rest, enum: [...words, ...numbers] };
    }
    case 'number':
    case 'integer':
      return { anyOf: [schema, { type: 'string', pattern: NUMERIC }] };
    case 'boolean':
      return { anyOf: [schema, { enum: [0, 1, '0', '1', 'true', 'false'] }] };
    case 'array':
    case 'object':
      return { anyOf: [schema, { type: 'string', pattern: '^\\s*[\\[{]' }] };
    default:
      return schema;
  }
}
