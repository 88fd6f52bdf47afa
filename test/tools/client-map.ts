import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { openRpc } from '../../src/functions/openrpc.js';
import { ROOT } from '../law/sources.js';
import { functionFiles } from './functions-page.js';
import { wholeReference } from './whole-reference.js';

/** A JSON schema (draft 7), as far as the command reference uses them. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
}

/** An OpenRPC document, as far as `rpc.discover` fills it. */
export interface OpenRpc {
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
      readonly schema: Schema;
    }[];
    readonly result: { readonly name: string; readonly schema: Schema };
  }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const NOTE = '// Made from the command reference by test/tools/client-map.ts; a test compares the two.';

/** The files of the typed client that follow from the command reference, by path. */
export async function clientFiles(): Promise<ReadonlyMap<string, string>> {
  const document = openRpc(await wholeReference(), '') as OpenRpc;
  return new Map([
    ['src/client/functions.ts', await pretty(functionsOf(document))],
    ['src/client/records.ts', await pretty(recordsOf(document))],
  ]);
}

function functionsOf({ methods, components }: OpenRpc): string {
  const lines = methods.map(({ name, summary, params, result }) => {
    const list = params.map(
      (param) => `${param.name}${param.required ? '' : '?'}: ${typeOf(param.schema, 'readonly ')}`,
    );
    return `/** ${summary} */\n${nameOf(name)}(${list.join(', ')}): ${typeOf(result.schema)};`;
  });
  const used = Object.keys(components.schemas).filter((name) =>
    lines.some((line) => new RegExp(`\\b${name}\\b`).test(line.slice(line.indexOf('*/')))),
  );
  return `/* oxlint-disable max-lines -- a function a line, made by a program */
    ${NOTE}

    import type { ${used.sort().join(', ')} } from './records.js';

    /** The functions that can be called, as TypeScript sees them. Others: \`new Client<AnyFunction>(address)\`. */
    export interface Functions { ${lines.join('\n')} }`;
}

function recordsOf({ components }: OpenRpc): string {
  const types = Object.entries(components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const doc = `/** ${schema.description} */`;
      const type = typeOf(schema);
      return `${doc}\nexport ${schema.properties === undefined ? `type ${name} = ${type}` : `interface ${name} ${type}`}\n`;
    });
  return `/* oxlint-disable max-lines -- a field a line, made by a program */\n${NOTE}\n\n${types.join('\n')}`;
}

const words: Readonly<Record<string, string>> = { integer: 'number', number: 'number', string: 'string' };

/** A schema in TypeScript's words; `lists` stands before each list. */
function typeOf(schema: Schema, lists: 'readonly ' | '' = ''): string {
  const { $ref, type, anyOf, items, properties, additionalProperties: values } = schema;
  const inner = (part: Schema) => typeOf(part, lists);
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (anyOf !== undefined) return anyOf.map(inner).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(items)) return `${lists}[${(items as Schema[]).map(inner).join(', ')}]`;
  if (items !== undefined) return `${lists}(${inner(items as Schema)})[]`;
  if (values !== undefined) return `${lists && 'Readonly<'}Record<string, ${inner(values)}>${lists && '>'}`;
  if (properties !== undefined) return objectOf(properties, schema.required ?? []);
  return type === undefined ? 'unknown' : (words[type] ?? type);
}

function objectOf(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('; ')} }`;
}

function nameOf(method: string): string {
  return /^\w+$/.test(method) ? method : `'${method}'`;
}

function pretty(text: string): Promise<string> {
  return format(text, { parser: 'typescript', singleQuote: true, printWidth: 110 });
}

// Run as a program, it writes the files.
if (import.meta.filename === process.argv[1])
  for (const [path, text] of [...(await clientFiles()), ...(await functionFiles())])
    writeFileSync(join(ROOT, path), text);
