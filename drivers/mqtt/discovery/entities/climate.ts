import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder } from '../entity-builder.js';
import type { Source } from '../model.js';
import { numberProfile, optionsProfile } from '../presentation.js';
import { NONE, readNumber, readOnOff, readOption } from '../readers.js';
import { numberCommand, optionCommand, within } from './inputs.js';
import type { SettingsReader } from '../settings.js';
import { onOffCommand } from './switches.js';

const { boolean, float, string } = variableType;

const CLIMATE_MODES = ['auto', 'off', 'cool', 'heat', 'dry', 'fan_only'];
const FAN_MODES = ['auto', 'low', 'medium', 'high'];
const SWING_MODES = ['on', 'off'];
const HEATER_MODES = ['off', 'eco', 'electric', 'gas', 'heat_pump', 'high_demand', 'performance'];
const ACTIONS = [
  'off',
  'idle',
  'heating',
  'cooling',
  'drying',
  'fan',
  'preheating',
  'defrosting',
  'humidifying',
];

type Limits = readonly [min: number, max: number, step: number];

/** The prefix of the keys of an attribute, and where its variable differs from others. */
interface Attribute {
  readonly key: string;
  readonly part: string;
  readonly name: string;
  readonly role?: 'main' | 'state' | 'detail';
  /** The templates of the state. */
  readonly templates?: readonly string[];
}

/** What thermostats, water heaters and humidifiers have in common: attributes with a state and a command topic. */
class ClimateBuilder {
  readonly #entity: EntityBuilder;
  readonly unit: string;

  constructor(entity: EntityBuilder) {
    this.#entity = entity;
    const unit = entity.settings.text('temperature_unit') ?? 'C';
    this.unit = unit.toUpperCase() === 'F' ? '°F' : '°C';
  }

  temperature(attribute: Attribute, limits: Limits): void {
    this.#number(attribute, { unit: this.unit, deviceClass: 'temperature', limits });
  }

  humidity(attribute: Attribute, [min, max]: readonly [number, number]): void {
    this.#number(attribute, { unit: '%', deviceClass: 'humidity', limits: [min, max, 1] });
  }

  #number(
    attribute: Attribute,
    { limits, ...facts }: { unit: string; deviceClass: string; limits: Limits },
  ): void {
    const { key } = attribute;
    const publish = this.#entity.publisher(`${key}_command_topic`, [`${key}_command_template`]);
    const [min, max] = limits;
    const reset = this.#entity.settings.payload('payload_reset_humidity', NONE);
    this.#entity.add({
      ...optionsOf(attribute),
      type: float,
      profile: numberProfile({ ...facts, range: publish === undefined ? undefined : limits }),
      sources: this.#sources(
        attribute,
        readNumber((number) => number, reset),
      ),
      command: publish && numberCommand(publish, within(min, max)),
      isOptimistic: this.#entity.isOptimistic,
    });
  }

  /** A number that is only reported. */
  reading(attribute: Attribute, facts: { unit: string; deviceClass: string }): void {
    this.#entity.add({
      ...optionsOf(attribute),
      type: float,
      profile: numberProfile(facts),
      sources: this.#entity.sources(`${attribute.key}_topic`, {
        template: [`${attribute.key}_template`, 'value_template'],
        read: readNumber(),
      }),
    });
  }

  option(attribute: Attribute, options: readonly string[]): void {
    const { key } = attribute;
    const publish = this.#entity.publisher(`${key}_command_topic`, [`${key}_command_template`]);
    const reset = this.#entity.settings.payload('payload_reset_mode', NONE);
    this.#entity.add({
      ...optionsOf(attribute),
      type: string,
      profile: optionsProfile(options),
      sources: this.#sources(attribute, readOption(options.length === 0 ? undefined : options, reset)),
      command: publish && optionCommand(publish, options),
      isOptimistic: this.#entity.isOptimistic,
    });
  }

  power(): void {
    const { settings } = this.#entity;
    const on = settings.payload('payload_on', 'ON');
    const off = settings.payload('payload_off', 'OFF');
    const publish = this.#entity.publisher('power_command_topic', ['power_command_template']);
    this.#entity.add({
      part: 'POWER',
      name: 'Switched on',
      type: boolean,
      profile: '~Switch',
      sources: this.#entity.sources('power_state_topic', {
        template: ['power_state_template', 'value_template'],
        read: readOnOff(on, off),
      }),
      command: publish && onOffCommand(publish, on, off),
      isOptimistic: this.#entity.isOptimistic,
    });
  }

  #sources({ key, templates }: Attribute, read: Source['read']): Source[] {
    const template = templates ?? [`${key}_state_template`, 'value_template'];
    return this.#entity.sources(`${key}_state_topic`, { template, read });
  }
}

const optionsOf = ({ part, name, role }: Attribute) => ({
  part,
  name,
  ...(role === undefined ? {} : { role }),
});

