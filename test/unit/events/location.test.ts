import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { instanceStatus } from '../../../src/kernel/instances.js';
import { locationModule } from '../../../src/modules/location/location.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { setTimeZone } from '../../tools/time-zone.js';

const HOUR_MS = 3_600_000;
const berlin = { Latitude: 52.52, Longitude: 13.405 };
const tromso = { Latitude: 69.65, Longitude: 18.96 };

/** A gateway’s location, at a time (UTC), with a manual clock. */
async function place(t: Test, properties: object, at: string): Promise<Place> {
  const clock = new ManualClock(Date.parse(at));
  const fixture = new DeviceFixture([locationModule], clock);
  t.teardown(() => fixture.devices.close());
  return new Place(fixture, clock, await fixture.add('Location Control', { ...properties }));
}

class Place {
  readonly fixture: DeviceFixture;
  readonly clock: ManualClock;
  readonly instance: Instance;

  constructor(fixture: DeviceFixture, clock: ManualClock, instance: Instance) {
    this.fixture = fixture;
    this.clock = clock;
    this.instance = instance;
  }

  online(): Promise<void> {
    return this.fixture.waitForLink(this.instance, 'online');
  }

  /** A time of the sun, as UTC to the minute. */
  time(ident: string): string {
    return new Date(Number(this.fixture.value(this.instance, ident)) * 1000).toISOString().slice(0, 16);
  }

  get isDay(): unknown {
    return this.fixture.value(this.instance, 'IsDay');
  }
}

await t.test('without a location it is inactive, and says what to do', async (t) => {
  const nowhere = await place(t, {}, '2026-06-21T10:00Z');
  t.equal(nowhere.instance.data.status, instanceStatus.inactive);
  t.match(nowhere.fixture.status(nowhere.instance), /the location is not set; set Latitude and Longitude/);
  t.equal(nowhere.instance.children?.byIdent('Sunset'), undefined, 'it has no meaningless times');
  t.equal(nowhere.clock.pendingTimers, 0);

  await nowhere.fixture.change(nowhere.instance, berlin);
  await nowhere.online();
  t.equal(nowhere.instance.data.status, instanceStatus.active);
  t.match(nowhere.time('Sunset'), /^2026-06-21T19:3\d/);
  t.equal(nowhere.isDay, true);
});

await t.test('an invalid location is rejected', async (t) => {
  const somewhere = await place(t, { Latitude: 1, Longitude: 1 }, '2026-06-21T10:00Z');
  t.throws(() => somewhere.fixture.devices.setProperty(somewhere.instance.id, 'Latitude', 90.5), /Latitude/);
});

await t.test('the times are those of the day, and day and night follow the sun', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  const home = await place(t, berlin, '2026-03-20T11:00Z');
  await home.online();
  t.match(home.time('Sunrise'), /^2026-03-20T05:(09|10)/);
  t.match(home.time('CivilTwilightEnd'), /^2026-03-20T17:5\d/);
  t.match(home.time('NauticTwilightStart'), /^2026-03-20T03:5\d/);
  t.match(home.time('AstronomicTwilightEnd'), /^2026-03-20T19:1\d/);
  t.equal(home.fixture.quality(home.instance, 'Sunset'), 'good');

  const sunsetMs = Number(home.fixture.value(home.instance, 'Sunset')) * 1000;
  home.clock.advance(sunsetMs - home.clock.nowMs() - 1000);
  t.equal(home.isDay, true, 'a second before sunset');
  home.clock.advance(2000);
  t.equal(home.isDay, false);
  t.match(home.time('Sunset'), /^2026-03-20/, 'the day continues');

  home.clock.advance(Date.parse('2026-03-20T23:00:01Z') - home.clock.nowMs());
  t.match(home.time('Sunrise'), /^2026-03-21T05:0\d/, 'midnight, local time, begins another day');
  t.equal(home.isDay, false);
  const timers = home.clock.pendingTimers;
  const days: unknown[] = [];
  home.fixture.kernel.changes.listen(({ Data }) => {
    if (typeof Data[0] === 'boolean' && Data[1] === true) days.push(Data[0]);
  });
  home.clock.advance(3 * 24 * HOUR_MS);
  t.same(days, [true, false, true, false, true, false], 'one change each');
  t.equal(home.clock.pendingTimers, timers, 'no more timers than before');
});

