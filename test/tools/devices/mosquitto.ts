import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reservePort } from '../reserve-port.js';
import { Program } from '../program.js';

export interface Broker extends AsyncDisposable {
  readonly port: number;
  readonly program: Program;
}

/**
 * Starts Debian's mosquitto on 127.0.0.1 and waits until it listens. `lines` are additional lines of its
 * configuration; `port` reuses a port, as after a crash. `directory` contains its configuration.
 */
export async function startMosquitto(options: {
  directory: string;
  port?: number;
  lines?: readonly string[];
}): Promise<Broker> {
  const port = options.port ?? (await reservePort());
  const file = join(options.directory, `mosquitto-${port}.conf`);
  const own = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'log_dest stderr'];
  // Started by root, it would change to its own user, which cannot read a test's directory.
  await writeFile(file, [...own, 'user root', ...(options.lines ?? []), ''].join('\n'));
  const program = new Program('mosquitto', ['-c', file]);
  await program.waitFor(/mosquitto version \S+ running/);
  return { port, program, [Symbol.asyncDispose]: () => program.end() };
}
