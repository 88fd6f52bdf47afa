/** A function of the command reference, as the editor shows it. */
export interface ReferenceFunction {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly isOptional: boolean;
  }[];
  readonly result: string;
}

/** The parts of an OpenRPC document that are read. */
interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Schema;
}

interface Method {
  readonly name: string;
  readonly summary?: string;
  readonly params: readonly { readonly name: string; readonly required?: boolean; readonly schema: Schema }[];
  readonly result: { readonly schema: Schema };
}

/** The functions of the gateway's OpenRPC document (`rpc.discover`). */
export function functionsOf(document: Readonly<Record<string, unknown>>): ReferenceFunction[] {
  const methods = document['methods'] as readonly Method[];
  return methods
    .filter(({ name }) => !name.includes('.'))
    .map(({ name, summary = '', params, result }) => ({
      name,
      summary,
      parameters: params.map((one) => ({
        name: one.name,
        type: typeOf(one.schema),
        isOptional: one.required !== true,
      })),
      result: typeOf(result.schema),
    }));
}

function typeOf({ type, $ref, items }: Schema): string {
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (type === 'array') return `${typeOf(items ?? {})}[]`;
  if (type === 'integer') return 'number';
  return type ?? 'unknown';
}

/** `GetValue(VariableID: number): Value` */
export function signatureOf({ name, parameters, result }: ReferenceFunction): string {
  const list = parameters.map((one) => `${one.name}${one.isOptional ? '?' : ''}: ${one.type}`);
  return `${name}(${list.join(', ')}): ${result}`;
}
