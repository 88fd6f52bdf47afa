import { coded } from '../../../../src/base/codes/coded-text.js';
import { fault } from '../../../../src/base/fault.js';
import { variableType } from '../../../../src/device/module.js';
import type { Value as TemplateValue } from '../../templates/value.js';
import type { EntityBuilder, Publisher } from '../entity-builder.js';
import { UNKNOWN, UNREADABLE, type Command, type Reading, type Source } from '../model.js';
import { binaryProfile, optionsProfile, pressProfile, shareProfile } from '../presentation.js';
import { isObject, jsonIn, memberOf, NONE, numberIn, numberOf, rounded } from '../readers.js';
import { pressCommand, templateNumber } from './inputs.js';

const { boolean, integer, string } = variableType;

/** The values of ~ShutterMoveStop. */
const MOVE = { open: 0, stop: 2, close: 4 } as const;

/** A range of a device whose ends are 0 % and 100 %. */
interface Range {
  readonly closed: number;
  readonly open: number;
}

const toPercent = ({ closed, open }: Range, value: number): number =>
  open === closed ? 0 : Math.min(100, Math.max(0, rounded(((value - closed) * 100) / (open - closed))));

const fromPercent = ({ closed, open }: Range, percent: number): number =>
  rounded((percent * (open - closed)) / 100 + closed);

interface States {
  /** The state for each payload. */
  readonly states: ReadonlyMap<string, string>;
}

const readState = ({ states }: States): Source['read'] => {
  return (text) => (text === '' ? undefined : text === NONE ? UNKNOWN : (states.get(text) ?? UNREADABLE));
};

/** Maps the states in which a motor runs or rests to the command that it carries out. */
const readMove =
  (read: Source['read']): Source['read'] =>
  (text, current) => {
    const state = read(text, current);
    if (typeof state !== 'string') return state === UNKNOWN ? MOVE.stop : state;
    return state === 'opening' ? MOVE.open : state === 'closing' ? MOVE.close : MOVE.stop;
  };

function statesOf(entity: EntityBuilder): ReadonlyMap<string, string> {
  const { settings } = entity;
  return new Map(
    [
      ['stopped', 'stopped'],
      ['open', 'open'],
      ['closed', 'closed'],
      ['opening', 'opening'],
      ['closing', 'closing'],
    ].map(([state = '', standard = '']) => [settings.payload(`state_${state}`, standard), state]),
  );
}

/** A position in per cent, from a number or from a member of a JSON object. */
const readPosition =
  (range: Range, key: string): Source['read'] =>
  (text): Reading => {
    if (text === '') return undefined;
    if (text === NONE) return UNKNOWN;
    const json = jsonIn(text);
    const raw: unknown = isObject(json) ? memberOf(json, key) : (numberIn(text) ?? 'none');
    return numberOf(raw, (value) => toPercent(range, value));
  };

const constantsOf = (more: Readonly<Record<string, number>>): ReadonlyMap<string, TemplateValue> =>
  new Map(Object.entries(more).map(([name, value]) => [name, templateNumber(value)]));

/** A command in per cent. Templates get the percentage, without one the number of the device is sent. */
const percentCommand =
  (publish: Publisher, range: Range, name: string): Command =>
  (value, context) => {
    const percent = Number(value);
    if (percent < 0 || percent > 100)
      throw fault('DEVICE_REFUSED', coded`VALUE_LIMITS: the device accepts values from ${0} to ${100}`);
    const raw = fromPercent(range, percent);
    const more: [string, TemplateValue][] = [[name, templateNumber(percent)]];
    return publish(context, templateNumber(raw), { text: String(raw), more });
  };

export function buildCover(entity: EntityBuilder): void {
  const { settings } = entity;
  const range = {
    closed: settings.number('position_closed') ?? 0,
    open: settings.number('position_open') ?? 100,
  };
  const tilt = {
    min: settings.number('tilt_min') ?? 0,
    max: settings.number('tilt_max') ?? 100,
    closed: settings.number('tilt_closed_value') ?? 0,
    open: settings.number('tilt_opened_value') ?? 100,
  };
  const constants = constantsOf({
    position_open: range.open,
    position_closed: range.closed,
    tilt_min: tilt.min,
    tilt_max: tilt.max,
  });
  const setPosition = entity.publisher('set_position_topic', ['set_position_template'], constants);
  entity.add({
    part: 'POSITION',
    name: 'Position',
    type: integer,
    profile: '~Shutter.Reversed',
    sources: entity.sources('position_topic', {
      template: ['position_template'],
      constants,
      read: readPosition(range, 'position'),
    }),
    command: setPosition && percentCommand(setPosition, range, 'position'),
    isOptimistic: entity.isOptimistic,
  });
  addMotor(entity, statesOf(entity));
  const setTilt = entity.publisher('tilt_command_topic', ['tilt_command_template'], constants);
  const tiltRange = { closed: tilt.min, open: tilt.max };
  entity.add({
    part: 'TILT',
    name: 'Tilt',
    type: integer,
    profile: shareProfile(100),
    sources: entity.sources('tilt_status_topic', {
      template: ['tilt_status_template'],
      constants,
      read: readPosition(tiltRange, 'tilt_position'),
    }),
    command: setTilt && percentCommand(setTilt, tiltRange, 'tilt_position'),
    isOptimistic: settings.flag('tilt_optimistic'),
  });
}

