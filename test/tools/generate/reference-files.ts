import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { schemaText } from '../../../src/cli/commands/schema.js';
import { openRpcDocument } from '../../../src/functions/reflection/openrpc.js';
import {
  declaredType,
  parameterList,
  typescriptType,
  type OpenRpcDocument,
} from '../../../src/functions/reflection/typescript.js';
import { ROOT } from '../../law/sources.js';
import { functionFiles } from './functions-page.js';
import { SCHEMA_FILE } from './schema-path.js';
import { allFunctions } from './all-functions.js';

const NOTE =
  '// Generated from the command reference by test/tools/generate/reference-files.ts; a test compares the two.';

/** The files of the typed client that are generated from the command reference, by path. */
export async function generatedClientFiles(): Promise<ReadonlyMap<string, string>> {
  const document = openRpcDocument(await allFunctions(), '') as OpenRpcDocument;
  return new Map([
    ['src/client/generated/functions.ts', await pretty(functionsOf(document))],
    ['src/client/generated/records.ts', await pretty(recordsOf(document))],
  ]);
}

function functionsOf({ methods, components }: OpenRpcDocument): string {
  const lines = methods.map(
    ({ name, summary, params, result }) =>
      `/** ${summary} */\n${nameOf(name)}(${parameterList(params)}): ${typescriptType(result.schema)};`,
  );
  const used = Object.keys(components.schemas).filter((name) =>
    lines.some((line) => new RegExp(`\\b${name}\\b`).test(line.slice(line.indexOf('*/')))),
  );
  return `/* oxlint-disable max-lines -- generated, one line per function */
    ${NOTE}

    import type { ${used.sort().join(', ')} } from './records.js';

    /** The types of the gateway's functions. For others: \`new Client<AnyFunction>(address)\`. */
    export interface Functions { ${lines.join('\n')} }`;
}

function recordsOf({ components }: OpenRpcDocument): string {
  const types = Object.entries(components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `/** ${schema.description} */\nexport ${declaredType(name, schema)}\n`);
  return `/* oxlint-disable max-lines -- generated, one line per field */\n${NOTE}\n\n${types.join('\n')}`;
}

function nameOf(method: string): string {
  return /^\w+$/.test(method) ? method : `'${method}'`;
}

function pretty(text: string): Promise<string> {
  return format(text, { parser: 'typescript', singleQuote: true, printWidth: 110 });
}

// Run as a program, it writes the files.
if (import.meta.filename === process.argv[1])
  for (const [path, text] of [
    ...(await generatedClientFiles()),
    ...(await functionFiles()),
    [SCHEMA_FILE, await schemaText()] as const,
  ])
    writeFileSync(join(ROOT, path), text);
