import { systemClock } from '../../src/base/clock.js';
import { jsonSchema } from '../../src/config/json-schema.js';
import { modulesOf } from '../../src/modules.js';

/** Where the JSON Schema of `gateway.yaml` is shipped. */
export const SCHEMA_FILE = 'docs/gateway.schema.json';

/** What is in it: what `stellwerk schema` prints. */
export async function schemaFile(): Promise<string> {
  const modules = await modulesOf(systemClock())({ board: 'simulated' });
  return `${JSON.stringify(jsonSchema(modules.all()), null, 1)}\n`;
}
