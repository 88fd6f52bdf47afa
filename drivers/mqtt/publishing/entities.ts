import { variableType, type Value } from '../../../src/device/module.js';
import type { TreeGroup, TreeVariable } from '../../../src/device/tree-view.js';
import { memberOf, NONE } from '../discovery/readers.js';
import { BINARY, MEASUREMENTS, TIMESTAMPS, TOTALS } from './classes.js';

/** A topic on which a variable's value is published. */
export interface StateTopic {
  readonly topic: string;
  readonly variable: number;
  /** Events are not retained: they happened once. */
  readonly isEvent?: boolean;
  /** The payload; undefined if there is nothing to publish. */
  readonly encode: (value: Value) => string | undefined;
}

/** A topic on which commands for a variable arrive. */
export interface CommandTopic {
  readonly topic: string;
  readonly variable: number;
  /** The requested value; undefined for a payload that means nothing. */
  readonly decode: (payload: string) => Value | undefined;
}

/** An entity of Home Assistant, made of one variable or several. */
export interface PublishedEntity {
  /** Unique within its device. */
  readonly key: string;
  /** Its settings in the announcement. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly states: readonly StateTopic[];
  readonly commands: readonly CommandTopic[];
  /** The variable whose quality is the availability. */
  readonly main: number;
  /** Whether it is a trigger of a device: it has no id and no availability of its own. */
  readonly isTrigger?: boolean;
}

/** Texts up to this length can be typed in Home Assistant. */
const TEXT_LIMIT = 255;
const ON = 'ON';
const OFF = 'OFF';

/** The entities of the variables of one object; `topicOf` returns the topic of a part of a variable. */
export function entitiesOf(
  group: TreeGroup,
  topicOf: (variable: TreeVariable, part: string) => string,
): PublishedEntity[] {
  const used = new Set<TreeVariable>();
  const take = (ident: string) => {
    const found = group.variables.find((variable) => variable.ident === ident);
    if (found !== undefined) used.add(found);
    return found;
  };
  const combined: PublishedEntity[] = [];
  if (group.module === 'Shutter') {
    const [position, move] = [take('POSITION'), take('MOVE')];
    if (position !== undefined && move !== undefined) combined.push(coverOf({ position, move, topicOf }));
  } else if (group.module === 'PWM' || group.module === 'LED') {
    const [state, level] = [take('STATE'), take('LEVEL') ?? take('BRIGHTNESS')];
    if (state !== undefined && level !== undefined) combined.push(lightOf({ state, level, topicOf }));
    else used.clear();
  } else if (group.module === 'Button') {
    for (const ident of BUTTON_EVENTS.keys()) take(ident);
    if (used.size > 0) combined.push(buttonOf([...used], topicOf), ...triggersOf([...used], topicOf));
  }
  const others = group.variables.filter((variable) => !used.has(variable));
  return [...combined, ...others.map((variable) => entityOf(variable, topicOf))];
}

type TopicOf = (variable: TreeVariable, part: string) => string;

/** One variable as one entity. */
function entityOf(variable: TreeVariable, topicOf: TopicOf): PublishedEntity {
  const state = topicOf(variable, 'state');
  const command = topicOf(variable, 'set');
  const { component, encode, decode, ...settings } = describe(variable);
  const isCommand = variable.hasAction;
  return {
    key: keyOf(variable),
    main: variable.id,
    settings: {
      p: component,
      name: variable.name,
      ...category(variable, isCommand),
      state_topic: state,
      ...(isCommand && { command_topic: command }),
      ...settings,
    },
    states: [{ topic: state, variable: variable.id, encode }],
    commands: isCommand ? [{ topic: command, variable: variable.id, decode }] : [],
  };
}

interface Description {
  readonly component: string;
  readonly encode: StateTopic['encode'];
  readonly decode: CommandTopic['decode'];
  readonly [setting: string]: unknown;
}

