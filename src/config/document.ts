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
import { nearest } from '../base/did-you-mean.js';

/** One mistake in a file: where, which key, and what to do. Lines and columns count from 1. */
export interface Mistake {
  readonly line: number;
  readonly column: number;
  /** Path of the key: `webServers[0].tls`. */
  readonly key: string;
  readonly text: string;
}

/** Steps from the root of a document to one of its values. */
export type Path = readonly (string | number)[];

/** A file with mistakes; its text lists them all. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly file: string;
  readonly mistakes: readonly Mistake[];
  constructor(file: string, mistakes: readonly Mistake[]) {
    const lines = mistakes.map(
      ({ line, column, key, text }) => `${file}:${line}:${column}: ${key === '' ? '' : `${key}: `}${text}`,
    );
    super(lines.join('\n'));
    this.file = file;
    this.mistakes = mistakes;
  }
}

/** A configuration is written by hand: one that is larger is a mistake. */
export const FILE_LIMIT = 4 * 1024 * 1024;
/** Aliases may repeat a block, not multiply it ("billion laughs"). */
const ALIAS_LIMIT = 100;

/** A YAML file that knows the line of each of its values, and collects what is wrong with them. */
export class ConfigDocument {
  readonly file: string;
  readonly value: unknown;
  readonly #mistakes: Mistake[] = [];
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed<ParsedNode>;

  /** Throws ConfigurationError when it is not YAML at all. */
  constructor(file: string, text: string) {
    this.file = file;
    const options = { lineCounter: this.#lines, prettyErrors: false, logLevel: 'error' } as const;
    this.#document = parseDocument(text, options);
    // Only the first: those after it follow from it.
    const [error] = this.#document.errors;
    if (error !== undefined) this.#at(error.pos[0], '', withoutSource(error.message));
    visit(this.#document, {
      Scalar: (_, { value, source, range }) => {
        if (typeof value === 'number' && source !== undefined && isInexact(source))
          this.#at(range?.[0] ?? 0, '', `${source} cannot be represented exactly; a text stands in quotes`);
      },
      Pair: (_, { key }) => {
        if (!isScalar(key))
          this.#at(isNode(key) ? (key.range?.[0] ?? 0) : 0, '', 'a key must be a plain word');
      },
    });
    this.throwIfAny();
    try {
      this.value = this.#document.toJS({ maxAliasCount: ALIAS_LIMIT }) as unknown;
    } catch (thrown) {
      this.#at(0, '', withoutSource(messageOf(thrown)));
    }
    this.throwIfAny();
  }

  /** Notes a mistake at a value, or where it is missing at what it should stand in. */
  mistake(path: Path, text: string): void {
    this.#at(this.#offset(path), keyOf(path), text);
  }

  /**
   * Notes a key that should not be there. The key itself is shown only where it is nearly a known one: what stands in the
   * place of a key by mistake may be a secret.
   */
  unknownKey(path: Path, known: readonly string[], text: string): void {
    const parent = this.#document.getIn(path.slice(0, -1), true);
    const key = path.at(-1);
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined;
    const at = pair !== undefined && isNode(pair.key) ? pair.key.range?.[0] : undefined;
    const near = nearest(String(key), known);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    const shown = near === undefined ? path.slice(0, -1) : path;
    this.#at(at ?? this.#offset(path), keyOf(shown), `${text}${hint}; known here: ${known.join(', ')}`);
  }

  /** Throws all mistakes noted so far, in the order of their lines. */
  throwIfAny(): void {
    if (this.#mistakes.length === 0) return;
    throw new ConfigurationError(
      this.file,
      this.#mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column),
    );
  }

  #offset(path: Path): number {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown =
        length === 0 ? this.#document.contents : this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  }

  #at(offset: number, key: string, text: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.#mistakes.push({ line: Math.max(line, 1), column: Math.max(col, 1), key, text });
  }
}

/** What the parser says quotes the file after a colon, and what stands there may be a secret. */
function withoutSource(message: string): string {
  return message.replace(/(?: in YAML stream)?: .*$/s, '');
}

/** A path as people write it. */
export function keyOf(path: Path): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
