import { coded } from '../../../../src/base/codes/coded-text.js';
import { fault } from '../../../../src/base/fault.js';
import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder } from '../entity-builder.js';
import { UNKNOWN, UNREADABLE, type Command, type Reading, type Source } from '../model.js';
import { isObject, memberOf, numberOf, readJson, type JsonObject } from '../readers.js';
import { hsFromRgb, packRgb, rgbFromHs, rgbFromXy, unpackRgb, xyFromRgb } from './colors.js';
import { LightParts } from './light-parts.js';

const { boolean } = variableType;

/** How the colour modes are written, in the order in which they are preferred. */
const COLOR_MODES = ['rgb', 'hs', 'xy', 'rgbw', 'rgbww'] as const;
type ColorMode = (typeof COLOR_MODES)[number];

/** A light whose state is one JSON object, as are its commands. */
export function buildJsonLight(entity: EntityBuilder): void {
  const { settings } = entity;
  const parts = new LightParts(entity);
  const modes = settings.list('supported_color_modes') ?? [];
  const has = (flag: string, ...inModes: readonly string[]): boolean =>
    settings.flag(flag) === true || inModes.some((mode) => modes.includes(mode));
  const publish = entity.publisher('command_topic');
  if (publish === undefined) settings.problem('it has no command topic');
  const sources = (read: (object: JsonObject) => Reading): Source[] =>
    entity.sources('state_topic', { template: ['value_template'], read: readJson(read) });
  const command = (toMembers: (value: never) => JsonObject): Command | undefined =>
    publish === undefined
      ? undefined
      : (value, context) => {
          const text = JSON.stringify({ state: 'ON', ...toMembers(value as never) });
          return publish(context, text, { text });
        };
  entity.add({
    type: boolean,
    profile: '~Switch',
    sources: sources((object) => stateIn(memberOf(object, 'state'))),
    command: command((isOn: boolean) => ({ state: isOn ? 'ON' : 'OFF' })),
    isOptimistic: entity.isOptimistic,
  });
  const isDimmable = has('brightness') || modes.some((mode) => mode !== 'onoff');
  const scale = parts.brightnessScale;
  if (isDimmable)
    parts.brightness({
      sources: sources((object) => numberOf(memberOf(object, 'brightness'))),
      command: command((value: number) => {
        if (value < 0 || value > scale)
          throw fault('DEVICE_REFUSED', coded`VALUE_LIMITS: the device accepts values from ${0} to ${scale}`);
        return value === 0 ? { state: 'OFF' } : { brightness: value };
      }),
    });
  if (has('color_temp', 'color_temp'))
    parts.colorTemperature({
      sources: sources((object) => numberOf(memberOf(object, 'color_temp'))),
      command: command((value: number) => ({ color_temp: value })),
    });
  const mode = COLOR_MODES.find((one) => has(one, one));
  if (mode !== undefined)
    parts.color({
      sources: sources((object) => colorIn(memberOf(object, 'color'))),
      command: command((value: number) => ({ color: colorMembers(mode, value) })),
    });
  if (has('white', 'white')) {
    const whiteScale = settings.number('white_scale') ?? 255;
    parts.white({ sources: [], command: command((value: number) => ({ white: value })) }, whiteScale);
  }
  const effects = settings.list('effect_list') ?? [];
  if (settings.flag('effect') === true || effects.length > 0)
    parts.effect(
      {
        sources: sources((object) => textIn(memberOf(object, 'effect'))),
        command: command((effect: string) => ({ effect })),
      },
      effects,
    );
  if (modes.length > 0) parts.colorMode(sources((object) => textIn(memberOf(object, 'color_mode'))));
}

function stateIn(state: unknown): Reading {
  if (state === undefined) return undefined;
  if (state === null) return UNKNOWN;
  return state === 'ON' ? true : state === 'OFF' ? false : UNREADABLE;
}

const textIn = (value: unknown): Reading =>
  typeof value === 'string' ? value : value === null ? UNKNOWN : value === undefined ? undefined : UNREADABLE;

/** The colour in the format that the object has. */
function colorIn(color: unknown): Reading {
  if (!isObject(color)) return color === null ? UNKNOWN : undefined;
  const number = (key: string): number => {
    const value = memberOf(color, key);
    return typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : NaN;
  };
  const formats = [
    () => [number('r'), number('g'), number('b')] as const,
    () => rgbFromXy(number('x'), number('y')),
    () => rgbFromHs(number('h'), number('s')),
    () => rgbFromHs(number('hue'), number('saturation')),
  ];
  for (const format of formats) {
    const rgb = format();
    if (rgb.every((one) => Number.isFinite(one))) return packRgb(rgb);
  }
  return UNREADABLE;
}

function colorMembers(mode: ColorMode, color: number): JsonObject {
  const rgb = unpackRgb(color);
  const [r, g, b] = rgb;
  if (mode === 'hs') {
    const [h, s] = hsFromRgb(rgb);
    return { h, s };
  }
  if (mode === 'xy') {
    const [x, y] = xyFromRgb(rgb);
    return { x, y };
  }
  return { r, g, b, ...(mode === 'rgbw' ? { w: 0 } : mode === 'rgbww' ? { c: 0, w: 0 } : {}) };
}
