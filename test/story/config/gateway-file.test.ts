import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { putMeta } from '../../../src/store/checksums.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { FULL_CONFIG } from '../../tools/gateway/full-config.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const problems = async (fixture: GatewayFixture, yaml?: string) => {
  if (yaml !== undefined) await fixture.configure(SIMULATED_CONFIG + yaml);
  return ((await rpc(fixture, 'GW_ReloadConfiguration')) as { Problems: unknown[] }).Problems;
};

t.test('the file sets archives, profiles, actions, connections, scripts, media and positions', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FULL_CONFIG);
  const id = (path: string) => idOf(fixture, path);
  const archive = await id('stellwerk/AC');
  t.strictSame(await problems(fixture), []);

  const [state, water] = [await id('house/lamp/STATE'), await id('house/water')];
  t.equal(await rpc(fixture, 'AC_GetLoggingStatus', archive, state), true, "an instance's variable");
  t.match(await rpc(fixture, 'SVC_GetVariable', state), { VariableCustomProfile: 'Lamp' });
  t.match(await rpc(fixture, 'SVC_GetObject', state), { ObjectName: 'Lamp is on', ObjectIcon: 'Bulb' });
  t.equal(await rpc(fixture, 'AC_GetAggregationType', archive, water), 1);
  t.strictSame(await rpc(fixture, 'AC_GetCompaction', archive, water), [
    { MonthOffset: 1, CompactionType: 3 },
    { MonthOffset: 24, CompactionType: 8 },
  ]);
  t.match(await rpc(fixture, 'SVC_GetVariableProfile', 'Litres'), {
    ProfileType: 2,
    Suffix: ' l',
    MaxValue: 500,
    StepSize: 0.5,
    Digits: 1,
    Icon: 'Drops',
    Associations: [{ Value: 0, Name: 'none', Color: 0xff0000 }],
  });
  const script = await id('house/rules');
  t.equal(await rpc(fixture, 'SVC_GetScriptContent', script), 'print(1);\n');
  t.match(await rpc(fixture, 'SVC_GetVariable', await id('house/target')), { VariableCustomAction: script });
  t.match(await rpc(fixture, 'SVC_GetVariable', water), { VariableCustomAction: 1 });
  t.match(await rpc(fixture, 'SVC_GetMedia', await id('house/plan')), {
    MediaType: 1,
    MediaFile: 'media/plan.png',
    MediaIsCached: true,
  });
  t.match(await rpc(fixture, 'SVC_GetInstance', await id('house/plug')), {
    ConnectionID: await id('broker'),
  });

  const position = async (path: string) =>
    ((await rpc(fixture, 'SVC_GetObject', await id(path))) as { ObjectPosition: number }).ObjectPosition;
  t.strictSame(
    await Promise.all(['house', 'broker', 'house/lamp', 'house/water', 'house/target'].map(position)),
    [1, 2, 1, 40, 41],
    'the order of the file; a configured position takes precedence',
  );
});

t.test('the file sets conditions, limits and schedules of events, and all patterns of days', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FULL_CONFIG);
  const event = async (path: string) => rpc(fixture, 'SVC_GetEvent', await idOf(fixture, path));
  const [command, water] = [await idOf(fixture, 'house/target'), await idOf(fixture, 'house/water')];
  t.match(await event('house/leak'), {
    EventLimit: 3,
    EventActive: true,
    EventConditions: [
      {
        ID: 0,
        ParentID: 0,
        Operation: 1,
        VariableRules: [
          { VariableID: water, Comparison: 3, Value: 2, Type: 0 },
          { VariableID: water, Comparison: 2, Value: command, Type: 1 },
        ],
        DateRules: [{ Comparison: 0, Value: { Day: 24, Month: 12, Year: 0 } }],
      },
      {
        ID: 1,
        ParentID: 0,
        Operation: 3,
        TimeRules: [{ Comparison: 4, Value: { Hour: 6, Minute: 30, Second: 0 } }],
        DayOfTheWeekRules: [{ Comparison: 0, Value: 7 }],
      },
    ],
  });
  t.match(await event('house/week'), {
    EventType: 2,
    ScheduleActions: [
      { ID: 1, Name: 'warm', Color: 0xff8800, ScriptText: 'print(1)' },
      { ID: 7, Name: 'cold', Color: -1, ActionParameters: { TARGET: command, VALUE: 16 } },
    ],
    ScheduleGroups: [
      {
        Days: 31,
        Points: [
          { Start: { Hour: 6 }, ActionID: 1 },
          { Start: { Hour: 22, Minute: 15 }, ActionID: 7 },
        ],
      },
      { Days: 96, Points: [{ ActionID: 7 }] },
    ],
  });
  t.match(await event('house/first'), {
    CyclicDateType: 4,
    CyclicDateValue: 2,
    CyclicDateDay: 1,
    CyclicDateDayValue: 5,
    CyclicTimeType: 3,
    CyclicTimeValue: 2,
    CyclicDateFrom: { Day: 1, Month: 2, Year: 2026 },
  });
  t.match(await event('house/rules/timer'), { CyclicTimeType: 2, EventActionID: '', EventScript: '' });
});

