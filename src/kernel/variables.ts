import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import type { VariableRole } from '../base/codes/stable-codes.js';
import { initialValue, isOfType } from './convert.js';
import { message } from './messages.js';
import {
  objectType,
  type Logging,
  type ResidentAccess,
  type TreeObject,
  type VariableData,
} from './object.js';
import type { Profiles } from './profiles/profiles.js';
import { quality, type PendingChange, type QualityProblem, type RuleInForce } from './quality.js';
import type { ObjectOptions, Tree } from './tree.js';
import type { Value, VariableType } from './value.js';

/** A variable object. */
export type Variable = TreeObject<2>;

/** A custom action of 1 disables the standard action (interface §5). */
export const ACTION_DISABLED = 1;

/** Options of a new variable. */
interface VariableOptions extends ObjectOptions {
  value?: Value;
  profile?: string;
  action?: number;
  /** Default: `main`. */
  role?: VariableRole;
}

/** Variables: their values, profiles and actions. */
export class Variables {
  readonly #tree: Tree;
  readonly #profiles: Profiles;
  readonly #isClockTrusted: () => boolean;
  readonly #logged = new Set<Variable>();
  #recordLogged: (variable: Variable, nowMs: number) => void = () => undefined;

  constructor(tree: Tree, profiles: Profiles, isClockTrusted: () => boolean) {
    this.#tree = tree;
    this.#profiles = profiles;
    this.#isClockTrusted = isClockTrusted;
  }

  /** Calls the recorder with each new value of a logged variable; it must only schedule work. */
  onLogged(record: (variable: Variable, nowMs: number) => void): void {
    this.#recordLogged = record;
  }

  /** Throws `NOT_OF_TYPE` ("Variable #… does not exist"). */
  get(id: number): Variable {
    return this.#tree.getOfType(objectType.variable, id);
  }

  create(type: VariableType, options: VariableOptions = {}): Variable {
    const { value = initialValue(type), profile = '', action = 0, role = 'main', ...place } = options;
    this.#profiles.check(profile, type);
    const data = variableData(type, value);
    data.profile = profile;
    data.action = action;
    data.role = role;
    const emitTypeMessages = (variable: Variable) => {
      const { changes } = this.#tree;
      if (profile !== '') changes.emit(variable.id, message.VM_CHANGEPROFILENAME, ['', profile]);
      if (action !== 0) changes.emit(variable.id, message.VM_CHANGEPROFILEACTION, [0, action]);
      if (role !== 'main') changes.emit(variable.id, message.GW_ROLE, [role]);
      // The value is written with the other values.
      this.#tree.journal.values.add(variable);
      if (value !== initialValue(type))
        changes.emit(variable.id, message.VM_UPDATE, [value, true, initialValue(type), 0, 0, 0]);
    };
    return this.#tree.create(objectType.variable, data, { ...place, created: [type], emitTypeMessages });
  }

  /**
   * Sets the value. Throws `VARIABLE_TYPE` for a value of another type. `VariableUpdated` is set by every
   * call, `VariableChanged` by a different value only; neither decreases if the clock is set back (interface,
   * decisions 8 and 24).
   */
  update(variable: Variable, value: Value, nowMs: number): void {
    const { data } = variable;
    if (!isOfType(data.type, value)) throw fault('VARIABLE_TYPE', variable.id);
    const { value: old, updated, changed } = data;
    const now = Math.max(Math.floor(nowMs / 1000), updated);
    const differs = !Object.is(old, value) && old !== value;
    const isFirst = updated === 0;
    this.#tree.touch(variable);
    data.value = value;
    data.updated = now;
    if (data.isRetyped === true) delete data.isRetyped;
    if (differs) data.changed = now;
    const untimed = !this.#isClockTrusted();
    if (untimed !== (data.isTimeUncertain ?? false)) data.isTimeUncertain = untimed;
    this.#tree.journal.markValue(variable, old, nowMs);
    this.#tree.changes.emit(variable.id, message.VM_UPDATE, [value, differs, old, now, updated, changed]);
    if (data.logging?.active === true && (differs || isFirst)) this.#recordLogged(variable, nowMs);
  }