/** The motor of a cover and its state. */
function addMotor(entity: EntityBuilder, states: ReadonlyMap<string, string>): void {
  const { settings } = entity;
  const read = readState({ states });
  const publish = entity.publisher('command_topic', ['command_template']);
  const payloads = new Map<number, string | undefined>([
    [MOVE.open, settings.optionalPayload('payload_open', 'OPEN')],
    [MOVE.stop, settings.optionalPayload('payload_stop', 'STOP')],
    [MOVE.close, settings.optionalPayload('payload_close', 'CLOSE')],
  ]);
  const template = ['value_template'];
  const move: Command = (value, context) => {
    const payload = payloads.get(Number(value));
    if (payload === undefined || publish === undefined)
      throw fault('DEVICE_REFUSED', coded`COMMAND_MISSING: the device has no such command`);
    return publish(context, payload, { text: payload });
  };
  entity.add({
    part: 'MOVE',
    name: 'Motor',
    type: integer,
    profile: '~ShutterMoveStop',
    sources: publish === undefined ? [] : entity.sources('state_topic', { template, read: readMove(read) }),
    command: publish && move,
    isOptimistic: entity.isOptimistic,
  });
  entity.add({
    part: 'STATE',
    name: 'State',
    type: string,
    role: 'state',
    profile: optionsProfile(['open', 'opening', 'closed', 'closing', 'stopped']),
    sources: entity.sources('state_topic', { template, read }),
  });
}

/** A valve has no stop command by default. */
function addStop(entity: EntityBuilder, publish: Publisher | undefined): void {
  const payload = entity.settings.text('payload_stop');
  if (publish === undefined || payload === undefined) return;
  entity.add({
    part: 'STOP',
    name: 'Stop',
    type: integer,
    role: 'state',
    profile: pressProfile('Stop'),
    command: pressCommand(publish, payload),
  });
}

export function buildValve(entity: EntityBuilder): void {
  const { settings } = entity;
  const template = ['value_template'];
  const range = {
    closed: settings.number('position_closed') ?? 0,
    open: settings.number('position_open') ?? 100,
  };
  const publish = entity.publisher('command_topic', ['command_template']);
  const readText = readState({ states: statesOf(entity) });
  /** The state in a JSON object, or the payload itself. */
  const read: Source['read'] = (text, current) => {
    const json = jsonIn(text);
    if (!isObject(json)) return readText(text, current);
    const state = memberOf(json, 'state');
    return typeof state === 'string' ? readText(state, current) : undefined;
  };
  addStop(entity, publish);
  if (settings.flag('reports_position') === true) {
    const readOwn = readPosition(range, 'position');
    // A state such as `opening` may come on the same topic.
    const readEither: Source['read'] = (text, current) => {
      const state = readText(text, current);
      return typeof state === 'string' ? undefined : readOwn(text, current);
    };
    entity.add({
      type: integer,
      profile: '~Valve',
      sources: entity.sources('state_topic', { template, read: readEither }),
      command: publish && percentCommand(publish, range, 'position'),
      isOptimistic: entity.isOptimistic,
    });
    return;
  }
  const payloads = [
    settings.optionalPayload('payload_close', 'CLOSE'),
    settings.optionalPayload('payload_open', 'OPEN'),
  ] as const;
  const set: Command = (value, context) => {
    const payload = payloads[value === true ? 1 : 0];
    if (payload === undefined || publish === undefined)
      throw fault('DEVICE_REFUSED', coded`COMMAND_MISSING: the device has no such command`);
    return publish(context, payload, { text: payload });
  };
  const isOpen: Source['read'] = (text, current) => {
    const state = read(text, current);
    return state === 'open'
      ? true
      : state === 'closed'
        ? false
        : typeof state === 'string'
          ? undefined
          : state;
  };
  entity.add({
    type: boolean,
    profile: binaryProfile('opening'),
    sources: entity.sources('state_topic', { template, read: isOpen }),
    command: publish && set,
    isOptimistic: entity.isOptimistic,
  });
  entity.add({
    part: 'STATE',
    name: 'State',
    type: string,
    role: 'state',
    profile: optionsProfile(['open', 'opening', 'closed', 'closing', 'stopped']),
    sources: entity.sources('state_topic', { template, read }),
  });
}
