// Charts use local time: a time zone with daylight saving time.
process.env['TZ'] = 'Europe/Berlin';

import t from 'tap';
import {
  parseChart,
  chartOfVariable,
  type ChartDefinition,
} from '../../../src/functions/chart/chart-definition.js';
import { drawChart, type DrawingOptions } from '../../../src/functions/chart/svg-drawing.js';
import { periodOf, type Density } from '../../../src/functions/chart/period.js';
import { readSeries } from '../../../src/functions/chart/series.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import type { Value } from '../../../src/kernel/value.js';
import { svgProblem } from '../../tools/svg-check.js';
import { FakeReadings } from '../../tools/gateway/fake-readings.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { elementsOf, parseXml, type XmlElement } from '../../tools/xml.js';

const seed = fuzzSeed();
const at = (text: string) => new Date(text).getTime() / 1000;
const DAY = 1 as const;
const spans = [0, DAY, 2, 3, 4, 5] as const;

/** A kernel with one variable of each kind, and a day's records of each. */
function kernelWithRecords() {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  kernel.profiles.create('Mode', 1);
  for (const [value, name] of ['Off', 'Eco', 'Comfort'].entries())
    kernel.profiles.setAssociation('Mode', { value, name, icon: '', color: -1 });
  const variable = (type: 0 | 1 | 2 | 3, name: string, profile: string) =>
    kernel.variables.create(type, { name, profile });
  const of = {
    temperature: variable(2, 'Outside', '~Temperature'),
    pump: variable(0, 'Pump', '~Switch'),
    mode: variable(1, 'Mode', 'Mode'),
    meter: variable(2, 'Meter', '~Electricity'),
    dimmer: variable(1, 'Dimmer', '~Intensity.255'),
    text: variable(3, 'Text', ''),
  };
  of.meter.data.logging = { active: true, counter: true, ignoreZeros: false, graph: true, compaction: [] };
  const begin = at('2026-11-21T00:00');
  const now = at('2026-11-22T18:00');
  const every = (stepS: number, value: (n: number) => Value) => {
    const records: [number, Value][] = [];
    for (let atS = begin; atS < now; atS += stepS) records.push([atS, value(records.length)]);
    return records;
  };
  const readings = new FakeReadings(
    [
      [of.temperature.id, every(300, (n) => 10 + (n % 7))],
      [of.pump.id, every(5000, (n) => n % 2 === 0)],
      [of.mode.id, every(7000, (n) => n % 3)],
      [of.meter.id, every(600, () => 0.5)],
      [of.dimmer.id, every(3000, (n) => (n * 51) % 256)],
    ],
    now,
  );
  readings.counters.add(of.meter.id);
  const today = { span: DAY, dense: 0, period: periodOf(DAY, 0, now) } as const;
  const known = {
    variable: (id: number) => {
      const object = kernel.tree.find(id);
      return object?.is(2) ? object : undefined;
    },
    hasProfile: (name: string) => kernel.profiles.find(name) !== undefined,
  };
  const ofJson = (content: object, title = 'Chart') =>
    parseChart(kernel, title, JSON.stringify(content), known);
  const draw = async (
    definition: ChartDefinition,
    options: Partial<DrawingOptions> & { dense?: Density } = {},
  ) => {
    const { dense = 0, span = DAY, period = periodOf(span, 0, now), ...rest } = options;
    const series = [];
    for (const dataset of definition.datasets)
      series.push(await readSeries(readings, dataset, { span, dense, period }));
    const complete = { isExtrema: false, isDyn: true, width: 640, height: 300, ...rest, span, period };
    return { series, svg: await drawChart(kernel, definition, { series, options: complete }) };
  };
  return { kernel, of, readings, today, now, ofJson, draw, known };
}

