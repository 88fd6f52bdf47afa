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

/** A module by its id and its name. */
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

/** A device that the kernel has found on a bus, and its instance, 0 for none. */
export type KnownDevice = Static<typeof knownDevices>[number];

/** The functions of a bus. */
export function busFunctions(instances: OpenInstances, module: ModuleReference): FunctionDeclaration[] {
  return [
    declare({
      name: 'OW_GetKnownDevices',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: knownDevices,
      help: 'The devices that the kernel has found on a 1-Wire bus, and the instances that they have.',
      run: (_caller, id) => (instances.openInstance(id, module) as OneWireBus).knownDevices(),
    }),
  ];
}

/** The functions of a device; each fails with `NOT_SUPPORTED` for a family that does not have it. */
export function deviceFunctions(instances: OpenInstances, module: ModuleReference): FunctionDeclaration[] {
  const deviceOf = (id: number) => instances.openInstance(id, module) as OneWireDevice;
  const writing = <const P extends readonly Parameter[]>(
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
        await run(deviceOf(id), ...(args as unknown as ParameterValues<P>));
        return true;
      },
    });
  return [
    declare({
      name: 'OW_RequestStatus',
      parameters: [int('InstanceID')],
      result: 'boolean',
      help: 'Asks a 1-Wire device for all of its values now; a thermometer measures.',
      run: async (_caller, id) => {
        await deviceOf(id).refresh();
        return true;
      },
    }),
    writing(
      [
        'OW_SetPin',
        [int('Pin'), bool('SwitchOn')],
        'Switches a pin (from 0) of a DS2405, DS2406, DS2408 or DS2413. On: its transistor conducts.',
      ],
      (device, pin, isOn) => device.setPin(pin, isOn),
    ),
    writing(
      [
        'OW_SetPort',
        [int('Value')],
        'Switches all pins of a DS2405, DS2406, DS2408 or DS2413. Bit n is pin n, 1 is on: its transistor conducts.',
      ],
      (device, value) => device.setPort(value),
    ),
    writing(['OW_SetPosition', [int('Value')], 'Moves a potentiometer DS2890, 0 to 255.'], (device, value) =>
      device.setPosition(value),
    ),
    writing(
      [
        'OW_SetStrobe',
        [bool('Status')],
        'Whether the pin RSTZ of a DS2408 tells by a pulse that its port was written; else it takes a reset.',
      ],
      (device, isStrobe) => device.setStrobe(isStrobe),
    ),
    writing(
      ['OW_SwitchMode', [bool('SwitchOn')], 'Switches the pin of a DS2405. On: its transistor conducts.'],
      (device, isOn) => device.setMode(isOn),
    ),
    writing(['OW_ToggleMode', [], 'Switches the pin of a DS2405 over.'], (device) => device.toggleMode()),
    writing(
      [
        'OW_WriteBytes',
        [text('Data')],
        'Puts characters (Latin-1) on the port of a DS2408 one after the other, as bytes: 0 conducts.',
      ],
      (device, data) => device.sendBytes('OW_WriteBytes', encodeLatin1(data, 'Data'), 0xff),
    ),
    writing(
      [
        'OW_WriteBytesMasked',
        [text('Data'), int('Mask')],
        'As OW_WriteBytes, changing the pins alone that are 1 in Mask.',
      ],
      (device, data, mask) => device.sendBytes('OW_WriteBytesMasked', encodeLatin1(data, 'Data'), mask),
    ),
  ];
}

type ParameterValues<P extends readonly Parameter[]> = {
  [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};
