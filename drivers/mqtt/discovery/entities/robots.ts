import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder } from '../entity-builder.js';
import type { Reading, Source } from '../model.js';
import { optionsProfile } from '../presentation.js';
import { memberOf, numberOf, readJson, readOption } from '../readers.js';
import { commandsVariable, optionCommand, textCommand } from './inputs.js';

const { integer, string } = variableType;

const VACUUM_COMMANDS = {
  start: ['start', 'start'],
  pause: ['pause', 'pause'],
  stop: ['stop', 'stop'],
  return_home: ['return_to_base', 'return_to_base'],
  clean_spot: ['clean_spot', 'clean_spot'],
  locate: ['locate', 'locate'],
} as const;

/** What a vacuum cleaner can do if it does not say. */
const VACUUM_FEATURES: readonly string[] = [
  'start',
  'stop',
  'return_home',
  'status',
  'battery',
  'clean_spot',
];
const VACUUM_STATES = ['cleaning', 'docked', 'paused', 'idle', 'returning', 'error'];

export function buildVacuum(entity: EntityBuilder): void {
  const { settings } = entity;
  const features = settings.list('supported_features') ?? VACUUM_FEATURES;
  const member = (key: string, read: (value: unknown) => Reading): Source[] =>
    entity.sources('state_topic', {
      template: ['value_template'],
      read: readJson((object) => read(memberOf(object, key))),
    });
  const text = (value: unknown): Reading => (typeof value === 'string' ? value : undefined);
  entity.add({
    part: 'STATE',
    name: 'State',
    type: string,
    profile: optionsProfile(VACUUM_STATES),
    sources: member('state', text),
  });
  const publish = entity.publisher('command_topic');
  const commands =
    publish === undefined
      ? []
      : Object.entries(VACUUM_COMMANDS)
          .filter(([feature]) => features.includes(feature))
          .map(([, [name, payload]]) => ({
            name,
            publish,
            payload: settings.payload(`payload_${name}`, payload),
          }));
  entity.add({ part: 'COMMAND', name: 'Command', ...commandsVariable(commands) });
  entity.add({
    part: 'BATTERY',
    name: 'Battery',
    type: integer,
    role: 'state',
    profile: '~Battery.100',
    sources: features.includes('battery') ? member('battery_level', (value) => numberOf(value)) : [],
  });
  const speeds = settings.list('fan_speed_list') ?? [];
  const setSpeed = entity.publisher('set_fan_speed_topic');
  if (features.includes('fan_speed') && speeds.length > 0)
    entity.add({
      part: 'FAN_SPEED',
      name: 'Fan speed',
      type: string,
      role: 'detail',
      profile: optionsProfile(speeds),
      sources: member('fan_speed', text),
      command: setSpeed && optionCommand(setSpeed, speeds),
    });
  const send = entity.publisher('send_command_topic');
  if (send !== undefined && features.includes('send_command'))
    entity.add({
      part: 'SEND',
      name: 'Send command',
      type: string,
      role: 'detail',
      command: textCommand(send),
    });
}

const MOWER_COMMANDS = ['start_mowing', 'pause', 'dock'] as const;

export function buildLawnMower(entity: EntityBuilder): void {
  const activities = ['mowing', 'paused', 'docked', 'returning', 'error'];
  entity.add({
    part: 'ACTIVITY',
    name: 'Activity',
    type: string,
    profile: optionsProfile(activities),
    sources: entity.sources('activity_state_topic', {
      template: ['activity_value_template'],
      read: readOption(activities),
    }),
  });
  const commands = MOWER_COMMANDS.flatMap((name) => {
    const publish = entity.publisher(`${name}_command_topic`, [`${name}_command_template`]);
    return publish === undefined ? [] : [{ name, publish, payload: name }];
  });
  entity.add({ part: 'COMMAND', name: 'Command', ...commandsVariable(commands) });
}
