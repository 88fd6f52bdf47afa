import { coded, either, type CodedText } from '../../base/codes/coded-text.js';
import type { TSchema } from '@sinclair/typebox';
import { Errors, ValueErrorType, type ValueError } from '@sinclair/typebox/errors';
import type { ConfigDocument, DocumentPath } from '../document.js';
import { schemaText } from '../../device/toolkit/schema-text.js';
import { didYouMean } from '../../base/did-you-mean.js';

/**
 * Checks a value of a document against a schema and adds an error at the line of each mismatch. Returns true
 * if there is none.
 */
export function checkSchema(
  document: ConfigDocument,
  schema: TSchema,
  { path, value }: { path: DocumentPath; value: unknown },
): boolean {
  const seen = new Set<string>();
  for (const error of Errors(schema, value)) {
    // The first error at a path is the most specific; those that follow from it only confuse.
    if (seen.has(error.path)) continue;
    seen.add(error.path);
    addSchemaError(document, path, error);
  }
  return seen.size === 0;
}

function addSchemaError(document: ConfigDocument, base: DocumentPath, error: ValueError): void {
  const path = [...base, ...stepsOf(error.path)];
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const known = Object.keys(error.schema['properties'] as object);
    document.addUnknownKey(path, known, coded`NO_SUCH_KEY: there is no such key`);
  } else if (error.type === ValueErrorType.ObjectRequiredProperty) {
    document.addError(path, coded`KEY_MISSING: this key is missing`);
  } else if (error.type === ValueErrorType.Union) {
    addUnionError(document, path, error);
  } else {
    document.addError(path, coded`WITH_HINT: ${textOf(error)}${got(error.value)}`);
  }
}

/** Patterns in words: few readers understand a regular expression. */
const PATTERNS: Readonly<Record<string, CodedText>> = {
  '^[A-Za-z0-9_]+$': coded`EXPECTED_WORD: expected letters, digits and _ only`,
  '^[A-Za-z]+$': coded`EXPECTED_LETTERS: expected letters only`,
  '^https?://': coded`EXPECTED_URL: expected a URL that begins with http:// or https://`,
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': coded`EXPECTED_TIME_OF_DAY: expected a time such as 03:15`,
  '^[^:]+$': coded`EXPECTED_NO_COLON: expected a name without a colon`,
  '^scrypt\\$': coded`EXPECTED_HASH: expected a hash that stellwerk hash-password prints`,
};

/** For an enumeration, the allowed words and the closest one. */
function textOf(error: ValueError): CodedText {
  const { schema, value, type } = error;
  const words = schema['enum'] as readonly string[] | undefined;
  if (words !== undefined) return coded`EXPECTED_WORDS: expected ${either(words)}${suggestion(value, words)}`;
  return (type === ValueErrorType.StringPattern && PATTERNS[String(schema['pattern'])]) || schemaText(error);
}

const suggestion = (value: unknown, words: readonly string[]): CodedText | '' =>
  typeof value === 'string' ? didYouMean(value, words) : '';

/**
 * For a union, the branch of the value's own type explains the error; for words, all that are allowed are
 * listed.
 */
function addUnionError(document: ConfigDocument, path: DocumentPath, error: ValueError): void {
  const branches = error.schema['anyOf'] as TSchema[];
  const words = branches.flatMap((branch) => ('const' in branch ? [String(branch['const'])] : []));
  const ofKind = branches.find((branch) => branch['type'] === 'object');
  if (typeof error.value === 'object' && error.value !== null && ofKind !== undefined) {
    checkSchema(document, ofKind, { path, value: error.value });
    return;
  }
  const kinds = branches.flatMap((branch) => ('const' in branch ? [] : [String(branch['type'])]));
  document.addError(
    path,
    coded`EXPECTED_OTHER: expected ${either([...words, ...kinds])}${got(error.value)}${suggestion(error.value, words)}`,
  );
}

function got(value: unknown): CodedText | '' {
  // Text is never shown: it may be a secret.
  return typeof value === 'number' || typeof value === 'boolean' ? coded`BUT_NOT: , not ${value}` : '';
}

function stepsOf(pointer: string): DocumentPath {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) =>
    /^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
}
