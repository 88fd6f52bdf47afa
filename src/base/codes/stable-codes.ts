/**
 * Codes that clients translate into the language of their users. A code never changes its meaning.
 * docs/reference/codes.md says where each table is.
 */

/**
 * Where an object and everything below it is published (`publish` in the snapshot, message 20408): in Home
 * Assistant, nowhere, or where the object above it is.
 */
export const publishRules = ['', 'home-assistant', 'none'] as const;
export type PublishRule = (typeof publishRules)[number];

/** What a variable is to residents (`data.role` in the snapshot, message 20406). */
export const variableRoles = [
  /** What the device is for: shown as a tile. */
  'main',
  /** Explains a main variable: a part of its state line. */
  'state',
  /** Of interest when someone looks closer. */
  'detail',
  /** For the owner: counters, the connection, what is kept for a restart. */
  'diagnostic',
] as const;
export type VariableRole = (typeof variableRoles)[number];

/** Why a value is not good (`data.quality.reason` in the snapshot, message 20400). */
export const qualityReasons = [
  'UNREACHABLE',
  'CLOSED',
  'MODULE_MISSING',
  'NO_VALUE',
  'NOT_REPORTED',
  'OVERDUE',
  'FUTURE',
  'UNAVAILABLE',
  'UNREADABLE',
  'TOO_LARGE',
  'SUBSCRIPTION',
  'NOT_KNOWN',
  'OSCILLATES',
  'NO_NUMBER',
  'NOT_TODAY',
  'CLOCK_NOT_SET',
  'NOT_CONFIRMED',
  'NO_ANSWER',
  'CHECKSUM',
  'OUT_OF_RANGE',
  'POWER_ON',
  'WIRE_BREAK',
  'REFUSED',
] as const;
export type QualityReason = (typeof qualityReasons)[number];

/** Why a command would be rejected (`data.rule` in the snapshot, message 20401, `error.data.rule`). */
export const ruleCodes = [
  'MIN_ON',
  'MIN_OFF',
  'PULSE',
  'INTERLOCK',
  'INTERLOCK_UNCERTAIN',
  'MOTOR_UNCERTAIN',
] as const;
export type RuleCode = (typeof ruleCodes)[number];

/** Why a value will change by itself (`data.pending` in the snapshot, message 20402). */
export const pendingCodes = ['MAX_ON', 'PULSE_END', 'DEAD_TIME', 'BOOT', 'RUN_END', 'END_STOP'] as const;
export type PendingCode = (typeof pendingCodes)[number];

/** What the name of an association of a built-in profile means (`key` in the snapshot). */
export const associationKeys = [
  'OFF',
  'ON',
  'OK',
  'ALERT',
  'LOW',
  'UNLOCKED',
  'LOCKED',
  'NO_MOTION',
  'MOTION',
  'ABSENT',
  'PRESENT',
  'DRY',
  'RAIN',
  'CLOSED',
  'OPEN',
  'MOVE_OPEN',
  'MOVE_STEP_OPEN',
  'MOVE_STOP',
  'MOVE_STEP_CLOSE',
  'MOVE_CLOSE',
  'PREVIOUS',
  'STOP',
  'PLAY',
  'PAUSE',
  'NEXT',
] as const;
export type AssociationKey = (typeof associationKeys)[number];

/** The outcome of a trigger or a due time of an event (`GW_GetEventDecisions`). */
export const eventOutcomes = [
  'RUNNING',
  'RAN',
  'FAILED',
  /** It has no action and no script. */
  'NOTHING_TO_RUN',
  /** It is running already; this trigger is next. */
  'WAITING',
  /** A newer trigger arrived while it was running. */
  'SUPERSEDED',
  'TOO_OFTEN',
  'INACTIVE',
  /** It became inactive with its last permitted run. */
  'LIMIT_REACHED',
  /** An update without a change. */
  'NOT_CHANGED',
  /** The value is not that of the trigger, or not beyond its limit. */
  'OTHER_VALUE',
  /** Without subsequent execution, the previous value triggered it already. */
  'MET_BEFORE',
  'CONDITION',
] as const;
export type EventOutcome = (typeof eventOutcomes)[number];

/** Whether an event can run (`GW_GetEventDecisions`). */
export const eventStates = [
  'READY',
  'INACTIVE',
  'LIMIT_REACHED',
  'NOTHING_TO_RUN',
  'NO_VARIABLE',
  /** Its times are in the past, or it has none. */
  'NO_NEXT_RUN',
  'CLOCK_NOT_SET',
] as const;
export type EventState = (typeof eventStates)[number];
