import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';
import { reservePort } from '../tools/reserve-port.js';
import type { Program } from '../tools/program.js';
import { idOf, pinned } from './machine.js';

export const LOGIN = { username: 'bench@stellwerk.example', password: 'measure twice' };
export const AUTHORIZATION = `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')}`;

/** A server to be measured: the gateway, or a baseline. */
export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  readonly program: Program;
}

/** Options for starting a gateway, in addition to the common ones. */
export interface GatewaySetup {
  /** Contains its data directory and its configuration; existing data is used. */
  readonly directory: string;
  /** Additional keys of `gateway.yaml`; JSON is YAML. */
  readonly config?: object;
  readonly core: number | undefined;
  /** A directory that the gateway sees in place of another one; requires root. */
  readonly mountOver?: { readonly from: string; readonly to: string };
  /** Additional arguments for Node. */
  readonly nodeOptions?: string;
}

/** Starts a gateway as a separate process; resolves as soon as it listens. */
export async function startGateway(setup: GatewaySetup): Promise<Server> {
  const { port, program } = await gatewayProgram(setup);
  await program.waitFor(/"listening"/);
  return { port, program, pid: idOf(program), [Symbol.asyncDispose]: () => program.end() };
}

/** Starts a gateway, and determines its port. */
export async function gatewayProgram({
  directory,
  config = {},
  core,
  nodeOptions,
  mountOver,
}: GatewaySetup): Promise<{ port: number; program: Program }> {
  mkdirSync(directory, { recursive: true });
  const port = await reservePort();
  const file = join(directory, 'gateway.yaml');
  const api = { host: '127.0.0.1', port };
  writeFileSync(file, JSON.stringify({ remoteAccess: LOGIN, api, board: 'simulated', ...config }), {
    mode: 0o600,
  });
  const program = pinned(
    core,
    mounting(mountOver, [
      join(PACKAGE_ROOT, 'bin', 'stellwerk'),
      'serve',
      '--config',
      file,
      '--data',
      join(directory, 'data'),
    ]),
    {
      env: {
        RUNTIME_DIRECTORY: runtimeDirectory(directory),
        ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }),
      },
    },
  );
  return { port, program };
}

/** A command in a mount namespace of its own, with a directory mounted; it keeps the process id. */
const mounting = (
  mount: GatewaySetup['mountOver'],
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] => {
  if (mount === undefined) return command;
  const script = 'mount --bind "$0" "$1" && shift && exec "$@"';
  return ['unshare', '-m', 'sh', '-c', script, mount.from, mount.to, ...command];
};

/** In memory, like the runtime directory that systemd creates: what is written there does not reach a disk. */
function runtimeDirectory(directory: string): string {
  if (runtimeRoot === undefined) {
    const root = mkdtempSync('/dev/shm/stellwerk-bench-');
    process.once('exit', () => rmSync(root, { recursive: true, force: true }));
    runtimeRoot = root;
  }
  const path = join(runtimeRoot, directory.replaceAll('/', '_'));
  mkdirSync(path, { recursive: true });
  return path;
}
let runtimeRoot: string | undefined;

/** Starts one of the baseline programs, which prints its port. */
export async function startBaseline(
  core: number | undefined,
  name: string,
  ...args: string[]
): Promise<Server> {
  const file = join(PACKAGE_ROOT, 'dist/test/bench/baselines', `${name}.js`);
  return served(pinned(core, [process.execPath, file, ...args]));
}

/** A program as a server, as soon as it prints its port. */
export async function served(program: Program): Promise<Server> {
  const [, port] = await program.waitFor(/port (\d+)/);
  return {
    port: Number(port),
    program,
    pid: idOf(program),
    [Symbol.asyncDispose]: () => program.end('SIGKILL'),
  };
}

/** Calls one function and returns its result; throws the error of the reply. */
export async function call(port: number, method: string, ...params: unknown[]): Promise<unknown> {
  const [result] = await callAll(port, [[method, ...params]]);
  return result;
}

/** Calls functions in one batch. */
export async function callAll(
  port: number,
  calls: readonly (readonly [string, ...unknown[]])[],
): Promise<unknown[]> {
  const batch = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const response = await fetch(`http://127.0.0.1:${port}/api/`, {
    method: 'POST',
    headers: { Authorization: AUTHORIZATION },
    body: JSON.stringify(batch),
  });
  const replies = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[];
  return replies
    .sort((a, b) => a.id - b.id)
    .map(({ result, error }) => {
      if (error !== undefined) throw new Error(error.message);
      return result;
    });
}
