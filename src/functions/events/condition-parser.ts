import { coded } from '../../base/codes/coded-text.js';
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { fault, messageOf } from '../../base/fault.js';
import { parseJson } from '../../base/json.js';
import type { Condition } from '../../kernel/events/event-data.js';

const PARAMETER = 'Conditions';
/** Maximum number of conditions, and of rules of one kind in a condition. */
const LIST_LIMIT = 1000;
const NESTING_LIMIT = 32;

const id = Type.Integer({ minimum: 0 });
const listOf = <S extends TSchema>(of: S) => Type.Array(of, { maxItems: LIST_LIMIT });
const comparison = Type.Integer({ minimum: 0, maximum: 5 });
const rule = <S extends TSchema>(value: S) =>
  Type.Optional(listOf(Type.Object({ id: Type.Optional(id), comparison, value })));

const schema = listOf(
  Type.Object({
    id,
    parentID: id,
    operation: Type.Integer({ minimum: 0, maximum: 3 }),
    rules: Type.Optional(
      Type.Object({
        variable: Type.Optional(
          listOf(
            Type.Object({
              id: Type.Optional(id),
              variableID: id,
              comparison,
              value: Type.Union([Type.Boolean(), Type.Number(), Type.String()]),
              type: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
            }),
          ),
        ),
        date: rule(Type.Object({ day: id, month: id, year: id })),
        time: rule(Type.Object({ hour: id, minute: id, second: id })),
        dayOfTheWeek: rule(Type.Integer({ minimum: 1, maximum: 7 })),
      }),
    ),
  }),
);

/**
 * Parses conditions from JSON (interface §5). A condition is at the top level if it is its own parent, or if
 * its parent is 0 and no condition has the id 0. Throws `PARAMETER_TYPE` with the error and its path.
 */
export function conditionsFrom(text: string): readonly Condition[] {
  const given = parsed(text);
  const conditions = given.map(({ id: own, parentID, operation, rules = {} }) => ({
    id: own,
    parentId: parentID === 0 && !given.some((one) => one.id === 0) ? own : parentID,
    operation,
    rules: {
      variable: (rules.variable ?? []).map(({ id: ruleId = 0, variableID, type = 0, ...rest }) => ({
        ...rest,
        id: ruleId,
        variableId: variableID,
        type,
      })),
      date: (rules.date ?? []).map(withId),
      time: (rules.time ?? []).map(withId),
      dayOfTheWeek: (rules.dayOfTheWeek ?? []).map(withId),
    },
  }));
  checkPlaces(conditions);
  return conditions;
}

const withId = <T extends { id?: number }>(entry: T): T & { id: number } => ({ ...entry, id: entry.id ?? 0 });

function parsed(text: string): Static<typeof schema> {
  let given: unknown;
  try {
    given = text.trim() === '' ? [] : parseJson(text);
  } catch (thrown) {
    throw fault('PARAMETER_TYPE', PARAMETER, messageOf(thrown));
  }
  const error = Errors(schema, given).First();
  if (error !== undefined)
    throw fault('PARAMETER_TYPE', PARAMETER, `${error.path || 'the JSON text'}: ${error.message}`);
  return given as Static<typeof schema>;
}

/** Checks that ids are unique, and that every condition is below one at the top level. */
function checkPlaces(conditions: readonly Condition[]): void {
  const byId = new Map(conditions.map((condition) => [condition.id, condition]));
  if (byId.size < conditions.length)
    throw fault('PARAMETER_TYPE', PARAMETER, coded`TWO_CONDITIONS_SAME_ID: two conditions have the same id`);
  for (const condition of conditions) {
    let at = condition;
    for (let depth = 1; at.parentId !== at.id; depth++) {
      const parent = byId.get(at.parentId);
      if (parent === undefined)
        throw fault(
          'PARAMETER_TYPE',
          PARAMETER,
          coded`NO_PARENT_CONDITION: there is no condition ${at.parentId}, the parent of ${at.id}`,
        );
      if (depth > NESTING_LIMIT)
        throw fault(
          'PARAMETER_TYPE',
          PARAMETER,
          coded`CONDITION_NESTED_TOO_DEEP: condition ${condition.id} is nested too deep, or below itself`,
        );
      at = parent;
    }
  }
}
