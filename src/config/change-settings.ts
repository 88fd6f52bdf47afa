import { isCollection, isNode, parseDocument } from 'yaml';
import { HIDDEN, maskUrls, unmaskUrlsIn } from '../base/url-secrets.js';
import type { DocumentPath } from './document.js';

/** A change of one setting; null removes it. */
export interface SettingChange {
  readonly path: DocumentPath;
  readonly value: unknown;
}

/** The keys outside the tree whose values are secrets. */
export const SECRET_KEYS: ReadonlySet<string> = new Set(['password', 'passwordHash', 'key', 'secretKey']);
/** A key, or the index of a list, with what separates it from the next one. */
const STEP = /\.?([A-Za-z]\w*)|\[(\d{1,4})\]/y;

/** The steps of a path such as `webServers[0].tls`; undefined if it is none, or leads into the tree. */
export function parseSettingPath(text: string): DocumentPath | undefined {
  const path: (string | number)[] = [];
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const [, key, index] = STEP.exec(text) ?? [];
    if (key === undefined && index === undefined) return undefined;
    path.push(key ?? Number(index));
  }
  return typeof path[0] !== 'string' || path[0] === 'tree' ? undefined : path;
}

/** The settings in a valid configuration, except for the tree, without their secrets. */
export function settingsIn(text: string): Readonly<Record<string, unknown>> {
  const { tree: _tree, ...settings } = (parseDocument(text).toJS() ?? {}) as Record<string, unknown>;
  return withoutSecrets(settings) as Record<string, unknown>;
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'string') return maskUrls(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      SECRET_KEYS.has(key) && typeof one === 'string' ? HIDDEN : withoutSecrets(one),
    ]),
  );
}

/**
 * Changes settings in a configuration and keeps everything else, comments included. A URL that is written as
 * {@link settingsIn} returns it keeps its secrets. The text must be valid. Returns undefined if a path leads
 * into a value that has no parts.
 */
export function changeSettings(text: string, changes: readonly SettingChange[]): string | undefined {
  const document = parseDocument(text);
  for (const { path, value } of changes) {
    const isBlocked = path
      .slice(1)
      .some(
        (_, at) =>
          document.hasIn(path.slice(0, at + 1)) && !isCollection(document.getIn(path.slice(0, at + 1))),
      );
    if (isBlocked) return undefined;
    // A key that is missing cannot be deleted if the keys above it are missing, too.
    if (value === null && document.hasIn(path)) document.deleteIn(path);
    else if (value !== null) {
      const stored = document.getIn(path);
      const before: unknown = isNode(stored) ? stored.toJS(document) : stored;
      document.setIn(path, document.createNode(unmaskUrlsIn(value, before)));
    }
  }
  return document.toString({ lineWidth: 0 });
}
