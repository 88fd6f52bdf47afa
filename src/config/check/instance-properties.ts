import { coded } from '../../base/codes/coded-text.js';
import { HIDDEN, hasMaskedUrl } from '../../base/url-secrets.js';
import type { ModuleDefinition } from '../../device/module.js';
import {
  coerceProperty,
  defaultsOf,
  isSecretProperty,
  validateProperties,
  withProperty,
  type Properties,
} from '../../device/properties.js';
import { checkSchema } from './schema-check.js';
import type { ConfigDocument, DocumentPath } from '../document.js';

/** The warning about the placeholder of a secret that an existing object may have. */
export const PLACEHOLDER = coded`PLACEHOLDER_OF_EXPORT: ${HIDDEN} is the placeholder of an export; replace it with the secret (an existing object keeps its secret)`;

/** The properties of a listed instance, and the path of its entry. */
interface ListedProperties {
  readonly path: DocumentPath;
  readonly properties: Properties;
}

/**
 * Checks the properties of a listed instance. Unknown names and invalid values are errors. A combination that
 * its module rejects is a problem, or a warning if something is only missing, as that can be set at run time.
 */
export function checkProperties(
  document: ConfigDocument,
  module: ModuleDefinition,
  { path, properties }: ListedProperties,
): void {
  const schemas = module.properties.properties;
  const known = Object.keys(schemas);
  let isValid = true;
  for (const [name, value] of Object.entries(properties)) {
    const at: DocumentPath = [...path, 'properties', name];
    const schema = schemas[name];
    if (schema === undefined || !Object.hasOwn(schemas, name)) {
      document.addUnknownKey(at, known, coded`NO_SUCH_PROPERTY: ${module.name} has no such property`);
      isValid = false;
    } else if (isSecretProperty(module, name) && value === HIDDEN) {
      document.addWarning(at, PLACEHOLDER);
    } else {
      if (hasMaskedUrl(value)) document.addWarning(at, PLACEHOLDER);
      isValid = checkSchema(document, schema, { path: at, value: coerceProperty(schema, value) }) && isValid;
    }
  }
  if (!isValid) return;
  const error = validateProperties(module, completeProperties(module, properties));
  if (error === undefined) return;
  const at = [...path, ...stepsTo(error.toString(), properties)];
  const isMissing = error.toString() === validateProperties(module, defaultsOf(module))?.toString();
  const text = coded`INSTANCE_STAYS_CLOSED: the instance stays closed: ${error}`;
  if (isMissing) document.addWarning(at, text);
  else document.addProblem(at, text);
}

/** The initial properties of a listed instance, defaults included; each must be valid. */
export function completeProperties(module: ModuleDefinition, properties: Properties): Properties {
  return Object.entries(properties).reduce((all, one) => withProperty(module, all, one), defaultsOf(module));
}

/** The path of the property or list entry that a module's text is about. */
function stepsTo(text: string, properties: Properties): DocumentPath {
  const words: ReadonlySet<string> = new Set(text.match(/\w+/g));
  for (const [name, value] of Object.entries(properties)) {
    if (!Array.isArray(value)) continue;
    const entries = value as readonly unknown[];
    const index = entries.findLastIndex((entry) => words.has(identIn(entry)));
    if (index < 0) continue;
    const field = Object.keys(entries[index] as object).find((key) => key !== 'Ident' && words.has(key));
    return ['properties', name, index, ...(field === undefined ? [] : [field])];
  }
  const name = Object.keys(properties).find((key) => words.has(key));
  return name === undefined ? [] : ['properties', name];
}

function identIn(entry: unknown): string {
  const { Ident } = (typeof entry === 'object' && entry !== null ? entry : {}) as { Ident?: unknown };
  return typeof Ident === 'string' ? Ident : '';
}

/** The variables of a listed instance; undefined if its properties are invalid or keep it closed. */
export function variablesOf(module: ModuleDefinition, properties: Properties) {
  try {
    const all = completeProperties(module, properties);
    return validateProperties(module, all) === undefined ? module.variables(all) : undefined;
  } catch {
    // Invalid properties are reported separately; a module that throws also fails when it is opened.
    return undefined;
  }
}
