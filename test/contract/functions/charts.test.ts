import t from 'tap';
import { completeResult } from '../../tools/client/result-schema.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';
const HOUR_S = 3600;

/** A variable with a record every minute of an hour, in the area of a configurator. */
async function recordedHour() {
  const fixture = new FunctionFixture();
  const { id: archive } = fixture.devices.create(ARCHIVE);
  const room = (await fixture.call('SVC_CreateCategory')) as number;
  const variable = (await fixture.call('SVC_CreateVariable', 2)) as number;
  await fixture.call('SVC_SetParent', variable, room);
  const front = 50_001;
  const card = { icon: '', position: 1, editable: false, passwordRequired: true, mobile: false };
  fixture.configurators.push({ ...card, id: front, title: 'Room', baseId: room });
  await fixture.call('AC_SetLoggingStatus', archive, variable, true);
  const startS = Math.floor(fixture.clock.nowMs() / 1000 / HOUR_S) * HOUR_S - HOUR_S;
  const values = Array.from({ length: 60 }, (_one, n) => ({ TimeStamp: startS + n * 60, Value: n }));
  await fixture.call('AC_AddLoggedValues', archive, variable, values);
  return { fixture, archive, front, variable, startS };
}

t.test('the archive and web fronts read the same records and charts', async (t) => {
  const { fixture, archive, front, variable, startS } = await recordedHour();
  await using _fixture = fixture;
  const endS = startS + HOUR_S - 1;
  const logged = await fixture.call('AC_GetLoggedValues', archive, variable, startS, endS, 0);
  t.equal((logged as unknown[]).length, 60);
  t.strictSame(
    await fixture.callAsWebFront(front, 'WFC_GetLoggedValues', front, variable, startS, endS, 0),
    logged,
  );
  const aggregated = await fixture.call('AC_GetAggregatedValues', archive, variable, 0, startS, endS, 0);
  t.match(aggregated, [{ TimeStamp: startS, Duration: HOUR_S, Min: 0, Max: 59 }]);
  t.strictSame(
    await fixture.callAsWebFront(front, 'WFC_GetAggregatedValues', front, variable, 0, startS, endS, 0),
    aggregated,
  );
  const page = await fixture.call('GW_GetRecords', variable, startS, startS + 120, 2);
  t.strictSame(page, {
    Records: [
      { TimeStamp: startS, Value: 0, ClockTrusted: true },
      { TimeStamp: startS + 60, Value: 1, ClockTrusted: true },
    ],
    More: true,
  });
});

t.test('a chart has data and a drawing, and each dataset can be hidden', async (t) => {
  const { fixture, archive, front, variable, startS } = await recordedHour();
  await using _fixture = fixture;
  const which = [variable, startS, 0, 0] as const;
  const size = [false, true, 320, 200] as const;
  const sides = [
    {
      functions: [
        'AC_FetchChartData',
        'AC_FetchChartDataEx',
        'AC_RenderChart',
        'AC_RenderChartEx',
        'AC_RenderChartInline',
      ],
      call: (name: string, ...params: unknown[]) => fixture.call(name, archive, ...params),
    },
    {
      functions: [
        'WFC_FetchChartData',
        'WFC_FetchChartDataEx',
        'WFC_RenderChart',
        'WFC_RenderChartEx',
        'WFC_RenderChartInline',
      ],
      call: (name: string, ...params: unknown[]) => fixture.callAsWebFront(front, name, front, ...params),
    },
  ];
  for (const { functions, call } of sides) {
    const [fetch = '', fetchEx = '', render = '', renderEx = '', inline = ''] = functions;
    const data = async (name: string, ...params: unknown[]) =>
      (await completeResult(call(name, ...params))) as unknown[];
    t.match(await data(fetch, ...which), [{ VariableID: variable, StartTime: startS }], fetch);
    t.strictSame(await data(fetchEx, ...which, [false]), [], fetchEx);
    t.equal((await data(fetchEx, ...which, [true])).length, 1);
    const drawing = await call(render, ...which, ...size);
    t.match(drawing, /^<svg /, render);
    t.equal(await call(renderEx, ...which, ...size, [true]), drawing, renderEx);
    t.not(await call(renderEx, ...which, ...size, [false]), drawing);
    const embedded = String(await call(inline, ...which, ...size));
    t.notMatch(embedded, /<style|style=/, 'a policy of style-src self admits it');
    t.equal(embedded, String(drawing).replace(/<style>.*<\/style>\n/, ''), 'the same drawing otherwise');
    t.equal(await call(inline, ...which, ...size, [true]), embedded);
    t.not(await call(inline, ...which, ...size, [false]), embedded);
  }
});

t.test('a value that has never changed is drawn from the beginning of the logging on', async (t) => {
  const { fixture, archive } = await recordedHour();
  await using _fixture = fixture;
  const { clock, kernel } = fixture;
  const day = async (id: number) =>
    (await completeResult(fixture.call('AC_FetchChartData', archive, id, startS, 1, 0))) as {
      Points: { TimeStamp: number; Duration: number; Value: number }[];
    }[];
  const set = kernel.variables.create(2, { value: 20 });
  const off = kernel.variables.create(0);
  kernel.variables.update(off, false, clock.nowMs());
  // As a module creates it: it has no value before the first report.
  const silent = kernel.variables.create(0, { readOnly: true });
  const reported = kernel.variables.create(0, { readOnly: true });
  const beganS = Math.floor(clock.nowMs() / 1000);
  const startS = beganS - 3600;
  for (const { id } of [set, off, silent, reported])
    await fixture.call('AC_SetLoggingStatus', archive, id, true);
  await (await fixture.ports.archive()).recordedVariables();
  clock.advance(600_000);
  kernel.variables.update(reported, false, clock.nowMs());
  clock.advance(7_200_000 - 600_000);
  const points = (await day(off.id))[0]?.Points;
  t.match(points, [{ TimeStamp: beganS, Duration: 7200, Value: 0 }]);
  t.match((await day(reported.id))[0]?.Points, [{ TimeStamp: beganS + 600, Duration: 6600, Value: 0 }]);
  t.strictSame((await day(silent.id))[0]?.Points, [], 'nothing is known of it');
  const line = (await day(set.id))[0]?.Points ?? [];
  t.ok(line.length >= 23, `${line.length} intervals of 5 minutes`);
  t.ok(line.every(({ Value, TimeStamp }) => Value === 20 && TimeStamp >= beganS - 300));
  const drawing = await fixture.call('AC_RenderChart', archive, set.id, startS, 1, 0, false, true, 320, 200);
  t.notMatch(drawing, /no data/);
});
