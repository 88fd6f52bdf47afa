import { variableType } from '../../../../src/device/module.js';
import type { Value as TemplateValue } from '../../templates/value.js';
import type { EntityBuilder } from '../entity-builder.js';
import { JoinedTemplate } from '../lazy-template.js';
import {
  UNKNOWN,
  UNREADABLE,
  type Command,
  type CommandContext,
  type Outgoing,
  type Reading,
  type Source,
} from '../model.js';
import { rounded, readNumber, readOnOff, readText } from '../readers.js';
import { hsFromRgb, unpackRgb } from './colors.js';
import { templateNumber } from './inputs.js';
import { LightParts } from './light-parts.js';

const { boolean } = variableType;

const CHANNELS = ['red', 'green', 'blue'] as const;

/** A light whose states and commands are templates. */
export function buildTemplateLight(entity: EntityBuilder): void {
  const { settings } = entity;
  const parts = new LightParts(entity);
  const turnOn = entity.publisher('command_topic', ['command_on_template']);
  const turnOff = entity.publisher('command_topic', ['command_off_template']);
  if (turnOn === undefined || !settings.has('command_on_template') || !settings.has('command_off_template'))
    settings.problem('it has no command topic, or not both templates of commands');
  const sources = (key: string, read: Source['read']): Source[] =>
    settings.has(`${key}_template`)
      ? entity.sources('state_topic', { template: [`${key}_template`], read })
      : [];
  const send = (
    isOn: boolean,
    context: CommandContext,
    more: [string, TemplateValue][],
  ): readonly Outgoing[] => {
    const state = isOn ? 'on' : 'off';
    return (
      (isOn ? turnOn : turnOff)?.(context, state, { text: state, more: [['state', state], ...more] }) ?? []
    );
  };
  const set = (toVariables: (value: never) => [string, TemplateValue][]): Command | undefined =>
    turnOn && ((value, context) => send(true, context, toVariables(value as never)));
  entity.add({
    type: boolean,
    profile: '~Switch',
    sources: sources('state', readOnOff('on', 'off')),
    command: turnOn && ((value, context) => send(value === true, context, [])),
    isOptimistic: entity.isOptimistic,
  });
  if (settings.has('brightness_template'))
    parts.brightness({
      sources: sources('brightness', readNumber()),
      command:
        turnOn &&
        ((value, context) =>
          value === 0
            ? send(false, context, [])
            : send(true, context, [['brightness', templateNumber(Number(value))]])),
    });
  if (settings.has('color_temp_template'))
    parts.colorTemperature({
      sources: sources('color_temp', readNumber()),
      command: set((value: number) => [['color_temp', templateNumber(value)]]),
    });
  if (CHANNELS.every((name) => settings.has(`${name}_template`)))
    parts.color({
      sources: colorSources(CHANNELS.map((name) => sources(name, readColor))),
      command: set((value: number) => {
        const rgb = unpackRgb(value);
        const [hue, sat] = hsFromRgb(rgb);
        return [
          ...CHANNELS.map((name, at): [string, TemplateValue] => [name, BigInt(rgb[at] ?? 0)]),
          ['hue', hue],
          ['sat', sat],
        ];
      }),
    });
  if (settings.has('effect_template'))
    parts.effect(
      { sources: sources('effect', readText), command: set((effect: string) => [['effect', effect]]) },
      settings.list('effect_list') ?? [],
    );
}

/** The sources of a colour: a message is one reading of all three channels, not one of each. */
function colorSources([first = [], ...others]: readonly (readonly Source[])[]): Source[] {
  return first.map((source, at) => {
    const templates = [source, ...others.flatMap((channel) => channel[at] ?? [])];
    return { ...source, template: new JoinedTemplate(templates.flatMap(({ template }) => template ?? [])) };
  });
}

/** The channels of a colour; one of which the message says nothing keeps its value. */
const readColor: Source['read'] = (text, current): Reading => {
  const read = readNumber();
  const channels = text.split(',').map((one) => read(one.trim(), current));
  if (channels.every((one) => one === undefined)) return undefined;
  if (channels.length !== CHANNELS.length || channels.includes(UNREADABLE)) return UNREADABLE;
  if (channels.includes(UNKNOWN)) return UNKNOWN;
  const before = current('COLOR');
  const rgb = unpackRgb(typeof before === 'number' ? before : 0);
  return channels.reduce<number>((all, one, at) => {
    const channel = typeof one === 'number' ? Math.min(255, Math.max(0, rounded(one))) : (rgb[at] ?? 0);
    return all * 256 + channel;
  }, 0);
};