t.test('a dataset shows averages, state changes or consumption', async (t) => {
  const { kernel, of, readings, today } = kernelWithRecords();
  const read = async (variable: (typeof of)['pump'], expected: object = {}) => {
    const [dataset] = chartOfVariable(kernel, variable).datasets;
    return readSeries(readings, dataset as NonNullable<typeof dataset>, { ...today, ...expected });
  };
  const { startS } = today.period;
  const line = await read(of.temperature);
  t.match(line, { span: 5, dataset: { kind: 'line' }, isTruncated: false });
  t.equal(line.points.length, (18 * 3600) / 300);
  t.match(line.points[0], { atS: startS, durationS: 300, value: 10 + (288 % 7) });
  const bars = await read(of.meter);
  t.match(bars, { span: 0, dataset: { kind: 'bar' }, points: { length: 18 } });
  t.strictSame(
    bars.points.map(({ value }) => value),
    bars.points.map(() => 3),
  );
  const states = await read(of.pump);
  t.match(states, { span: 7, dataset: { kind: 'step' } });
  t.strictSame(
    { ...states.points[0] },
    { atS: startS, durationS: 18 * 5000 - 86_400, value: 0, min: 0, max: 0 },
    'with its initial value',
  );
  t.ok(
    states.points.every(
      ({ atS, durationS }, n, all) => atS + durationS === (all[n + 1]?.atS ?? at('2026-11-22T18:00')),
    ),
  );
  t.match(await read(of.temperature, { dense: 2 }), { span: 7, dataset: { kind: 'line' } });
  t.match(await read(of.mode), { dataset: { kind: 'step' } });
  t.match(await read(of.text), { points: [] });
  const busy = new FakeReadings(
    [[of.pump.id, Array.from({ length: 20_000 }, (_one, n) => [startS + n, n % 2 === 0] as const)]],
    startS + 20_000,
  );
  const [dataset] = chartOfVariable(kernel, of.pump).datasets;
  const share = await readSeries(busy, dataset as NonNullable<typeof dataset>, today);
  t.equal(share.span, 5, 'too many changes: the fraction of time');
  t.strictSame(share.points[0]?.value.toFixed(3), '0.500');
});

t.test('a shifted dataset draws the values of another period over the current one', async (t) => {
  const { of, ofJson, draw, today } = kernelWithRecords();
  const definition = ofJson({ datasets: [{ variableID: of.meter.id, timeOffset: -1 }] });
  const { series, svg } = await draw(definition);
  t.equal(series[0]?.period.endS, today.period.startS);
  const rects = [...elementsOf(parseXml(svg))].filter(
    ({ name, attributes }) => name === 'rect' && !attributes.has('rx'),
  );
  t.equal(rects.length, 24, 'a complete day, although this one has had 18 hours');
});

t.test('invalid content of a chart is replaced by defaults, within its limits', async (t) => {
  const { of, ofJson, known, kernel } = kernelWithRecords();
  const { id } = of.temperature;
  const definition = ofJson({
    type: 'bar',
    datasets: [
      {
        variableID: id,
        strokeColor: '#FF8800',
        fillColor: 255,
        side: 'right',
        title: 'T',
        visible: false,
        timeOffset: -2,
      },
      { variableID: 12, title: 'Nobody' },
      null,
      {
        variableID: of.pump.id,
        strokeColor: 'red;}',
        fillColor: 'url(#x)',
        side: {},
        title: 7,
        timeOffset: 1e9,
      },
    ],
    axes: [{ profile: '~Temperature', side: 'right' }, { profile: 'None', side: 0 }, 5],
  });
  t.match(definition, {
    datasets: [
      {
        index: 0,
        kind: 'bar',
        stroke: '#FF8800',
        fill: '#0000ff',
        side: 1,
        title: 'T',
        visible: false,
        offset: -2,
      },
      { index: 3, kind: 'step', stroke: '', fill: '', side: 0, title: 'Pump', visible: true, offset: 0 },
    ],
    axes: ['', '~Temperature'],
  });
  const many = Array.from({ length: 17 }, () => ({ variableID: id }));
  for (const content of [
    '',
    '[',
    'null',
    '[]',
    '{}',
    '{"datasets":{}}',
    JSON.stringify({ datasets: many }),
    `{"datasets":[],"a":"${'x'.repeat(65_536)}"}`,
  ])
    t.throws(
      () => parseChart(kernel, 'C', content, known),
      { code: 'CONFIGURATION_INVALID' },
      content.slice(0, 40),
    );
  t.equal(ofJson({ datasets: [] }).datasets.length, 0);
});

/** Texts of a drawing by their group. */
const textsIn = (root: XmlElement, group: string) =>
  [...elementsOf(root)]
    .filter(({ attributes }) => attributes.get('class') === group)
    .flatMap((one) => [...elementsOf(one)].filter(({ name }) => name === 'text').map(({ text }) => text));

