import { InvalidAnnouncement, type AnnouncedEntity, type Settings } from '../announcement.js';
import type { TranslatedAnnouncement } from '../device-registry.js';
import { isObject, jsonIn, memberOf, textAt, type JsonObject } from '../readers.js';
import { tasmotaSensors } from './tasmota-sensors.js';

/** A topic of a state with the template that reads it. */
interface StateTopic {
  readonly topic: string;
  readonly template: string;
}

/** The parts of a Tasmota's announcement: `tasmota/discovery/<mac>/config` and `…/sensors`. */
export interface TasmotaParts {
  config: string;
  /** '' if there is none. */
  sensors: string;
}

const RELAY = { switch: 1, light: 2, shutter: 3 } as const;
/** Kinds of lights (`lt_st`). */
const LIGHT = { dimmer: 1, white: 2, color: 3, colorAndWhite: 5 } as const;

/** Translates the announcement of a Tasmota. Throws an {@link InvalidAnnouncement}. */
export function readTasmota({ config, sensors }: Readonly<TasmotaParts>): TranslatedAnnouncement {
  const device = jsonIn(config);
  if (!isObject(device)) throw new InvalidAnnouncement('the payload is not a JSON object');
  const mac = textAt(device, 'mac').toLowerCase();
  const topic = textAt(device, 't');
  if (!/^[0-9a-f]{12}$/.test(mac) || topic === '')
    throw new InvalidAnnouncement('mac or t is missing: it is no announcement of a Tasmota');
  const tasmota = new Tasmota(device, mac);
  return {
    device: {
      keys: [`mac ${mac}`],
      name: textAt(device, 'dn') || textAt(device, 'hn'),
      manufacturer: 'Tasmota',
      model: textAt(device, 'md'),
      software: textAt(device, 'sw'),
    },
    origin: `Tasmota ${textAt(device, 'sw')}`.trim(),
    entities: [...tasmota.entities(), ...tasmotaSensors(tasmota, jsonIn(sensors))],
    removed: [],
    isComplete: true,
    problems: [],
    requests: [
      { topic: tasmota.command('STATE'), payload: '' },
      { topic: tasmota.command('STATUS'), payload: '10' },
    ],
  };
}

/** The topics of a Tasmota, and the entities of its outputs and inputs. */
export class Tasmota {
  readonly #device: JsonObject;
  readonly #mac: string;

  constructor(device: JsonObject, mac: string) {
    this.#device = device;
    this.#mac = mac;
  }

  command = (name: string): string => this.#topic(0, name);
  status = (name: string): string => this.#topic(1, name);
  telemetry = (name: string): string => this.#topic(2, name);

  /** Where the state is published: a member of the JSON that commands, polls and the telemetry have. */
  state(expression: (root: string) => string): StateTopic[] {
    const template = `{{ ${expression('value_json')} }}`;
    // SetOption4 changes RESULT to the name of the command.
    const topics = [this.status('RESULT'), this.status('STATE'), this.telemetry('STATE')];
    return topics.map((topic) => ({ topic, template }));
  }

  /** Where sensors are published, and what STATUS 10 replies. */
  sensor(expression: (root: string) => string): StateTopic[] {
    return [
      { topic: this.telemetry('SENSOR'), template: `{{ ${expression('value_json')} }}` },
      { topic: this.status('STATUS10'), template: `{{ ${expression('value_json.StatusSNS')} }}` },
    ];
  }

