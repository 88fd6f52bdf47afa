import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder, Publisher } from '../entity-builder.js';
import type { Command } from '../model.js';
import { binaryProfile } from '../presentation.js';
import { readOnOff } from '../readers.js';

const { boolean } = variableType;

/** A command of a boolean: one payload for true, one for false. */
export const onOffCommand =
  (publish: Publisher, on: string, off: string): Command =>
  (value, context) => {
    const payload = value === true ? on : off;
    return publish(context, payload, { text: payload });
  };

export function buildSwitch(entity: EntityBuilder): void {
  const { settings } = entity;
  const on = settings.payload('payload_on', 'ON');
  const off = settings.payload('payload_off', 'OFF');
  const publish = entity.publisher('command_topic', ['command_template']);
  if (publish === undefined) settings.problem('it has no command topic');
  entity.add({
    type: boolean,
    profile: '~Switch',
    sources: entity.sources('state_topic', {
      template: ['value_template'],
      read: readOnOff(settings.payload('state_on', on), settings.payload('state_off', off)),
    }),
    command: publish && onOffCommand(publish, on, off),
    isOptimistic: entity.isOptimistic,
  });
}

export function buildBinarySensor(entity: EntityBuilder): void {
  const { settings } = entity;
  const read = readOnOff(settings.payload('payload_on', 'ON'), settings.payload('payload_off', 'OFF'));
  entity.add({
    type: boolean,
    profile: binaryProfile(settings.text('device_class')),
    sources: entity.sources('state_topic', { template: ['value_template'], read }),
    expireAfterS: settings.number('expire_after'),
    offDelayS: settings.number('off_delay'),
  });
}
