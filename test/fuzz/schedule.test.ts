import t from 'tap';
import type { Cyclic, EventDate, EventTime, Schedule } from '../../src/kernel/events/event-data.js';
import { nextCyclic } from '../../src/events/schedule/cyclic.js';
import { nextPoint, pointAt } from '../../src/events/schedule/week-schedule.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { setTimeZone } from '../tools/time-zone.js';
import { referenceNextCyclic, referencePointAt } from './reference-schedule.js';

/** Bounds the suite: about 10 s. */
const CASES = 300;
/**
 * Time zones whose offset changes by an hour, half an hour, two hours, at midnight, a minute after it, by a
 * day, in the south, never.
 */
const ZONES = [
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'America/St_Johns',
  'Pacific/Apia',
  'Pacific/Auckland',
  'America/New_York',
  'Asia/Kathmandu',
  'Africa/Casablanca',
];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Times, within two decades, at which the UTC offset changes here; found by checking twice a day. */
function changesOfClock(): number[] {
  const offsetAt = (ms: number) => new Date(ms).getTimezoneOffset();
  const found: number[] = [];
  for (let ms = Date.UTC(2005); ms < Date.UTC(2027); ms += DAY_MS / 2) {
    const before = offsetAt(ms);
    if (before === offsetAt(ms + DAY_MS / 2)) continue;
    let change = ms + HOUR_MS;
    while (offsetAt(change) === before) change += HOUR_MS;
    found.push(change);
  }
  return found;
}

/** Any time of two decades; every second one is near a change of the offset. */
function anyMoment(random: Random, changes: readonly number[]): number {
  if (changes.length > 0 && random.chance(0.5))
    return random.pick(changes) + Math.floor((random.next() - 0.7) * 2 * DAY_MS);
  return Date.UTC(2005) + Math.floor(random.next() * 21 * 365 * DAY_MS);
}

/** A time of day; often in the hours in which the offset changes. */
function anyTime(random: Random): EventTime {
  return {
    hour: random.chance(0.5) ? random.pick([0, 1, 2, 3, 23]) : random.below(24),
    minute: random.pick([0, 1, 15, 30, 59]),
    second: random.pick([0, 0, 0, 7]),
  };
}

function anyDate(random: Random, nearMs: number): EventDate {
  const date = new Date(nearMs + (random.next() - 0.5) * 2 * 400 * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function anyCyclic(random: Random, nearMs: number): Cyclic {
  const none = { day: 0, month: 0, year: 0 };
  const midnight = { hour: 0, minute: 0, second: 0 };
  const dateType = random.below(6);
  const timeType = random.below(4);
  return {
    dateType,
    dateValue: dateType === 5 ? 1 + random.below(12) : 1 + random.below(random.pick([1, 3, 40])),
    dateDay: dateType === 3 || random.chance(0.6) ? random.below(128) : 0,
    dateDayValue: random.pick([1, 2, 3, 4, 5, 28, 29, 30, 31]),
    dateFrom: dateType === 1 || random.chance(0.4) ? anyDate(random, nearMs) : none,
    dateTo: random.chance(0.2) ? anyDate(random, nearMs + 100 * DAY_MS) : none,
    timeType,
    timeValue: random.pick(
      timeType === 1 ? [7, 60, 1000, 40_000] : timeType === 2 ? [1, 15, 45, 700] : [1, 2, 5, 30],
    ),
    timeFrom: random.chance(0.3) ? midnight : anyTime(random),
    timeTo: random.chance(0.4) ? midnight : anyTime(random),
  };
}

function anySchedule(random: Random): Schedule {
  const groups = Array.from({ length: random.below(4) }, (_, id) => ({
    id,
    days: random.below(128),
    points: Array.from({ length: random.below(5) }, (_, id) => ({
      id,
      start: anyTime(random),
      actionId: random.below(5),
    })),
  }));
  return { actions: [], groups };
}

const seed = fuzzSeed();

for (const zone of ZONES)
  await t.test(
    `the next run of an event agrees with a slow walk: ${zone} (${seedLabel(seed)})`,
    async (t) => {
      setTimeZone(t, zone);
      const random = new Random(seed);
      const changes = changesOfClock();
      const wrong: unknown[] = [];
      let ran = 0;
      for (let n = 0; n < CASES; n++) {
        const afterMs = anyMoment(random, changes);
        const cyclic = anyCyclic(random, afterMs);
        const createdMs = afterMs - Math.floor(random.next() * 100 * DAY_MS);
        const fast = nextCyclic(cyclic, afterMs, createdMs);
        const slow = referenceNextCyclic(cyclic, afterMs, createdMs);
        if (slow !== undefined) ran += 1;
        if (fast !== slow) wrong.push({ cyclic, afterMs, createdMs, fast, slow });
      }
      t.strictSame(wrong.slice(0, 3), [], 'cyclic events');
      t.ok(ran > CASES / 3, `${ran} of ${CASES} patterns had a next run`);
    },
  );

for (const zone of ZONES)
  await t.test(`the point of a schedule agrees with a slow walk: ${zone} (${seedLabel(seed)})`, async (t) => {
    setTimeZone(t, zone);
    const random = new Random(seed);
    const changes = changesOfClock();
    const wrong: unknown[] = [];
    for (let n = 0; n < CASES / 5; n++) {
      const schedule = anySchedule(random);
      const atMs = anyMoment(random, changes);
      const [fast, slow] = [pointAt(schedule, atMs), referencePointAt(schedule, atMs)];
      if (JSON.stringify(fast) !== JSON.stringify(slow)) wrong.push({ schedule, atMs, fast, slow });
      const next = nextPoint(schedule, atMs);
      if ((next === undefined) !== (slow === undefined)) wrong.push({ schedule, atMs, next });
      if (next === undefined) continue;
      const { atMs: nextMs, ...point } = next;
      // The active point applies until the next point begins.
      const before = referencePointAt(schedule, nextMs - 1);
      const there = referencePointAt(schedule, nextMs);
      if (nextMs <= atMs || JSON.stringify(before) !== JSON.stringify(slow))
        wrong.push({ schedule, atMs, next, before });
      if (JSON.stringify(there) !== JSON.stringify(point)) wrong.push({ schedule, atMs, next, there });
    }
    t.strictSame(wrong.slice(0, 3), []);
  });
