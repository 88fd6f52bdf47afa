import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { SerialPort } from 'serialport';
import { fault, faultFrom, messageOf, type Fault } from '../../src/base/fault.js';
import { SerialQueue } from '../../src/base/serial-queue.js';
import { kernelRoots, resolvePort, type PortRoots } from './port-discovery.js';
import {
  DEFAULT_LINES,
  type ControlLines,
  type OpenPort,
  type PortListener,
  type PortSettings,
  type SerialPorts,
} from './port.js';

/** The machine's own ports, through the package `serialport`, which is imported at the first opening. */
export class KernelPorts implements SerialPorts {
  readonly #roots: PortRoots;
  #held = 0;

  constructor(roots: PortRoots = kernelRoots) {
    this.#roots = roots;
  }

  get openCount(): number {
    return this.#held;
  }

  async open(where: string, settings: PortSettings, listener: PortListener): Promise<OpenPort> {
    const path = await resolvePort(where, this.#roots);
    await access(path, constants.R_OK | constants.W_OK).catch(async (thrown: unknown) => {
      throw await mapAccessError(path, thrown);
    });
    const { SerialPort } = await import('serialport');
    const node = await deviceIdentity(path);
    const port = new SerialPort({ path, ...settings, autoOpen: false });
    await new Promise<void>((resolve, reject) =>
      port.open((error) => (error ? reject(mapOpenError(path, error)) : resolve())),
    );
    this.#held += 1;
    return new KernelPort({ port, path, listener, node }, () => (this.#held -= 1));
  }
}

interface OpenedPort {
  readonly port: SerialPort;
  readonly path: string;
  readonly listener: PortListener;
  /** What the path led to when it was opened. */
  readonly node: string;
}

class KernelPort implements OpenPort {
  readonly path: string;
  readonly #opened: OpenedPort;
  readonly #turn = new SerialQueue();
  readonly #released: () => void;
  #lines: ControlLines = DEFAULT_LINES;
  #closing: Promise<void> | undefined;
  #gone: Error | undefined;

  constructor(opened: OpenedPort, released: () => void) {
    this.path = opened.path;
    this.#opened = opened;
    this.#released = released;
    const { port, listener } = opened;
    port.on('data', (bytes: Buffer) => {
      if (this.#closing === undefined) listener.onData(bytes);
    });
    port.on('error', (error) => this.#lose(error));
    port.on('close', (error: Error | null) => this.#lose(error ?? new Error('the port was closed')));
  }

  async send(bytes: Uint8Array): Promise<void> {
    await this.#turn.run(async () => {
      this.#check();
      await new Promise<void>((resolve, reject) => {
        // A write that waits for room never calls back when the port goes away: the event does.
        const gone = () => reject(this.#offline(this.#gone));
        this.#opened.port.once('close', gone);
        this.#opened.port.write(Buffer.from(bytes), (error) => {
          this.#opened.port.off('close', gone);
          if (error) reject(this.#offline(error));
          else resolve();
        });
      });
    });
  }

  async setLines(lines: Partial<ControlLines>): Promise<void> {
    this.#check();
    const wished = { ...this.#lines, ...lines };
    await new Promise<void>((resolve, reject) =>
      this.#opened.port.set(wished, (error) =>
        error
          ? reject(faultFrom(error, 'DEVICE_REFUSED', `${this.path} has no such line (${messageOf(error)})`))
          : resolve(),
      ),
    );
    this.#lines = wished;
  }

  async checkPresent(): Promise<void> {
    this.#check();
    if ((await deviceIdentity(this.path).catch(() => '')) !== this.#opened.node) {
      throw fault('DEVICE_OFFLINE', `${this.path} was unplugged`);
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { port } = this.#opened;
    this.#released();
    // A port that is gone was closed by `serialport` itself.
    if (port.isOpen) await new Promise<void>((resolve) => port.close(() => resolve()));
  }

  #lose(cause: Error): void {
    if (this.#gone !== undefined || this.#closing !== undefined) return;
    this.#gone = cause;
    this.#opened.listener.onLost(this.#offline(cause));
  }

  #check(): void {
    if (this.#closing !== undefined) throw portClosed(this.path);
    if (this.#gone !== undefined) throw this.#offline(this.#gone);
  }

  #offline(cause: unknown): Error {
    if (this.#closing !== undefined) return portClosed(this.path);
    return faultFrom(cause, 'DEVICE_OFFLINE', `${this.path} is gone (${messageOf(cause)}); plug it in again`);
  }
}

function portClosed(path: string): Error {
  return new DOMException(`${path} was closed`, 'AbortError');
}

/** What a path leads to: another device, or the same one plugged in again, is another node. */
async function deviceIdentity(path: string): Promise<string> {
  const { dev, ino, rdev } = await stat(path);
  return `${dev}:${ino}:${rdev}`;
}

async function mapAccessError(path: string, thrown: unknown): Promise<Fault> {
  const { gid, mode } = await stat(path);
  const isGroups = gid !== 0 && (mode & GROUP_MAY_USE) === GROUP_MAY_USE;
  const remedy = isGroups
    ? `add the user ${userName()} to the group ${await groupName(gid)} and start the gateway again`
    : 'its group may not use it either: give it to the group dialout by a udev rule';
  return faultFrom(thrown, 'DEVICE_OFFLINE', `${path}: permission denied; ${remedy}`);
}

/** Read and write for the group. */
const GROUP_MAY_USE = 0o060;

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `of uid ${process.getuid?.() ?? '?'}`; // a container's uid without an entry in /etc/passwd
  }
}

async function groupName(gid: number): Promise<string> {
  const lines = (await readFile('/etc/group', 'utf8').catch(() => '')).split('\n');
  const entry = lines.map((line) => line.split(':')).find((fields) => fields[2] === String(gid));
  return entry?.[0] ?? String(gid);
}

function mapOpenError(path: string, error: Error): Fault {
  const why = messageOf(error);
  if (/cannot lock port|device or resource busy/i.test(why)) {
    return faultFrom(
      error,
      'DEVICE_OFFLINE',
      `${path} is in use by another program (fuser ${path} names it); stop that program`,
    );
  }
  if (/no such (file|device)/i.test(why)) {
    return faultFrom(error, 'DEVICE_OFFLINE', `${path} is not there; plug it in`);
  }
  return faultFrom(error, 'DEVICE_CONFIGURATION', `${path} can't be opened with these settings: ${why}`);
}
