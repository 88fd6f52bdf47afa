import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../../src/base/clock.js';
import { coded } from '../../../../src/base/codes/coded-text.js';
import { fault } from '../../../../src/base/fault.js';
import type { BrokerCertificate, BrokerOptions, BrokerUser, FromBroker, ToBroker } from '../messages.js';

const PROGRAM = fileURLToPath(new URL('./broker-program.js', import.meta.url));
/** The broker's own data is bounded by its limits; a leak must fail early. */
const HEAP_MIB = 96;
/** Heap for each MiB that is kept: small messages take three times what they count while they are loaded. */
const HEAP_PER_KEPT = 4;
/** The last lines of what a process wrote before it ended. */
const STDERR_LIMIT = 2000;
/** How long writing the database may take when the gateway stops, ms. */
const CLOSE_TIMEOUT_MS = 5000;

/** Receives what a broker reports. */
export interface BrokerListener {
  onMessage(message: Exclude<FromBroker, { is: 'listening' | 'failed' }>): void;
  /** The process has ended by itself. */
  onEnded(cause: Error): void;
}

/** A broker in a process of its own. */
export interface BrokerHandle {
  /** The port on which it listens. */
  readonly port: number;
  setUsers(users: readonly BrokerUser[], isLoginRequired: boolean): void;
  setCertificate(certificate: BrokerCertificate): void;
  /** Resolves when the process has written its data and ended. A second call waits for the first. */
  close(): Promise<void>;
}

/** Starts a broker; resolves when it listens. Rejects with an `Error` that has the system's code, or a fault. */
export async function startBroker(
  options: BrokerOptions,
  listener: BrokerListener,
  { clock, signal }: { readonly clock: Pick<Clock, 'after'>; readonly signal: AbortSignal },
): Promise<BrokerHandle> {
  signal.throwIfAborted();
  const { TZ } = process.env;
  const heapMiB = Math.max(HEAP_MIB, Math.ceil((HEAP_PER_KEPT * options.limits.keptBytes) / 1024 ** 2));
  // The path is for readers of a list of processes.
  const child = fork(PROGRAM, [options.database], {
    execArgv: [`--max-old-space-size=${heapMiB}`, '--disable-warning=ExperimentalWarning'],
    env: TZ === undefined ? {} : { TZ },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const broker = new BrokerProcess(child, clock);
  const abort = () => void broker.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await broker.open(options, listener);
    return broker;
  } catch (thrown) {
    await broker.close();
    throw signal.aborted ? signal.reason : thrown;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

class BrokerProcess implements BrokerHandle {
  port = 0;
  readonly #child: ChildProcess;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #exited: Promise<void>;
  #stderr = '';
  #closing: Promise<void> | undefined;

  constructor(child: ChildProcess, clock: Pick<Clock, 'after'>) {
    this.#child = child;
    this.#clock = clock;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT);
    });
    this.#exited = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
  }

  async open(options: BrokerOptions, listener: BrokerListener): Promise<void> {
    const opened = Promise.withResolvers<void>();
    let isOpen = false;
    this.#child.on('message', (received) => {
      const message = received as FromBroker;
      if (message.is === 'listening') {
        this.port = message.port;
        isOpen = true;
        opened.resolve();
      } else if (message.is === 'failed')
        opened.reject(Object.assign(new Error(message.message), { code: message.code }));
      else if (this.#closing === undefined) listener.onMessage(message);
    });
    const end = () => {
      const cause = fault(
        'DEVICE_OFFLINE',
        coded`BROKER_PROCESS_ENDED: the process of the broker has ended: ${this.#reason()}`,
      );
      opened.reject(cause);
      if (isOpen && this.#closing === undefined) listener.onEnded(cause);
    };
    void this.#exited.then(end);
    this.#send({ is: 'open', options });
    await opened.promise;
  }

  setUsers(users: readonly BrokerUser[], isLoginRequired: boolean): void {
    this.#send({ is: 'users', users, isLoginRequired });
  }

  setCertificate(certificate: BrokerCertificate): void {
    this.#send({ is: 'certificate', certificate });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#send({ is: 'close' });
    const cancel = this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#child.kill('SIGKILL'));
    await this.#exited;
    cancel();
  }

  #send(message: ToBroker): void {
    // The end of the process is reported by its events.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** The exit code or signal, and the line of an exception. */
  #reason(): string {
    const { exitCode, signalCode } = this.#child;
    const [line] = this.#stderr.match(/^\w*Error.*$/m) ?? [];
    return [signalCode ?? `exit code ${exitCode}`, ...(line === undefined ? [] : [line])].join(', ');
  }
}
