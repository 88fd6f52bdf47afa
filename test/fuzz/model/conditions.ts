import { within, checkDate, checkTime, put, takeOut } from './value-checks.js';
import { convert } from './convert.js';
import type { Model, Rule } from './model.js';
import { types, emptyCondition, ModelFault, type Condition } from './snapshot-types.js';

const conditionsOf = (model: Model, event: number): Condition[] => {
  model.event(event);
  return model.fromMessages.get(event)!.conditions!;
};

type Kind = 'VariableRules' | 'DateRules' | 'TimeRules' | 'DayOfTheWeekRules';

/** Adds a rule to a condition; without a comparison it removes the rule. */
function putRule(
  model: Model,
  [event, condition, rule]: readonly [number, number, number],
  [kind, to]: readonly [Kind, object | undefined],
): true {
  const found = conditionsOf(model, event).find(({ ID }) => ID === condition);
  if (found === undefined) throw new ModelFault('EVENT_PART_MISSING');
  within(rule, 0, Number.MAX_SAFE_INTEGER);
  const list = found[kind] as { ID: number }[];
  if (to === undefined) takeOut(list, rule, 'ID');
  else put(list, { ID: rule, ...to }, 'ID');
  return true;
}

type Place = [event: number, condition: number, rule: number];

const setStatic: Rule = (
  model: Model,
  ...[event, condition, rule, variable, Comparison, given]: [...Place, number, number, unknown]
) => {
  const place = [event, condition, rule] as const;
  if (variable === 0) return putRule(model, place, ['VariableRules', undefined]);
  const Value = convert(model.of(types.variable, variable).data['type'] as number, given);
  return putRule(model, place, ['VariableRules', { VariableID: variable, Comparison, Value, Type: 0 }]);
};

/** The conditions of events. */
export const conditionRules: Readonly<Record<string, Rule>> = {
  SVC_SetEventCondition: (model: Model, ...[event, id, parent, operation]: [...Place, number]) => {
    const all = conditionsOf(model, event);
    within(id, 0, Number.MAX_SAFE_INTEGER);
    if (parent < 0) {
      remove(all, id);
      return true;
    }
    for (let at = parent; at !== id;) {
      const above = all.find(({ ID }) => ID === at);
      if (above === undefined) throw new ModelFault('EVENT_PART_MISSING');
      if (above.ParentID === id) throw new ModelFault('NOT_ALLOWED');
      if (above.ParentID === at) break;
      at = above.ParentID;
    }
    const rules = all.find(({ ID }) => ID === id) ?? emptyCondition(id, parent, operation);
    put(all, { ...rules, ParentID: parent, Operation: operation }, 'ID');
    return true;
  },
  SVC_SetEventConditionVariableRule: setStatic,
  SVC_SetEventConditionVariableStaticRule: setStatic,
  SVC_SetEventConditionVariableDynamicRule: (
    model: Model,
    ...[event, condition, rule, variable, Comparison, other]: [...Place, number, number, number]
  ) => {
    const place = [event, condition, rule] as const;
    if (variable === 0) return putRule(model, place, ['VariableRules', undefined]);
    for (const one of [variable, other]) model.of(types.variable, one);
    const to = { VariableID: variable, Comparison, Value: other, Type: 1 };
    return putRule(model, place, ['VariableRules', to]);
  },
  SVC_SetEventConditionDateRule: (
    model: Model,
    ...[event, condition, rule, Comparison, Day, Month, Year]: [...Place, number, number, number, number]
  ) => {
    const isNone = Day === 0 && Month === 0 && Year === 0;
    if (!isNone) checkDate({ day: Day, month: Month, year: Year === 0 ? 2000 : Year });
    const to = isNone ? undefined : { Comparison, Value: { Day, Month, Year } };
    return putRule(model, [event, condition, rule], ['DateRules', to]);
  },
  SVC_SetEventConditionTimeRule: (
    model: Model,
    ...[event, condition, rule, Comparison, Hour, Minute, Second]: [...Place, number, number, number, number]
  ) => {
    if (Hour >= 0) checkTime({ hour: Hour, minute: Minute, second: Second });
    const to = Hour < 0 ? undefined : { Comparison, Value: { Hour, Minute, Second } };
    return putRule(model, [event, condition, rule], ['TimeRules', to]);
  },
  SVC_SetEventConditionDayOfTheWeekRule: (
    model: Model,
    ...[event, condition, rule, Comparison, Value]: [...Place, number, number]
  ) => {
    within(Value, 0, 7);
    const to = Value === 0 ? undefined : { Comparison, Value };
    return putRule(model, [event, condition, rule], ['DayOfTheWeekRules', to]);
  },
};

/** A condition is removed with all its descendants. */
function remove(all: Condition[], id: number): void {
  takeOut(all, id, 'ID');
  for (const below of all.filter(({ ParentID }) => ParentID === id)) remove(all, below.ID);
}

/** Whether the conditions of an event are met now. */
export function conditionsApply(model: Model, event: number): boolean {
  const all = conditionsOf(model, event);
  const oneHolds = (condition: Condition): boolean => {
    const below = all.filter(({ ID, ParentID }) => ParentID === condition.ID && ID !== ParentID);
    const parts = [...rulesHold(model, condition), ...below.map(oneHolds)];
    if (parts.length === 0) return true;
    const [every, some] = [parts.every(Boolean), parts.some(Boolean)];
    return [every, some, !every, !some][condition.Operation] ?? false;
  };
  return all.filter(({ ID, ParentID }) => ID === ParentID).every(oneHolds);
}

function rulesHold(model: Model, condition: Condition): boolean[] {
  const now = new Date(model.now * 1000);
  const valueOf = (id: unknown) => model.objects.get(id as number)?.data['value'];
  const year = (rule: { Year: number }) => (rule.Year === 0 ? 0 : now.getFullYear());
  const today = [now.getMonth() + 1, now.getDate()] as const;
  const time = (hour: number, minute: number, second: number) => (hour * 60 + minute) * 60 + second;
  return [
    ...condition.VariableRules.map(({ VariableID, Comparison, Value, Type }) => {
      const [mine, other] = [valueOf(VariableID), Type === 1 ? valueOf(Value) : Value];
      if (mine === undefined || other === undefined) return false;
      const areTexts = typeof mine === 'string' && typeof other === 'string';
      return areTexts ? compared(Comparison, mine, other) : compared(Comparison, number(mine), number(other));
    }),
    ...condition.DateRules.map(({ Comparison, Value: { Day, Month, Year } }) =>
      compared(
        Comparison,
        (year({ Year }) * 100 + today[0]) * 100 + today[1],
        (Year * 100 + Month) * 100 + Day,
      ),
    ),
    ...condition.TimeRules.map(({ Comparison, Value: { Hour, Minute, Second } }) =>
      compared(
        Comparison,
        time(now.getHours(), now.getMinutes(), now.getSeconds()),
        time(Hour, Minute, Second),
      ),
    ),
    ...condition.DayOfTheWeekRules.map(({ Comparison, Value }) =>
      compared(Comparison, now.getDay() === 0 ? 7 : now.getDay(), Value),
    ),
  ];
}

function number(value: unknown): number {
  if (typeof value !== 'string') return Number(value);
  return { true: 1, false: 0 }[value] ?? (/^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN);
}

/** Values without an order are not equal, and nothing else. */
function compared(how: number, mine: string | number, other: string | number): boolean {
  return [mine === other, mine !== other, mine > other, mine >= other, mine < other, mine <= other][how]!;
}