t.test(
  'axes are labelled with units and numbers of the profile, names of states and local times',
  async (t) => {
    const { kernel, of, ofJson, draw } = kernelWithRecords();
    const texts = async (definition: ChartDefinition, options = {}) => {
      const root = parseXml((await draw(definition, options)).svg);
      return {
        left: textsIn(root, 'axis left'),
        right: textsIn(root, 'axis right'),
        time: textsIn(root, 'time'),
        legend: textsIn(root, 'legend'),
      };
    };
    const one = await texts(chartOfVariable(kernel, of.temperature));
    t.strictSame(one.left, ['10', '11', '12', '13', '14', '15', '16', '°C']);
    t.strictSame(one.time, ['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']);
    t.strictSame(one.legend, [], 'a single one needs no legend');
    const complete = await texts(chartOfVariable(kernel, of.temperature), { isDyn: false });
    t.match([complete.left[0], complete.left.at(-2)], ['-40', '80'], 'the range of the profile');
    t.strictSame((await texts(chartOfVariable(kernel, of.pump))).left, ['Off', 'On']);
    t.strictSame((await texts(chartOfVariable(kernel, of.mode))).left, ['Off', 'Eco', 'Comfort']);
    const dimmer = await texts(chartOfVariable(kernel, of.dimmer), { isDyn: false });
    t.match(
      [dimmer.left[0], dimmer.left.at(-2), dimmer.left.at(-1)],
      ['0', '100', '%'],
      'percent of the range',
    );
    const both = await texts(
      ofJson({
        datasets: [{ variableID: of.pump.id }, { variableID: of.temperature.id, side: 1, title: '<b>' }],
      }),
    );
    t.strictSame(both.left, ['Off', 'On']);
    t.equal(both.right.at(-1), '°C');
    t.strictSame(both.legend, ['Pump', '<b>']);
    const empty = await draw(chartOfVariable(kernel, kernel.variables.create(2)));
    t.match(empty.svg, />no data</);
  },
);

t.test('each curve shows its values as its own variable does, on one axis', async (t) => {
  const { kernel, ofJson, now, today } = kernelWithRecords();
  kernel.profiles.create('Level', 1);
  const variable = (type: 1 | 2, name: string, profile: string) =>
    kernel.variables.create(type, { name, profile });
  const dimmer = variable(1, 'Dimmer', '~Intensity.255');
  const valve = variable(1, 'Valve', '~Intensity.100');
  const warm = variable(2, 'Warm', '~Temperature');
  const raw = variable(1, 'Raw', '');
  const level = variable(1, 'Level', 'Level');
  /** The paths of variables with constant values, the first of which determines the axis. */
  const paths = async (given: readonly (readonly [typeof valve, number])[], profile: string) => {
    const { startS } = today.period;
    const readings = new FakeReadings(
      given.map(([{ id }, value]) => [id, [[startS, value]]]),
      now,
    );
    const datasets = given.map(([{ id }]) => ({ variableID: id }));
    const definition = ofJson({ datasets, axes: profile === '' ? [] : [{ profile, side: 0 }] });
    const series = [];
    for (const dataset of definition.datasets) series.push(await readSeries(readings, dataset, today));
    const options = { ...today, isExtrema: false, isDyn: false, width: 640, height: 300 };
    const root = parseXml(await drawChart(kernel, definition, { series, options }));
    const groups = [...elementsOf(root)].filter(({ attributes }) => attributes.get('class') === 'series');
    t.equal(groups.length, given.length);
    return new Set(groups.map(({ children }) => children[0]?.attributes.get('d')));
  };
  const same = async (message: string, profile: string, ...given: (readonly [typeof valve, number])[]) =>
    t.equal((await paths(given, profile)).size, 1, message);
  await same('percentages of two ranges', '', [dimmer, 255], [valve, 100]);
  await same('percentages of two ranges', '', [valve, 40], [dimmer, 102]);
  await same('percentages of two ranges', '~Intensity.255', [valve, 40], [dimmer, 102]);
  await same('a temperature is no percentage', '', [dimmer, 51], [warm, 20]);
  await same('without a profile: that of the axis', '', [dimmer, 51], [raw, 51]);
  await same('a percentage, also on another axis', '', [warm, 20], [dimmer, 51]);
  await same('a profile of the axis', '~Intensity.255', [level, 51], [valve, 20]);
  await same('a profile of the axis', '~Temperature', [dimmer, 51], [warm, 51]);
});

