import { coded } from '../../../../src/base/codes/coded-text.js';
import { fault } from '../../../../src/base/fault.js';
import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder, Publisher } from '../entity-builder.js';
import { UNKNOWN, UNREADABLE, type Command, type Source } from '../model.js';
import { numberProfile, optionsProfile, pressProfile } from '../presentation.js';
import { isObject, jsonIn, memberOf, NONE, readOnOff } from '../readers.js';
import { pressCommand } from './inputs.js';
import { onOffCommand } from './switches.js';

const { boolean, float, integer, string } = variableType;

export function buildLock(entity: EntityBuilder): void {
  const { settings } = entity;
  const template = ['value_template'];
  const reset = settings.payload('payload_reset', NONE);
  const states = new Map(
    ['locked', 'unlocked', 'locking', 'unlocking', 'jammed', 'open', 'opening'].map((state) => [
      settings.payload(`state_${state}`, state.toUpperCase()),
      state,
    ]),
  );
  const read: Source['read'] = (text) =>
    text === '' ? undefined : text === reset || text === NONE ? UNKNOWN : (states.get(text) ?? UNREADABLE);
  const publish = entity.publisher('command_topic', ['command_template']);
  // A lock that is moving, or jammed, is not locked.
  const isLocked: Source['read'] = (text, current) => {
    const state = read(text, current);
    return typeof state === 'string' ? state === 'locked' : state;
  };
  entity.add({
    type: boolean,
    profile: '~Lock',
    sources: entity.sources('state_topic', { template, read: isLocked }),
    command:
      publish &&
      onOffCommand(
        publish,
        settings.payload('payload_lock', 'LOCK'),
        settings.payload('payload_unlock', 'UNLOCK'),
      ),
    isOptimistic: entity.isOptimistic,
  });
  entity.add({
    part: 'STATE',
    name: 'State',
    type: string,
    role: 'state',
    profile: optionsProfile([...new Set(states.values())]),
    sources: entity.sources('state_topic', { template, read }),
  });
  const open = settings.text('payload_open');
  if (publish === undefined || open === undefined) return;
  entity.add({
    part: 'OPEN',
    name: 'Open',
    type: integer,
    profile: pressProfile('Open'),
    command: pressCommand(publish, open),
  });
}

/** The state as JSON, or as text. */
const readSiren =
  (read: Source['read'], key: string): Source['read'] =>
  (text, current) => {
    const json = jsonIn(text);
    if (!isObject(json)) return key === 'state' ? read(text, current) : undefined;
    const value = memberOf(json, key);
    return typeof value === 'string' || typeof value === 'number' ? read(String(value), current) : undefined;
  };

export function buildSiren(entity: EntityBuilder): void {
  const { settings } = entity;
  const on = settings.payload('payload_on', 'ON');
  const off = settings.payload('payload_off', 'OFF');
  const sources = (key: string, read: Source['read']) =>
    entity.sources('state_topic', {
      template: ['state_value_template', 'value_template'],
      read: readSiren(read, key),
    });
  const tones = settings.list('available_tones') ?? [];
  const hasVolume = settings.flag('support_volume_set') ?? true;
  const hasDuration = settings.flag('support_duration') ?? true;
  const turnOn = entity.publisher('command_topic', ['command_template']);
  const turnOff = settings.has('command_off_template')
    ? entity.publisher('command_topic', ['command_off_template'])
    : turnOn;
  const ring: Command = (value, context) => {
    const isOn = value === true;
    const more = new Map<string, string | number>([['state', isOn ? on : off]]);
    const [tone, volume, duration] = ['TONE', 'VOLUME', 'DURATION'].map((part) => context.current(part));
    if (isOn && tones.length > 0 && typeof tone === 'string' && tone !== '') more.set('tone', tone);
    if (isOn && hasVolume && typeof volume === 'number' && volume > 0) more.set('volume_level', volume);
    if (isOn && hasDuration && typeof duration === 'number' && duration > 0) more.set('duration', duration);
    const text = JSON.stringify(Object.fromEntries(more));
    return (isOn ? turnOn : turnOff)?.(context, isOn ? on : off, { text, more }) ?? [];
  };
  const states = [settings.payload('state_on', on), settings.payload('state_off', off)] as const;
  entity.add({
    type: boolean,
    profile: '~Switch',
    sources: sources('state', readOnOff(...states)),
    command: turnOn && ring,
    isOptimistic: entity.isOptimistic,
  });
  if (turnOn === undefined) return;
  // Kept for the next time that it is switched on: by itself, none of them makes a noise.
  const kept: Command = () => [];
  const detail = { role: 'detail', command: kept } as const;
  if (tones.length > 0)
    entity.add({ part: 'TONE', name: 'Tone', type: string, profile: optionsProfile(tones), ...detail });
  if (hasVolume)
    entity.add({ part: 'VOLUME', name: 'Volume', type: float, profile: '~Intensity.1', ...detail });
  if (hasDuration)
    entity.add({
      part: 'DURATION',
      name: 'Duration',
      type: float,
      profile: numberProfile({ unit: 's' }),
      ...detail,
    });
}

