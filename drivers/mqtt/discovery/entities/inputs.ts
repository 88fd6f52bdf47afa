import { coded } from '../../../../src/base/codes/coded-text.js';
import { fault } from '../../../../src/base/fault.js';
import { variableType, type Value } from '../../../../src/device/module.js';
import type { EntityBuilder, Publisher } from '../entity-builder.js';
import { UNREADABLE, type Command, type Source } from '../model.js';
import { numberProfile, optionsProfile, pressProfile } from '../presentation.js';
import { NONE, readNumber, readOption, readText } from '../readers.js';

const { integer, float, string } = variableType;

/** A number for a template: whole numbers are integers there. */
export const templateNumber = (value: number): bigint | number =>
  Number.isSafeInteger(value) ? BigInt(value) : value;

/** A command whose payload is the number. `convert` is applied first. */
export const numberCommand =
  (publish: Publisher, convert: (value: number) => number = (value) => value): Command =>
  (value, context) => {
    const number = convert(Number(value));
    return publish(context, templateNumber(number), { text: plain(number) });
  };

/** A number without an exponent, and without the noise of its last binary digits. */
function plain(number: number): string {
  const short = Number(number.toPrecision(12));
  return short.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 12 });
}

/** A command whose payload is the text. Throws `DEVICE_REFUSED` for a text that is not allowed. */
export const textCommand =
  (publish: Publisher, isAllowed: (text: string) => boolean = () => true): Command =>
  (value, context) => {
    const text = String(value);
    if (!isAllowed(text))
      throw fault(
        'DEVICE_REFUSED',
        coded`VALUE_NOT_ACCEPTED: the device does not accept the value ${text.slice(0, 100)}`,
      );
    return publish(context, text, { text });
  };

/** A command that is one of the options, if there are any. */
export const optionCommand = (publish: Publisher, options: readonly string[] | undefined): Command =>
  textCommand(publish, (text) => options?.includes(text) ?? true);

/** A command without a value. */
export const pressCommand =
  (publish: Publisher, payload: string): Command =>
  (_value, context) =>
    publish(context, payload, { text: payload });

/** Rejects numbers outside of the limits. */
export function within(min: number, max: number): (value: number) => number {
  return (value) => {
    if (value < min || value > max)
      throw fault('DEVICE_REFUSED', coded`VALUE_LIMITS: the device accepts values from ${min} to ${max}`);
    return value;
  };
}

export function buildNumber(entity: EntityBuilder): void {
  const { settings } = entity;
  const [min, max] = [settings.number('min') ?? 1, settings.number('max') ?? 100];
  const step = Math.abs(settings.number('step') ?? 1);
  if (max < min) settings.problem('max is below min');
  const publish = entity.publisher('command_topic', ['command_template']);
  const reset = settings.payload('payload_reset', NONE);
  entity.add({
    type: float,
    profile: numberProfile({
      unit: settings.text('unit_of_measurement'),
      deviceClass: settings.text('device_class'),
      range: max < min ? undefined : [min, max, step],
    }),
    sources: entity.sources('state_topic', {
      template: ['value_template'],
      read: readNumber((number) => number, reset),
    }),
    command: publish && numberCommand(publish, within(min, Math.max(min, max))),
    isOptimistic: entity.isOptimistic,
  });
}

export function buildSelect(entity: EntityBuilder): void {
  const options = entity.settings.list('options') ?? [];
  if (options.length === 0) entity.settings.problem('it has no options');
  addText(entity, { read: readOption(options), options });
}

export function buildText(entity: EntityBuilder): void {
  const { settings } = entity;
  const [min, max] = [settings.number('min') ?? 0, settings.number('max') ?? 255];
  addText(entity, { read: (text) => text, isAllowed: ({ length }) => length >= min && length <= max });
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/** Dates and times are texts in the format of ISO 8601, as on the wire. */
const buildCalendar = (format: RegExp) => (entity: EntityBuilder) => {
  const isAllowed = (text: string): boolean => format.test(text);
  const read: Source['read'] = (text, current) => {
    const plainText = readText(text, current);
    return typeof plainText !== 'string' || isAllowed(plainText) ? plainText : UNREADABLE;
  };
  addText(entity, { read, isAllowed });
};

export const buildDate = buildCalendar(DATE);
export const buildTime = buildCalendar(TIME);
export const buildDateTime = buildCalendar(DATE_TIME);

interface TextOptions {
  readonly read: Source['read'];
  readonly options?: readonly string[];
  readonly isAllowed?: (text: string) => boolean;
}

function addText(entity: EntityBuilder, { read, options, isAllowed }: TextOptions): void {
  const publish = entity.publisher('command_topic', ['command_template']);
  entity.add({
    type: string,
    profile: options && optionsProfile(options),
    sources: entity.sources('state_topic', { template: ['value_template'], read }),
    command:
      publish && (options === undefined ? textCommand(publish, isAllowed) : optionCommand(publish, options)),
    isOptimistic: entity.isOptimistic,
  });
}

export function buildButton(entity: EntityBuilder): void {
  const publish = entity.publisher('command_topic', ['command_template']);
  entity.add({
    type: integer,
    profile: pressProfile('Press'),
    command: publish && pressCommand(publish, entity.settings.payload('payload_press', 'PRESS')),
  });
}

export function buildScene(entity: EntityBuilder): void {
  const { settings } = entity;
  const publish = entity.publisher('command_topic');
  const payload = settings.text('payload_on') ?? settings.payload('payload', 'ON');
  entity.add({
    type: integer,
    profile: pressProfile('Activate'),
    command: publish && pressCommand(publish, payload),
  });
}

export function buildNotify(entity: EntityBuilder): void {
  const publish = entity.publisher('command_topic', ['command_template']);
  entity.add({ type: string, command: publish && textCommand(publish) });
}

/** A text that becomes a command, as a variable with one option per command. */
export function commandsVariable(commands: readonly { name: string; publish: Publisher; payload: string }[]) {
  const run: Command = (value: Value, context) => {
    const found = commands.find(({ name }) => name === value);
    if (found === undefined)
      throw fault(
        'DEVICE_REFUSED',
        coded`NO_SUCH_COMMAND: the device has no command ${String(value).slice(0, 100)}`,
      );
    return found.publish(context, found.payload, { text: found.payload });
  };
  return {
    type: string,
    profile: optionsProfile(
      commands.map(({ name }) => name),
      'Execute',
    ),
    command: commands.length === 0 ? undefined : run,
  };
}
