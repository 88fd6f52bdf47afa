// Charts use local time: a time zone with daylight saving time.
process.env['TZ'] = 'Europe/Berlin';

import t, { type Test } from 'tap';
import { callText, errorCodeOf, idOf, post, replyIn, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { elementsOf, parseXml } from '../../tools/xml.js';

const CONFIG = `${SIMULATED_CONFIG}tree:
  - category: Ground floor
    ident: ground
    children:
      - { variable: Outside, ident: outside, type: float, profile: ~Temperature }
      - { variable: Meter, ident: meter, type: float, profile: ~Electricity }
      - { variable: Text, ident: text, type: string }
  - category: Upper floor
    ident: upper
    children:
      - { variable: Bath, ident: bath, type: float, profile: ~Temperature }
configurators:
  - { title: Ground floor, ident: wf, base: ground, password: tulip }
`;
/** The day on which daylight saving time ends: 25 hours. */
const START = new Date('2025-10-26T00:00').getTime() / 1000;
const HOURS = 25;

interface Dataset {
  VariableID: number;
  Kind: string;
  StartTime: number;
  EndTime: number;
  AggregationSpan: number;
  Points: { TimeStamp: number; Duration: number; Value: number; Min: number; Max: number }[];
}

/** A gateway with a day of records: temperatures every ten minutes, a meter’s kWh every hour. */
async function metered(t: Test) {
  const fixture = await startGateway(t, CONFIG);
  const archive = await idOfArchive(fixture);
  const log = async (path: string, everyS: number, value: (n: number) => number) => {
    const id = await idOf(fixture, path);
    await rpc(fixture, 'AC_SetLoggingStatus', archive, id, true);
    const values = Array.from({ length: (HOURS * 3600) / everyS + 1 }, (_one, n) => ({
      TimeStamp: START + n * everyS,
      Value: value(n),
    }));
    t.equal(await rpc(fixture, 'AC_AddLoggedValues', archive, id, values), true);
    return id;
  };
  const outside = await log('ground/outside', 600, (n) => 10 + (n % 3));
  const meter = await log('ground/meter', 3600, (n) => n * 0.5);
  await rpc(fixture, 'AC_SetAggregationType', archive, meter, 1);
  const bath = await log('upper/bath', 600, (n) => 20 + (n % 2));
  const wf = await idOf(fixture, 'wf');
  const asFront = (method: string, ...params: unknown[]) =>
    post(fixture, callText(method, [wf, ...params]), [basicLine('webfront', 'tulip')]);
  return { house: fixture, archive, outside, meter, bath, asFront };
}

async function idOfArchive({ gateway }: GatewayFixture): Promise<number> {
  for (const instance of gateway.kernel.tree.objectsOfType(1))
    if (instance.data.moduleName === 'Archive Control') return instance.id;
  throw new Error('no archive');
}

t.test(
  'a chart of a day of 25 hours has five-minute averages, and the consumption of each hour',
  async (t) => {
    const { house: fixture, archive, outside, meter } = await metered(t);
    const fetch = async (id: number, ...how: unknown[]) =>
      (await rpc(fixture, 'AC_FetchChartData', archive, id, START, ...how)) as Dataset[];
    const [line] = await fetch(outside, 1, 0);
    t.match(line, {
      VariableID: outside,
      Kind: 'line',
      StartTime: START,
      EndTime: START + HOURS * 3600,
      AggregationSpan: 5,
    });
    t.equal(line?.Points.length, HOURS * 12);
    t.match(line?.Points[2], { TimeStamp: START + 600, Duration: 300, Value: 11, Min: 11, Max: 11 });
    const [bars] = await fetch(meter, 1, 0);
    t.match(bars, { Kind: 'bar', AggregationSpan: 0 });
    t.strictSame(
      bars?.Points.map(({ Value }) => Value).slice(1),
      Array.from({ length: HOURS - 1 }, () => 0.5),
    );
    const [raw] = await fetch(outside, 0, 2);
    t.match(raw, {
      AggregationSpan: 7,
      Points: [{ TimeStamp: START, Value: 10, Duration: 600 }, { Value: 11 }],
    });
    const svg = (await rpc(
      fixture,
      'AC_RenderChart',
      archive,
      meter,
      START,
      1,
      0,
      false,
      true,
      640,
      300,
    )) as string;
    const rects = [...elementsOf(parseXml(svg))].filter(({ name }) => name === 'rect');
    t.ok(rects.length >= HOURS - 1, `${rects.length} bars`);
    t.match(svg, />kWh</);
    for (const [code, ...params] of [
      ['PARAMETER_BOUNDS', outside, START, 1, 0, false, true, 99, 300],
      ['PARAMETER_BOUNDS', outside, START, 1, 0, false, true, 640, 4001],
      ['PARAMETER_BOUNDS', outside, -1, 1, 0, false, true, 640, 300],
      ['PARAMETER_BOUNDS', outside, START, 6, 0, false, true, 640, 300],
      ['VARIABLE_TYPE', await idOf(fixture, 'ground/text'), START, 1, 0, false, true, 640, 300],
      ['NOT_OF_TYPE', await idOf(fixture, 'ground'), START, 1, 0, false, true, 640, 300],
      ['OBJECT_MISSING', 12, START, 1, 0, false, true, 640, 300],
    ] as const)
      t.equal(await rpc(fixture, 'AC_RenderChart', archive, ...params), code);
    t.equal(await rpc(fixture, 'AC_FetchChartData', outside, outside, START, 1, 0), 'NOT_OF_TYPE');
  },
);

t.test('a chart of several variables is a media object; a user who sees it may hide some', async (t) => {
  const { house: fixture, archive, outside, meter, bath, asFront } = await metered(t);
  const chart = (await rpc(fixture, 'SVC_CreateMedia', 4)) as number;
  await rpc(fixture, 'SVC_SetName', chart, 'Weather & <energy>');
  await rpc(fixture, 'SVC_SetParent', chart, await idOf(fixture, 'ground'));
  const content = {
    datasets: [
      { variableID: outside, title: 'Garden', strokeColor: '#ff8800' },
      { variableID: bath },
      { variableID: meter, side: 'right', visible: false },
    ],
    axes: [{ profile: '~Temperature', side: 'left' }],
    type: 'line',
  };
  await rpc(fixture, 'SVC_SetMediaContent', chart, Buffer.from(JSON.stringify(content)).toString('base64'));
  const shown = async (...visibility: unknown[]) => {
    const datasets = await rpc(fixture, 'AC_FetchChartDataEx', archive, chart, START, 1, 0, visibility);
    return Array.isArray(datasets) ? (datasets as Dataset[]).map(({ VariableID }) => VariableID) : datasets;
  };
  t.strictSame(await shown(), [outside, bath], 'as stored in the chart');
  t.strictSame(await shown(false, true, true), [bath, meter]);
  t.strictSame(await shown(0, 0, 0), []);
  t.equal(await shown('yes'), 'PARAMETER_TYPE');
  const size = [START, 1, 1, true, true, 640, 300];
  const svg = (await rpc(fixture, 'AC_RenderChartEx', archive, chart, ...size, [true, true, true])) as string;
  const root = parseXml(svg);
  t.equal(root.children[0]?.text, 'Weather & <energy>');
  const texts = [...elementsOf(root)].filter(({ name }) => name === 'text').map(({ text }) => text);
  t.ok(
    ['Garden', 'Bath', 'Meter', '°C', 'kWh', '03:00'].every((text) => texts.includes(text)),
    texts.join(),
  );
  const front = replyIn(await asFront('WFC_FetchChartData', chart, START, 1, 0)).result as Dataset[];
  t.strictSame(
    front.map(({ VariableID }) => VariableID),
    [outside],
    'a web front sees what is in its area',
  );
  t.strictSame(replyIn(await asFront('WFC_FetchChartDataEx', chart, START, 1, 0, [false])).result, []);
  t.notMatch((await asFront('WFC_RenderChartEx', chart, ...size, [])).body, /Bath/);
  await rpc(fixture, 'SVC_SetMediaContent', chart, Buffer.from('{').toString('base64'));
  t.equal(await shown(), 'CONFIGURATION_INVALID');
});

t.test('a web front reads the records of its area', async (t) => {
  const { house: fixture, archive, outside, bath, asFront } = await metered(t);
  const end = START + 3599;
  const own = await rpc(fixture, 'AC_GetLoggedValues', archive, outside, START, end, 0);
  t.match(own, { length: 6 });
  t.strictSame(replyIn(await asFront('WFC_GetLoggedValues', outside, START, end, 0)).result, own);
  const hours = await rpc(fixture, 'AC_GetAggregatedValues', archive, outside, 0, START, end, 0);
  t.match(hours, [{ TimeStamp: START, Avg: 11, Duration: 3600, Min: 10, Max: 12 }]);
  t.strictSame(replyIn(await asFront('WFC_GetAggregatedValues', outside, 0, START, end, 0)).result, hours);
  for (const id of [bath, 12]) {
    t.equal(errorCodeOf(await asFront('WFC_GetLoggedValues', id, START, end, 0)), 'NOT_OF_TYPE');
    t.equal(errorCodeOf(await asFront('WFC_GetAggregatedValues', id, 0, START, end, 0)), 'NOT_OF_TYPE');
    t.equal(errorCodeOf(await asFront('WFC_FetchChartData', id, START, 1, 0)), 'OBJECT_MISSING');
    t.equal(
      errorCodeOf(await asFront('WFC_RenderChart', id, START, 1, 0, false, false, 640, 300)),
      'OBJECT_MISSING',
    );
  }
});

t.test('records of a deleted variable never belong to a new object, which has another id', async (t) => {
  const { house: fixture, archive, bath, asFront } = await metered(t);
  const end = START + 3599;
  const records = await rpc(fixture, 'AC_GetLoggedValues', archive, bath, START, end, 0);
  t.match(records, [{ Value: Number }], 'it has records');
  t.equal(await rpc(fixture, 'SVC_DeleteVariable', bath), true);
  const ground = await idOf(fixture, 'ground');
  for (let n = 0; n < 200; n++) {
    const id = (await rpc(fixture, 'SVC_CreateVariable', 2)) as number;
    t.not(id, bath);
    await rpc(fixture, 'SVC_SetParent', id, ground);
  }
  for (const method of ['WFC_GetLoggedValues', 'WFC_GetAggregatedValues'])
    t.equal(
      errorCodeOf(
        await asFront(method, bath, ...(method === 'WFC_GetLoggedValues' ? [] : [0]), START, end, 0),
      ),
      'NOT_OF_TYPE',
      method,
    );
  const all = (await rpc(fixture, 'AC_GetAggregationVariables', archive, true)) as Record<string, number>[];
  t.match(
    all.find(({ VariableID }) => VariableID === bath),
    { RecordCount: Number },
    'the owner still has them',
  );
});
