import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import type { FunctionDeclaration, Parameter } from '../../../src/device/declare.js';
import { openRpcDocument } from '../../../src/functions/reflection/openrpc.js';
import { ROOT } from '../../law/sources.js';
import { allFunctions } from './all-functions.js';

/** The files generated from the command reference, by path: a page, and the OpenRPC document. */
export async function functionFiles(): Promise<ReadonlyMap<string, string>> {
  const declared = await allFunctions();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return new Map([
    ['docs/reference/functions.md', await format(pageOf(declared), { parser: 'markdown', printWidth: 120 })],
    ['docs/reference/openrpc.json', documentOf(openRpcDocument(declared, version))],
  ]);
}

/** One line per method and schema, so that changes of different functions do not conflict. */
function documentOf(document: object): string {
  const { methods, components, ...head } = document as {
    readonly methods: readonly object[];
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  };
  const schemas = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = schemas.map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
  return `${JSON.stringify(head).slice(0, -1)},"methods":[
${methods.map((method) => JSON.stringify(method)).join(',\n')}
],"components":{"schemas":{
${lines.join(',\n')}
}}}
`;
}

/** Families by the prefix of their names, in the order of the page. */
const families: Readonly<Record<string, string>> = {
  '': 'Values and actions',
  SVC: 'Objects, scripts, events, instances, kernel',
  AC: 'Archive',
  UC: 'Utilities',
  WFC: 'Web fronts',
  Sys: 'Machine',
  HW: 'Devices of any module',
  SPRT: 'Serial ports',
  CSCK: 'Client sockets',
  SSCK: 'Server sockets',
  USCK: 'UDP sockets',
  VIO: 'Virtual I/O',
  MQTT: 'MQTT',
  ModBus: 'Modbus',
  OW: '1-Wire',
  GW: 'Extensions of stellwerk',
  rpc: 'Reflection',
};

const who = {
  public: 'everybody',
  webfront: 'owner and web fronts',
  socket: 'owner and web fronts, for their own socket',
  owner: 'owner',
} as const;

function pageOf(declared: readonly FunctionDeclaration[]): string {
  const made = declared.filter(({ unsupported: nothing }) => nothing === undefined);
  const rejected = Map.groupBy(
    declared.filter(({ unsupported: nothing }) => nothing !== undefined),
    ({ unsupported: nothing = '' }) => nothing,
  );
  const prefixes = new Set([...Object.keys(families), ...made.map(prefixOf)]);
  return `# Functions

<!-- Generated from the command reference by test/tools/generate/reference-files.ts; a test compares them. -->

All functions that clients can call: over HTTP, over a WebSocket, from scripts, and with \`stellwerk call\`. A function
requires the owner role unless its line says otherwise. \`stellwerk call --help NAME\` also describes the fields of lists
and records. Programs read [openrpc.json](openrpc.json) or call \`rpc.discover\`.

\`\`\`sh
stellwerk call --help RequestAction
stellwerk call RequestAction ground_floor/hall_relay/STATE true
\`\`\`

${[...prefixes]
  .map((prefix) =>
    section(
      families[prefix] ?? `${prefix}_`,
      made.filter((one) => prefixOf(one) === prefix),
    ),
  )
  .join('')}
## Unsupported functions

These functions fail with the error \`NOTHING_TO_DO\`. Each list names the reason.

${[...rejected].map(([why, functions]) => `${upper(why)}:\n\n${functions.map((one) => `- \`${signature(one)}\`\n`).join('')}\n`).join('')}
`;
}

function section(title: string, functions: readonly FunctionDeclaration[]): string {
  if (functions.length === 0) return '';
  const lines = functions.map((one) => {
    const access = one.access === 'owner' ? '' : ` (${who[one.access]})`;
    return `- \`${signature(one)}\`: ${one.help}${access}\n`;
  });
  return `## ${title}\n\n${lines.join('')}\n`;
}

function signature({ name, parameters, result }: FunctionDeclaration): string {
  return `${name}(${parameters.map(parameterText).join(', ')}) → ${result}`;
}

function parameterText({ kind, name, enumeration, extension = [], optional }: Parameter): string {
  const words =
    enumeration === undefined
      ? ''
      : ` {${[...enumeration, ...extension].map((word, i) => `${i} ${word}`).join(', ')}}`;
  return optional === true ? `[${kind} ${name}${words}]` : `${kind} ${name}${words}`;
}

const prefixOf = ({ name }: FunctionDeclaration) => /^(\w+?)[_.]/.exec(name)?.[1] ?? '';

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
