import { coded } from '../base/codes/coded-text.js';
import { urlChanged } from '../base/codes/url-changed.js';
import { hasMaskedUrl } from '../base/url-secrets.js';
import { fault, messageOf } from '../base/fault.js';
import { parseJson } from '../base/json.js';
import type { Instance } from '../kernel/instances.js';
import type { ModuleDefinition } from './module.js';
import { withProperty, type Properties } from './properties.js';

/** Properties that are set but not yet applied, by instance id. */
export class PendingProperties {
  readonly #pending = new Map<number, Properties>();

  has(id: number): boolean {
    return this.#pending.has(id);
  }

  /**
   * Sets all of `changes`, or none if one is invalid. Returns false if nothing changes. Throws `PROPERTY_*`.
   */
  set({ id, data }: Instance, module: ModuleDefinition, changes: Properties): boolean {
    const before = this.#pending.get(id) ?? data.properties;
    let after = before;
    for (const [name, value] of Object.entries(changes)) {
      after = withProperty(module, after, [name, value]);
      if (hasMaskedUrl(after[name]) && !hasMaskedUrl(before[name]))
        throw fault('PROPERTY_INVALID', name, urlChanged());
    }
    if (isSame(before, after)) return false;
    if (isSame(data.properties, after)) this.#pending.delete(id);
    else this.#pending.set(id, after);
    return true;
  }

  /** Removes the pending properties of an instance and returns them. */
  take(id: number): Properties | undefined {
    const removed = this.#pending.get(id);
    this.#pending.delete(id);
    return removed;
  }
}

/** Parses a JSON object of properties. Throws `CONFIGURATION_INVALID`. */
export function parseProperties(json: string): Properties {
  let parsed: unknown;
  try {
    parsed = parseJson(json);
  } catch (thrown) {
    throw fault('CONFIGURATION_INVALID', messageOf(thrown));
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw fault('CONFIGURATION_INVALID', coded`NOT_JSON_OBJECT: it is not a JSON object`);
  return parsed as Properties;
}

function isSame(a: Properties, b: Properties): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
