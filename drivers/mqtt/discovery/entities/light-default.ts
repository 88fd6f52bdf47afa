import { coded } from '../../../../src/base/codes/coded-text.js';
import { fault } from '../../../../src/base/fault.js';
import { variableType } from '../../../../src/device/module.js';
import type { Value as TemplateValue } from '../../templates/value.js';
import type { EntityBuilder, Publisher } from '../entity-builder.js';
import {
  UNKNOWN,
  UNREADABLE,
  type Command,
  type CommandContext,
  type Outgoing,
  type Source,
} from '../model.js';
import { NONE, numberIn, readNumber, readOnOff, readOption, readText } from '../readers.js';
import { hsFromRgb, packRgb, rgbFromHs, rgbFromXy, unpackRgb, xyFromRgb, type Rgb } from './colors.js';
import { templateNumber } from './inputs.js';
import { LightParts } from './light-parts.js';

const { boolean } = variableType;

/** Numbers that are separated by commas. */
const readNumbers =
  (convert: (numbers: readonly number[]) => Rgb): Source['read'] =>
  (text) => {
    if (text === '') return undefined;
    if (text === NONE) return UNKNOWN;
    const numbers = text
      .replaceAll(/[()\s]/g, '')
      .split(',')
      .map(numberIn);
    return numbers.length >= 2 && numbers.every((one) => one !== undefined)
      ? packRgb(convert(numbers))
      : UNREADABLE;
  };

const firstThree = ([red = 0, green = 0, blue = 0]: readonly number[]): Rgb => [red, green, blue];

/** How a light with one topic per property writes colours, in the order in which they are preferred. */
const COLOR_FORMATS: readonly {
  readonly key: string;
  readonly read: (numbers: readonly number[]) => Rgb;
  readonly write: (rgb: Rgb) => readonly number[];
  readonly names: readonly string[];
}[] = [
  { key: 'rgb', read: firstThree, write: (rgb) => rgb, names: ['red', 'green', 'blue'] },
  {
    key: 'hs',
    read: ([hue = 0, saturation = 0]) => rgbFromHs(hue, saturation),
    write: hsFromRgb,
    names: ['hue', 'sat'],
  },
  { key: 'xy', read: ([x = 0, y = 0]) => rgbFromXy(x, y), write: xyFromRgb, names: ['x', 'y'] },
  { key: 'rgbw', read: firstThree, write: (rgb) => [...rgb, 0], names: ['red', 'green', 'blue', 'white'] },
  {
    key: 'rgbww',
    read: firstThree,
    write: (rgb) => [...rgb, 0, 0],
    names: ['red', 'green', 'blue', 'cold_white', 'warm_white'],
  },
];

/** A light with one topic per property. */
export function buildDefaultLight(entity: EntityBuilder): void {
  const { settings } = entity;
  const parts = new LightParts(entity);
  const on = settings.payload('payload_on', 'ON');
  const off = settings.payload('payload_off', 'OFF');
  const publish = entity.publisher('command_topic');
  const brightness = entity.publisher('brightness_command_topic', ['brightness_command_template']);
  const scale = parts.brightnessScale;
  const switching = new Switching({
    publish,
    brightness,
    on,
    off,
    scale,
    kind: settings.text('on_command_type'),
  });
  const state = (key: string, read: Source['read'], more: readonly string[] = []): Source[] =>
    entity.sources(`${key}_state_topic`, { template: [`${key}_value_template`, ...more], read });
  const set = (key: string, toText: (value: string | number) => string = String): Command | undefined => {
    const topic = entity.publisher(`${key}_command_topic`, [`${key}_command_template`]);
    return (
      topic &&
      switching.withOn((value, context) => {
        const plain = typeof value === 'number' ? templateNumber(value) : String(value);
        return topic(context, plain, { text: toText(value as string | number) });
      })
    );
  };
  if (publish === undefined) settings.problem('it has no command topic');
  entity.add({
    type: boolean,
    profile: '~Switch',
    sources: entity.sources('state_topic', {
      template: ['state_value_template', 'value_template'],
      read: readOnOff(settings.payload('state_on', on), settings.payload('state_off', off)),
    }),
    command: publish && ((value, context) => switching.turn(value === true, context)),
    isOptimistic: entity.isOptimistic,
  });
  parts.brightness({
    sources: state('brightness', readNumber()),
    command: brightness && ((value, context) => switching.dim(Number(value), context)),
  });
  parts.colorTemperature({ sources: state('color_temp', readNumber()), command: set('color_temp') });
  addColor(entity, { parts, switching });
  const effects = settings.list('effect_list') ?? [];
  parts.effect({ sources: state('effect', readText), command: set('effect') }, effects);
  const whiteScale = settings.number('white_scale') ?? 255;
  parts.white({ sources: [], command: set('white') }, whiteScale);
  parts.colorMode(state('color_mode', readOption(undefined)));
}

