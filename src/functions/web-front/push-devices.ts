import { coded } from '../../base/codes/coded-text.js';
import { parseJsonOr } from '../../base/json.js';
import { fault } from '../../base/fault.js';
import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { checkLength } from '../../kernel/text-limits.js';
import { configuratorOf } from './areas.js';
import type { Ports, PushDevice } from '../ports.js';
import * as shapes from './front-shapes.js';

/** Maximum number of devices per configurator; they are stored as one text. */
const DEVICES_LIMIT = 64;
/** Maximum length of a token; push services use a few hundred characters. */
const TOKEN_LIMIT = 4096;

/** A registered mobile device. */
interface Device extends PushDevice {
  /** Secret: anyone who has it can send messages to the device. */
  readonly token: string;
}

/**
 * Registrations of mobile devices for push messages, which are only stored: no vendor's service is used.
 * Browsers that subscribed (Web Push) are listed and removed with them.
 */
export function pushDeviceFunctions(ports: Ports): FunctionDeclaration[] {
  return [register(ports), ...administration(ports)];
}

function register(ports: Ports): FunctionDeclaration {
  return declare({
    name: 'WFC_RegisterPNS',
    parameters: [int('InstanceID'), text('Token'), text('Provider'), text('DeviceID'), text('DeviceName')],
    result: 'string',
    access: 'webfront',
    audited: true,
    auditParameters: (id, _token, provider, deviceId, name) => [id, '***', provider, deviceId, name],
    help: 'Registers a mobile device or updates its registration, if the configurator allows it (mobile: true); returns the DeviceID.',
    run: (_caller, configuratorId, token, provider, id, name) => {
      if (!configuratorOf(ports, configuratorId).mobile)
        throw fault(
          'NOT_ALLOWED',
          coded`WHAT_MOBILE_APPS: Use by mobile apps without mobile: true in the configurator`,
        );
      for (const [what, given] of [
        ['Token', token],
        ['Provider', provider],
        ['DeviceID', id],
      ] as const)
        if (given === '') throw fault('PARAMETER_BOUNDS', what);
      checkLength('The token', token, TOKEN_LIMIT);
      for (const given of [provider, id, name]) checkLength('The description of the device', given);
      const others = devicesOf(ports, configuratorId).filter((one) => one.id !== id);
      if (others.length >= DEVICES_LIMIT)
        throw fault(
          'NOT_ALLOWED',
          coded`WHAT_TOO_MANY_DEVICES: Registering more than ${DEVICES_LIMIT} devices (remove one with GW_RemovePushDevice)`,
        );
      const at = Math.floor(ports.clock.nowMs() / 1000);
      keep(ports, configuratorId, [...others, { id, name, provider, token, at }]);
      return id;
    },
  });
}

function administration(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_GetPushDevices',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: shapes.pushDevices,
      help: 'The mobile devices that are registered with a web front, and the browsers that get its messages (provider WebPush), without their tokens.',
      run: (_caller, id) =>
        [...devicesOf(ports, id), ...(ports.connections()?.pushDevices(id) ?? [])].map((device) => ({
          DeviceID: device.id,
          DeviceName: device.name,
          Provider: device.provider,
          Registered: device.at,
        })),
    }),
    declare({
      name: 'GW_RemovePushDevice',
      parameters: [int('InstanceID'), text('DeviceID')],
      result: 'boolean',
      audited: true,
      help: 'Removes a mobile device or a browser of a web front; false if it is not registered.',
      run: (_caller, configuratorId, id) => {
        const devices = devicesOf(ports, configuratorId);
        const left = devices.filter((one) => one.id !== id);
        if (left.length === devices.length) {
          const isBrowser = ports
            .connections()
            ?.pushDevices(configuratorId)
            .some((one) => one.id === id);
          return isBrowser === true && (ports.connections()?.removePushDevice(id) ?? false);
        }
        keep(ports, configuratorId, left);
        return true;
      },
    }),
  ];
}

function devicesOf(ports: Ports, id: number): readonly Device[] {
  configuratorOf(ports, id);
  return parseJsonOr<Device[]>(ports.configurators.frontData(id, 'devices'), []);
}

function keep({ configurators }: Ports, id: number, devices: readonly Device[]): void {
  configurators.saveFrontData(id, 'devices', JSON.stringify(devices));
}