  entity(component: string, part: string, settings: Settings): AnnouncedEntity {
    const availability = {
      availability_topic: this.telemetry('LWT'),
      payload_available: textAt(this.#device, 'onln') || 'Online',
      payload_not_available: textAt(this.#device, 'ofln') || 'Offline',
    };
    const id = `${this.#mac}_${part}`;
    return { component, id, place: `${component} ${id}`, settings: { ...availability, ...settings } };
  }

  entities(): AnnouncedEntity[] {
    const relays = numbersAt(this.#device, 'rl');
    const count = relays.filter((kind) => kind !== 0).length;
    const shutters = relays.filter((kind) => kind === RELAY.shutter).length / 2;
    const outputs = relays.flatMap((kind, index) => {
      const isLight = kind === RELAY.light || (kind === RELAY.switch && this.#option('30'));
      if (isLight) return [this.#light(index, { count, isDimmable: kind === RELAY.light })];
      return kind === RELAY.switch ? [this.#relay(index, count)] : [];
    });
    return [
      ...outputs,
      ...Array.from({ length: Math.floor(shutters) }, (_, index) => this.#shutter(index + 1)),
      ...this.#switches(),
      ...this.#buttons(),
      this.#signal(),
    ];
  }

  #relay(index: number, count: number): AnnouncedEntity {
    return this.entity('switch', `relay_${index + 1}`, {
      name: this.#name(index, count),
      ...this.#power(index),
    });
  }

  /** A relay or light as an output that is on or off. */
  #power(index: number): Settings {
    const key = `POWER${index + 1}`;
    const states = Array.isArray(this.#device['state']) ? (this.#device['state'] as unknown[]) : [];
    const [off = 'OFF', on = 'ON'] = states.map((one) => (typeof one === 'string' ? one : undefined));
    // With one output, its key is POWER.
    const either = (root: string) =>
      index === 0 ? `${root}.POWER1 | default(${root}.POWER) | default('')` : `${root}.${key} | default('')`;
    return {
      state_topic: [
        ...this.state(either),
        { topic: this.status(key), template: '' },
        ...(index === 0 ? [{ topic: this.status('POWER'), template: '' }] : []),
      ],
      command_topic: this.command(key),
      payload_on: on,
      payload_off: off,
    };
  }

  #light(index: number, { count, isDimmable }: { count: number; isDimmable: boolean }): AnnouncedEntity {
    const kind = isDimmable ? Number(memberOf(this.#device, 'lt_st') ?? 0) : 0;
    // Lights that are not linked have a dimmer each.
    const dimmer = this.#option('68') || memberOf(this.#device, 'lk') === 0 ? `Dimmer${index + 1}` : 'Dimmer';
    const members: Record<string, unknown> = {};
    if (kind >= LIGHT.dimmer) {
      const read = (root: string) => `${root}.${dimmer} | default(${root}.Dimmer) | default('')`;
      Object.assign(members, {
        brightness_command_topic: this.command(dimmer),
        brightness_state_topic: this.state(read),
        brightness_scale: 100,
      });
    }
    if (kind === LIGHT.white || kind === LIGHT.colorAndWhite)
      Object.assign(members, {
        color_temp_command_topic: this.command('CT'),
        color_temp_state_topic: this.state((root) => `${root}.CT | default('')`),
      });
    if (kind >= LIGHT.color)
      Object.assign(members, {
        rgb_command_topic: this.command('Color2'),
        hs_state_topic: this.state((root) => `(${root}.HSBColor | default('')).split(',')[:2] | join(',')`),
      });
    const settings = { name: this.#name(index, count), ...this.#power(index), ...members };
    return this.entity('light', `light_${index + 1}`, settings);
  }

  #shutter(number: number): AnnouncedEntity {
    const key = `Shutter${number}`;
    const topics = (of: (shutter: string) => string): StateTopic[] => {
      const template = (root: string) =>
        `{% set s = ${root}.${key} %}{% if s is mapping %}${of('s')}{% endif %}`;
      return [
        { topic: this.status('RESULT'), template: template('value_json') },
        { topic: this.telemetry('SENSOR'), template: template('value_json') },
        { topic: this.status('STATUS10'), template: template('value_json.StatusSNS') },
      ];
    };
    return this.entity('cover', `shutter_${number}`, {
      name: number === 1 ? null : `Shutter ${number}`,
      position_topic: topics((s) => `{{ ${s}.Position }}`),
      set_position_topic: this.command(`ShutterPosition${number}`),
      state_topic: topics(
        (s) =>
          `{{ 'opening' if ${s}.Direction > 0 else 'closing' if ${s}.Direction < 0 else 'closed' if ${s}.Position == 0 else 'open' }}`,
      ),
      command_topic: this.command('Backlog0'),
      payload_open: `ShutterOpen${number}`,
      payload_close: `ShutterClose${number}`,
      payload_stop: `ShutterStop${number}`,
    });
  }

  /** Inputs that follow a contact. */
  #switches(): AnnouncedEntity[] {
    const names = listAt(this.#device, 'swn');
    return numbersAt(this.#device, 'swc').flatMap((mode, index) => {
      if (mode < 0) return [];
      const key = `Switch${index + 1}`;
      const known = (value: string) => `{% set v = ${value} %}{{ v if v in ['ON', 'OFF'] else '' }}`;
      const action = `{% set w = value_json.${key} %}${known("(w.Action if w is mapping else '')")}`;
      const name = names[index];
      return [
        this.entity('binary_sensor', `switch_${index + 1}`, {
          name: typeof name === 'string' && name !== '' ? name : `Switch ${index + 1}`,
          state_topic: [
            { topic: this.telemetry('SENSOR'), template: known(`value_json.${key} | default('')`) },
            { topic: this.status('STATUS10'), template: known(`value_json.StatusSNS.${key} | default('')`) },
            { topic: this.status('RESULT'), template: action },
          ],
        }),
      ];
    });
  }

  #buttons(): AnnouncedEntity[] {
    // Without SetOption73, buttons switch their relays and report nothing.
    if (!this.#option('73')) return [];
    const types = ['SINGLE', 'DOUBLE', 'TRIPLE', 'QUAD', 'PENTA', 'HOLD', 'CLEAR'];
    return numbersAt(this.#device, 'btn').flatMap((used, index) => {
      if (used === 0) return [];
      const action = `value_json.Button${index + 1}.Action`;
      return [
        this.entity('event', `button_${index + 1}`, {
          name: `Button ${index + 1}`,
          event_types: types,
          state_topic: this.status('RESULT'),
          value_template: `{% if value_json.Button${index + 1} is defined %}{{ {'event_type': ${action}} | to_json }}{% endif %}`,
        }),
      ];
    });
  }

  #signal(): AnnouncedEntity {
    return this.entity('sensor', 'signal', {
      name: 'Signal strength',
      device_class: 'signal_strength',
      unit_of_measurement: 'dBm',
      entity_category: 'diagnostic',
      state_topic: this.state((root) => `${root}.Wifi.Signal if ${root}.Wifi is defined else ''`),
    });
  }

  /** The name of an output; the only one has the name of the device. */
  #name(index: number, count: number): string | null {
    const name = listAt(this.#device, 'fn')[index];
    if (count === 1) return null;
    return typeof name === 'string' && name !== '' ? name : `Output ${index + 1}`;
  }

  #option(number: string): boolean {
    const options = memberOf(this.#device, 'so');
    return isObject(options) && memberOf(options, number) === 1;
  }

  #topic(prefix: 0 | 1 | 2, name: string): string {
    const own = listAt(this.#device, 'tp')[prefix];
    const values: Readonly<Record<string, string>> = {
      '%prefix%': typeof own === 'string' ? own : (['cmnd', 'stat', 'tele'][prefix] ?? ''),
      '%topic%': textAt(this.#device, 't'),
      '%hostname%': textAt(this.#device, 'hn'),
      '%id%': this.#mac.toUpperCase().slice(-6),
    };
    const format = textAt(this.#device, 'ft') || '%prefix%/%topic%/';
    const base = format.replaceAll(/%(?:prefix|topic|hostname|id)%/g, (found) => values[found] ?? '');
    return `${base}${base.endsWith('/') ? '' : '/'}${name}`;
  }
}

const listAt = (object: JsonObject, key: string): readonly unknown[] => {
  const value = memberOf(object, key);
  return Array.isArray(value) ? (value.slice(0, 64) as unknown[]) : [];
};

const numbersAt = (object: JsonObject, key: string): number[] =>
  listAt(object, key).map((one) => (typeof one === 'number' ? one : 0));
