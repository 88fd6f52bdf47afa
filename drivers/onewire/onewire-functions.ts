import { type Static, Type } from '@sinclair/typebox';
import {
  bool,
  declare,
  type FunctionDeclaration,
  int,
  type Parameter,
  text,
} from '../../src/device/declare.js';
import { encodeLatin1 } from '../../src/device/toolkit/latin1.js';
import type { OpenInstances } from '../../src/device/module.js';
import type { OneWireBus } from './bus.js';
import type { OneWireDevice } from './device.js';

/** A module, by ID and name. */
interface ModuleReference {
  readonly id: string;
  readonly name: string;
}

const knownDevices = Type.Array(
  Type.Object({
    DeviceID: Type.String(),
    DeviceFamily: Type.Integer(),
    Type: Type.String(),
    InstanceID: Type.Integer(),
  }),
);

/** A device that the kernel has found on a bus, and the ID of its instance (0 for none). */
export type KnownDevice = Static<typeof knownDevices>[number];

/** The functions of **1-Wire Bus**. */
export function busFunctions(instances: OpenInstances, module: ModuleReference): FunctionDeclaration[] {
  return [
    declare({
      name: 'OW_GetKnownDevices',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: knownDevices,
      help: 'Lists the devices that the kernel has found on a 1-Wire bus, with their instances.',
      run: (_caller, id) => (instances.openInstance(id, module) as OneWireBus).knownDevices(),
    }),
  ];
}

/** The functions of **1-Wire Device**; each rejects with `NOT_SUPPORTED` if the device's family lacks it. */
export function deviceFunctions(instances: OpenInstances, module: ModuleReference): FunctionDeclaration[] {
  const deviceOf = (id: number) => instances.openInstance(id, module) as OneWireDevice;
  const declareWrite = <const P extends readonly Parameter[]>(
    [name, parameters, help]: readonly [name: string, parameters: P, help: string],
    run: (device: OneWireDevice, ...args: ParameterValues<P>) => Promise<void>,
  ) =>
    declare({
      name,
      parameters: [int('InstanceID'), ...parameters],
      result: 'boolean',
      audited: true,
      help,
      run: async (_caller, id, ...args) => {
        // The compiler does not see that the rest of a tuple's values are the values of its rest.
        await run(deviceOf(id), ...(args as unknown as ParameterValues<P>));
        return true;
      },
    });
  return [
    declare({
      name: 'OW_RequestStatus',
      parameters: [int('InstanceID')],
      result: 'boolean',
      help: 'Reads all values of a 1-Wire device now; a thermometer measures.',
      run: async (_caller, id) => {
        await deviceOf(id).refresh();
        return true;
      },
    }),
    declareWrite(
      [
        'OW_SetPin',
        [int('Pin'), bool('SwitchOn')],
        'Switches a pin (counted from 0) of a DS2405, DS2406, DS2408 or DS2413. If on, its transistor conducts.',
      ],
      (device, pin, isOn) => device.setPin(pin, isOn),
    ),
    declareWrite(
      [
        'OW_SetPort',
        [int('Value')],
        'Switches all pins of a DS2405, DS2406, DS2408 or DS2413. Bit n is pin n; 1 is on: its transistor conducts.',
      ],
      (device, value) => device.setPort(value),
    ),
    declareWrite(
      ['OW_SetPosition', [int('Value')], 'Sets the position of a DS2890 potentiometer, 0 to 255.'],
      (device, value) => device.setPosition(value),
    ),
    declareWrite(
      [
        'OW_SetStrobe',
        [bool('Status')],
        'Sets whether the pin RSTZ of a DS2408 outputs a strobe when its port is written; otherwise it is a reset input.',
      ],
      (device, isStrobe) => device.setStrobe(isStrobe),
    ),
    declareWrite(
      ['OW_SwitchMode', [bool('SwitchOn')], 'Switches the pin of a DS2405. If on, its transistor conducts.'],
      (device, isOn) => device.setMode(isOn),
    ),
    declareWrite(['OW_ToggleMode', [], 'Toggles the pin of a DS2405.'], (device) => device.toggleMode()),
    declareWrite(
      [
        'OW_WriteBytes',
        [text('Data')],
        'Writes characters (Latin-1) to the port of a DS2408 one after another, as bytes; a 0 bit conducts.',
      ],
      (device, data) => device.sendBytes('OW_WriteBytes', encodeLatin1(data, 'Data'), 0xff),
    ),
    declareWrite(
      [
        'OW_WriteBytesMasked',
        [text('Data'), int('Mask')],
        'Like OW_WriteBytes, but changes only the pins that are 1 in Mask.',
      ],
      (device, data, mask) => device.sendBytes('OW_WriteBytesMasked', encodeLatin1(data, 'Data'), mask),
    ),
  ];
}

type ParameterValues<P extends readonly Parameter[]> = {
  [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};
