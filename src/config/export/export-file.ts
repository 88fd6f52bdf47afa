import { HIDDEN } from '../../base/url-secrets.js';
import { Document } from 'yaml';
import { ConfigDocument, FILE_LIMIT } from '../document.js';
import { DEPTH_LIMIT } from '../check/tree-check.js';
import { exportTree, withoutUrlSecrets, type ExportSource } from './export-tree.js';

/** The sections that are copied from the existing configuration. */
const SECTIONS = [
  'board',
  'name',
  'language',
  'timeZone',
  'remoteAccess',
  'api',
  'webServers',
  'configurators',
  'changes',
  'store',
  'backup',
  'log',
];

/** The keys whose values are secrets. */
const SECRETS = new Set(['password', 'secretKey']);

/** The source of an exported file. */
interface ExportFileSource extends Omit<ExportSource, 'configurators'> {
  /** The existing configuration, with its text. */
  readonly config: { readonly file: string; readonly text: string };
  /** Notes on what only the store and other directories contain. */
  readonly notExported: readonly string[];
}

/**
 * Writes a `gateway.yaml` that describes the present tree. Sections without objects are copied from the
 * existing file; passwords are omitted. Throws ConfigurationError if the existing file is not YAML.
 */
export function exportFile({ config, notExported, ...from }: ExportFileSource): {
  text: string;
  notes: readonly string[];
} {
  const existing = (new ConfigDocument(config.file, config.text).value ?? {}) as Record<string, unknown>;
  const secrets: string[] = [];
  const kept = Object.fromEntries(
    // Keys of a newer version are kept too.
    [...SECTIONS, ...Object.keys(existing).filter((key) => !SECTIONS.includes(key))]
      .filter((key) => existing[key] !== undefined && key !== 'tree' && key !== 'profiles')
      .map((key) => [key, withoutSecrets(existing[key], key, secrets)]),
  );
  const listed = Array.isArray(existing['configurators'])
    ? (existing['configurators'] as { ident?: unknown }[])
    : [];
  const sections = exportTree({ ...from, configurators: listed.map(({ ident }) => String(ident)) });
  const { profiles, tree } = sections;
  const document = new Document(
    { ...kept, ...(Object.keys(profiles).length > 0 && { profiles }), tree },
    { aliasDuplicateObjects: false },
  );
  const notes = [...sections.notes, ...notExported];
  document.commentBefore =
    ' Written by stellwerk export. stellwerk check lists what remains to be filled in.';
  const all = [...secrets, ...sections.secrets];
  const comment = [
    ...part(`Secrets are not exported. Replace each ${HIDDEN} by the secret:`, all),
    ...part(
      'These objects had no ident. Before you use this file on the original gateway, set their idents there:',
      sections.idents.map(([id, ident, path]) => `stellwerk call SVC_SetIdent ${id} ${ident}   # ${path}`),
    ),
    ...part('Not in this file:', notes),
  ];
  if (comment.length > 0) document.comment = comment.map((line) => ` ${printable(line)}`).join('\n');
  const text = document.toString({ lineWidth: 0 });
  const tooLong =
    Buffer.byteLength(text) > FILE_LIMIT
      ? [`the file is longer than ${FILE_LIMIT} bytes and cannot be loaded`]
      : [];
  const tooDeep =
    levelsOf(tree) > DEPTH_LIMIT
      ? [`the tree is more than ${DEPTH_LIMIT} levels deep; the file cannot be loaded`]
      : [];
  return { text, notes: [...notes, ...tooLong, ...tooDeep] };
}

/** The number of levels of a tree. A variable of an instance is a level if there are entries below it. */
function levelsOf(entries: unknown): number {
  let levels = 0;
  for (const { children, variables = {} } of Array.isArray(entries) ? (entries as ListedEntry[]) : []) {
    levels = Math.max(levels, 1 + levelsOf(children));
    for (const variable of Object.values(variables))
      if (variable.children !== undefined) levels = Math.max(levels, 2 + levelsOf(variable.children));
  }
  return levels;
}

/** An entry of a tree. */
interface ListedEntry {
  readonly children?: unknown;
  readonly variables?: Readonly<Record<string, { readonly children?: unknown }>>;
}

const part = (head: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [head, ...lines.map((line) => `  ${line}`)];

/** Keeps a comment on one line, whatever characters object names contain. */
const printable = (line: string): string => line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');

/** Replaces passwords and the secrets in URLs by the placeholder; hashes and file names stay. */
function withoutSecrets(value: unknown, path: string, secrets: string[]): unknown {
  if (Array.isArray(value)) return value.map((one, i) => withoutSecrets(one, `${path}[${i}]`, secrets));
  if (typeof value !== 'object' || value === null) {
    const shown = withoutUrlSecrets(value);
    if (shown !== value) secrets.push(path);
    return shown;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => {
      if (!SECRETS.has(key)) return [key, withoutSecrets(one, `${path}.${key}`, secrets)];
      secrets.push(`${path}.${key}`);
      return [key, HIDDEN];
    }),
  );
}
