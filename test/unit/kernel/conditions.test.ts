import t from 'tap';
import { areConditionsMet, unmetCondition } from '../../../src/kernel/events/conditions.js';
import { comparison, type Condition, type Rules } from '../../../src/kernel/events/event-data.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import type { Value } from '../../../src/kernel/value.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';

const noRules: Rules = { variable: [], date: [], time: [], dayOfTheWeek: [] };
/** Wednesday, 15 November 2023, 07:30:05, by the local clock. */
const NOW = new Date(2023, 10, 15, 7, 30, 5).getTime();

function fresh() {
  return new Kernel({ counter: 0, random: Math.random });
}

const one = (rules: Partial<Rules>): Condition[] => [
  { id: 0, parentId: 0, operation: 0, rules: { ...noRules, ...rules } },
];

t.test('a rule compares the present state with its value', async (t) => {
  const kernel = fresh();
  const on = kernel.variables.create(0, { value: true });
  const warm = kernel.variables.create(2, { value: 21.5 });
  const text = kernel.variables.create(3, { value: 'away' });
  const rule = (...[variableId, how, value, type = 0]: [number, number, Value, number?]) =>
    one({ variable: [{ id: 1, variableId, comparison: how, value, type }] });
  const date = (how: number, ...[day, month, year]: [number, number, number]) =>
    one({ date: [{ id: 1, comparison: how, value: { day, month, year } }] });
  const time = (how: number, ...[hour, minute, second]: [number, number, number]) =>
    one({ time: [{ id: 1, comparison: how, value: { hour, minute, second } }] });
  const weekday = (how: number, value: number) => one({ dayOfTheWeek: [{ id: 1, comparison: how, value }] });
  const cases: [string, Condition[], boolean][] = [
    ['no rules', [], true],
    ['a condition without rules', one({}), true],
    ['on', rule(on.id, comparison.equal, true), true],
    ['not on', rule(on.id, comparison.notEqual, true), false],
    ['on is more than off', rule(on.id, comparison.greater, false), true],
    ['warmer', rule(warm.id, comparison.greater, 21), true],
    ['as warm', rule(warm.id, comparison.greaterOrEqual, 21.5), true],
    ['colder', rule(warm.id, comparison.smaller, 21.5), false],
    ['at most as warm', rule(warm.id, comparison.smallerOrEqual, 21.5), true],
    ['a number as text', rule(warm.id, comparison.equal, '21.5'), true],
    ['away', rule(text.id, comparison.equal, 'away'), true],
    ['before home', rule(text.id, comparison.smaller, 'home'), true],
    ['a text is not a number', rule(text.id, comparison.smaller, 7), false],
    ['a text is not equal to a number', rule(text.id, comparison.notEqual, 7), true],
    ['warmer than on', rule(warm.id, comparison.greater, on.id, 1), true],
    ['than a missing one', rule(warm.id, comparison.notEqual, 1, 1), false],
    ['a missing one', rule(1, comparison.notEqual, 1), false],
    ['no variable', rule(0, comparison.equal, 0), false],
    ['that date', date(comparison.equal, 15, 11, 2023), true],
    ['from that date on', date(comparison.greaterOrEqual, 16, 11, 2023), false],
    ['before the next year', date(comparison.smaller, 1, 1, 2024), true],
    ['that day of every year', date(comparison.equal, 15, 11, 0), true],
    ['from October on, every year', date(comparison.greater, 1, 10, 0), true],
    ['that second', time(comparison.equal, 7, 30, 5), true],
    ['before eight', time(comparison.smaller, 8, 0, 0), true],
    ['after half past', time(comparison.greater, 7, 30, 5), false],
    ['Wednesday', weekday(comparison.equal, 3), true],
    ['the weekend', weekday(comparison.greaterOrEqual, 6), false],
  ];
  for (const [name, conditions, holds] of cases)
    t.equal(areConditionsMet(conditions, kernel.tree, NOW), holds, name);
  const sunday = new Date(2023, 10, 19, 12).getTime();
  t.equal(areConditionsMet(weekday(comparison.equal, 7), kernel.tree, sunday), true, 'Sunday is 7');
});

