import type { FaultCode } from '../../../src/base/fault.js';
import type { Entry } from '../../tools/client/replica.js';

/** Types of objects. */
export const types = {
  category: 0,
  instance: 1,
  variable: 2,
  script: 3,
  event: 4,
  media: 5,
  link: 6,
} as const;

/** The expected fault of a call that must fail. */
export class ModelFault extends Error {
  readonly code: FaultCode;
  constructor(code: FaultCode) {
    super(code);
    this.code = code;
  }
}

/** A profile as in a snapshot. */
export interface SnapshotProfile {
  type: number;
  icon: string;
  prefix: string;
  suffix: string;
  minValue: number;
  maxValue: number;
  stepSize: number;
  digits: number;
  readOnly: boolean;
  associations: { value: unknown; name: string; icon: string; color: number }[];
}

/** A module for instances of sequences. */
export interface SampleModule {
  readonly moduleID: string;
  readonly moduleName: string;
  readonly moduleType: number;
  /** The initial properties of an instance. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The property that is masked as `***` if it is set. */
  readonly secret: string;
}

/** An I/O module, and one whose instances can be connected to it. */
export interface SampleModules {
  readonly io: SampleModule;
  readonly device: SampleModule;
}

/** What a model must know about its gateway. */
export interface ModelContext {
  readonly modules: SampleModules;
  /** Whether scripts have texts. */
  readonly hasTexts: boolean;
}

/** A snapshot as a client reads it. */
export interface Snapshot {
  readonly objects: Record<string, Entry>;
  readonly profiles: Record<string, SnapshotProfile>;
}

export interface CalendarDate {
  day: number;
  month: number;
  year: number;
}

export interface TimeOfDay {
  hour: number;
  minute: number;
  second: number;
}

export interface SchedulePoint {
  id: number;
  start: TimeOfDay;
  actionID: number;
}

/** An event's data in the snapshot, with the members of all types; an event has those of its own type. */
export interface SnapshotEvent {
  type: number;
  active: boolean;
  limit: number;
  script: string;
  lastRun: number;
  nextRun: number;
  triggerType: number;
  triggerVariableID: number;
  triggerValue: unknown;
  triggerSubsequentExecution: boolean;
  cyclicDateType: number;
  cyclicDateValue: number;
  cyclicDateDay: number;
  cyclicDateDayValue: number;
  cyclicDateFrom: CalendarDate;
  cyclicDateTo: CalendarDate;
  cyclicTimeType: number;
  cyclicTimeValue: number;
  cyclicTimeFrom: TimeOfDay;
  cyclicTimeTo: TimeOfDay;
  scheduleActions: { id: number; name: string; color: number; scriptText: string }[];
  scheduleGroups: { id: number; days: number; points: SchedulePoint[] }[];
}

/** An action of an event; without an id: none. */
export interface Action {
  readonly actionID: string;
  readonly actionParameters: Readonly<Record<string, unknown>>;
}

/** A condition as `SVC_GetEvent` gives it. */
export interface Condition {
  ID: number;
  ParentID: number;
  Operation: number;
  VariableRules: { ID: number; VariableID: number; Comparison: number; Value: unknown; Type: number }[];
  DateRules: { ID: number; Comparison: number; Value: { Day: number; Month: number; Year: number } }[];
  TimeRules: { ID: number; Comparison: number; Value: { Hour: number; Minute: number; Second: number } }[];
  DayOfTheWeekRules: { ID: number; Comparison: number; Value: number }[];
}

/** The defaults of a new one. */
export const emptyCondition = (ID: number, ParentID: number, Operation: number): Condition => ({
  ID,
  ParentID,
  Operation,
  VariableRules: [],
  DateRules: [],
  TimeRules: [],
  DayOfTheWeekRules: [],
});

/** State of an object that messages contain but no snapshot. */
export interface MessageState {
  /** Of events. */
  action?: Action;
  conditions?: Condition[];
  /** By the id of the schedule's action. */
  planned?: Record<number, Action>;
  /** Of instances: the active properties, as last published. */
  configuration?: unknown;
  /** Of scripts: the checksum of the text, as last published. */
  crc?: string;
}

/** State of an object that only replies contain. */
export interface ReplyState {
  /** Of events. */
  created: number;
  /** Undefined if a power cut may have reverted it. */
  lastActionID: number | undefined;
  /** Of instances. */
  active: Readonly<Record<string, unknown>>;
  pending: Readonly<Record<string, unknown>> | undefined;
  changed: number;
}

/** The members of a new event. */
export function newEvent(type: number): Partial<SnapshotEvent> {
  const common = { type, active: false, limit: 0, script: '', lastRun: 0, nextRun: 0 };
  const noDate = { day: 0, month: 0, year: 0 };
  const noTime = { hour: 0, minute: 0, second: 0 };
  const dates = { cyclicDateType: 0, cyclicDateValue: 0, cyclicDateDay: 0, cyclicDateDayValue: 0 };
  return [
    {
      ...common,
      triggerType: 1,
      triggerVariableID: 0,
      triggerValue: '',
      triggerSubsequentExecution: true,
    },
    {
      ...common,
      ...dates,
      cyclicDateFrom: noDate,
      cyclicDateTo: noDate,
      cyclicTimeType: 0,
      cyclicTimeValue: 0,
      cyclicTimeFrom: noTime,
      cyclicTimeTo: noTime,
    },
    { ...common, scheduleActions: [], scheduleGroups: [] },
  ][type] as Partial<SnapshotEvent>;
}
