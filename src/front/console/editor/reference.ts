/** A type of the reference, as far as hints and completion need it. */
export interface ReferenceType {
  /** `ObjectRecord[]` */
  readonly name: string;
  /** The members of a record. */
  members(): readonly TypedName[];
  /** What a list has. */
  item(): ReferenceType | undefined;
}

/** A parameter or a member. */
interface TypedName {
  readonly name: string;
  readonly type: ReferenceType;
  readonly isOptional: boolean;
  /** What its values mean: `0: etTrigger, 1: etCyclic`. */
  readonly description: string;
}

/** A function of the command reference, as the editor shows it. */
export interface ReferenceFunction {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly TypedName[];
  readonly result: ReferenceType;
}

/** The parts of an OpenRPC document that are read. */
interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly description?: string;
  /** A list with a schema for each place has no common one. */
  readonly items?: Schema | readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
}

type Schemas = Readonly<Record<string, Schema>>;

interface Method {
  readonly name: string;
  readonly summary?: string;
  readonly params: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly result: { readonly schema: Schema };
}

/** The functions of the gateway's OpenRPC document (`rpc.discover`). */
export function functionsOf(document: Readonly<Record<string, unknown>>): ReferenceFunction[] {
  const methods = document['methods'] as readonly Method[];
  const { schemas = {} } = document['components'] as { readonly schemas?: Schemas };
  return methods
    .filter(({ name }) => !name.includes('.'))
    .map(({ name, summary = '', params, result }) => ({
      name,
      summary,
      parameters: params.map((one) => ({
        name: one.name,
        type: typeOf(one.schema, schemas),
        isOptional: one.required !== true,
        description: one.description ?? '',
      })),
      result: typeOf(result.schema, schemas),
    }));
}

function typeOf(schema: Schema, schemas: Schemas): ReferenceType {
  const { items } = schema;
  const item = items !== undefined && 'length' in items ? undefined : items;
  return {
    name: nameOf(schema),
    members() {
      const { properties = {}, required = [], anyOf = [] } = resolved(schema, schemas);
      const own = Object.entries(properties).map(([name, one]) => ({
        name,
        type: typeOf(one, schemas),
        isOptional: !required.includes(name),
        description: one.description ?? '',
      }));
      // Of several records, all members.
      const others = anyOf.flatMap((one) => typeOf(one, schemas).members());
      const names = new Set<string>();
      return [...own, ...others].filter(({ name }) => !names.has(name) && names.add(name));
    },
    item: () => (item === undefined ? undefined : typeOf(item, schemas)),
  };
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : (schemas[refName(schema.$ref)] ?? {});
}

const refName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

function nameOf({ type, $ref, items, anyOf, const: literal }: Schema): string {
  if ($ref !== undefined) return refName($ref);
  if (literal !== undefined) return JSON.stringify(literal);
  if (anyOf !== undefined) return anyOf.map(nameOf).join(' | ');
  if (type === 'array') {
    const item = nameOf(items === undefined || 'length' in items ? {} : items);
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'integer') return 'number';
  return type ?? 'unknown';
}

/** `Path: string`, with a question mark if it may be omitted. */
export const typedText = ({ name, type, isOptional }: TypedName): string =>
  `${name}${isOptional ? '?' : ''}: ${type.name}`;

/** `GetValue(VariableID: number): Value` */
export function signatureOf({ name, parameters, result }: ReferenceFunction): string {
  return `${name}(${parameters.map(typedText).join(', ')}): ${result.name}`;
}
