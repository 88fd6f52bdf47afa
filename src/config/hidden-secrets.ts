import {
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Document,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { HIDDEN, hasMaskedUrl, maskUrls, urlSecrets } from '../base/url-secrets.js';
import { isSecretProperty } from '../device/properties.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import { SECRET_KEYS } from './change-settings.js';
import type { ConfigFinding } from './document.js';

/** In quotes: without them it would be the alias of an anchor. */
const PLACEHOLDER = `"${HIDDEN}"`;
/** For instances of unknown modules: a property whose name contains one of these words may be secret. */
const MAYBE_SECRET = /pass|secret|token|key|credential/i;
/** For text that is not valid YAML: a key whose value is or may be a secret, with that value. */
const SECRET_LINE =
  /(\b\w*(?:pass|secret|token|credential)\w*["']?[ \t]*:[ \t]*|\bkey[ \t]*:[ \t]*)(?:"[^"\n]*"?|'[^'\n]*'?|[^\s,{}#](?:[^,}\n]*[^\s,}])?)/gi;
/** The keys that name an entry of a list, the most exact first. The others are the kinds of the tree. */
const NAMES = 'ident name title category instance variable script event media link'.split(' ');
/** A value that means the same in a block, in braces and in brackets, whatever is next to it. */
const PLAIN = /^[A-Za-z$][\w$./+=-]*$/;

type Modules = Pick<ModuleRegistry, 'find'> | undefined;
type Parsed = Document.Parsed<ParsedNode>;

/** A part of a text that is replaced. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** A text with its secrets, and where its parts are in the text without. */
interface RevealedText {
  readonly text: string;
  /** Whether a URL has `***` where the stored one, which differs, has a secret: it would be lost. */
  readonly losesUrlSecret: boolean;
  /** The finding with the place in the text that was given. */
  readonly placed: (finding: ConfigFinding) => ConfigFinding;
}

/** A configuration with `"***"` in place of its secrets: passwords, hashes, keys, and passwords in URLs. */
export function hideSecrets(text: string, modules: Modules): string {
  const document = parse(text);
  const edits: Edit[] = [];
  visitSecrets(document, modules, (scalar, isSecret) => {
    const [from, to] = rangeOf(scalar);
    const by = shown(text, scalar, isSecret);
    if (by !== text.slice(from, to)) edits.push({ from, to, by });
  });
  const hidden = edited(text, edits);
  // The parser does not see all of a text with errors.
  return document.errors.length === 0 ? hidden : hidden.replace(SECRET_LINE, `$1${PLACEHOLDER}`);
}

/**
 * A configuration that was given, with the secrets of the stored one where it has `***` for them. Entries of
 * lists are found by their names, so that a secret never gets to another entry. `***` for which there is no
 * secret stays.
 */
export function revealSecrets(given: string, stored: string, modules: Modules): RevealedText {
  const [document, other] = [parse(given), parse(stored)];
  const secrets = new Map<unknown, boolean>();
  visitSecrets(other, modules, (scalar, isSecret) => void secrets.set(scalar, isSecret));
  const edits: Edit[] = [];
  let losesUrlSecret = false;
  visitPairs(document.contents, other.contents, (scalar, source) => {
    const isSecret = secrets.get(source);
    if (isSecret === undefined) return;
    const [from, to] = rangeOf(scalar);
    const hidden = shown(stored, source, isSecret);
    const isHidden = isSecret ? scalar.value === HIDDEN : given.slice(from, to) === hidden;
    const by = literal(stored, source, isSecret);
    if (isHidden && source.value !== HIDDEN && by !== given.slice(from, to)) edits.push({ from, to, by });
    const isEdited = !isSecret && !isHidden && hasMaskedUrl(scalar.value);
    losesUrlSecret ||= isEdited && !hasMaskedUrl(source.value) && urlSecrets(String(source.value)).length > 0;
  });
  return { text: edited(given, edits), losesUrlSecret, placed: placing(given, edits) };
}

const parse = (text: string): Parsed => parseDocument(text, { prettyErrors: false, logLevel: 'error' });

const rangeOf = ({ range }: Scalar): readonly [number, number] => [range?.[0] ?? 0, range?.[1] ?? 0];

/** A scalar as it is shown. The line break after a text in a block is not a part of it. */
function shown(text: string, scalar: Scalar, isSecret: boolean): string {
  const source = text.slice(...rangeOf(scalar));
  if (!isSecret) return maskUrls(source);
  return scalar.value === '' || scalar.value === null
    ? source
    : PLACEHOLDER + (/\r?\n$/.exec(source)?.[0] ?? '');
}

/** A scalar as it is written into another text. */
function literal(text: string, scalar: Scalar, isSecret: boolean): string {
  const source = text.slice(...rangeOf(scalar));
  if (!isSecret || /^"[^\n]*"$|^'[^\n]*'$/.test(source) || PLAIN.test(source)) return source;
  return typeof scalar.value === 'string' ? JSON.stringify(scalar.value) : source;
}

/** Calls `report` for each text that is or may contain a secret. */
function visitSecrets(
  { contents }: Parsed,
  modules: Modules,
  report: (scalar: Scalar, isSecret: boolean) => void,
): void {
  const isSecretOf = (node: YAMLMap): ((name: string) => boolean) => {
    const name = node.get('module');
    const module = typeof name === 'string' ? modules?.find(name) : undefined;
    return (property) =>
      module === undefined ? MAYBE_SECRET.test(property) : isSecretProperty(module, property);
  };
  const visitSettings = (node: unknown, key = ''): void => {
    if (isMap(node)) for (const pair of node.items) visitSettings(pair.value, nameOf(pair.key));
    else if (isSeq(node)) for (const item of node.items) visitSettings(item, key);
    else if (isScalar(node)) report(node, SECRET_KEYS.has(key));
  };
  const visitProperties = (node: unknown, isSecret: boolean): void => {
    if (isMap(node)) for (const pair of node.items) visitProperties(pair.value, isSecret);
    else if (isSeq(node)) for (const item of node.items) visitProperties(item, isSecret);
    else if (isScalar(node)) report(node, isSecret);
  };
  const visitTree = (nodes: unknown): void => {
    if (!isSeq(nodes)) return;
    for (const node of nodes.items) {
      if (!isMap(node)) continue;
      const properties = node.get('properties');
      const isSecret = isSecretOf(node);
      if (isMap(properties))
        for (const { key, value } of properties.items) visitProperties(value, isSecret(nameOf(key)));
      const file = node.get('file', true);
      // The URL of a stream.
      if (isScalar(file)) report(file, false);
      visitTree(node.get('children'));
      const variables = node.get('variables');
      if (isMap(variables))
        for (const { value } of variables.items) if (isMap(value)) visitTree(value.get('children'));
    }
  };
  if (!isMap(contents)) return;
  for (const { key, value } of contents.items)
    if (nameOf(key) === 'tree') visitTree(value);
    else visitSettings(value, nameOf(key));
}

const nameOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '');

/** Calls `report` for texts at the same place of two configurations. */
function visitPairs(given: unknown, stored: unknown, report: (given: Scalar, stored: Scalar) => void): void {
  if (isScalar(given) && isScalar(stored)) report(given, stored);
  else if (isMap(given) && isMap(stored))
    for (const { key, value } of given.items) visitPairs(value, stored.get(nameOf(key), true), report);
  else if (isSeq(given) && isSeq(stored))
    for (const [item, other] of sameEntries(given.items, stored.items)) visitPairs(item, other, report);
}

/** The entries of two lists that have the same name. One that was only renamed is at the same place. */
function* sameEntries(
  given: readonly unknown[],
  stored: readonly unknown[],
): Generator<readonly [unknown, unknown]> {
  const [names, others] = [given.map(entryName), stored.map(entryName)];
  if ([...names, ...others].every((name) => name === '')) {
    if (given.length === stored.length) for (const [at, item] of given.entries()) yield [item, stored[at]];
    return;
  }
  for (const [at, name] of names.entries()) {
    const isUnique = names.indexOf(name) === names.lastIndexOf(name);
    const found = others.indexOf(name);
    if (name !== '' && isUnique && found >= 0 && found === others.lastIndexOf(name))
      yield [given[at], stored[found]];
    const other = others[at];
    const isRenamed = found < 0 && other !== undefined && !names.includes(other);
    if (isRenamed && given.length === stored.length) yield [given[at], stored[at]];
  }
}

/** The name of an entry; '' for an entry without one. */
function entryName(entry: unknown): string {
  if (!isMap(entry)) return '';
  const name = NAMES.find((key) => entry.has(key));
  return name === undefined ? '' : `${name} ${String(entry.get(name))}`;
}

function edited(text: string, edits: readonly Edit[]): string {
  let at = 0;
  let result = '';
  for (const { from, to, by } of edits.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(at, from) + by;
    at = to;
  }
  return result + text.slice(at);
}

/** Each secret is on a single line, so only the columns after it differ. */
function placing(given: string, edits: readonly Edit[]): RevealedText['placed'] {
  const shifts = edits
    .map(({ from, to, by }) => {
      const start = given.lastIndexOf('\n', from - 1) + 1;
      const line = given.slice(0, start).split('\n').length;
      return { line, column: from - start + 1, added: by.length - (to - from) };
    })
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  return (finding) => {
    let { column } = finding;
    for (const shift of shifts)
      if (shift.line === finding.line && column > shift.column)
        column = Math.max(shift.column, column - shift.added);
    return { ...finding, column };
  };
}
