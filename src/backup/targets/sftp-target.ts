import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coded } from '../../base/codes/coded-text.js';
import { fault, faultFrom } from '../../base/fault.js';
import { Lazy } from '../../base/lazy.js';
import { reasonOf } from '../failure-reason.js';
import type { BackupTarget } from './backup-target.js';
import { SftpClient } from './sftp-client.js';

/** Where and how a server is reached with SSH. */
export interface SftpOptions {
  readonly host: string;
  readonly port?: number | undefined;
  readonly username: string;
  /** The folder of the backups, relative to the user's. */
  readonly folder?: string | undefined;
  /** The file with the private key, which has no passphrase. */
  readonly keyFile: string;
  /** The server's public key, as `ssh-keyscan` prints it: type and key. */
  readonly hostKey: string;
  /** Tests start a server instead of the ssh client. */
  readonly program?: readonly string[];
}

/** What is kept of the messages of ssh, characters. */
const MESSAGE_LENGTH = 500;
const CONNECT_S = 20;
/** A server that is silent for 3 × 20 s is gone. */
const ALIVE_S = 20;

interface Connection extends AsyncDisposable {
  readonly client: SftpClient;
}

/** A folder on a server with SFTP, through the system's ssh program. */
export class SftpTarget implements BackupTarget {
  readonly #options: SftpOptions;
  readonly #signal: AbortSignal;
  readonly #connection = new Lazy(() => this.#connect());
  /** The folders that exist. */
  readonly #folders = new Set<string>();

  constructor(options: SftpOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  put(path: string, content: Uint8Array): Promise<void> {
    return this.#run(async (client) => {
      const parts = path.split('/').slice(0, -1);
      for (let depth = 1; depth <= parts.length; depth++) {
        const folder = parts.slice(0, depth).join('/');
        if (this.#folders.has(folder)) continue;
        await client.makeFolder(this.#path(folder));
        this.#folders.add(folder);
      }
      const file = this.#path(path);
      await client.write(`${file}.new`, content);
      await client.rename(`${file}.new`, file);
    });
  }

  get(path: string): Promise<Buffer | undefined> {
    return this.#run((client) => client.read(this.#path(path)));
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#run((client) => client.list(this.#path(folder)));
  }

  delete(path: string): Promise<void> {
    return this.#run((client) => client.remove(this.#path(path)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#connection.current())?.[Symbol.asyncDispose]();
  }

  #path(path: string): string {
    const { folder = '' } = this.#options;
    return folder === '' ? path : `${folder.replace(/\/+$/, '')}/${path}`;
  }

  async #run<T>(act: (client: SftpClient) => Promise<T>): Promise<T> {
    try {
      return await act((await this.#connection.get()).client);
    } catch (thrown) {
      if (this.#signal.aborted) throw this.#signal.reason;
      throw faultFrom(
        thrown,
        'BACKUP_TARGET_FAILED',
        coded`TARGET_HOST: ${this.#options.host}: ${reasonOf(thrown)}`,
      );
    }
  }

  async #connect(): Promise<Connection> {
    const { host, port = 22, username, keyFile, hostKey, program } = this.#options;
    const folder = await mkdtemp(join(tmpdir(), 'stellwerk-ssh-'));
    const knownHosts = join(folder, 'known_hosts');
    await writeFile(knownHosts, `${port === 22 ? host : `[${host}]:${port}`} ${hostKey.trim()}\n`, {
      mode: 0o600,
    });
    const options = {
      BatchMode: 'yes',
      IdentitiesOnly: 'yes',
      IdentityFile: keyFile,
      UserKnownHostsFile: knownHosts,
      GlobalKnownHostsFile: '/dev/null',
      StrictHostKeyChecking: 'yes',
      ConnectTimeout: String(CONNECT_S),
      ServerAliveInterval: String(ALIVE_S),
      LogLevel: 'ERROR',
      Port: String(port),
      User: username,
    };
    const flags = Object.entries(options).map(([name, value]) => `-o${name}=${value}`);
    const [file = '', ...args] = program ?? ['ssh', '-F', 'none', ...flags, '-s', '--', host, 'sftp'];
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], signal: this.#signal });
    const client = new SftpClient({ input: child.stdout, output: child.stdin });
    let messages = '';
    child.stderr.on('data', (part: Buffer) => {
      messages = `${messages}${part.toString('utf8')}`.slice(0, MESSAGE_LENGTH);
    });
    const ended = new Promise<void>((resolve) => {
      child.on('error', (thrown) => {
        client.fail(thrown);
        resolve();
      });
      child.on('close', (code) => {
        const why = messages.trim();
        client.fail(
          fault(
            'BACKUP_TARGET_FAILED',
            why === '' ? coded`SSH_ENDED: ssh ended with status ${code ?? -1}` : coded`SSH_SAID: ssh: ${why}`,
          ),
        );
        resolve();
      });
    });
    const close = async () => {
      child.stdin.end();
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    try {
      await client.begin();
      return { client, [Symbol.asyncDispose]: close };
    } catch (thrown) {
      await close();
      throw thrown;
    }
  }
}