const ALARM_COMMANDS: Readonly<Record<string, readonly [feature: string, payload: string]>> = {
  disarmed: ['', 'DISARM'],
  armed_home: ['arm_home', 'ARM_HOME'],
  armed_away: ['arm_away', 'ARM_AWAY'],
  armed_night: ['arm_night', 'ARM_NIGHT'],
  armed_vacation: ['arm_vacation', 'ARM_VACATION'],
  armed_custom_bypass: ['arm_custom_bypass', 'ARM_CUSTOM_BYPASS'],
  triggered: ['trigger', 'TRIGGER'],
};
const ALARM_STATES = ['pending', 'arming', 'disarming'] as const;

/** The state of an alarm panel; setting it arms, disarms or triggers. */
export function buildAlarmPanel(entity: EntityBuilder): void {
  const { settings } = entity;
  const features = settings.list('supported_features');
  const supported = Object.entries(ALARM_COMMANDS)
    .filter(([, [feature]]) => feature === '' || (features?.includes(feature) ?? true))
    .map(([state]) => state);
  const states = [...Object.keys(ALARM_COMMANDS), ...ALARM_STATES];
  const read: Source['read'] = (text) =>
    text === '' ? undefined : text === NONE ? UNKNOWN : states.includes(text) ? text : UNREADABLE;
  const publish = entity.publisher('command_topic', ['command_template']);
  entity.add({
    type: string,
    profile: optionsProfile([...supported, ...ALARM_STATES], 'Warning'),
    sources: entity.sources('state_topic', { template: ['value_template'], read }),
    command: publish && alarmCommand(entity, publish, supported),
  });
}

function alarmCommand(
  { settings }: EntityBuilder,
  publish: Publisher,
  supported: readonly string[],
): Command {
  const code = settings.text('code');
  const isCodeRequired = {
    disarmed: settings.flag('code_disarm_required') ?? true,
    triggered: settings.flag('code_trigger_required') ?? true,
    other: settings.flag('code_arm_required') ?? true,
  };
  return (value, context) => {
    const state = String(value);
    const command = supported.includes(state) ? memberOf(ALARM_COMMANDS, state) : undefined;
    if (command === undefined)
      throw fault(
        'DEVICE_REFUSED',
        coded`STATE_NOT_SETTABLE: the alarm panel cannot be set to ${state.slice(0, 100)}; use ${supported.join(', ')}`,
      );
    const required =
      state === 'disarmed' || state === 'triggered' ? isCodeRequired[state] : isCodeRequired.other;
    if (code !== undefined && required)
      throw fault(
        'DEVICE_REFUSED',
        coded`CODE_REQUIRED: the alarm panel requires a code, which a variable cannot give`,
      );
    const [feature, standard] = command;
    const key = state === 'disarmed' ? 'payload_disarm' : `payload_${feature}`;
    const payload = settings.payload(key, standard);
    return publish(context, payload, {
      text: payload,
      more: [
        ['action', payload],
        ['code', null],
      ],
    });
  };
}
