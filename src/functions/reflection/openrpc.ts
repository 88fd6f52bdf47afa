import { Type, type TSchema } from '@sinclair/typebox';
import type { FunctionDeclaration, ParameterKind, Parameter } from '../../device/declare.js';
import * as shapes from '../shapes.js';

/** Generates an OpenRPC 1.3 document, for tools that generate clients and documentation. */
export function openRpcDocument(declarations: readonly FunctionDeclaration[], version: string): object {
  const schemas: Record<string, object> = {};
  return {
    openrpc: '1.3.2',
    info: {
      title: 'stellwerk',
      version,
      description: 'Parameters can be given by position or by name.',
      license: { name: 'MIT' },
    },
    methods: declarations.map((declaration) => ({
      name: declaration.name,
      summary: declaration.help,
      tags: [{ name: familyOf(declaration.name) }],
      paramStructure: 'either',
      params: declaration.parameters.map((parameter) => contentDescriptor(parameter, schemas)),
      result: { name: 'Result', schema: referring(resultShape(declaration), schemas) },
      // Extensions start with x-: who may call, whether calls are written to the audit, and whether the console
      // must have sent the password again.
      'x-access': declaration.access,
      'x-audited': declaration.audited !== false,
      ...(declaration.confirmed && { 'x-confirmed': true }),
    })),
    components: { schemas },
  };
}

/** The schema that a function's result conforms to. */
export function resultShape({ result, shape = kinds[result] }: FunctionDeclaration): TSchema {
  return shape;
}

function contentDescriptor(parameter: Parameter, schemas: Record<string, object>): object {
  const { name, kind, enumeration, extension = [], shape = kinds[kind], optional } = parameter;
  const required = optional !== true;
  if (enumeration === undefined) return { name, required, schema: referring(shape, schemas) };
  const words = [...enumeration, ...extension];
  return {
    name,
    required,
    description: words.map((word, number) => `${number}: ${word}`).join(', '),
    schema: { type: 'integer', enum: words.map((_, number) => number) },
  };
}

/** The schema of each kind. Numbers in strings are accepted too, but clients should not need them. */
const kinds: Readonly<Record<ParameterKind, TSchema>> = {
  boolean: Type.Boolean(),
  integer: Type.Integer(),
  float: Type.Number(),
  string: Type.String(),
  variant: shapes.value,
  array: shapes.anything,
};

/** Replaces named schemas by references and collects them in `schemas`. */
function referring(schema: object, schemas: Record<string, object>): unknown {
  const { $id: name, ...rest } = schema as { readonly $id?: string };
  if (name === undefined) return copied(schema, schemas);
  schemas[name] ??= copied(rest, schemas);
  return { $ref: `#/components/schemas/${name}` };
}

function copied(schema: object, schemas: Record<string, object>): object {
  const inner = (part: unknown) =>
    typeof part === 'object' && part !== null ? referring(part, schemas) : part;
  if (Array.isArray(schema)) return schema.map(inner);
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, inner(part)]));
}

/** `SVC_GetObject` → `SVC`; functions without a prefix belong to `values`. */
function familyOf(name: string): string {
  const end = name.search(/[_.]/);
  return end < 0 ? 'values' : name.slice(0, end);
}
