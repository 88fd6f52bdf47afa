import { InvalidAnnouncement, type AnnouncedEntity, type Settings } from '../announcement.js';
import type { TranslatedAnnouncement } from '../device-registry.js';
import type { StateRequest } from '../device-record.js';
import { isObject, jsonIn, memberOf, textAt, type JsonObject } from '../readers.js';

/** Components of one device; more is an error or an attack. */
const COMPONENT_LIMIT = 100;

/** The names of Shelly devices of generation 2 and later: model, then hardware address. */
const ID = /^shelly[a-z0-9]+-[0-9a-f]{12}$/;

/** Whether a first level of a topic is the name of a Shelly of generation 2 or later. */
export const isShellyId = (text: string): boolean => ID.test(text);

/** The last levels of the topic to which a device replies. */
export const SHELLY_REPLY = 'stellwerk/rpc';

/** What makes a device report its complete state, on its reply topic. */
export const shellyStatusRequest = (prefix: string): StateRequest => ({
  topic: `${prefix}/rpc`,
  payload: JSON.stringify({ id: 1, src: `${prefix}/stellwerk`, method: 'Shelly.GetStatus' }),
});

/** The prefix of a device that has announced itself; undefined if it is of the first generation, or none. */
export function announcedShelly(topic: string, payload: string): string | undefined {
  const json = jsonIn(payload);
  if (!isObject(json) || typeof json['gen'] !== 'number' || json['gen'] < 2) return undefined;
  const [first = ''] = topic.split('/');
  const prefix = first === 'shellies' ? memberOf(json, 'id') : first;
  return typeof prefix === 'string' && /^[^/+#\s]+$/.test(prefix) ? prefix : undefined;
}

interface ComponentValue {
  readonly name: string;
  /** The steps to the value in the status of the component. */
  readonly path: readonly string[];
  readonly settings: Settings;
}

const measurement = (deviceClass: string | undefined, unit: string, more: Settings = {}): Settings => ({
  ...(deviceClass === undefined ? {} : { device_class: deviceClass }),
  unit_of_measurement: unit,
  state_class: 'measurement',
  ...more,
});

/** The readings that components have; those that are missing in the status are left out. */
const READINGS: readonly ComponentValue[] = [
  { name: 'Power', path: ['apower'], settings: measurement('power', 'W') },
  { name: 'Voltage', path: ['voltage'], settings: measurement('voltage', 'V') },
  { name: 'Current', path: ['current'], settings: measurement('current', 'A') },
  { name: 'Frequency', path: ['freq'], settings: measurement('frequency', 'Hz') },
  { name: 'Power factor', path: ['pf'], settings: measurement('power_factor', '') },
  { name: 'Energy', path: ['aenergy', 'total'], settings: measurement('energy', 'Wh') },
  { name: 'Returned energy', path: ['ret_aenergy', 'total'], settings: measurement('energy', 'Wh') },
  {
    name: 'Device temperature',
    path: ['temperature', 'tC'],
    settings: measurement('temperature', '°C', { entity_category: 'diagnostic' }),
  },
  { name: 'Temperature', path: ['tC'], settings: measurement('temperature', '°C') },
  { name: 'Humidity', path: ['rh'], settings: measurement('humidity', '%') },
  { name: 'Illuminance', path: ['lux'], settings: measurement('illuminance', 'lx') },
  { name: 'Battery', path: ['battery', 'percent'], settings: measurement('battery', '%') },
  { name: 'Battery', path: ['battery'], settings: measurement('battery', '%') },
  // A sensor with Bluetooth that the device forwards; its unit is not published.
  { name: 'Value', path: ['value'], settings: { state_class: 'measurement' } },
  { name: 'Analog', path: ['percent'], settings: measurement(undefined, '%') },
  ...['a', 'b', 'c'].flatMap((phase): ComponentValue[] => [
    {
      name: `Power ${phase.toUpperCase()}`,
      path: [`${phase}_act_power`],
      settings: measurement('power', 'W'),
    },
    {
      name: `Voltage ${phase.toUpperCase()}`,
      path: [`${phase}_voltage`],
      settings: measurement('voltage', 'V'),
    },
    {
      name: `Current ${phase.toUpperCase()}`,
      path: [`${phase}_current`],
      settings: measurement('current', 'A'),
    },
  ]),
  { name: 'Total power', path: ['total_act_power'], settings: measurement('power', 'W') },
  { name: 'Active power', path: ['act_power'], settings: measurement('power', 'W') },
  { name: 'Total energy', path: ['total_act'], settings: measurement('energy', 'Wh') },
  { name: 'Total energy', path: ['total_act_energy'], settings: measurement('energy', 'Wh') },
  {
    name: 'Signal strength',
    path: ['rssi'],
    settings: measurement('signal_strength', 'dBm', { entity_category: 'diagnostic' }),
  },
];

const SWITCHABLE: readonly string[] = ['switch', 'light', 'rgb', 'rgbw', 'cct'];

/** Translates the complete status of a device, the reply to `Shelly.GetStatus`. Throws an {@link InvalidAnnouncement}. */
export function readShelly(prefix: string, payload: string): TranslatedAnnouncement | undefined {
  const reply = jsonIn(payload);
  const status = isObject(reply) ? memberOf(reply, 'result') : undefined;
  const sys = isObject(status) ? memberOf(status, 'sys') : undefined;
  // Replies to other commands.
  if (!isObject(status) || !isObject(sys)) return undefined;
  const mac = textAt(sys, 'mac').toLowerCase();
  if (!/^[0-9a-f]{12}$/.test(mac)) throw new InvalidAnnouncement('the status has no hardware address');
  const shelly = new Shelly(
    prefix,
    mac,
    Object.keys(status).some((key) => key.startsWith('devicepower')),
  );
  const components = Object.entries(status).slice(0, COMPONENT_LIMIT);
  return {
    device: {
      keys: [`mac ${mac}`],
      name: isShellyId(prefix)
        ? `Shelly ${prefix.split('-')[0]?.slice('shelly'.length) ?? ''} ${mac.slice(-6)}`
        : prefix,
      manufacturer: 'Shelly',
      model: isShellyId(prefix) ? (prefix.split('-')[0] ?? '') : '',
      software: '',
    },
    origin: 'Shelly',
    entities: components.flatMap(([key, one]) => (isObject(one) ? shelly.entitiesOf(key, one) : [])),
    removed: [],
    // A status leaves out readings that are not known at the moment.
    isComplete: false,
    problems: [],
    requests: [shellyStatusRequest(prefix)],
  };
}

class Shelly {
  readonly #prefix: string;
  readonly #mac: string;
  /** Devices with a battery are offline while they sleep. */
  readonly #isSleeping: boolean;

  constructor(...[prefix, mac, isSleeping]: readonly [string, string, boolean]) {
    this.#prefix = prefix;
    this.#mac = mac;
    this.#isSleeping = isSleeping;
  }

  /** The entities of a component such as `switch:0`. */
  entitiesOf(key: string, status: JsonObject): AnnouncedEntity[] {
    if (!/^[a-z0-9_]{1,32}(?::\d{1,4})?$/.test(key)) return [];
    const [kind = '', number = ''] = key.split(':');
    const readings = READINGS.filter(({ path }) => typeof valueAt(status, path) === 'number').map(
      ({ name, path, settings }) =>
        this.#entity('sensor', `${key} ${path.join(' ')}`, {
          name: `${name}${suffixOf(number)}`,
          state_topic: this.#states(key, path),
          ...settings,
        }),
    );
    return [...this.#outputs(key, { kind, number: Number(number) }, status), ...readings];
  }

  #outputs(
    key: string,
    { kind, number }: { kind: string; number: number },
    status: JsonObject,
  ): AnnouncedEntity[] {
    const suffix = suffixOf(String(number));
    if (SWITCHABLE.includes(kind) && 'output' in status) return [this.#output(key, { kind, number }, status)];
    if (kind === 'cover') return [this.#cover(key, number, status)];
    if (kind === 'input') return [this.#input(key, `Input${suffix}`, status)];
    if (kind === 'smoke' || kind === 'flood')
      return [
        this.#binary(key, ['alarm'], {
          name: kind === 'smoke' ? 'Smoke' : 'Flood',
          device_class: kind === 'smoke' ? 'smoke' : 'moisture',
        }),
      ];
    return [];
  }

  #output(
    key: string,
    { kind, number }: { kind: string; number: number },
    status: JsonObject,
  ): AnnouncedEntity {
    const method = `${kind === 'switch' || kind === 'light' || kind === 'cct' ? kind[0]?.toUpperCase() + kind.slice(1) : kind.toUpperCase()}.Set`;
    const name = number === 0 ? null : `Output ${number + 1}`;
    const power = {
      name,
      ...this.#onOff(key, ['output']),
      command_topic: `${this.#prefix}/rpc`,
      payload_on: this.#call(method, { id: number, on: true }),
      payload_off: this.#call(method, { id: number, on: false }),
    };
    if (kind === 'switch' || typeof status['brightness'] !== 'number')
      return this.#entity('switch', key, { ...power, state_on: 'ON', state_off: 'OFF' });
    const template = (member: string) =>
      this.#call(method, { id: number, on: true, [member]: '@' }).replace('"@"', '{{ value }}');
    const isColor = Array.isArray(status['rgb']);
    return this.#entity('light', key, {
      ...power,
      // The light's payloads are commands; its states are ON and OFF.
      state_on: 'ON',
      state_off: 'OFF',
      on_command_type: 'none',
      brightness_scale: 100,
      brightness_state_topic: this.#states(key, ['brightness']),
      brightness_command_topic: `${this.#prefix}/rpc`,
      brightness_command_template: template('brightness'),
      ...(typeof status['ct'] === 'number'
        ? {
            color_temp_kelvin: true,
            color_temp_state_topic: this.#states(key, ['ct']),
            color_temp_command_topic: `${this.#prefix}/rpc`,
            color_temp_command_template: template('ct'),
          }
        : {}),
      ...(isColor
        ? {
            rgb_state_topic: this.#states(key, ['rgb'], " | join(',')"),
            rgb_command_topic: `${this.#prefix}/rpc`,
            rgb_command_template: template('rgb').replace(
              '{{ value }}',
              '[{{ red }},{{ green }},{{ blue }}]',
            ),
          }
        : {}),
    });
  }

  #cover(key: string, number: number, status: JsonObject): AnnouncedEntity {
    const hasPosition = typeof status['current_pos'] === 'number';
    const setPosition = this.#call('Cover.GoToPosition', { id: number, pos: '@' }).replace(
      '"@"',
      '{{ value }}',
    );
    return this.#entity('cover', key, {
      name: number === 0 ? null : `Cover ${number + 1}`,
      state_topic: this.#states(key, ['state']),
      command_topic: `${this.#prefix}/rpc`,
      payload_open: this.#call('Cover.Open', { id: number }),
      payload_close: this.#call('Cover.Close', { id: number }),
      payload_stop: this.#call('Cover.Stop', { id: number }),
      ...(hasPosition
        ? {
            position_topic: this.#states(key, ['current_pos']),
            set_position_topic: `${this.#prefix}/rpc`,
            set_position_template: setPosition,
          }
        : {}),
    });
  }

  /** A switch input is a contact, a button input reports events. */
  #input(key: string, name: string, status: JsonObject): AnnouncedEntity {
    if (typeof status['state'] === 'boolean') return this.#binary(key, ['state'], { name });
    const types = ['btn_down', 'btn_up', 'single_push', 'double_push', 'triple_push', 'long_push'];
    // A notification can contain several events, also those of the configuration; the last press counts.
    const isPress = `e.component == '${key}' and e.event in ${JSON.stringify(types)}`;
    const template = `{% set last = namespace() %}{% for e in value_json.params.events | default([]) if ${isPress} %}{% set last.event = e.event %}{% endfor %}{% if last.event is defined %}{{ {'event_type': last.event} | to_json }}{% endif %}`;
    return this.#entity('event', key, {
      name,
      event_types: types,
      state_topic: [{ topic: `${this.#prefix}/events/rpc`, template }],
    });
  }

  #binary(key: string, path: readonly string[], settings: Settings): AnnouncedEntity {
    return this.#entity('binary_sensor', key, { ...this.#onOff(key, path), ...settings });
  }

  #onOff(key: string, path: readonly string[]): Settings {
    return { state_topic: this.#states(key, path, undefined, true) };
  }

  /**
   * Where a value is published: the topic of its component, notifications, which contain what has changed, and
   * the reply to a request.
   */
  #states(
    ...[key, path, filter = '', isBoolean = false]: readonly [string, readonly string[], string?, boolean?]
  ): Settings[] {
    const steps = path.map((step) => `['${step}']`);
    const checks = steps.map((_, at) => `{% if c${steps.slice(0, at + 1).join('')} is defined %}`);
    const value = `c${steps.join('')}${filter}`;
    const shown = isBoolean ? `{{ 'ON' if ${value} else 'OFF' }}` : `{{ ${value} }}`;
    const body = `{% if c is mapping %}${checks.join('')}${shown}${'{% endif %}'.repeat(checks.length)}{% endif %}`;
    const from = (root: string) => `{% set c = ${root} %}${body}`;
    return [
      { topic: `${this.#prefix}/status/${key}`, template: from('value_json') },
      { topic: `${this.#prefix}/events/rpc`, template: from(`value_json.params['${key}']`) },
      {
        topic: `${this.#prefix}/${SHELLY_REPLY}`,
        template: `{% if value_json.result is mapping %}${from(`value_json.result['${key}']`)}{% endif %}`,
      },
    ];
  }

  #entity(component: string, key: string, settings: Settings): AnnouncedEntity {
    const id = `${this.#mac} ${key}`;
    const availability = {
      availability_topic: `${this.#prefix}/online`,
      payload_available: 'true',
      payload_not_available: 'false',
    };
    return {
      component,
      id,
      place: `${component} ${id}`,
      settings: { ...(this.#isSleeping ? {} : availability), ...settings },
    };
  }

  #call(method: string, parameters: Settings): string {
    return JSON.stringify({ id: 2, src: `${this.#prefix}/stellwerk`, method, params: parameters });
  }
}

/** Components are counted from 0; numbers from 100 on are ids of add-ons and Bluetooth devices. */
function suffixOf(number: string): string {
  const id = Number(number);
  return number === '' || id === 0 ? '' : ` ${id < 100 ? id + 1 : id}`;
}

function valueAt(object: JsonObject, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const step of path) value = isObject(value) ? memberOf(value, step) : undefined;
  return value;
}