t.test('reading an unchanged file changes nothing and sends nothing, even after a restart', async (t) => {
  // Its clock stands still, so that no timer event comes due.
  const clock = new ManualClock();
  const fixture = await startGateway(t, SIMULATED_CONFIG + FULL_CONFIG, { clock });
  const { gateway } = fixture;
  const ofLink = ({ ident }: { ident: string }) => ident === 'LINK' || ident === 'STATUS';
  const tree = (of: GatewayFixture['gateway']) =>
    [...of.kernel.tree.all()]
      .filter((one) => one.parent?.ident !== 'stellwerk' && !ofLink(one))
      .map(({ id, type, name, ident, position, icon, data, parentId }) => {
        const {
          nextRun: _,
          updated: _u,
          changed: _c,
          qualityProblem: _d,
          reportTimes: _h,
          status: _s,
          ...rest
        } = data as unknown as Record<string, unknown>;
        return { id, type, name, ident, position, icon, parentId, ...rest };
      })
      .sort((a, b) => a.id - b.id);
  const before = tree(gateway);
  const { counter } = gateway.kernel.changes;
  t.strictSame(await problems(fixture), []);
  const sent = (await rpc(fixture, 'SVC_GetSnapshotChanges', counter)) as {
    SenderID: number;
    Message: number;
  }[];
  // The state of the missing broker may be reported at any time: LINK, STATUS, and the instance's status.
  const links = [...gateway.kernel.tree.all()].filter(ofLink).map(({ id }) => id);
  t.strictSame(
    sent.filter(
      ({ SenderID, Message }) =>
        SenderID !== 0 && !links.includes(SenderID) && Message !== messageNumber.IM_CHANGESTATUS,
    ),
    [],
  );
  t.strictSame(tree(gateway), before);
  await gateway.close();
  const again = await startGateway(t, undefined, { directory: fixture.directory, clock });
  t.strictSame(await problems(again), []);
  t.strictSame(tree(again.gateway), before);
});

t.test('removing a key keeps its setting; the opposite value removes it', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FULL_CONFIG);
  const archive = await idOf(fixture, 'stellwerk/AC');
  const water = await idOf(fixture, 'house/water');
  const logged = () => rpc(fixture, 'AC_GetLoggingStatus', archive, water);
  const line = /archive: \{ type: counter.*\}, /;
  t.match(FULL_CONFIG, line);
  t.strictSame(await problems(fixture, FULL_CONFIG.replace(line, '')), []);
  t.equal(await logged(), true);
  t.strictSame(await problems(fixture, FULL_CONFIG.replace(line, 'archive: false, ')), []);
  t.equal(await logged(), false);
  t.equal(await rpc(fixture, 'AC_GetAggregationType', archive, water), 1, 'how it was archived stays');
  const none = FULL_CONFIG.replace(/associations: \[\{ value: 0.*/, 'associations: []').replace(
    /conditions:[^]*?\n {8}script/,
    'conditions: []\n        script',
  );
  t.strictSame(await problems(fixture, none), []);
  t.match(await rpc(fixture, 'SVC_GetVariableProfile', 'Litres'), {
    Suffix: ' l',
    Associations: { length: 0 },
  });
  t.match(await rpc(fixture, 'SVC_GetEvent', await idOf(fixture, 'house/leak')), {
    EventConditions: { length: 0 },
  });
});

t.test(
  'objects created by calls keep their positions, like those from versions without an order',
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + FULL_CONFIG);
    const own = (await rpc(fixture, 'SVC_CreateCategory')) as number;
    const lamp = await idOf(fixture, 'house/lamp');
    await rpc(fixture, 'SVC_SetPosition', lamp, 99);
    t.strictSame(await problems(fixture), []);
    t.match(await rpc(fixture, 'SVC_GetObject', own), { ObjectPosition: 0 });
    t.match(
      await rpc(fixture, 'SVC_GetObject', lamp),
      { ObjectPosition: 99 },
      'its position in the file is the same',
    );
  },
);

t.test('a position from a version without an order is kept at every start', async (t) => {
  const before = await startGateway(t, SIMULATED_CONFIG + FULL_CONFIG);
  const { directory } = before;
  await rpc(before, 'SVC_SetPosition', await idOf(before, 'house/lamp'), 99);
  await before.gateway.close();
  // The database of a version that did not set positions.
  const db = new DatabaseSync(join(directory, 'data', 'stellwerk.db'));
  const applied = String(db.prepare("SELECT value FROM meta WHERE name = 'applied'").get()?.['value']);
  const without = (key: string, value: unknown) => (key === 'position' ? undefined : value);
  putMeta(db, 'applied', JSON.stringify(JSON.parse(applied, without)));
  db.close();
  for (const start of ['the first start', 'the second start']) {
    const fixture = await startGateway(t, undefined, { directory });
    const lamp = await rpc(fixture, 'SVC_GetObject', await idOf(fixture, 'house/lamp'));
    t.match(lamp, { ObjectPosition: 99 }, start);
    await fixture.gateway.close();
  }
});