/** A tree of conditions over boolean variables, and its result by a simple evaluation. */
interface Plan {
  readonly operation: number;
  readonly rules: readonly boolean[];
  readonly below: readonly Plan[];
}

function planned(random: Random, depth: number): Plan {
  return {
    operation: random.below(4),
    rules: random.some(4, () => random.chance(0.5)),
    below: depth === 0 ? [] : random.some(4, () => planned(random, depth - 1)),
  };
}

function obvious({ operation, rules, below }: Plan): boolean {
  const parts = [...rules, ...below.map(obvious)];
  if (parts.length === 0) return true;
  const held = parts.filter((part) => part).length;
  if (operation === 0) return held === parts.length;
  if (operation === 1) return held > 0;
  if (operation === 2) return held < parts.length;
  return held === 0;
}

const seed = fuzzSeed();
t.test(`nested conditions agree with a simple evaluation; ${seedLabel(seed)}`, async (t) => {
  const random = new Random(seed);
  const kernel = fresh();
  const [off, on] = [kernel.variables.create(0).id, kernel.variables.create(0, { value: true }).id];
  let [holding, failing] = [0, 0];
  for (let n = 0; n < 2000; n++) {
    const plan = planned(random, 4);
    const conditions: Condition[] = [];
    const add = ({ operation, rules, below }: Plan, parentId?: number) => {
      const id = conditions.length;
      const variable = rules.map((holds, i) => ({
        id: i,
        variableId: holds ? on : off,
        comparison: comparison.equal,
        value: true,
        type: 0,
      }));
      conditions.push({ id, parentId: parentId ?? id, operation, rules: { ...noRules, variable } });
      for (const part of below) add(part, id);
    };
    add(plan);
    // The order of the list has no meaning.
    conditions.sort(() => random.next() - 0.5);
    const holds = areConditionsMet(conditions, kernel.tree, NOW);
    if (holds) holding++;
    else failing++;
    if (holds !== obvious(plan)) t.fail(JSON.stringify(plan));
  }
  t.ok(holding > 100 && failing > 100, 'some are met and some are not');
});

t.test('all conditions on top must be met', async (t) => {
  const kernel = fresh();
  const { id } = kernel.variables.create(0);
  const rules = (value: boolean): Rules => ({
    ...noRules,
    variable: [{ id: 1, variableId: id, comparison: comparison.equal, value, type: 0 }],
  });
  const [holds, fails] = [
    { id: 1, parentId: 1, operation: 0, rules: rules(false) },
    { id: 2, parentId: 2, operation: 0, rules: rules(true) },
  ];
  t.equal(areConditionsMet([holds], kernel.tree, NOW), true);
  t.equal(areConditionsMet([holds, fails], kernel.tree, NOW), false);
});

t.test('conditions are evaluated once, and only as many as needed', async (t) => {
  const kernel = fresh();
  const variables = Array.from({ length: 4 }, () => kernel.variables.create(0).id);
  const rules = (expected: readonly boolean[]): Rules => ({
    ...noRules,
    variable: expected.map((value, id) => ({
      id,
      variableId: variables[id] ?? 0,
      comparison: comparison.equal,
      value,
      type: 0,
    })),
  });
  const reads = t.capture(kernel.tree, 'find', kernel.tree.find);
  const cases: [string, operation: number, expected: boolean[], isMet: boolean, evaluated: number][] = [
    ['AND, met', 0, [false, false, false], true, 3],
    ['AND, the second rule is not met', 0, [false, true, false, false], false, 2],
    ['OR, the first rule is met', 1, [false, true, true], true, 1],
    ['OR, not met', 1, [true, true, true], false, 3],
    ['NAND, not met', 2, [false, false, false], false, 3],
    ['NOR, the first rule is met', 3, [false, true, true], false, 1],
  ];
  for (const [name, operation, expected, isMet, evaluated] of cases) {
    const unmet = unmetCondition(
      [{ id: 0, parentId: 0, operation, rules: rules(expected) }],
      kernel.tree,
      NOW,
    );
    t.equal(unmet === undefined, isMet, name);
    t.equal(reads().length, evaluated, name);
  }
});