function describe(variable: TreeVariable): Description {
  const { type, profile, hasAction } = variable;
  if (type === variableType.boolean) {
    if (hasAction) return { component: 'switch', encode: onOff(false), decode: (text) => booleanOf(text) };
    const [deviceClass, isReversed] = memberOf(BINARY, profile?.name ?? '') ?? ['', false];
    return {
      component: 'binary_sensor',
      ...(deviceClass !== '' && { device_class: deviceClass }),
      encode: onOff(isReversed),
      decode: () => undefined,
    };
  }
  const choices = (profile?.associations ?? []).filter(({ name }) => name !== '');
  const names = choices.map(({ name }) => name);
  // Between the values of a range there are more than the named ones.
  if (type !== variableType.float && choices.length > 1 && new Set(names).size === names.length) {
    // If an option is called None, the payload would mean that one.
    const unknown = names.includes(NONE) ? undefined : NONE;
    return {
      component: hasAction ? 'select' : 'sensor',
      ...(!hasAction && { device_class: 'enum' }),
      options: names,
      encode: (value) => choices.find((choice) => choice.value === value)?.name ?? unknown,
      decode: (text) => choices.find((choice) => choice.name === text)?.value,
    };
  }
  if (type === variableType.integer && !hasAction && TIMESTAMPS.has(profile?.name ?? ''))
    return {
      component: 'sensor',
      device_class: 'timestamp',
      encode: (value) => momentOf(Number(value)),
      decode: () => undefined,
    };
  if (type === variableType.string)
    return hasAction
      ? { component: 'text', max: TEXT_LIMIT, encode: shortText, decode: (text) => text }
      : { component: 'sensor', encode: shortText, decode: () => undefined };
  return numberOf(variable);
}

/** Unix seconds as a date and time of ISO 8601; `None` for none. */
function momentOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return seconds === 0 || Number.isNaN(date.getTime()) ? NONE : date.toISOString();
}

function numberOf({ type, profile, hasAction, isCounter }: TreeVariable): Description {
  const [deviceClass, unit] = memberOf(MEASUREMENTS, profile?.name ?? '') ?? [
    '',
    profile?.suffix.trim() ?? '',
  ];
  const shown = {
    ...(deviceClass !== '' && { device_class: deviceClass }),
    ...(unit !== '' && { unit_of_measurement: unit }),
  };
  const { min = 0, max = 0, step = 0, digits = 0 } = profile ?? {};
  // The gateway shows the position within the range in per cent, Home Assistant the number itself.
  const isShare = unit === '%' && max > min && (min !== 0 || max !== 100);
  const decode = (text: string): Value | undefined => {
    const given = text.trim() === '' ? Number.NaN : Number(text);
    const number = isShare ? min + (given * (max - min)) / 100 : given;
    if (!Number.isFinite(number)) return undefined;
    if (type !== variableType.integer) return number;
    return isShare ? Math.round(number) : Number.isInteger(number) ? number : undefined;
  };
  const encode = (value: Value): string =>
    isShare ? String(Math.round(((Number(value) - min) * 1000) / (max - min)) / 10) : String(value);
  if (hasAction)
    return {
      component: 'number',
      ...shown,
      ...(isShare ? { min: 0, max: 100 } : max > min ? { min, max } : { min: -1e9, max: 1e9, mode: 'box' }),
      step: isShare
        ? 1
        : step > 0
          ? step
          : type === variableType.integer
            ? 1
            : 10 ** -Math.min(digits || 3, 3),
      encode,
      decode,
    };
  const isTotal = isCounter || TOTALS.has(deviceClass);
  return {
    component: 'sensor',
    ...shown,
    state_class: isTotal ? 'total_increasing' : 'measurement',
    ...(deviceClass === '' && digits > 0 && { suggested_display_precision: digits }),
    encode,
    decode,
  };
}

/** MOVE of a Shutter; POSITION 100 is closed. */
const MOVES = { OPEN: 0, STOP: 2, CLOSE: 4 } as const;

function coverOf({
  position,
  move,
  topicOf,
}: {
  readonly position: TreeVariable;
  readonly move: TreeVariable;
  readonly topicOf: TopicOf;
}): PublishedEntity {
  const [state, set] = [topicOf(move, 'state'), topicOf(move, 'set')];
  const [at, to] = [topicOf(position, 'state'), topicOf(position, 'set')];
  return {
    key: keyOf(position),
    main: position.id,
    settings: {
      p: 'cover',
      name: null,
      device_class: 'shutter',
      command_topic: set,
      state_topic: state,
      position_topic: at,
      set_position_topic: to,
      position_open: 0,
      position_closed: 100,
    },
    states: [
      {
        topic: state,
        variable: move.id,
        encode: (value) => (value === MOVES.OPEN ? 'opening' : value === MOVES.CLOSE ? 'closing' : 'stopped'),
      },
      { topic: at, variable: position.id, encode: String },
    ],
    commands: [
      {
        topic: set,
        variable: move.id,
        decode: (text) => (Object.hasOwn(MOVES, text) ? MOVES[text as keyof typeof MOVES] : undefined),
      },
      { topic: to, variable: position.id, decode: percentOf },
    ],
  };
}

