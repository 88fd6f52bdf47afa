import { coded } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { DeviceClaims } from '../../src/device/toolkit/device-claims.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import { bool, declare, int, text, type FunctionDeclaration } from '../../src/device/declare.js';
import { encodeLatin1 } from '../../src/device/toolkit/latin1.js';
import {
  type Host,
  type ModuleDefinition,
  referenceKind,
  type OpenInstance,
  type OpenInstances,
} from '../../src/device/module.js';
import { streamModule } from '../../src/device/byte-stream.js';
import type { DirectionControl, Parity, PortSettings, SerialPorts } from './port.js';
import { SerialStream } from './serial-stream.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/**
 * How often to check that the device still exists. Not every driver reports that an adapter was unplugged,
 * and reading from a hung-up port looks like silence.
 */
export const PRESENCE_CHECK_MS = 2_000;

/** Retry soon: checking for a port costs little, and a user who plugs in an adapter is waiting. */
const RETRY_WITHIN_MS = 3_000;

/** From the slowest teleprinters to the fastest rate that Linux defines. */
const MIN_BAUD = 50;
const MAX_BAUD = 4_000_000;

const properties = Type.Object({
  Port: withHelp(
    Type.String({ default: '', maxLength: 255, refers: referenceKind.serialPort }),
    'Port',
    'The device file of the port; a name below /dev/serial/by-id does not change.',
  ),
  BaudRate: withHelp(
    Type.String({ default: '9600', pattern: '^[0-9]{1,7}$' }),
    'Port',
    'The speed, in bits per second.',
  ),
  DataBits: withAdvancedHelp(
    enumProperty(['5', '6', '7', '8'], '8'),
    'Port',
    'The data bits of a character.',
  ),
  StopBits: withAdvancedHelp(enumProperty(['1', '2'], '1'), 'Port', 'The stop bits of a character.'),
  Parity: withAdvancedHelp(
    enumProperty(['None', 'Even', 'Odd'], 'None'),
    'Port',
    'The parity bit of a character.',
  ),
  DirectionControl: withAdvancedHelp(
    enumProperty(['None', 'RtsOn', 'RtsOff'], 'None'),
    'Port',
    'The state of RTS while an RS-485 port sends, switched by the kernel; None for adapters that switch by themselves.',
  ),
  Open: withHelp(Type.Boolean({ default: true }), 'Port', 'Whether the port is open.'),
});
type Properties = Static<typeof properties>;

const directions: Readonly<Record<string, DirectionControl>> = { RtsOn: 'rts-on', RtsOff: 'rts-off' };

const MODULE = { id: '{6DC3D946-0D31-450F-A8C6-C42DB8D7D4F1}', name: 'Serial Port' } as const;

/** The module **Serial Port**: a serial port of this machine. */
export function serialPort(ports: SerialPorts): ModuleDefinition<typeof properties> {
  const holders = new DeviceClaims();
  return {
    ...MODULE,
    description: 'A serial port of the machine.',
    icon: 'Plug',
    page: 'hardware/serial.md',
    ...streamModule,
    prefix: 'SPRT',
    properties,
    check({ Port, BaudRate }) {
      if (Port === '')
        return coded`PORT_EMPTY_SET_PATH: Port is empty; set a path (/dev/serial/by-id/NAME, /dev/ttyAMA0) or VID:PID:serial`;
      const baud = Number(BaudRate);
      if (baud < MIN_BAUD || baud > MAX_BAUD)
        return coded`BAUDRATE_MUST: BaudRate must be ${MIN_BAUD} to ${MAX_BAUD}`;
      return undefined;
    },
    maxRetryDelayMs: RETRY_WITHIN_MS,
    functions,
    findHardware: async () =>
      (await import('./port-discovery.js')).discoverPorts({ simulated: ports.simulatedPaths }),
    open: (host) => holders.open(host.properties.Port, host, (release) => open(host, ports, release)),
  };
}

async function open(host: Host<Properties>, ports: SerialPorts, release: () => void): Promise<OpenInstance> {
  const { Port, DataBits, StopBits, Parity, DirectionControl } = host.properties;
  const settings: PortSettings = {
    baudRate: Number(host.properties.BaudRate),
    dataBits: Number(DataBits) as PortSettings['dataBits'],
    stopBits: Number(StopBits) as PortSettings['stopBits'],
    parity: Parity.toLowerCase() as Parity,
    directionControl: directions[DirectionControl],
  };
  const port = await ports.open(Port, settings, {
    onData: (bytes) => {
      host.debug('received', bytes);
      stream.received(bytes);
    },
    onLost: (cause) => host.reportLost(cause),
  });
  const stream = new SerialStream({
    port,
    name: `${port.path} ${settings.baudRate} ${DataBits}${Parity.charAt(0)}${StopBits}`,
    baudRate: settings.baudRate,
    clock: host.clock,
    log: host.log,
    onSent: (bytes) => host.debug('sent', bytes),
    onStalled: (cause) => host.reportLost(cause),
  });
  const checkPresent = () => port.checkPresent();
  const cancel = host.clock.every(PRESENCE_CHECK_MS, () => {
    checkPresent().catch((thrown: unknown) => host.reportLost(thrown));
  });
  return {
    provided: stream,
    probe: checkPresent,
    async close() {
      cancel();
      await port.close().finally(release);
    },
  };
}

function functions(instances: OpenInstances): FunctionDeclaration[] {
  const streamOf = (id: number): SerialStream => {
    const { provided } = instances.openInstance(id, MODULE);
    if (!(provided instanceof SerialStream)) throw fault('WRONG_MODULE', id, MODULE.name);
    return provided;
  };
  const declareLineFunction = (name: string, line: 'brk' | 'dtr' | 'rts', help: string) =>
    declare({
      name,
      parameters: [int('InstanceID'), bool('OnOff')],
      result: 'boolean',
      audited: true,
      help,
      run: async (_caller, id, isOn) => {
        await streamOf(id).setLines({ [line]: isOn });
        return true;
      },
    });
  return [
    declare({
      name: 'SPRT_SendText',
      parameters: [int('InstanceID'), text('Text')],
      result: 'boolean',
      audited: true,
      help: 'Sends a text over a serial port; each character is one byte (Latin-1).',
      run: async (_caller, id, sent) => {
        await streamOf(id).send(encodeLatin1(sent));
        return true;
      },
    }),
    declareLineFunction(
      'SPRT_SetBreak',
      'brk',
      'Holds the transmit line of a serial port in the break condition.',
    ),
    declareLineFunction('SPRT_SetDTR', 'dtr', 'Sets the Data Terminal Ready line of a serial port.'),
    declareLineFunction('SPRT_SetRTS', 'rts', 'Sets the Request To Send line of a serial port.'),
  ];
}
