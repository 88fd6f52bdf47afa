import type { TSchema } from '@sinclair/typebox';
import type { Text } from '../base/codes/coded-text.js';
import { checkSchema } from './check/schema-check.js';
import { ConfigDocument, type DocumentPath } from './document.js';

/**
 * Parses a YAML file, checks it against a schema, and then with `check`. Throws ConfigurationError with the
 * line and column of each finding.
 */
export function parseYamlFile(
  { path, text }: { readonly path: string; readonly text: string },
  schema: TSchema,
  check: (value: unknown, add: (path: DocumentPath, text: Text) => void) => void,
): unknown {
  const document = new ConfigDocument(path, text);
  if (checkSchema(document, schema, { path: [], value: document.value }))
    check(document.value, (at, error) => document.addError(at, error));
  document.throwIfErrors();
  return document.value;
}
