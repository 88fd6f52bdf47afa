import { coded } from '../../src/base/codes/coded-text.js';
import { constants, read } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import type { SerialPort } from 'serialport';
import { fault, faultFrom, messageOf, type Fault, codedMessageOf } from '../../src/base/fault.js';
import { SerialQueue } from '../../src/base/serial-queue.js';
import { kernelRoots, resolvePort, type PortRoots } from './port-discovery.js';
import {
  DEFAULT_LINES,
  type ControlLines,
  type DirectionControl,
  type OpenPort,
  type PortListener,
  type PortSettings,
  type SerialPorts,
} from './port.js';

/**
 * The serial ports of this machine, opened with the package `serialport`, which is imported by the first
 * `open`.
 */
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
    const { directionControl, ...line } = settings;
    const port = new SerialPort({ path, ...line, autoOpen: false });
    await new Promise<void>((resolve, reject) =>
      port.open((error) => (error ? reject(mapOpenError(path, error)) : resolve())),
    );
    const restoreDirection = directionControl && (await takeDirection(port, directionControl));
    pollForBoth(port);
    readUntilHangUp(port);
    this.#held += 1;
    return new KernelPort({ port, path, listener, node, restoreDirection }, () => (this.#held -= 1));
  }
}

/** Sets the RS-485 mode of an open port; closes the port if it has none. Returns what restores its mode. */
async function takeDirection(port: SerialPort, control: DirectionControl): Promise<() => void> {
  try {
    const { controlDirection } = await import('./rs485.js');
    const fd = port.port !== undefined && 'fd' in port.port ? port.port.fd : null;
    return controlDirection(fd ?? -1, control);
  } catch (thrown) {
    await new Promise<void>((resolve) => port.close(() => resolve()));
    throw faultFrom(
      thrown,
      'DEVICE_CONFIGURATION',
      coded`NO_DIRECTION_CONTROL: the driver of ${port.path} cannot switch the direction of RS-485 (${codedMessageOf(thrown)}); set DirectionControl to None and use an adapter that switches by itself`,
    );
  }
}

/** `UV_READABLE | UV_WRITABLE` of libuv (uv.h, `uv_poll_event`). */
const READABLE_OR_WRITABLE = 3;

/**
 * The bindings (13.0.0, poller.cpp) wait only for the event that was requested last: a read that begins to wait
 * ends the wait of a write, which then continues only when bytes arrive. Waits for both instead; an event that
 * nobody waits for has no effect.
 */
function pollForBoth({ port: binding }: SerialPort): void {
  if (binding === undefined || !('poller' in binding)) return;
  const { poller } = binding;
  const poll = poller.poll.bind(poller);
  poller.poll = (events = 0) => poll(events | READABLE_OR_WRITABLE);
}

const readFrom = promisify(read);

/** Of a read that found no bytes, or was interrupted. */
const WOULD_WAIT: ReadonlySet<unknown> = new Set(['EAGAIN', 'EWOULDBLOCK', 'EINTR']);

/**
 * When an adapter is unplugged, the kernel ends reads of its port with 0 bytes, and the bindings (13.0.0,
 * unix-read.js) repeat them indefinitely: a read in progress at that moment takes a processor, and no loss is
 * reported. Reads like the bindings, but fails then. A port that is open has no other reads of 0 bytes (VMIN is 1).
 */
function readUntilHangUp({ port: binding }: SerialPort): void {
  if (binding === undefined || !('poller' in binding)) return;
  const { poller } = binding;
  /** The descriptor. Throws if the port is closed: its poller is destroyed, and crashes if it is used then. */
  const descriptor = (): number => {
    if (binding.fd === null) throw Object.assign(new Error('the port is not open'), { canceled: true });
    return binding.fd;
  };
  binding.read = async (buffer, offset, length) => {
    for (;;) {
      try {
        const { bytesRead } = await readFrom(descriptor(), buffer, offset, length, null);
        if (bytesRead > 0) return { buffer, bytesRead };
      } catch (thrown) {
        if (!WOULD_WAIT.has((thrown as NodeJS.ErrnoException).code)) throw thrown;
        descriptor();
        await new Promise<void>((resolve, reject) =>
          poller.once('readable', (error: Error | null) => (error ? reject(error) : resolve())),
        );
        continue;
      }
      descriptor();
      throw new Error('the kernel has disconnected it');
    }
  };
}

interface OpenedPort {
  readonly port: SerialPort;
  readonly path: string;
  readonly listener: PortListener;
  /** Identity of the device node when it was opened. */
  readonly node: string;
  readonly restoreDirection: (() => void) | undefined;
}

class KernelPort implements OpenPort {
  readonly path: string;
  readonly #options: OpenedPort;
  readonly #queue = new SerialQueue();
  readonly #onRelease: () => void;
  #lines: ControlLines = DEFAULT_LINES;
  #closing: Promise<void> | undefined;
  #lostCause: Error | undefined;