/** The limits of a target; devices that are not connected to anything announce a range from 0 to 0. */
function temperatureLimits(settings: SettingsReader, [lowest, highest, standardStep]: Limits): Limits {
  const min = settings.number('min_temp') ?? lowest;
  const max = settings.number('max_temp') ?? highest;
  const step = Math.abs(settings.number('temp_step') ?? standardStep);
  return min < max ? [min, max, step] : [lowest, highest, step];
}

export function buildClimate(entity: EntityBuilder): void {
  const { settings } = entity;
  const climate = new ClimateBuilder(entity);
  const isFahrenheit = climate.unit === '°F';
  const limits = temperatureLimits(settings, isFahrenheit ? [44.6, 95, 1] : [7, 35, 1]);
  climate.temperature({ key: 'temperature', part: 'TARGET', name: 'Target temperature' }, limits);
  climate.temperature({ key: 'temperature_low', part: 'TARGET_LOW', name: 'Lowest temperature' }, limits);
  climate.temperature({ key: 'temperature_high', part: 'TARGET_HIGH', name: 'Highest temperature' }, limits);
  climate.option({ key: 'mode', part: 'MODE', name: 'Mode' }, settings.list('modes') ?? CLIMATE_MODES);
  climate.power();
  climate.reading(
    { key: 'current_temperature', part: 'TEMPERATURE', name: 'Temperature', role: 'state' },
    { unit: climate.unit, deviceClass: 'temperature' },
  );
  climate.reading(
    { key: 'current_humidity', part: 'HUMIDITY', name: 'Humidity', role: 'state' },
    { unit: '%', deviceClass: 'humidity' },
  );
  addAction(entity);
  climate.humidity(
    { key: 'target_humidity', part: 'TARGET_HUMIDITY', name: 'Target humidity', role: 'detail' },
    [settings.number('min_humidity') ?? 30, settings.number('max_humidity') ?? 99],
  );
  const presets = settings.list('preset_modes') ?? [];
  climate.option(
    {
      key: 'preset_mode',
      part: 'PRESET',
      name: 'Preset',
      role: 'detail',
      templates: ['preset_mode_value_template'],
    },
    ['none', ...presets.filter((one) => one !== 'none')],
  );
  const modes = [
    ['fan_mode', 'FAN_MODE', 'Fan', FAN_MODES],
    ['swing_mode', 'SWING_MODE', 'Swing', SWING_MODES],
    ['swing_horizontal_mode', 'SWING_HORIZONTAL_MODE', 'Horizontal swing', SWING_MODES],
  ] as const;
  for (const [key, part, name, standard] of modes)
    climate.option({ key, part, name, role: 'detail' }, settings.list(`${key}s`) ?? standard);
}

export function buildWaterHeater(entity: EntityBuilder): void {
  const { settings } = entity;
  const climate = new ClimateBuilder(entity);
  const isFahrenheit = climate.unit === '°F';
  const step = settings.number('precision') ?? 0.1;
  const limits = temperatureLimits(settings, isFahrenheit ? [110, 140, step] : [43.3, 60, step]);
  climate.temperature({ key: 'temperature', part: 'TARGET', name: 'Target temperature' }, limits);
  climate.option({ key: 'mode', part: 'MODE', name: 'Mode' }, settings.list('modes') ?? HEATER_MODES);
  climate.power();
  climate.reading(
    { key: 'current_temperature', part: 'TEMPERATURE', name: 'Temperature', role: 'state' },
    { unit: climate.unit, deviceClass: 'temperature' },
  );
}

export function buildHumidifier(entity: EntityBuilder): void {
  const { settings } = entity;
  const on = settings.payload('payload_on', 'ON');
  const off = settings.payload('payload_off', 'OFF');
  const publish = entity.publisher('command_topic', ['command_template']);
  entity.add({
    type: boolean,
    profile: '~Switch',
    sources: entity.sources('state_topic', {
      template: ['state_value_template', 'value_template'],
      read: readOnOff(on, off),
    }),
    command: publish && onOffCommand(publish, on, off),
    isOptimistic: entity.isOptimistic,
  });
  const climate = new ClimateBuilder(entity);
  climate.humidity(
    {
      key: 'target_humidity',
      part: 'TARGET',
      name: 'Target humidity',
      templates: ['target_humidity_state_template'],
    },
    [settings.number('min_humidity') ?? 0, settings.number('max_humidity') ?? 100],
  );
  const modes = settings.list('modes') ?? [];
  climate.option({ key: 'mode', part: 'MODE', name: 'Mode', templates: ['mode_state_template'] }, modes);
  climate.reading(
    { key: 'current_humidity', part: 'HUMIDITY', name: 'Humidity', role: 'state' },
    { unit: '%', deviceClass: 'humidity' },
  );
  addAction(entity);
}

/** What the device does at the moment. */
function addAction(entity: EntityBuilder): void {
  entity.add({
    part: 'ACTION',
    name: 'Action',
    type: string,
    role: 'state',
    profile: optionsProfile(ACTIONS),
    sources: entity.sources('action_topic', {
      template: ['action_template'],
      read: readOption(ACTIONS),
    }),
  });
}
