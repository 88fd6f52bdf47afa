import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/clock.js';
import { Gateway } from '../../../src/composition/gateway.js';
import { ServiceLog } from '../../../src/service/log.js';
import type { BoxFiles } from '../../../src/service/updates/box-files.js';
import { OWNER } from './api-fixture.js';
import type { ApiAddress } from '../client/json-rpc.js';
import { tempDirectory } from '../temp-directory.js';
import { Program } from '../program.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

type Test = Parameters<typeof tempDirectory>[0];

/** Beginning of a `gateway.yaml` on the simulated board: the owner of `api-fixture.ts`, a free port. */
export const SIMULATED_CONFIG = `board: simulated
remoteAccess: { username: ${OWNER.username}, password: ${OWNER.password} }
api: { port: 0 }
`;

/** RELAY1 with the line that it is wired to, a button and a variable on the ground floor. */
export const SAMPLE_TREE = `tree:
  - category: Ground floor
    ident: ground_floor
    children:
      - { instance: Hall relay, ident: hall_relay, module: GPIO Output, properties: { Line: RELAY1, Boot: inactive } }
      - { instance: Hall sense, ident: hall_sense, module: GPIO Input, properties: { Line: SENSE1 } }
      - { instance: Hall button, ident: hall_button, module: GPIO Input, properties: { Line: BUTTON1, DebounceUs: 5000 } }
      - { variable: Setpoint, ident: setpoint, type: float, value: 21.5, profile: ~Temperature }
  - category: Upper floor
    ident: upper_floor
    children:
      - { variable: Blind, ident: blind, type: integer }
`;

/** A complete gateway in the test's process, from its `gateway.yaml`. */
export interface GatewayFixture extends ApiAddress {
  readonly gateway: Gateway;
  /** The directory of `gateway.yaml`; its data is in `data` below it. */
  readonly directory: string;
  /** Its log, one JSON line each. */
  readonly log: readonly string[];
  /** Writes another `gateway.yaml`; it applies from the next reload or start. */
  configure(yaml: string): Promise<void>;
}

/** Options for starting a gateway, in addition to its configuration. */
export interface GatewayFixtureOptions {
  /** The directory of an earlier gateway. */
  readonly directory?: string;
  readonly clock?: Clock;
  /** The directory of the board files. */
  readonly boards?: string;
  readonly setTimeZone?: (zone: string | undefined) => void;
  /** The files of a box with slots. */
  readonly boxFiles?: BoxFiles;
  readonly machineRoot?: string;
}

/**
 * Starts a gateway in this process; it ends with the test. Without `yaml` the `gateway.yaml` in `directory`
 * stays.
 */
export async function startGateway(
  t: Test,
  yaml?: string,
  { directory, clock, boards, setTimeZone, boxFiles, machineRoot }: GatewayFixtureOptions = {},
): Promise<GatewayFixture> {
  const place = directory ?? (await tempDirectory(t));
  const configFile = join(place, 'gateway.yaml');
  const configure = (text: string) => writeFile(configFile, text);
  if (yaml !== undefined) await configure(yaml);
  const log: string[] = [];
  const gateway = await Gateway.start({
    configFile,
    directory: join(place, 'data'),
    log: new ServiceLog({ write: (line) => void log.push(line), form: 'json' }),
    ...(clock && { clock }),
    ...(boards !== undefined && { boards }),
    ...(setTimeZone && { setTimeZone }),
    ...(boxFiles && { boxFiles }),
    ...(machineRoot !== undefined && { machineRoot }),
  });
  t.teardown(() => gateway.close());
  return { gateway, port: gateway.port() ?? 0, directory: place, log, configure };
}

/** A gateway as a process of its own: `bin/stellwerk serve`. */
export interface GatewayProcess extends ApiAddress {
  readonly program: Program;
}

/** The command as installed. */
export const BIN = join(PACKAGE_ROOT, 'bin/stellwerk');

/** A directory with a `gateway.yaml`, for {@link startGatewayProcess}. */
export async function configDirectory(t: Test, yaml: string): Promise<string> {
  const directory = await tempDirectory(t);
  await writeFile(join(directory, 'gateway.yaml'), yaml);
  return directory;
}

/** Options for starting a gateway as a process. */
export interface ServeOptions {
  /** A program that runs it, with its arguments. */
  readonly wrapper?: readonly string[];
  /** More of its environment. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs `stellwerk serve` with the `gateway.yaml` in `directory`, and its data in `data` below it; does not
 * wait.
 */
export function spawnGateway(
  t: Test,
  directory: string,
  { wrapper = [], env = {} }: ServeOptions = {},
): Program {
  const serve = ['serve', '--config', join(directory, 'gateway.yaml'), '--data', join(directory, 'data')];
  const [command, ...args] = [...wrapper, BIN, ...serve] as [string, ...string[]];
  const program = new Program(command, args, { env });
  t.teardown(() => program.end('SIGKILL'));
  return program;
}

/** As {@link spawnGateway}, waiting until it replies. */
export async function startGatewayProcess(
  t: Test,
  directory: string,
  options?: ServeOptions,
): Promise<GatewayProcess> {
  const program = spawnGateway(t, directory, options);
  const [, port] = await program.waitFor(/"name":"api",.*"port":(\d+)/);
  return { program, port: Number(port) };
}