function lightOf({
  state,
  level,
  topicOf,
}: {
  readonly state: TreeVariable;
  readonly level: TreeVariable;
  readonly topicOf: TopicOf;
}): PublishedEntity {
  const [on, set] = [topicOf(state, 'state'), topicOf(state, 'set')];
  const [brightness, setBrightness] = [topicOf(level, 'state'), topicOf(level, 'set')];
  return {
    key: keyOf(state),
    main: state.id,
    settings: {
      p: 'light',
      name: null,
      state_topic: on,
      command_topic: set,
      brightness_state_topic: brightness,
      brightness_command_topic: setBrightness,
      brightness_scale: 100,
      on_command_type: 'brightness',
    },
    states: [
      { topic: on, variable: state.id, encode: onOff(false) },
      { topic: brightness, variable: level.id, encode: (value) => String(Math.round(Number(value))) },
    ],
    commands: [
      { topic: set, variable: state.id, decode: (text) => booleanOf(text) },
      { topic: setBrightness, variable: level.id, decode: percentOf },
    ],
  };
}

/** Counters of a Button, the events that they count, and the types of their triggers in Home Assistant. */
const BUTTON_EVENTS: ReadonlyMap<string, readonly [event: string, trigger: string]> = new Map([
  ['SINGLE', ['single', 'button_short_press']],
  ['DOUBLE', ['double', 'button_double_press']],
  ['TRIPLE', ['triple', 'button_triple_press']],
  ['LONG', ['long', 'button_long_press']],
]);

const eventOf = ({ ident }: TreeVariable) => BUTTON_EVENTS.get(ident)?.[0] ?? '';

function buttonOf(counters: readonly TreeVariable[], topicOf: TopicOf): PublishedEntity {
  const [first] = counters as [TreeVariable];
  const topic = topicOf(first, 'event');
  return {
    key: 'EVENT',
    main: first.id,
    settings: {
      p: 'event',
      name: null,
      device_class: 'button',
      state_topic: topic,
      event_types: counters.map(eventOf),
    },
    states: counters.map((variable) => ({
      topic,
      variable: variable.id,
      isEvent: true,
      encode: () => JSON.stringify({ event_type: eventOf(variable) }),
    })),
    commands: [],
  };
}

/** The presses of a button as triggers of device automations, which follow the topic of its events. */
function triggersOf(counters: readonly TreeVariable[], topicOf: TopicOf): PublishedEntity[] {
  const [first] = counters as [TreeVariable];
  return counters.map((variable) => ({
    key: `${variable.ident}_TRIGGER`,
    main: first.id,
    isTrigger: true,
    settings: {
      p: 'device_automation',
      automation_type: 'trigger',
      type: BUTTON_EVENTS.get(variable.ident)?.[1],
      subtype: 'button_1',
      topic: topicOf(first, 'event'),
      payload: eventOf(variable),
      value_template: '{{ value_json.event_type }}',
    },
    states: [],
    commands: [],
  }));
}

/** The key of a variable in the announcement. */
const keyOf = ({ ident, id }: TreeVariable): string => (ident === '' ? `V${id}` : ident);

/** Details get an entity category, so that they are not on the first page of Home Assistant either. */
function category({ role }: TreeVariable, isCommand: boolean): Record<string, string> {
  if (role === 'main' || role === 'state') return {};
  return { entity_category: isCommand ? 'config' : 'diagnostic' };
}

const onOff =
  (isReversed: boolean) =>
  (value: Value): string =>
    (value === true) === isReversed ? OFF : ON;

function booleanOf(text: string): boolean | undefined {
  return text === ON ? true : text === OFF ? false : undefined;
}

/** A number from 0 to 100. */
function percentOf(text: string): number | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return number >= 0 && number <= 100 ? Math.round(number) : undefined;
}

/** Home Assistant rejects longer states. */
const shortText = (value: Value): string => Array.from(String(value)).slice(0, TEXT_LIMIT).join('');
