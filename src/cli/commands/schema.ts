import { systemClock } from '../../base/clock.js';
import { jsonSchema } from '../../config/schema/json-schema.js';
import { createModuleList } from '../../composition/module-list.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';

/** `stellwerk schema`: prints the JSON Schema of a configuration, for editors. */
export const schema = command({
  usage: 'schema > gateway.schema.json',
  about: `Prints a JSON Schema (draft 7) of gateway.yaml, with the properties of all modules. An editor with a YAML language
server uses it if the first line of the configuration is
# yaml-language-server: $schema=FILE`,
  options: {},
  words: [0, 0],
  exits: '0 done',
  run: async () => {
    process.stdout.write(await schemaText());
    return exitCode.ok;
  },
});

/** The schema with the modules of all boards. */
export async function schemaText(): Promise<string> {
  const modules = await createModuleList(systemClock())({ board: 'simulated' });
  return `${JSON.stringify(jsonSchema(modules.all()), null, 1)}\n`;
}
