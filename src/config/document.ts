import { coded, type CodedText, type Text } from '../base/codes/coded-text.js';
import {
  LineCounter,
  isMap,
  isNode,
  isScalar,
  parseDocument,
  visit,
  type Document,
  type ParsedNode,
} from 'yaml';
import { messageOf } from '../base/fault.js';
import { isInexact } from '../base/json.js';
import { closestWord } from '../base/did-you-mean.js';

/**
 * The severity of a finding. With an `error` a gateway does not start, and a reload changes nothing. With a
 * `problem` the part it is about does not work, but the rest does. A `warning` may be intended.
 */
type Severity = 'error' | 'problem' | 'warning';

/**
 * What a problem found missing in the file. A running gateway may have it: objects and profiles are also
 * created by calls.
 */
export interface MissingTarget {
  readonly kind: 'object' | 'profile' | 'line';
  readonly name: string;
}

/** A finding in a file. Lines and columns count from 1. */
export interface ConfigFinding {
  readonly severity: Severity;
  readonly line: number;
  readonly column: number;
  /** The path of the key: `webServers[0].tls`. */
  readonly key: string;
  readonly text: Text;
  readonly missing?: MissingTarget | undefined;
}

/** Formats a finding as one line: `FILE:LINE:COLUMN: KEY: TEXT`. */
export function formatFinding(file: string, { severity, line, column, key, text }: ConfigFinding): string {
  const kind = severity === 'warning' ? 'warning: ' : '';
  return `${file}:${line}:${column}: ${kind}${key === '' ? '' : `${key}: `}${text.toString()}`;
}

/** As {@link formatFinding}, with the code and the parameters of the text. */
export function codedFinding(file: string, { severity, line, column, key, text }: ConfigFinding): CodedText {
  const place = `${file}:${line}:${column}`;
  const what = key === '' ? text : coded`ABOUT: ${key}: ${text}`;
  return severity === 'warning'
    ? coded`WARNING_AT: ${place}: warning: ${what}`
    : coded`ABOUT: ${place}: ${what}`;
}

/** The steps from the root of a document to one of its values. */
export type DocumentPath = readonly (string | number)[];

/** A file with errors. The message lists all findings except warnings. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly file: string;
  readonly findings: readonly ConfigFinding[];
  constructor(file: string, findings: readonly ConfigFinding[]) {
    const shown = findings.filter(({ severity }) => severity !== 'warning');
    super(shown.map((finding) => formatFinding(file, finding)).join('\n'));
    this.file = file;
    this.findings = findings;
  }
}

/** The size limit of a configuration, which is written by hand. */
export const FILE_LIMIT = 4 * 1024 * 1024;
/** Aliases may repeat a block, but not multiply it ("billion laughs"). */
const ALIAS_LIMIT = 100;

const ERROR = { severity: 'error' } as const;

/** A YAML file with the line of each value, which collects findings. */
export class ConfigDocument {
  readonly file: string;
  readonly value: unknown;
  #findings: ConfigFinding[] = [];
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed<ParsedNode>;
  readonly #text: string;

