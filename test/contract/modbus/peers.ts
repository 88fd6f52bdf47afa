import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modbusModules } from '../../../drivers/modbus/index.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { ModbusServer } from '../../tools/devices/modbus-server.js';
import { reservePort } from '../../tools/reserve-port.js';
import { Program } from '../../tools/program.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { registerMaps } from '../../tools/devices/register-maps.js';

/** A unit by another implementation, and the connection to it. */
export interface ModbusPeer extends AsyncDisposable {
  readonly side: ModbusServer;
  /** The I/O module with its properties, and `GatewayMode`. */
  readonly io: readonly [module: string, properties: Record<string, unknown>];
  readonly mode: number;
  /** Cuts the connection, or delays its data, if possible. */
  readonly cut?: () => void;
  readonly freeze?: () => void;
  readonly thaw?: () => void;
}

export const MODULES = [...serialModules(), ...socketModules(), ...modbusModules(registerMaps())];
export const UNIT = 7;

/** Modbus TCP, through a proxy that can cut the connection. */
export async function tcpPeer(): Promise<ModbusPeer> {
  const side = new ModbusServer(UNIT);
  const server = await side.serveTcp();
  const proxy = await TcpProxy.start(server.port);
  return {
    side,
    io: ['Client Socket', { Host: '127.0.0.1', Port: proxy.port }],
    mode: 0,
    cut: () => proxy.cut(),
    freeze: () => proxy.freeze(),
    thaw: () => proxy.thaw(),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Modbus RTU on two joined pseudo-terminals. */
export async function linePeer(): Promise<ModbusPeer> {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  const pair = await openPtyPair(directory);
  const side = new ModbusServer(UNIT);
  const server = await side.serveRtu(pair.far);
  return {
    side,
    io: ['Serial Port', { Port: pair.near, BaudRate: '19200' }],
    mode: 1,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Modbus RTU over TCP: a converter between network and line that does not know Modbus. */
export async function boxPeer(): Promise<ModbusPeer> {
  const line = await linePeer();
  const port = await reservePort();
  const near = String(line.io[1]['Port']);
  const box = new Program('socat', [
    '-dd',
    `tcp-listen:${port},bind=127.0.0.1,reuseaddr`,
    `file:${near},rawer`,
  ]);
  await box.waitFor(/listening on/);
  return {
    ...line,
    io: ['Client Socket', { Host: '127.0.0.1', Port: port }],
    mode: 2,
    async [Symbol.asyncDispose]() {
      await box.end();
      await line[Symbol.asyncDispose]();
    },
  };
}