  constructor(options: OpenedPort, onRelease: () => void) {
    this.path = options.path;
    this.#options = options;
    this.#onRelease = onRelease;
    const { port, listener } = options;
    port.on('data', (bytes: Buffer) => {
      if (this.#closing === undefined) listener.onData(bytes);
    });
    port.on('error', (error) => this.#handleLoss(error));
    port.on('close', (error: Error | null) => this.#handleLoss(error ?? new Error('the port was closed')));
  }

  async send(bytes: Uint8Array): Promise<void> {
    await this.#queue.run(async () => {
      this.#requireOpen();
      await new Promise<void>((resolve, reject) => {
        // A blocked write never calls back if the port disappears; the `close` event does.
        const onClose = () => reject(this.#offline(this.#lostCause));
        this.#options.port.once('close', onClose);
        this.#options.port.write(Buffer.from(bytes), (error) => {
          this.#options.port.off('close', onClose);
          if (error) reject(this.#offline(error));
          else resolve();
        });
      });
    });
  }

  async setLines(lines: Partial<ControlLines>): Promise<void> {
    this.#requireOpen();
    const requested = { ...this.#lines, ...lines };
    await new Promise<void>((resolve, reject) =>
      this.#options.port.set(requested, (error) =>
        error
          ? reject(
              faultFrom(
                error,
                'DEVICE_REFUSED',
                coded`DOES_NOT_SUPPORT_CONTROL: ${this.path} does not support this control line (${codedMessageOf(error)})`,
              ),
            )
          : resolve(),
      ),
    );
    this.#lines = requested;
  }

  async changeBaudRate(baudRate: number): Promise<void> {
    await this.#queue.run(async () => {
      this.#requireOpen();
      const { port } = this.#options;
      // Bytes that the kernel still has to send keep their baud rate.
      await new Promise<void>((resolve) => port.drain(() => resolve()));
      this.#requireOpen();
      await new Promise<void>((resolve, reject) =>
        port.update({ baudRate }, (error) =>
          error
            ? reject(
                faultFrom(
                  error,
                  'DEVICE_REFUSED',
                  coded`BAUD_RATE_REJECTED: ${this.path} does not support ${baudRate} baud (${codedMessageOf(error)})`,
                ),
              )
            : resolve(),
        ),
      );
    });
  }

  async checkPresent(): Promise<void> {
    this.#requireOpen();
    if ((await deviceIdentity(this.path).catch(() => '')) !== this.#options.node) {
      throw fault('DEVICE_OFFLINE', coded`DISCONNECTED: ${this.path} was disconnected`);
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { port, restoreDirection } = this.#options;
    this.#onRelease();
    try {
      if (port.isOpen) restoreDirection?.();
    } catch {
      // The adapter was unplugged: its mode is gone with it.
    }
    // `serialport` closes a port that disappears by itself.
    if (port.isOpen) await new Promise<void>((resolve) => port.close(() => resolve()));
  }

  #handleLoss(cause: Error): void {
    if (this.#lostCause !== undefined || this.#closing !== undefined) return;
    this.#lostCause = cause;
    this.#options.listener.onLost(this.#offline(cause));
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw portClosed(this.path);
    if (this.#lostCause !== undefined) throw this.#offline(this.#lostCause);
  }

  #offline(cause: unknown): Error {
    if (this.#closing !== undefined) return portClosed(this.path);
    return faultFrom(
      cause,
      'DEVICE_OFFLINE',
      coded`DISAPPEARED_PLUG_AGAIN: ${this.path} disappeared (${codedMessageOf(cause)}); plug it in again`,
    );
  }
}

function portClosed(path: string): Error {
  return new DOMException(`${path} was closed`, 'AbortError');
}

/** Identity of the device node at a path: it changes when an adapter is plugged in again. */
async function deviceIdentity(path: string): Promise<string> {
  const { dev, ino, rdev } = await stat(path);
  return `${dev}:${ino}:${rdev}`;
}

async function mapAccessError(path: string, thrown: unknown): Promise<Fault> {
  const { gid, mode } = await stat(path);
  const groupHasAccess = gid !== 0 && (mode & GROUP_MAY_USE) === GROUP_MAY_USE;
  const remedy = groupHasAccess
    ? coded`ADD_USER_GROUP_RESTART: add the user ${userName()} to the group ${await groupName(gid)} and restart the gateway`
    : coded`GROUP_NO_ACCESS_EITHER: its group has no access either; assign it to the group dialout with a udev rule`;
  return faultFrom(thrown, 'DEVICE_OFFLINE', coded`PERMISSION_DENIED: ${path}: permission denied; ${remedy}`);
}

/** Read and write permission of the group. */
const GROUP_MAY_USE = 0o060;

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `of uid ${process.getuid?.() ?? '?'}`; // in a container, a uid may have no entry in /etc/passwd
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
      coded`IN_USE_BY_PROGRAM: ${path} is in use by another program; stop it (fuser ${path} shows which one)`,
    );
  }
  if (/no such (file|device)/i.test(why)) {
    return faultFrom(
      error,
      'DEVICE_OFFLINE',
      coded`PORT_MISSING: ${path} does not exist; plug in the adapter`,
    );
  }
  return faultFrom(
    error,
    'DEVICE_CONFIGURATION',
    coded`PORT_SETTINGS_REJECTED: ${path} cannot be opened with these settings: ${why}`,
  );
}
