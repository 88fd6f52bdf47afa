import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';
const HOUR_MS = 3_600_000;

interface ArchiveRecord {
  readonly TimeStamp: number;
  readonly Value: unknown;
  readonly ClockTrusted: boolean;
}

const recordsOf = async (fixture: GatewayFixture, id: number): Promise<ArchiveRecord[]> =>
  ((await rpc(fixture, 'GW_GetRecords', id, 0, 0, 0)) as { Records: ArchiveRecord[] }).Records;

t.test(
  'a machine without a real-time clock starts in 1970; its records are corrected once the time is known',
  async (t) => {
    const before = new ManualClock();
    const startMs = before.nowMs();
    const fixture = await startGateway(t, SIMULATED_CONFIG, { clock: before });
    const [archive] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', ARCHIVE)) as number[];
    const id = Number(await rpc(fixture, 'SVC_CreateVariable', 1));
    await rpc(fixture, 'AC_SetLoggingStatus', archive, id, true);
    await rpc(fixture, 'SetValue', id, 1);
    await fixture.gateway.close();

    const clock = new ManualClock(HOUR_MS);
    clock.hasTrustedTime = false;
    const box = { directory: fixture.directory, clock };
    const dark = await startGateway(t, undefined, box);
    await rpc(dark, 'SetValue', id, 2);
    clock.advance(60_000);
    t.match(await recordsOf(dark, id), [
      { TimeStamp: 3600, Value: 2, ClockTrusted: false },
      { TimeStamp: startMs / 1000, Value: 1, ClockTrusted: true },
    ]);
    const seen = (await rpc(dark, 'AC_GetLoggedValues', archive, id, 0, 0, 0)) as { Value: number }[];
    t.strictSame(
      seen.map(({ Value }) => Value),
      [1, 2],
      'records from the time before synchronisation are read too',
    );
    await dark.gateway.close();

    const again = await startGateway(t, undefined, box);
    await rpc(again, 'SetValue', id, 3);
    clock.advance(30_000);
    t.strictSame(
      (await recordsOf(again, id)).map(({ ClockTrusted }) => ClockTrusted),
      [false, false, true],
    );
    // The time server replies.
    clock.stepWallClock(startMs + HOUR_MS - clock.nowMs());
    clock.hasTrustedTime = true;
    clock.advance(10_000);
    const corrected = await until('all times are known', async () => {
      const records = await recordsOf(again, id);
      return records.every(({ ClockTrusted }) => ClockTrusted) ? records : undefined;
    });
    const answeredS = (startMs + HOUR_MS) / 1000;
    t.strictSame(
      corrected.map(({ TimeStamp, Value }) => [TimeStamp, Value]),
      [
        [startMs / 1000, 1],
        [answeredS - 90, 2],
        [answeredS - 30, 3],
      ],
    );
    const [newest, median, oldest] = (await rpc(
      again,
      'AC_GetLoggedValues',
      archive,
      id,
      0,
      0,
      0,
    )) as object[];
    t.match(
      [newest, median, oldest],
      [
        { Value: 3, Duration: 40 },
        { Value: 2, Duration: 60 },
        { Value: 1, Duration: 3600 - 90 },
      ],
    );
  },
);