  /** Throws ConfigurationError if the text is not YAML. */
  constructor(file: string, text: string) {
    this.file = file;
    this.#text = text;
    const options = { lineCounter: this.#lines, prettyErrors: false, logLevel: 'error' } as const;
    this.#document = parseDocument(text, options);
    // Only the first error: the others follow from it.
    const [error] = this.#document.errors;
    if (error !== undefined)
      this.#at({ offset: error.pos[0], key: '' }, coded`YAML_ERROR: ${withoutSource(error.message)}`);
    visit(this.#document, {
      Scalar: (_, { value, source, range }) => {
        // Without the number itself, which may be a password.
        if (typeof value === 'number' && source !== undefined && isInexact(source))
          this.#at(
            { offset: range?.[0] ?? 0, key: '' },
            coded`QUOTE_NUMBER: this number cannot be represented exactly; put a text in quotes`,
          );
      },
      Pair: (_, { key }) => {
        if (!isScalar(key))
          this.#at(
            { offset: isNode(key) ? (key.range?.[0] ?? 0) : 0, key: '' },
            coded`KEY_NOT_PLAIN: a key must be a plain word`,
          );
      },
      Alias: (_, alias, ancestors) => {
        const target = alias.resolve(this.#document);
        if (target !== undefined && ancestors.includes(target))
          this.#at(
            { offset: alias.range?.[0] ?? 0, key: '' },
            coded`ALIAS_LOOP: *${alias.source} refers to the node that contains it`,
          );
      },
    });
    this.throwIfErrors();
    try {
      this.value = this.#document.toJS({ maxAliasCount: ALIAS_LIMIT }) as unknown;
    } catch (thrown) {
      this.#at({ offset: 0, key: '' }, withoutSource(messageOf(thrown)));
    }
    this.throwIfErrors();
  }

  /** Adds an error at a value or, if that is missing, at what should contain it. */
  addError(path: DocumentPath, text: Text): void {
    this.#at({ offset: this.#offset(path), key: formatPath(path) }, text);
  }

  /** Adds a problem at a value. `absent` names what the file lacks and a running gateway may have. */
  addProblem(path: DocumentPath, text: Text, absent?: MissingTarget): void {
    this.#at({ offset: this.#offset(path), key: formatPath(path) }, text, {
      severity: 'problem',
      missing: absent,
    });
  }

  /** Adds a warning at a value. */
  addWarning(path: DocumentPath, text: Text): void {
    this.#at({ offset: this.#offset(path), key: formatPath(path) }, text, { severity: 'warning' });
  }

  /** Adds a problem inside a multi-line text. Line and column are those of the text, from 1. */
  addTextProblem(
    path: DocumentPath,
    text: Text,
    at: { readonly line: number; readonly column: number },
  ): void {
    const { line, column } = this.#insideText(path, at);
    this.#findings.push({ severity: 'problem', line, column, key: formatPath(path), text });
  }

  /** The location of a value: `FILE:LINE:COLUMN`. */
  locationOf(path: DocumentPath): string {
    const { line, column } = this.#lineAt(this.#offset(path));
    return `${this.file}:${line}:${column}`;
  }

  /** The line of a value. */
  lineOf(path: DocumentPath): number {
    return this.#lineAt(this.#offset(path)).line;
  }

  /** All findings so far, by line. */
  get findings(): readonly ConfigFinding[] {
    return this.#findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  /** Removes findings. */
  removeFindings(isRemoved: (finding: ConfigFinding) => boolean): void {
    this.#findings = this.#findings.filter((finding) => !isRemoved(finding));
  }

  /** Whether there is an error. */
  get hasErrors(): boolean {
    return this.#findings.some(({ severity }) => severity === 'error');
  }

  /** Whether an entry of the tree has an error, apart from its children. */
  hasErrorIn(entry: string): boolean {
    return this.#findings.some(({ severity, key }) => severity === 'error' && isOfEntry(key, entry));
  }

  /**
   * Adds an error for an unexpected key. In a flow mapping, a word without a value is shown only if it
   * resembles a known key: it may be a secret whose key is missing.
   */
  addUnknownKey(path: DocumentPath, known: readonly string[], text: Text): void {
    const parent = this.#document.getIn(path.slice(0, -1), true);
    const key = path.at(-1);
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined;
    const at = pair !== undefined && isNode(pair.key) ? pair.key.range?.[0] : undefined;
    const near = closestWord(String(key), known);
    const hint =
      near === undefined
        ? coded`KNOWN_HERE: ; known here: ${known.join(', ')}`
        : coded`DID_YOU_MEAN: ; did you mean ${near}?`;
    const isKey = pair === undefined || pair.value !== null;
    const shown = near === undefined && !isKey ? path.slice(0, -1) : path;
    this.#at({ offset: at ?? this.#offset(path), key: formatPath(shown) }, coded`WITH_HINT: ${text}${hint}`);
  }

  /** Throws a ConfigurationError with all findings if one of them is an error. */
  throwIfErrors(): void {
    if (this.hasErrors) throw new ConfigurationError(this.file, this.findings);
  }

  #offset(path: DocumentPath): number {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown =
        length === 0 ? this.#document.contents : this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  }

  #at(
    { offset, key }: { readonly offset: number; readonly key: string },
    text: Text,
    more: Pick<ConfigFinding, 'severity' | 'missing'> = ERROR,
  ): void {
    this.#findings.push({ ...more, ...this.#lineAt(offset), key, text });
  }

  #lineAt(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /**
   * The text of a block starts below its `|`, indented. For other texts only the first line can be located.
   */
  #insideText(path: DocumentPath, at: { readonly line: number; readonly column: number }) {
    const offset = this.#offset(path);
    const start = this.#lineAt(offset);
    const node: unknown = this.#document.getIn(path, true);
    if (!isScalar(node)) return start;
    if (node.type === 'PLAIN')
      return at.line === 1 ? { ...start, column: start.column + at.column - 1 } : start;
    if (node.type !== 'BLOCK_LITERAL') return start;
    const [, first = ''] = /^.*\n(?:[ \t]*\n)*( *)\S/.exec(this.#text.slice(offset)) ?? [];
    return { line: start.line + at.line, column: first.length + at.column };
  }
}

/** The parser's message quotes the file after a colon; the quote may contain a secret. */
function withoutSource(message: string): string {
  return message.replace(/(?: in YAML stream)?: .*$/s, '');
}

/** Whether a key belongs to an entry itself, not to one of its children. */
export function isOfEntry(key: string, entry: string): boolean {
  return key === entry || (key.startsWith(`${entry}.`) && !key.startsWith(`${entry}.children[`));
}

/** Formats a path as users write it. */
export function formatPath(path: DocumentPath): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