function addColor(
  entity: EntityBuilder,
  { parts, switching }: { parts: LightParts; switching: Switching },
): void {
  const state = COLOR_FORMATS.find(({ key }) => entity.settings.has(`${key}_state_topic`));
  const format = COLOR_FORMATS.find(({ key }) => entity.settings.has(`${key}_command_topic`));
  const { write, names } = format ?? { write: (rgb: Rgb) => rgb, names: [] };
  const topic = format && entity.publisher(`${format.key}_command_topic`, [`${format.key}_command_template`]);
  parts.color({
    sources:
      state === undefined
        ? []
        : entity.sources(`${state.key}_state_topic`, {
            template: [`${state.key}_value_template`],
            read: readNumbers(state.read),
          }),
    command:
      topic &&
      switching.withOn((value, context) => {
        const numbers = write(unpackRgb(Number(value)));
        const text = numbers.join(',');
        const more = names.map((name, at): [string, TemplateValue] => [
          name,
          templateNumber(numbers[at] ?? 0),
        ]);
        return topic(context, text, { text, more });
      }),
  });
}

interface SwitchingOptions {
  readonly publish: Publisher | undefined;
  readonly brightness: Publisher | undefined;
  readonly on: string;
  readonly off: string;
  readonly scale: number;
  /** When the command that switches on is sent: before the others (`first`), after them, or never (`none`). */
  readonly kind: string | undefined;
}

/** Switches a light on with whatever else is set: a light that is off shows no colour. */
class Switching {
  readonly #options: SwitchingOptions;

  constructor(options: SwitchingOptions) {
    this.#options = options;
  }

  turn(isOn: boolean, context: CommandContext): readonly Outgoing[] {
    const { kind, brightness, on, off, scale } = this.#options;
    if (!isOn) return this.#send(off, context);
    if (kind !== 'brightness' || brightness === undefined) return this.#send(on, context);
    const last = context.current('BRIGHTNESS');
    return this.#sendBrightness(typeof last === 'number' && last > 0 ? last : scale, context);
  }

  dim(value: number, context: CommandContext): readonly Outgoing[] {
    const { scale, kind } = this.#options;
    if (value < 0 || value > scale)
      throw fault('DEVICE_REFUSED', coded`VALUE_LIMITS: the device accepts values from ${0} to ${scale}`);
    if (value === 0) return this.#send(this.#options.off, context);
    const dimming = this.#sendBrightness(value, context);
    return kind === 'brightness' ? dimming : this.#around(dimming, context);
  }

  withOn(command: Command): Command {
    return (value, context) => this.#around(command(value, context), context);
  }

  #around(messages: readonly Outgoing[], context: CommandContext): readonly Outgoing[] {
    const { kind } = this.#options;
    if (kind === 'none') return messages;
    if (kind === 'first') return [...this.turn(true, context), ...messages];
    return [...messages, ...this.turn(true, context)];
  }

  #send(payload: string, context: CommandContext): readonly Outgoing[] {
    return this.#options.publish?.(context, payload, { text: payload }) ?? [];
  }

  #sendBrightness(value: number, context: CommandContext): readonly Outgoing[] {
    return this.#options.brightness?.(context, templateNumber(value), { text: String(value) }) ?? [];
  }
}
