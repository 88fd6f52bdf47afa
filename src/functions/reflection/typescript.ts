/** A JSON schema (draft 7), as far as the command reference uses it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
}

/** An OpenRPC document, as far as `rpc.discover` generates it. */
export interface OpenRpcDocument {
  readonly openrpc: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly methods: readonly {
    readonly name: string;
    readonly summary: string;
    readonly paramStructure: string;
    readonly params: readonly {
      readonly name: string;
      readonly required: boolean;
      readonly description?: string;
      readonly schema: JsonSchema;
    }[];
    readonly result: { readonly name: string; readonly schema: JsonSchema };
  }[];
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The parameter list of a function, without parentheses. */
export function parameterList(params: OpenRpcDocument['methods'][number]['params']): string {
  return params
    .map(
      ({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typescriptType(schema, 'readonly ')}`,
    )
    .join(', ');
}

/** The TypeScript declaration of a named schema. */
export function declaredType(name: string, schema: JsonSchema): string {
  const type = typescriptType(schema);
  return schema.properties === undefined ? `type ${name} = ${type};` : `interface ${name} ${type}`;
}

const typeNames: Readonly<Record<string, string>> = { integer: 'number', number: 'number', string: 'string' };

/** A schema as a TypeScript type; `lists` precedes every list type. */
export function typescriptType(schema: JsonSchema, lists: 'readonly ' | '' = ''): string {
  const { $ref, type, anyOf, items, properties, additionalProperties: values } = schema;
  const inner = (part: JsonSchema) => typescriptType(part, lists);
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (anyOf !== undefined) return anyOf.map(inner).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(items)) return `${lists}[${(items as JsonSchema[]).map(inner).join(', ')}]`;
  if (items !== undefined) return `${lists}(${inner(items as JsonSchema)})[]`;
  if (values !== undefined) return `${lists && 'Readonly<'}Record<string, ${inner(values)}>${lists && '>'}`;
  if (properties !== undefined) return objectOf(properties, schema.required ?? []);
  return type === undefined ? 'unknown' : (typeNames[type] ?? type);
}

function objectOf(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typescriptType(schema)}`,
  );
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('; ')} }`;
}