await t.test('parts of the day begin and end at an offset from sunrise and sunset', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  const Spans = [
    {
      Ident: 'Shutters',
      Name: 'Shutters are up',
      From: 'Sunrise',
      FromOffsetS: 1800,
      To: 'Sunset',
      ToOffsetS: -900,
    },
    { Ident: 'Porch', From: 'Sunset', FromOffsetS: -600, To: 'Sunrise' },
  ];
  const home = await place(t, { ...berlin, Spans }, '2026-03-20T11:00Z');
  const { fixture, clock, instance } = home;
  await home.online();
  const sunsetMs = Number(fixture.value(instance, 'Sunset')) * 1000;
  t.equal(fixture.value(instance, 'Shutters'), true);
  t.equal(fixture.value(instance, 'Porch'), false);
  t.equal(instance.children?.byIdent('Shutters')?.name, 'Shutters are up');
  const changes: [string | undefined, unknown, number][] = [];
  fixture.kernel.changes.listen(({ SenderID, Data: [value, isChange] }) => {
    const ident = fixture.kernel.tree.find(SenderID)?.ident;
    if (typeof value === 'boolean' && isChange === true && ident !== 'IsDay')
      changes.push([ident, value, clock.nowMs()]);
  });
  clock.advance(24 * HOUR_MS);
  const sunriseMs = Number(fixture.value(instance, 'Sunrise')) * 1000;
  const at = (ms: number) => Math.floor(ms / 1000);
  t.same(
    changes.map(([ident, value, ms]) => [ident, value, at(ms)]),
    [
      ['Shutters', false, at(sunsetMs) - 900],
      ['Porch', true, at(sunsetMs) - 600],
      ['Porch', false, at(sunriseMs)],
      ['Shutters', true, at(sunriseMs) + 1800],
    ],
  );
  clock.advance(24 * HOUR_MS * 7);
  t.equal(changes.length, 4 * 8, 'four per day');

  await fixture.change(instance, tromso);
  await home.online();
  clock.advance(Date.parse('2026-12-21T11:00Z') - clock.nowMs());
  t.equal(fixture.value(instance, 'Shutters'), false);
  t.equal(fixture.quality(instance, 'Shutters'), 'bad NOT_TODAY');
  fixture.devices.setProperty(instance.id, 'Spans', [{ Ident: 'IsDay', From: 'Sunrise', To: 'Sunset' }]);
  await fixture.devices.applyChanges(instance.id);
  t.match(fixture.status(instance), /IsDay is taken/);
  t.throws(
    () => fixture.devices.setProperty(instance.id, 'Spans', [{ Ident: 'X', From: 'Noon', To: 'Sunset' }]),
    /Spans.0.From: expected Sunrise or Sunset or CivilTwilightStart/,
  );
});

await t.test('without a sunrise there are no times of it', async (t) => {
  setTimeZone(t, 'Europe/Oslo');
  const north = await place(t, tromso, '2026-12-21T11:00Z');
  await north.online();
  t.equal(north.isDay, false);
  t.equal(north.fixture.value(north.instance, 'Sunrise'), 0);
  t.equal(north.fixture.quality(north.instance, 'Sunrise'), 'bad NOT_TODAY');
  t.equal(north.fixture.quality(north.instance, 'CivilTwilightStart'), 'good');

  await north.fixture.change(north.instance, berlin);
  await north.online();
  t.equal(north.fixture.quality(north.instance, 'Sunrise'), 'good', 'another location, other times');
  t.match(north.time('Sunrise'), /^2026-12-21T07:1\d/);
});

await t.test('nothing is reported until the clock is synchronised', async (t) => {
  const clock = new ManualClock(Date.parse('2026-01-01T11:00Z'));
  clock.hasTrustedTime = false;
  const fixture = new DeviceFixture([locationModule], clock);
  t.teardown(() => fixture.devices.close());
  const early = new Place(fixture, clock, await fixture.add('Location Control', berlin));
  await early.online();
  clock.advance(30 * HOUR_MS);
  t.equal(fixture.quality(early.instance, 'IsDay'), 'stale CLOCK_NOT_SET');
  t.equal(fixture.value(early.instance, 'Sunset'), 0);

  clock.stepWallClock(180 * 24 * HOUR_MS);
  clock.hasTrustedTime = true;
  clock.advance(10_000);
  t.match(early.time('Sunset'), /^2026-07-0\dT19:/);
  t.equal(fixture.quality(early.instance, 'IsDay'), 'good');
  t.equal(fixture.quality(early.instance, 'Sunset'), 'good');
});

await t.test('a clock step in either direction is noticed', async (t) => {
  const home = await place(t, berlin, '2026-06-21T11:00Z');
  await home.online();
  t.equal(home.isDay, true);
  home.clock.stepWallClock(12 * HOUR_MS);
  home.clock.advance(10_000);
  t.equal(home.isDay, false, 'forward, into the night');
  home.clock.stepWallClock(-12 * HOUR_MS);
  home.clock.advance(10_000);
  t.equal(home.isDay, true, 'and back');
  home.clock.stepWallClock(-150 * 24 * HOUR_MS);
  home.clock.advance(10_000);
  t.match(home.time('Sunset'), /^2026-01-2\dT15:/);
});
