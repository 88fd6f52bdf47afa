import { objectType } from '../../web/objects.js';
import { Icon } from '../../web/parts/icon.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { CheckField } from '../parts/check-field.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { DateField, SelectField, TimeField, ValueField, valueFor } from './fields.js';
import { nextId } from './save-event.js';
import { weekdayName, type Condition, type RuleKind } from './sentences.js';

interface ConditionsFormProps {
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: Condition[]) => void;
}

const RULE_KINDS: readonly RuleKind[] = ['variable', 'date', 'time', 'dayOfTheWeek'];
const DYNAMIC = 1;
/** The date of a new rule: 1 January of every year, which is a year of 0. */
const NEW_YEAR = { Day: 1, Month: 1, Year: 0 };

/** Conditions with their rules; each can have conditions below it. */
export function ConditionsForm({ conditions, onChange }: ConditionsFormProps) {
  const { edit } = eventTexts();
  const top = conditions.filter(({ ID, ParentID }) => ID === ParentID);
  return (
    <fieldset class="parts">
      <legend>{edit.conditions}</legend>
      {top.length === 0 && <p class="soft">{edit.noConditions}</p>}
      {top.map((condition) => (
        <ConditionForm key={condition.ID} condition={condition} conditions={conditions} onChange={onChange} />
      ))}
      <button class="plain" type="button" onClick={() => onChange(withNew(conditions))}>
        {edit.addCondition}
      </button>
    </fieldset>
  );
}

function withNew(conditions: readonly Condition[], parent?: number): Condition[] {
  const ID = nextId(conditions);
  const rules = { VariableRules: [], DateRules: [], TimeRules: [], DayOfTheWeekRules: [] };
  return [...conditions, { ID, ParentID: parent ?? ID, Operation: 0, ...rules }];
}

/** Whether a rule names no variable: the gateway would remove that rule, and the event would run without it. */
export function lacksVariable({ VariableRules }: Condition): boolean {
  return VariableRules.some(
    ({ VariableID, Type, Value }) => VariableID === 0 || (Type === DYNAMIC && Value === 0),
  );
}

/** Removes a condition and everything below it. */
function without(conditions: readonly Condition[], id: number): Condition[] {
  const below = conditions.filter(({ ID, ParentID }) => ParentID === id && ID !== id);
  const rest = below.reduce<readonly Condition[]>((left, { ID }) => without(left, ID), conditions);
  return rest.filter(({ ID }) => ID !== id);
}

interface ConditionFormProps extends ConditionsFormProps {
  readonly condition: Condition;
}

function ConditionForm({ condition, conditions, onChange }: ConditionFormProps) {
  const { edit } = eventTexts();
  const set = (next: Condition) => onChange(conditions.map((one) => (one.ID === next.ID ? next : one)));
  const below = conditions.filter(({ ID, ParentID }) => ParentID === condition.ID && ID !== ParentID);
  return (
    <fieldset class="part">
      <legend class="unseen">{edit.conditions}</legend>
      <SelectField
        label={edit.operation}
        options={edit.operations}
        value={condition.Operation}
        onChange={(Operation) => set({ ...condition, Operation })}
      />
      <VariableRules condition={condition} onChange={set} />
      <ClockRules condition={condition} onChange={set} />
      {below.map((one) => (
        <ConditionForm key={one.ID} condition={one} conditions={conditions} onChange={onChange} />
      ))}
      <div class="row-head" role="group" aria-label={edit.addRule}>
        {RULE_KINDS.map((kind) => (
          <button key={kind} class="plain" type="button" onClick={() => set(withRule(condition, kind))}>
            + {edit.ruleKinds[kind]}
          </button>
        ))}
        <button class="plain" type="button" onClick={() => onChange(withNew(conditions, condition.ID))}>
          + {edit.addBelow}
        </button>
        <button class="plain" type="button" onClick={() => onChange(without(conditions, condition.ID))}>
          {edit.removeCondition}
        </button>
      </div>
    </fieldset>
  );
}

function withRule(condition: Condition, kind: RuleKind): Condition {
  const { VariableRules, DateRules, TimeRules, DayOfTheWeekRules } = condition;
  const Comparison = 0;
  switch (kind) {
    case 'variable': {
      const rule = { ID: nextId(VariableRules), VariableID: 0, Comparison, Value: '', Type: 0 };
      return { ...condition, VariableRules: [...VariableRules, rule] };
    }
    case 'date': {
      const rule = { ID: nextId(DateRules), Comparison, Value: NEW_YEAR };
      return { ...condition, DateRules: [...DateRules, rule] };
    }
    case 'time': {
      const rule = { ID: nextId(TimeRules), Comparison: 3, Value: { Hour: 18, Minute: 0, Second: 0 } };
      return { ...condition, TimeRules: [...TimeRules, rule] };
    }
    default: {
      const rule = { ID: nextId(DayOfTheWeekRules), Comparison, Value: 1 };
      return { ...condition, DayOfTheWeekRules: [...DayOfTheWeekRules, rule] };
    }
  }
}

interface RulesProps {
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}

