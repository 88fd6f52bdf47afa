import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { Holders } from '../../src/device/attributes.js';
import { choice } from '../../src/device/choice.js';
import { bool, declare, int, text, type FunctionDeclaration } from '../../src/device/declare.js';
import { latin1 } from '../../src/device/latin1.js';
import {
  type Host,
  type ModuleDefinition,
  refersTo,
  type Running,
  type RunningInstances,
} from '../../src/device/module.js';
import { streamModule } from '../../src/device/stream.js';
import type { Parity, PortSettings, SerialPorts } from './port.js';
import { SerialStream } from './stream.js';

/**
 * How often it is looked whether the device is still there. Most adapters' drivers say so when they go, but not all, and
 * reading from a hung-up port looks like silence.
 */
export const PRESENCE_EVERY_MS = 2_000;

/** Looking for a port costs a few small files; a person who plugs an adapter in waits for it. */
const RETRY_WITHIN_MS = 3_000;

/** From the slowest teleprinters to the fastest that Linux has a number for. */
const BAUD_MIN = 50;
const BAUD_MAX = 4_000_000;

const properties = Type.Object({
  /** A path, or `VID:PID:serial`. */
  Port: Type.String({ default: '', maxLength: 255, refers: refersTo.serialPort }),
  BaudRate: Type.String({ default: '9600', pattern: '^[0-9]{1,7}$' }),
  DataBits: choice(['5', '6', '7', '8'], '8'),
  StopBits: choice(['1', '2'], '1'),
  Parity: choice(['None', 'Even', 'Odd'], 'None'),
  Open: Type.Boolean({ default: true }),
});
type Properties = Static<typeof properties>;

const MODULE = { id: '{6DC3D946-0D31-450F-A8C6-C42DB8D7D4F1}', name: 'Serial Port' } as const;

/** The module **Serial Port**: one port of the machine, for the devices connected to it. */
export function serialPort(ports: SerialPorts): ModuleDefinition<typeof properties> {
  const holders = new Holders();
  return {
    ...MODULE,
    ...streamModule,
    prefix: 'SPRT',
    properties,
    check({ Port, BaudRate }) {
      if (Port === '')
        return 'Port is empty: give a path (/dev/serial/by-id/…, /dev/ttyAMA0) or VID:PID:serial';
      const baud = Number(BaudRate);
      if (baud < BAUD_MIN || baud > BAUD_MAX) return `BaudRate must be ${BAUD_MIN} to ${BAUD_MAX}`;
      return undefined;
    },
    retryWithinMs: RETRY_WITHIN_MS,
    functions,
    find: async () => (await import('./find.js')).findPorts(),
    open: (host) => open(host, ports, holders),
  };
}

async function open(host: Host<Properties>, ports: SerialPorts, holders: Holders): Promise<Running> {
  const { Port, DataBits, StopBits, Parity } = host.properties;
  const settings: PortSettings = {
    baudRate: Number(host.properties.BaudRate),
    dataBits: Number(DataBits) as PortSettings['dataBits'],
    stopBits: Number(StopBits) as PortSettings['stopBits'],
    parity: Parity.toLowerCase() as Parity,
  };
  const release = holders.take(Port, host);
  const port = await ports
    .open(Port, settings, {
      data: (bytes) => {
        host.debug('received', bytes);
        stream.received(bytes);
      },
      lost: (cause) => host.lost(cause),
    })
    .catch((thrown: unknown) => {
      release();
      throw thrown;
    });
  const stream = new SerialStream({
    port,
    name: `${port.path} ${settings.baudRate} ${DataBits}${Parity.charAt(0)}${StopBits}`,
    baudRate: settings.baudRate,
    clock: host.clock,
    log: host.log,
    sent: (bytes) => host.debug('sent', bytes),
    stuck: (cause) => host.lost(cause),
  });
  const present = () => port.present();
  const cancel = host.clock.every(PRESENCE_EVERY_MS, () => {
    present().catch((thrown: unknown) => host.lost(thrown));
  });
  return {
    offer: stream,
    probe: present,
    async close() {
      cancel();
      await port.close().finally(release);
    },
  };
}

function functions(instances: RunningInstances): FunctionDeclaration[] {
  const streamOf = (id: number): SerialStream => {
    const { offer } = instances.running(id, MODULE);
    if (!(offer instanceof SerialStream)) throw fault('WRONG_MODULE', id, MODULE.name);
    return offer;
  };
  const switching = (name: string, line: 'brk' | 'dtr' | 'rts', help: string) =>
    declare({
      name,
      parameters: [int('InstanceID'), bool('OnOff')],
      result: 'boolean',
      audited: true,
      help,
      run: async (_caller, id, isOn) => {
        await streamOf(id).control({ [line]: isOn });
        return true;
      },
    });
  return [
    declare({
      name: 'SPRT_SendText',
      parameters: [int('InstanceID'), text('Text')],
      result: 'boolean',
      audited: true,
      help: 'Sends a text over a serial port, one character a byte (Latin-1).',
      run: async (_caller, id, sent) => {
        await streamOf(id).send(latin1(sent));
        return true;
      },
    }),
    switching('SPRT_SetBreak', 'brk', 'Holds the transmit line of a serial port in the break condition.'),
    switching('SPRT_SetDTR', 'dtr', 'Sets the line Data Terminal Ready of a serial port.'),
    switching('SPRT_SetRTS', 'rts', 'Sets the line Request To Send of a serial port.'),
  ];
}
