import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder } from '../entity-builder.js';
import { UNREADABLE, type Command } from '../model.js';
import { optionsProfile, shareProfile } from '../presentation.js';
import { NONE, readNumber, readOnOff, readOption } from '../readers.js';
import { optionCommand, templateNumber } from './inputs.js';
import { onOffCommand } from './switches.js';

const { boolean, integer, string } = variableType;

export function buildFan(entity: EntityBuilder): void {
  const { settings } = entity;
  const on = settings.payload('payload_on', 'ON');
  const off = settings.payload('payload_off', 'OFF');
  const { isOptimistic } = entity;
  const publish = entity.publisher('command_topic', ['command_template']);
  const power = publish && onOffCommand(publish, on, off);
  entity.add({
    type: boolean,
    profile: '~Switch',
    sources: entity.sources('state_topic', {
      template: ['state_value_template', 'value_template'],
      read: readOnOff(on, off),
    }),
    command: power,
    isOptimistic,
  });
  addPercentage(entity, power);
  const presets = settings.list('preset_modes') ?? [];
  const preset = entity.publisher('preset_mode_command_topic', ['preset_mode_command_template']);
  entity.add({
    part: 'PRESET',
    name: 'Preset',
    type: string,
    role: 'detail',
    profile: optionsProfile(presets),
    sources: entity.sources('preset_mode_state_topic', {
      template: ['preset_mode_value_template'],
      read: readOption(presets, settings.payload('payload_reset_preset_mode', NONE)),
    }),
    command: preset && optionCommand(preset, presets),
    isOptimistic,
  });
  const swing = [
    settings.payload('payload_oscillation_on', 'oscillate_on'),
    settings.payload('payload_oscillation_off', 'oscillate_off'),
  ] as const;
  const oscillate = entity.publisher('oscillation_command_topic', ['oscillation_command_template']);
  entity.add({
    part: 'OSCILLATION',
    name: 'Oscillation',
    type: boolean,
    role: 'detail',
    profile: '~Switch',
    sources: entity.sources('oscillation_state_topic', {
      template: ['oscillation_value_template'],
      read: readOnOff(...swing),
    }),
    command: oscillate && onOffCommand(oscillate, ...swing),
    isOptimistic,
  });
  const directions = ['forward', 'reverse'];
  const direct = entity.publisher('direction_command_topic', ['direction_command_template']);
  entity.add({
    part: 'DIRECTION',
    name: 'Direction',
    type: string,
    role: 'detail',
    profile: optionsProfile(directions),
    sources: entity.sources('direction_state_topic', {
      template: ['direction_value_template'],
      read: readOption(directions),
    }),
    command: direct && optionCommand(direct, directions),
    isOptimistic,
  });
}

/** The speed in per cent of the range of the device, whose lowest value is the slowest speed, not off. */
function addPercentage(entity: EntityBuilder, power: Command | undefined): void {
  const { settings } = entity;
  const min = settings.number('speed_range_min') ?? 1;
  const max = settings.number('speed_range_max') ?? 100;
  const [below, speeds] = [min - 1, max - min + 1];
  const publish = entity.publisher('percentage_command_topic', ['percentage_command_template']);
  const setSpeed: Command = (value, context) => {
    const percent = Math.min(100, Math.max(0, Number(value)));
    // Zero is no speed, it is off.
    if (percent === 0 && power !== undefined) return power(false, context);
    const raw = Math.ceil((percent * speeds) / 100 + below);
    return publish?.(context, templateNumber(raw), { text: String(raw) }) ?? [];
  };
  const read = readNumber(
    (raw) => Math.floor(((raw - below) * 100) / speeds),
    settings.payload('payload_reset_percentage', NONE),
  );
  entity.add({
    part: 'SPEED',
    name: 'Speed',
    type: integer,
    profile: shareProfile(100),
    sources: entity.sources('percentage_state_topic', {
      template: ['percentage_value_template'],
      read: (text, current) => {
        const percent = read(text, current);
        return typeof percent === 'number' && (percent < 0 || percent > 100) ? UNREADABLE : percent;
      },
    }),
    command: publish && setSpeed,
    isOptimistic: entity.isOptimistic,
  });
}