  /**
   * Changes the type of a variable: it gets the initial value of that type and loses profiles of other types.
   * Its id, its place and references to it stay. Clients are notified as for a new variable (`VM_CREATE`).
   */
  setType(variable: Variable, type: VariableType): void {
    const { data } = variable;
    const { profile, customProfile } = data;
    this.#tree.touch(variable);
    Object.assign(data, { type, value: initialValue(type), reportTimes: undefined, isRetyped: true });
    const { changes, journal } = this.#tree;
    changes.emit(variable.id, message.VM_CREATE, [type]);
    const kept = (name: string) => (this.#profiles.find(name)?.type === type ? name : '');
    this.#change(variable, { profile: kept(profile), customProfile: kept(customProfile) });
    journal.markObject(variable);
    journal.values.add(variable);
  }

  /** Sets how the archive records the variable; undefined removes the setting. */
  setLogging(variable: Variable, logging: Logging | undefined): void {
    const wasActive = this.#logged.has(variable);
    variable.data.logging = logging;
    this.noteLogging(variable);
    const isActive = this.#logged.has(variable);
    const { changes, journal } = this.#tree;
    if (isActive !== wasActive) changes.emit(variable.id, message.GW_RECORDING, [isActive]);
    journal.markObject(variable);
  }

  /** As {@link setLogging}, for a variable that was loaded with its setting. */
  noteLogging(variable: Variable): void {
    if (variable.data.logging?.active === true) this.#logged.add(variable);
    else this.#logged.delete(variable);
  }

  /** Variables whose values are recorded. */
  logged(): Variable[] {
    for (const variable of this.#logged)
      if (this.#tree.find(variable.id) !== variable) this.#logged.delete(variable);
    return [...this.#logged];
  }

  /** Sets or, with undefined, clears the quality problem. Emits a message if state or reason differ. */
  setQualityProblem(variable: Variable, problem: QualityProblem | undefined): void {
    const { data } = variable;
    if (data.qualityProblem?.state === problem?.state && data.qualityProblem?.reason === problem?.reason)
      return;
    this.#tree.touch(variable);
    data.qualityProblem = problem;
    const { state, reason, text } = problem ?? { state: quality.good, reason: '', text: '' };
    this.#tree.changes.emit(variable.id, message.GW_QUALITY, [state, reason, text]);
  }

  /**
   * Sets whether users of web fronts may set a user-defined variable; undefined: they may not. Throws
   * `READ_ONLY` for a variable that its device reports.
   */
  setResidentAccess(variable: Variable, residents: ResidentAccess | undefined): void {
    if (variable.data.residents === residents) return;
    if (variable.readOnly)
      throw fault(
        'READ_ONLY',
        coded`WHAT_REPORTED_VARIABLE: Variable #${variable.id} is reported by its device; it`,
      );
    this.#tree.touch(variable);
    variable.data.residents = residents;
    this.#tree.changes.emit(variable.id, message.GW_RESIDENTS, [residents ?? 'none']);
    this.#tree.journal.markObject(variable);
  }

  /** Sets the role that its module declares. Emits a message if it differs. */
  setRole(variable: Variable, role: VariableRole): void {
    const { data } = variable;
    if (data.role === role) return;
    this.#tree.touch(variable);
    data.role = role;
    this.#tree.changes.emit(variable.id, message.GW_ROLE, [role]);
    this.#tree.journal.markObject(variable);
  }

  /** Sets or, with undefined, clears the rule that would reject a command. Emits a message if it differs. */
  setRule(variable: Variable, rule: RuleInForce | undefined): void {
    const { data } = variable;
    const { code, untilMs, group } = rule ?? { code: '', untilMs: 0, group: '' };
    const { rule: old } = data;
    if ((old?.code ?? '') === code && (old?.untilMs ?? 0) === untilMs && (old?.group ?? '') === group) return;
    this.#tree.touch(variable);
    data.rule = rule;
    this.#tree.changes.emit(variable.id, message.GW_RULE, [code, untilMs, group]);
  }

  /**
   * Sets or, with undefined, clears the scheduled change. Emits a message if it differs; without a scheduled
   * change it has the present value. Throws `VARIABLE_TYPE`.
   */
  setPending(variable: Variable, pending: PendingChange | undefined): void {
    const { data } = variable;
    const { pending: old } = data;
    if (pending !== undefined && !isOfType(data.type, pending.value))
      throw fault('VARIABLE_TYPE', variable.id);
    if (old?.code === pending?.code && old?.value === pending?.value && old?.atMs === pending?.atMs) return;
    this.#tree.touch(variable);
    data.pending = pending;
    const { value, atMs, code } = pending ?? { value: data.value, atMs: 0, code: '' };
    this.#tree.changes.emit(variable.id, message.GW_PENDING, [value, atMs, code]);
  }

  /**
   * Sets the profile from the module or the configuration; '' for none. Throws `PROFILE_MISSING`,
   * `PROFILE_TYPE`.
   */
  setProfile(variable: Variable, profile: string): void {
    this.#profiles.check(profile, variable.data.type);
    this.#change(variable, { profile });
  }

  /** Sets the user's profile, which overrides the other. Throws `PROFILE_MISSING`, `PROFILE_TYPE`. */
  setCustomProfile(variable: Variable, customProfile: string): void {
    this.#profiles.check(customProfile, variable.data.type);
    this.#change(variable, { customProfile });
  }

  /** Sets the standard action: the id of the instance that handles commands, 0 for none. */
  setAction(variable: Variable, action: number): void {
    this.#change(variable, { action });
  }

  /**
   * Sets the custom action. 0: use the standard action; 1: none; otherwise an instance or a script. Throws
   * `ACTION_INVALID`.
   */
  setCustomAction(variable: Variable, customAction: number): void {
    if (customAction !== 0 && customAction !== ACTION_DISABLED) {
      const target = this.#tree.find(customAction);
      if (target === undefined || !(target.is(objectType.instance) || target.is(objectType.script)))
        throw fault('ACTION_INVALID');
    }
    this.#change(variable, { customAction });
  }

  /** The id of the instance or script that handles `RequestAction`; 0 if there is none. */
  actionTargetOf({ data }: Variable): number {
    const id = data.customAction === 0 ? data.action : data.customAction;
    return id === ACTION_DISABLED ? 0 : id;
  }

  #change(variable: Variable, to: Partial<VariableData>): void {
    const { data } = variable;
    const { profile, customProfile, action, customAction } = data;
    this.#tree.touch(variable);
    Object.assign(data, to);
    const { changes, journal } = this.#tree;
    if (data.profile !== profile || data.customProfile !== customProfile) {
      changes.emit(variable.id, message.VM_CHANGEPROFILENAME, [data.customProfile, data.profile]);
    } else if (data.action !== action || data.customAction !== customAction) {
      changes.emit(variable.id, message.VM_CHANGEPROFILEACTION, [data.customAction, data.action]);
    } else return;
    journal.markObject(variable);
  }
}

/** Whether the variable got a value since it was created or since its type changed. */
export const hasValue = ({ data }: Variable): boolean => data.updated !== 0 && data.isRetyped !== true;

/** Whether its value is known: it was set or reported once, or the configuration gave it one. */
export const isKnown = ({ data }: Variable): boolean =>
  data.updated !== 0 || data.value !== initialValue(data.type);

/** The data of a new variable. */
export function variableData(type: VariableType, value: Value = initialValue(type)): VariableData {
  const unused = { profile: '', customProfile: '', action: 0, customAction: 0, updated: 0, changed: 0 };
  return { type, value, role: 'main', ...unused };
}