function VariableRules({ condition, onChange }: RulesProps) {
  const { model } = useApp().gateway;
  const { edit } = eventTexts();
  const rules = condition.VariableRules;
  type Rule = (typeof rules)[number];
  const set = (rule: Rule) =>
    onChange({ ...condition, VariableRules: rules.map((one) => (one.ID === rule.ID ? rule : one)) });
  const isVariable = ({ type }: { readonly type: number }) => type === objectType.variable;
  return (
    <>
      {rules.map((rule) => (
        <div key={rule.ID} class="rule">
          <div class="field">
            <span>{edit.variable}</span>
            <ObjectChoice
              label={edit.variable}
              id={rule.VariableID}
              none={edit.chooseVariable}
              accepts={isVariable}
              onChange={(id) =>
                set({
                  ...rule,
                  VariableID: id,
                  ...(rule.Type !== DYNAMIC && { Value: valueFor(model.find(id), rule.Value) }),
                })
              }
            />
          </div>
          <SelectField
            label={edit.comparison}
            options={edit.comparisons}
            value={rule.Comparison}
            onChange={(Comparison) => set({ ...rule, Comparison })}
          />
          <SelectField
            label={edit.compareWith}
            options={[edit.withValue, edit.withVariable]}
            value={rule.Type}
            onChange={(Type) =>
              set({ ...rule, Type, Value: Type === DYNAMIC ? 0 : valueFor(model.find(rule.VariableID), '') })
            }
          />
          {rule.Type === DYNAMIC ? (
            <div class="field">
              <span>{edit.withVariable}</span>
              <ObjectChoice
                label={edit.withVariable}
                id={Number(rule.Value)}
                none={edit.chooseVariable}
                accepts={isVariable}
                onChange={(Value) => set({ ...rule, Value })}
              />
            </div>
          ) : (
            <ValueField
              label={edit.value}
              variable={model.find(rule.VariableID)}
              value={rule.Value}
              onChange={(Value) => set({ ...rule, Value })}
            />
          )}
          <RemoveRule
            onRemove={() =>
              onChange({ ...condition, VariableRules: rules.filter(({ ID }) => ID !== rule.ID) })
            }
          />
        </div>
      ))}
    </>
  );
}

/** The rules about the date, the time and the day of the week. */
function ClockRules({ condition, onChange }: RulesProps) {
  const thisYear = new Date(useApp().gateway.now()).getFullYear();
  const { edit } = eventTexts();
  const { DateRules, TimeRules, DayOfTheWeekRules } = condition;
  const put = <T extends { readonly ID: number }>(rules: readonly T[], rule: T): T[] =>
    rules.map((one) => (one.ID === rule.ID ? rule : one));
  const drop = <T extends { readonly ID: number }>(rules: readonly T[], id: number): T[] =>
    rules.filter(({ ID }) => ID !== id);
  return (
    <>
      {DateRules.map((rule) => {
        const set = (next: typeof rule) => onChange({ ...condition, DateRules: put(DateRules, next) });
        const { Day, Month, Year } = rule.Value;
        // Every year has no year, and an input for a date has one: with 29 February, a leap year.
        const shownYear = Year || (Day === 29 && Month === 2 ? leapYearFrom(thisYear) : thisYear);
        return (
          <div key={`date ${rule.ID}`} class="rule">
            <ComparisonField
              kind="date"
              value={rule.Comparison}
              onChange={(Comparison) => set({ ...rule, Comparison })}
            />
            <DateField
              label={edit.date}
              value={{ ...rule.Value, Year: shownYear }}
              onChange={(Value) =>
                Value.Day !== 0 && set({ ...rule, Value: Year === 0 ? { ...Value, Year: 0 } : Value })
              }
            />
            <CheckField
              label={edit.everyYear}
              checked={Year === 0}
              onChange={(isEvery) =>
                set({ ...rule, Value: { ...rule.Value, Year: isEvery ? 0 : shownYear } })
              }
            />
            <RemoveRule onRemove={() => onChange({ ...condition, DateRules: drop(DateRules, rule.ID) })} />
          </div>
        );
      })}
      {TimeRules.map((rule) => {
        const set = (next: typeof rule) => onChange({ ...condition, TimeRules: put(TimeRules, next) });
        return (
          <div key={`time ${rule.ID}`} class="rule">
            <ComparisonField
              kind="time"
              value={rule.Comparison}
              onChange={(Comparison) => set({ ...rule, Comparison })}
            />
            <TimeField
              label={edit.ruleKinds.time}
              value={rule.Value}
              onChange={(Value) => set({ ...rule, Value })}
            />
            <RemoveRule onRemove={() => onChange({ ...condition, TimeRules: drop(TimeRules, rule.ID) })} />
          </div>
        );
      })}
      {DayOfTheWeekRules.map((rule) => {
        const set = (next: typeof rule) =>
          onChange({ ...condition, DayOfTheWeekRules: put(DayOfTheWeekRules, next) });
        return (
          <div key={`day ${rule.ID}`} class="rule">
            <ComparisonField
              kind="time"
              value={rule.Comparison}
              onChange={(Comparison) => set({ ...rule, Comparison })}
            />
            <SelectField
              label={edit.ruleKinds.dayOfTheWeek}
              options={[1, 2, 3, 4, 5, 6, 7].map((day) => weekdayName(day))}
              value={rule.Value - 1}
              onChange={(day) => set({ ...rule, Value: day + 1 })}
            />
            <RemoveRule
              onRemove={() => onChange({ ...condition, DayOfTheWeekRules: drop(DayOfTheWeekRules, rule.ID) })}
            />
          </div>
        );
      })}
    </>
  );
}

function leapYearFrom(year: number): number {
  return new Date(year, 1, 29).getDate() === 29 ? year : leapYearFrom(year + 1);
}

interface ComparisonFieldProps {
  readonly kind: 'date' | 'time';
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** Comparisons in the words of a date or a time: `it is after …`. */
function ComparisonField({ kind, value, onChange }: ComparisonFieldProps) {
  const { edit, rule } = eventTexts();
  return (
    <SelectField
      label={edit.comparison}
      options={rule[kind].map((text) => text('…'))}
      value={value}
      onChange={onChange}
    />
  );
}

function RemoveRule({ onRemove }: { readonly onRemove: () => void }) {
  return (
    <button class="control" type="button" aria-label={eventTexts().edit.removeRule} onClick={onRemove}>
      <Icon name="close" />
    </button>
  );
}