t.test('a line has gaps for missing values, and extremes are a band', async (t) => {
  const { kernel, of, now, today } = kernelWithRecords();
  const { startS } = today.period;
  const pieces = [0, 1, 2, 10, 11].map((n) => ({
    timeStamp: startS + n * 300,
    durationS: 300,
    avg: 10,
    min: 9,
    minTime: startS,
    max: 12,
    maxTime: startS,
  }));
  const readings = { logged: async () => [], aggregated: async () => pieces.toReversed() };
  const definition = chartOfVariable(kernel, of.temperature);
  const [dataset] = definition.datasets;
  const series = [await readSeries(readings, dataset as NonNullable<typeof dataset>, today)];
  const options = { span: DAY, period: today.period, isDyn: true, width: 640, height: 300 };
  const curve = async (isExtrema: boolean) => {
    const root = parseXml(
      await drawChart(kernel, definition, { series, options: { ...options, isExtrema } }),
    );
    const group = [...elementsOf(root)].find(({ attributes }) => attributes.get('class') === 'series');
    return group?.children.map(({ attributes }) => attributes.get('d') ?? '') ?? [];
  };
  const [path = '', ...none] = await curve(false);
  t.equal(path.match(/M/g)?.length, 2);
  t.strictSame(none, []);
  const [band = ''] = await curve(true);
  t.equal(band.match(/Z/g)?.length, 2);
  t.ok(now > startS);
});

t.test(
  `every drawing is well-formed, within its bounds, and without active content (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const { kernel, of, now } = kernelWithRecords();
    const names = [
      '<script>alert(1)</script>',
      '"><g onload="x"',
      ']]>&amp;&#0;',
      '\u0000\u0007\uFFFE',
      '\uD800x',
      '日本語🏠',
      '',
      'x'.repeat(300),
      "it's",
    ];
    const values = [0, -1, 1e308, -1e308, 1e-320, 21.5, 2 ** 53, 100];
    const variables = Object.values(of).slice(0, 5);
    for (let n = 0; n < 150 && t.passing(); n++) {
      const records = variables.map((variable) => {
        let atS = now - random.below(3 * 86_400);
        return [
          variable.id,
          random.some(
            40,
            () =>
              [
                (atS += 1 + random.below(9000)),
                random.chance(0.5) ? random.pick(values) : random.next() * 100,
              ] as const,
          ),
        ] as const;
      });
      const readings = new FakeReadings(records, now);
      const content = {
        type: random.pick(['line', 'bar']),
        datasets: random.some(7, () => ({
          variableID: random.pick(variables).id,
          title: random.pick(names),
          strokeColor: random.pick(['', '#f00', '"/><script/>', 0xff00ff]),
          fillColor: random.pick(['', '#00ff0080']),
          side: random.below(2),
          timeOffset: random.below(3) - 1,
        })),
        axes: [{ profile: random.pick(['~Temperature', 'Mode', '~Switch']), side: random.below(2) }],
      };
      const known = {
        variable: (id: number) => variables.find((one) => one.id === id),
        hasProfile: () => true,
      };
      const definition = parseChart(kernel, random.pick(names), JSON.stringify(content), known);
      const span = random.pick(spans);
      const options: DrawingOptions = {
        span,
        period: periodOf(span, random.chance(0.5) ? 0 : now - random.below(86_400), now),
        isExtrema: random.chance(0.5),
        isDyn: random.chance(0.5),
        width: random.pick([100, 320, 640, 4000]),
        height: random.pick([100, 200, 480]),
      };
      const dense = random.below(3) as Density;
      const series = [];
      for (const dataset of definition.datasets)
        series.push(await readSeries(readings, dataset, { ...options, dense }));
      const svg = await drawChart(kernel, definition, { series, options });
      const wrong = svgProblem(svg, options);
      if (wrong !== undefined) t.fail(`${wrong}\n${JSON.stringify(content)}\n${svg.slice(0, 2000)}`);
    }
    t.pass('all of them');
  },
);
