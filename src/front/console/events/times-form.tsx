import type { EventRecord } from '../../../client/generated/records.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { eventTexts } from '../i18n/events.js';
import { CheckField } from '../parts/check-field.js';
import { ObjectChoice } from '../parts/object-choice.js';
import {
  DateField,
  DaysField,
  NumberField,
  Section,
  SelectField,
  TimeField,
  ValueField,
  valueFor,
} from './fields.js';
import { monthName } from './sentences.js';

export interface EventFormProps {
  readonly event: EventRecord;
  readonly onChange: (change: Partial<EventRecord>) => void;
}

/** Trigger types from here on have a limit or a value. */
const LIMIT = 2;
const VALUE = 4;
/** The largest interval that the gateway accepts. */
const INTERVAL_LIMIT = 10_000;
const DAY_S = 86_400;

/** The variable that triggers an event, and which of its reports. */
export function TriggerForm({ event, onChange }: EventFormProps) {
  const { model } = useApp().gateway;
  const { edit } = eventTexts();
  const { TriggerType, TriggerVariableID, TriggerValue, TriggerSubsequentExecution } = event;
  const variable = model.find(TriggerVariableID);
  return (
    <Section title={edit.trigger}>
      <div class="field">
        <span>{edit.variable}</span>
        <ObjectChoice
          label={edit.variable}
          id={TriggerVariableID}
          none={edit.chooseVariable}
          accepts={({ type }) => type === objectType.variable}
          onChange={(id) =>
            onChange({ TriggerVariableID: id, TriggerValue: valueFor(model.find(id), TriggerValue) })
          }
        />
      </div>
      <SelectField
        label={edit.triggerType}
        options={edit.triggerTypes}
        value={TriggerType}
        onChange={(type) => onChange({ TriggerType: type, TriggerSubsequentExecution: type < LIMIT })}
      />
      {TriggerType >= LIMIT && (
        <>
          <ValueField
            label={TriggerType === VALUE ? edit.value : edit.limitValue}
            variable={variable}
            value={TriggerValue}
            onChange={(value) => onChange({ TriggerValue: value })}
          />
          <CheckField
            label={edit.subsequent}
            checked={TriggerSubsequentExecution}
            onChange={(checked) => onChange({ TriggerSubsequentExecution: checked })}
          />
        </>
      )}
    </Section>
  );
}

const date = { every: 0, once: 1, days: 2, weeks: 3, months: 4, years: 5 } as const;

/** What a kind of days needs at least, so that the gateway accepts it. */
function dayDefaults(type: number, event: EventRecord): Partial<EventRecord> {
  const { CyclicDateValue, CyclicDateDay, CyclicDateDayValue } = event;
  const isByDate = type === date.months || type === date.years;
  return {
    CyclicDateType: type,
    CyclicDateValue:
      type === date.years ? Math.min(12, Math.max(1, CyclicDateValue)) : Math.max(1, CyclicDateValue),
    CyclicDateDay: type === date.weeks ? CyclicDateDay || 1 : isByDate ? CyclicDateDay : 0,
    CyclicDateDayValue: isByDate
      ? Math.max(1, CyclicDateDay === 0 ? CyclicDateDayValue : Math.min(5, CyclicDateDayValue))
      : 0,
  };
}

/** On which days and how often an event runs. */
export function CyclicForm({ event, onChange }: EventFormProps) {
  const { edit } = eventTexts();
  const { CyclicDateType: type, CyclicTimeType } = event;
  const isRepeated = CyclicTimeType !== 0;
  return (
    <Section title={edit.times}>
      <SelectField
        label={edit.dateType}
        options={edit.dateTypes}
        value={type}
        onChange={(next) => onChange(dayDefaults(next, event))}
      />
      {type >= date.days && type !== date.years && (
        <NumberField
          label={edit.interval[type] ?? ''}
          value={event.CyclicDateValue}
          limits={[1, INTERVAL_LIMIT]}
          onChange={(value) => onChange({ CyclicDateValue: value })}
        />
      )}
      {type === date.weeks && (
        <DaysField
          label={edit.weekdays}
          mask={event.CyclicDateDay}
          onChange={(mask) => onChange({ CyclicDateDay: mask })}
        />
      )}
      {type === date.years && (
        <SelectField
          label={edit.month}
          options={Array.from({ length: 12 }, (_, month) => monthName(month + 1))}
          value={event.CyclicDateValue - 1}
          onChange={(month) => onChange({ CyclicDateValue: month + 1 })}
        />
      )}
      {type >= date.months && <MonthDay event={event} onChange={onChange} />}
      <SelectField
        label={edit.timeType}
        options={edit.timeTypes}
        value={CyclicTimeType}
        onChange={(next) =>
          onChange({
            CyclicTimeType: next,
            CyclicTimeValue: next === 0 ? 0 : Math.max(1, event.CyclicTimeValue),
          })
        }
      />
      {isRepeated && (
        <NumberField
          label={edit.timeValue}
          value={event.CyclicTimeValue}
          limits={[1, DAY_S]}
          onChange={(value) => onChange({ CyclicTimeValue: value })}
        />
      )}
      <TimeField
        label={isRepeated ? edit.timeFrom : edit.at}
        value={event.CyclicTimeFrom}
        onChange={(value) => onChange({ CyclicTimeFrom: value })}
      />
      {isRepeated && (
        <TimeField
          label={edit.timeTo}
          value={event.CyclicTimeTo}
          onChange={(value) => onChange({ CyclicTimeTo: value })}
        />
      )}
      <DateField
        label={type === date.once ? edit.date : edit.dateFrom}
        value={event.CyclicDateFrom}
        onChange={(value) => onChange({ CyclicDateFrom: value })}
      />
      {type !== date.once && (
        <DateField
          label={edit.dateTo}
          value={event.CyclicDateTo}
          onChange={(value) => onChange({ CyclicDateTo: value })}
        />
      )}
    </Section>
  );
}

/** A day of a month by its number, or as the first, second … last of some days of the week. */
function MonthDay({ event, onChange }: EventFormProps) {
  const { edit } = eventTexts();
  const isByDate = event.CyclicDateDay === 0;
  return (
    <>
      <SelectField
        label={edit.whichDay}
        options={[edit.byDate, edit.byWeekday]}
        value={isByDate ? 0 : 1}
        onChange={(which) => onChange({ CyclicDateDay: which, CyclicDateDayValue: 1 })}
      />
      {isByDate ? (
        <NumberField
          label={edit.dayNumber}
          value={event.CyclicDateDayValue}
          limits={[1, 31]}
          onChange={(value) => onChange({ CyclicDateDayValue: value })}
        />
      ) : (
        <>
          <SelectField
            label={edit.nth}
            options={edit.nths}
            value={event.CyclicDateDayValue - 1}
            onChange={(nth) => onChange({ CyclicDateDayValue: nth + 1 })}
          />
          <DaysField
            label={edit.weekdays}
            mask={event.CyclicDateDay}
            onChange={(mask) => onChange({ CyclicDateDay: mask })}
          />
        </>
      )}
    </>
  );
}
