import t from 'tap';
import type { ChartDataset } from '../../../src/client/generated/records.js';
import {
  pathOf,
  scaleOf,
  ticksOf,
  timeScale,
  unshifted,
} from '../../../src/front/resident/history/geometry.js';

/** A dataset with a value per hour. */
const dataset = (Kind: ChartDataset['Kind'], ...values: readonly number[]): ChartDataset => ({
  Index: 0,
  VariableID: 20001,
  Title: '',
  Kind,
  Side: 0,
  Profile: '',
  StrokeColor: '',
  FillColor: '',
  StartTime: 0,
  EndTime: values.length * 3600,
  AggregationSpan: 7,
  IsCut: false,
  Points: values.map((Value, hour) => ({
    TimeStamp: hour * 3600,
    Duration: 3600,
    Value,
    Min: Value,
    Max: Value,
  })),
});

const scale = (...datasets: readonly ChartDataset[]) =>
  scaleOf(datasets, { top: 12, bottom: 28, height: 240 });

t.test('a scale contains all values, and its ticks are round', async (t) => {
  const { minimum, maximum, y } = scale(dataset('line', 19.5, 20.4), dataset('line', 22.5));
  t.strictSame([minimum, maximum], [19.5, 22.5]);
  t.strictSame([y(22.5), y(19.5)], [12, 212]);
  t.strictSame(ticksOf(scale(dataset('line', 19.5, 22.5)), false), [20, 21, 22]);
  t.strictSame(ticksOf(scale(dataset('bar', 3)), false), [0, 1, 2, 3]);
  t.strictSame(ticksOf(scale(dataset('line', 20)), false), [19, 19.5, 20, 20.5, 21]);
});

t.test('values that differ only in their last bits have an axis with a few ticks', async (t) => {
  for (const values of [
    [20.4, 20.400000000000002],
    [-0.1, -0.30000000000000004 + 0.2],
    [2 ** 53 - 1],
    [1e300, 1.0000000000000002e300],
  ]) {
    const shown = scale(dataset('line', ...values));
    const ticks = ticksOf(shown, values.every(Number.isInteger));
    t.ok(ticks.length >= 2 && ticks.length <= 6, `${values.join(' ')}: ${ticks.join(' ')}`);
    t.equal(new Set(ticks).size, ticks.length, 'they differ');
    for (const value of values)
      t.ok(shown.y(value) > 12 && shown.y(value) < 212, `${value} is between the ends`);
  }
  t.ok(ticksOf(scale(dataset('line', 20, 20.000001)), false).length > 2, 'a small change is drawn');
});

t.test('the axis of a state that does not change has no value that the state cannot have', async (t) => {
  for (const state of [0, 1]) {
    const shown = scale(dataset('step', state), dataset('step', state, state));
    t.strictSame(ticksOf(shown, true), [0, 1], `always ${state}`);
    t.equal(shown.y(state), state === 0 ? 212 : 12);
  }
  for (const state of [3, 5, 11])
    t.strictSame(ticksOf(scale(dataset('step', state)), true), [state - 1, state]);
  t.strictSame(ticksOf(scale(dataset('step', -2)), true), [-2, -1]);
  t.strictSame(ticksOf(scale(dataset('bar', 0, 0)), true), [0, 1], 'no consumption');
  t.strictSame(ticksOf(scale(dataset('line', 0)), false), [-1, -0.5, 0, 0.5, 1]);
});

t.test('a dataset of another period is drawn over the one that is shown', async (t) => {
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const dayS = 24 * 3600;
  const before = dataset('step', ...hours);
  const shown = { ...before, StartTime: dayS, EndTime: 2 * dayS };
  const longer = { ...dataset('step', ...hours, 24), StartTime: 0 };
  for (const datasets of [
    [before, shown],
    [shown, longer],
  ])
    t.equal(unshifted(datasets), shown);
  t.equal(unshifted([]), undefined);
  const box = { left: 56, right: 12, width: 400 };
  const ends = { ...scale(before), y: () => 0 };
  const placesOf = (one: ChartDataset) =>
    [...pathOf(one, timeScale(shown, box, one), ends).matchAll(/[MH]([-\d.]+)/g)].map(([, x]) => Number(x));
  const places = placesOf(before);
  t.strictSame([Math.min(...places), Math.max(...places)], [56, 388]);
  const [first, last] = [placesOf(longer)[0], placesOf(longer).at(-1)];
  t.strictSame([first, last], [56, 388], 'what is longer ends at the edge');
  t.strictSame([dayS, 2 * dayS].map(timeScale(shown, box)), [56, 388]);
});
