import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KernelPorts } from '../../../drivers/serial/kernel-ports.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import type { ControlLines, SerialPorts } from '../../../drivers/serial/port.js';
import { Program } from '../../tools/program.js';
import { withinPatience, until } from '../../tools/until.js';

/** A port with a simulated device, whose adapter can be unplugged and plugged in again. */
export interface TestPort extends AsyncDisposable {
  readonly ports: SerialPorts;
  readonly where: string;
  /** The device sends. */
  say(text: string | Buffer): void;
  /** Everything that the device has received since it was plugged in. */
  heard(): Buffer;
  plug(): Promise<void>;
  unplug(): Promise<void>;
  /** Opens the port in another program; the returned function closes it. */
  occupy(): Promise<() => Promise<void>>;
  /** The control lines at the device; absent if it has none. */
  lines?(): ControlLines;
  /** The device stops reading. */
  deaf(): void;
}

export async function fakePort(): Promise<TestPort> {
  const ports = new SimulatedPorts();
  const where = '/dev/ttyUSB0';
  let device = ports.plug(where);
  const received: Buffer[] = [];
  const listen = () => device.onReceived.on((bytes) => received.push(bytes));
  listen();
  return {
    ports,
    where,
    say: (text) => device.send(text),
    heard: () => Buffer.concat(received),
    async plug() {
      device = ports.plug(where);
      received.length = 0;
      listen();
    },
    unplug: async () => ports.unplug(where),
    async occupy() {
      ports.inUse.add(where);
      return async () => void ports.inUse.delete(where);
    },
    lines: () => device.lines,
    deaf: () => void (device.isStalled = true),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Connects to a socket whose file may exist before its program listens. */
async function reached(path: string): Promise<Socket> {
  for (;;) {
    const socket = createConnection(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (rejected) {
      if (!(rejected instanceof Error && 'code' in rejected && rejected.code === 'ECONNREFUSED'))
        throw rejected;
    }
  }
}

/**
 * A pseudo-terminal with a socket of the test as its peer: to the kernel's tty layer it is a port like any
 * other. `options` of socat.
 */
export async function ptyPort(options: readonly string[] = []): Promise<TestPort> {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  const where = join(directory, 'tty');
  const socketPath = join(directory, 'far');
  let socat: Program;
  let far: Socket;
  let received: Buffer[] = [];
  const plug = async () => {
    socat = new Program('socat', [...options, `pty,rawer,link=${where}`, `unix-listen:${socketPath}`]);
    await until('a pseudo-terminal', () => existsSync(where) && existsSync(socketPath));
    far = await withinPatience('its peer', reached(socketPath));
    const mine: Buffer[] = (received = []);
    far.on('data', (bytes: Buffer) => mine.push(bytes));
    far.on('error', () => undefined);
  };
  const unplug = async () => {
    far.destroy();
    await socat.end('SIGKILL');
    await rm(where, { force: true });
    await rm(socketPath, { force: true });
  };
  await plug();
  return {
    ports: new KernelPorts(),
    where,
    say: (text) => void far.write(text),
    heard: () => Buffer.concat(received),
    plug,
    unplug,
    async occupy() {
      const other = await new KernelPorts().open(
        where,
        { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none' },
        { onData: () => undefined, onLost: () => undefined },
      );
      return () => other.close();
    },
    deaf: () => void far.pause(),
    async [Symbol.asyncDispose]() {
      await unplug();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
