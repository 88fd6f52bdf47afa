import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Accounts, type ConfiguratorAccess } from '../../../src/api/access/accounts.js';
import { Authenticator } from '../../../src/api/access/authenticator.js';
import { BrowserSessions } from '../../../src/api/access/browser-sessions.js';
import { privateFile, type TextStorage } from '../../../src/api/private-file.js';
import { ManualClock, type Clock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const ANNA = { device: 'Anna’s phone', remote: '192.168.1.7' };
const FRONT = 50_001;

/** Keeps a text in memory; `isFull` makes it reject. */
class FakeStorage implements TextStorage {
  text: string | undefined;
  isFull = false;
  writes = 0;
  read = async () => this.text;
  write = async (text: string) => {
    if (this.isFull) throw new Error('no space left');
    this.writes += 1;
    this.text = text;
  };
}

/** The accounts of a gateway whose front has this password, and whose owner has another. */
function accountsOf({ front = 'tulip', owner = 'swordfish' } = {}): Accounts {
  const access: ConfiguratorAccess = {
    id: FRONT,
    base: 1,
    password: front,
    passwordRequired: true,
    autostart: [],
  };
  const all = front === 'missing' ? [] : [access];
  return new Accounts(
    { username: 'me', password: owner },
    { get: (id) => all.find((one) => one.id === id), all: () => all },
  );
}

/** The same clock without timers: years pass in no time. */
function withoutTimers(clock: ManualClock): Clock {
  const { nowMs, monotonicNs, isTrusted, random } = clock;
  return {
    nowMs,
    monotonicNs,
    isTrusted,
    random,
    after: () => () => undefined,
    every: () => () => undefined,
  };
}

/** The sessions of one start of a gateway. */
async function opened(storage: TextStorage, clock: Clock, connected = new Set<string>()) {
  const access = new Authenticator(silentLog, clock, { report: () => undefined });
  const isConnected = (id: string) => connected.has(id);
  const sessions = new BrowserSessions({ clock, log: silentLog, storage, access, isConnected });
  await sessions.load();
  return sessions;
}

const storages = {
  memory: async () => new FakeStorage(),
  file: async (t: Parameters<typeof tempDirectory>[0]) =>
    privateFile(join(await tempDirectory(t), 'sessions.json')),
};

for (const [name, makeStorage] of Object.entries(storages)) {
  t.test(`${name}: a session survives a restart, and opens only its own account`, async (t) => {
    const [storage, clock, accounts] = [await makeStorage(t), new ManualClock(), accountsOf()];
    const front = accounts.configurator(FRONT);
    const before = await opened(storage, clock);
    const { session, value } = await before.create(front, ANNA);
    const [id, token = ''] = value.split('.');
    t.equal((await before.find(front, value))?.id, id);
    await before.close();
    const text = (await storage.read()) ?? '';
    t.notMatch(text, token, 'only its digest is kept');
    t.notMatch(text, 'tulip');
    await using after = await opened(storage, clock);
    const again = await after.find(front, value);
    t.match(again, { id: session.id, device: ANNA.device, remote: ANNA.remote, configurator: FRONT });
    t.equal(await after.find(accounts.owner, value), undefined, 'another account');
    for (const wrong of [`${id}.${'A'.repeat(43)}`, `${'A'.repeat(22)}.${token}`, `${id}.`, token, ''])
      t.equal(await after.find(front, wrong), undefined, wrong);
    t.equal((await after.list(accounts)).length, 1);
    t.equal(await after.end(session.id), true);
    t.equal(await after.end(session.id), false);
    t.equal(await after.find(front, value), undefined);
    await using third = await opened(storage, clock);
    t.equal(await third.find(front, value), undefined, 'after a restart too');
  });

  t.test(`${name}: another password ends the sessions, now or while the gateway is off`, async (t) => {
    const [storage, clock, accounts] = [await makeStorage(t), new ManualClock(), accountsOf()];
    const front = accounts.configurator(FRONT);
    const sessions = await opened(storage, clock);
    const ended: string[] = [];
    sessions.ended.on((id) => void ended.push(id));
    const { session, value } = await sessions.create(front, ANNA);
    const owner = await sessions.create(accounts.owner, ANNA);
    sessions.reconfigure(accountsOf());
    t.ok(await sessions.find(front, value), 'the same accounts');
    sessions.reconfigure(accountsOf({ front: 'missing' }));
    t.equal(await sessions.find(accountsOf({ front: 'missing' }).configurator(FRONT), value), undefined);
    t.ok(await sessions.find(front, value), 'a configurator that was missing for a moment');
    const changed = accountsOf({ front: 'rose' });
    sessions.reconfigure(changed);
    t.strictSame(ended, [session.id]);
    t.equal(await sessions.find(changed.configurator(FRONT), value), undefined);
    t.equal(await sessions.find(front, value), undefined, 'also for whoever comes with the former password');
    await sessions.close();
    await using later = await opened(storage, clock);
    const other = accountsOf({ front: 'rose', owner: 'salmon' });
    t.strictSame(await later.list(other), [], 'the owner’s password has changed meanwhile');
    t.equal(await later.find(other.owner, owner.value), undefined);
    const { value: third } = await later.create(accounts.owner, ANNA);
    await later.close();
    await using unused = await opened(storage, clock);
    for (const password of ['swordfish', 'salmon', 'swordfish'])
      unused.reconfigure(accountsOf({ owner: password }));
    t.equal(await unused.find(accounts.owner, third), undefined, 'also if nobody came in between');
  });

  t.test(`${name}: at the limit the one that was unused longest ends`, async (t) => {
    const [storage, clock, accounts] = [await makeStorage(t), new ManualClock(), accountsOf()];
    for (const [account, limit] of [
      [accounts.configurator(FRONT), 64],
      [accounts.owner, 32],
    ] as const) {
      const connected = new Set<string>();
      await using sessions = await opened(storage, clock, connected);
      const made = [];
      for (let n = 0; n < limit; n++) {
        made.push(await sessions.create(account, ANNA));
        clock.advance(1);
      }
      const [first, second, third] = made;
      t.ok(first !== undefined && second !== undefined && third !== undefined);
      if (first === undefined || second === undefined || third === undefined) return;
      sessions.use(first.session);
      if (limit === 64) connected.add(second.session.id);
      else sessions.use(second.session);
      clock.advance(1);
      await sessions.create(account, ANNA);
      const isThere = async ({ value }: { value: string }) =>
        (await sessions.find(account, value)) !== undefined;
      t.strictSame(await Promise.all([first, second, third].map(isThere)), [true, true, false], account.name);
      for (const { session } of made) await sessions.end(session.id);
    }
  });
}

t.test('a front stays signed in for 400 days since it was used, the console for 12 hours', async (t) => {
  const [clock, accounts] = [new ManualClock(), accountsOf()];
  const front = accounts.configurator(FRONT);
  await using sessions = await opened(new FakeStorage(), withoutTimers(clock));
  const { session, value } = await sessions.create(front, ANNA);
  clock.advance(6 * DAY);
  sessions.use(session);
  const until = session.times.validUntilMs;
  t.equal(until, session.times.createdMs + 400 * DAY, 'it is not renewed each time');
  clock.advance(2 * DAY);
  sessions.use(session);
  t.equal(session.times.validUntilMs, session.times.createdMs + 408 * DAY);
  clock.advance(399 * DAY);
  t.ok(await sessions.find(front, value));
  clock.advance(2 * DAY);
  t.equal(await sessions.find(front, value), undefined);
  const console = await sessions.create(accounts.owner, ANNA);
  for (let n = 0; n < 14; n++) {
    clock.advance(50 * 60_000);
    t.equal(sessions.use(console.session), true);
  }
  clock.advance(50 * 60_000);
  t.equal(sessions.use(console.session), false, 'after 12 hours, used or not');
  await using swept = await opened(new FakeStorage(), clock);
  const idle = await swept.create(accounts.owner, ANNA);
  const ended: string[] = [];
  swept.ended.on((id) => void ended.push(id));
  clock.advance(59 * 60_000);
  t.strictSame(ended, []);
  clock.advance(2 * 60_000);
  t.strictSame(ended, [idle.session.id], 'unused for an hour, it ends by itself');
});

t.test('a clock that is not set neither ends a session nor makes it last', async (t) => {
  const [storage, accounts] = [new FakeStorage(), accountsOf()];
  const front = accounts.configurator(FRONT);
  const first = await opened(storage, new ManualClock());
  const { value } = await first.create(front, ANNA);
  await first.close();
  const boot = new ManualClock(0);
  boot.hasTrustedTime = false;
  const second = await opened(storage, boot);
  t.ok(await second.find(front, value), 'the clock begins in 1970');
  const fresh = await second.create(front, ANNA);
  boot.stepWallClock(1_700_000_000_000 + 100 * DAY);
  boot.hasTrustedTime = true;
  const old = await second.find(front, value);
  t.equal(old?.times.createdMs, 1_700_000_000_000, 'the time that it was off is known now');
  t.ok(await second.find(front, fresh.value), 'one that was started in 1970');
  t.equal(fresh.session.times.createdMs, boot.nowMs(), 'and is shown with its real time');
  await second.close();

  const late = new ManualClock(0);
  late.hasTrustedTime = false;
  const third = await opened(storage, late);
  late.advance(DAY);
  t.ok(await third.find(front, value));
  await third.close();
  const set = new ManualClock(1_700_000_000_000 + 401 * DAY);
  await using fourth = await opened(storage, set);
  t.equal(await fourth.find(front, value), undefined, 'what was known before counts after such a start');
  t.ok(await fourth.find(front, fresh.value), 'which is 301 days old');
});

t.test('without a clock that is ever set, a session ages while the gateway runs', async (t) => {
  const [storage, accounts] = [new FakeStorage(), accountsOf()];
  const front = accounts.configurator(FRONT);
  const run = async (days: number, value?: string) => {
    const clock = new ManualClock(0);
    clock.hasTrustedTime = false;
    await using sessions = await opened(storage, withoutTimers(clock));
    const made = value ?? (await sessions.create(front, ANNA)).value;
    clock.advance(days * DAY);
    return { value: made, isValid: (await sessions.find(front, made)) !== undefined };
  };
  const { value } = await run(150);
  t.equal((await run(150, value)).isValid, true);
  t.equal((await run(101, value)).isValid, false);
});

t.test('a full disk lets people in, and is tried again', async (t) => {
  const [storage, clock, accounts] = [new FakeStorage(), new ManualClock(), accountsOf()];
  const front = accounts.configurator(FRONT);
  await using sessions = await opened(storage, clock);
  const stays = await sessions.create(front, ANNA);
  storage.isFull = true;
  const { session, value } = await sessions.create(front, ANNA);
  t.ok(await sessions.find(front, value));
  await t.rejects(sessions.end(session.id), { code: 'STORE_FAILED' });
  t.equal(await sessions.find(front, value), undefined, 'it has ended');
  storage.isFull = false;
  clock.advance(60_000);
  await sessions.close();
  await using after = await opened(storage, clock);
  t.equal(await after.find(front, value), undefined, 'after the next start too');
  t.ok(await after.find(front, stays.value));
});

t.test('times of use are not written each time', async (t) => {
  const [storage, clock, accounts] = [new FakeStorage(), new ManualClock(), accountsOf()];
  await using sessions = await opened(storage, clock);
  const { session } = await sessions.create(accounts.owner, ANNA);
  const { writes } = storage;
  for (let n = 0; n < 60; n++) {
    sessions.use(session);
    clock.advance(30_000);
  }
  await sessions.close();
  t.ok(storage.writes - writes <= 5, `${storage.writes - writes} writes in half an hour`);
});

const seed = fuzzSeed();

t.test(`a damaged file costs what is damaged, and never the start (${seedLabel(seed)})`, async (t) => {
  const directory = await tempDirectory(t);
  const path = join(directory, 'sessions.json');
  const [storage, clock, accounts] = [privateFile(path), new ManualClock(), accountsOf()];
  const front = accounts.configurator(FRONT);
  const sessions = await opened(storage, clock);
  const { value } = await sessions.create(front, ANNA);
  await sessions.create(accounts.owner, ANNA);
  await sessions.close();
  t.equal((await stat(path)).mode & 0o777, 0o600, 'only the gateway reads it');
  const good = await readFile(path);
  const random = new Random(seed);
  const damaged = () => {
    const bad = Buffer.from(good);
    const at = random.below(bad.length);
    bad[at] = random.below(256);
    return random.chance(0.2) ? bad.subarray(0, at).toString() : bad.toString();
  };
  for (let n = 0; n < 500; n++) {
    const text = damaged();
    await using after = await opened({ read: async () => text, write: async () => undefined }, clock);
    after.reconfigure(accounts);
    // Each check of a password takes a tenth of a second.
    if (n % 50 > 0) continue;
    const found = await after.find(front, value);
    t.ok(found === undefined || found.leftMs <= 400 * DAY, 'valid for no longer than a new one');
  }
  for (const text of [
    '',
    'null',
    '[]',
    '{"version":2}',
    '{"version":1,"sessions":[null,1,{}],"accounts":7}',
  ]) {
    await using after = await opened({ read: async () => text, write: async () => undefined }, clock);
    t.strictSame(await after.list(accounts), [], text);
  }
});

t.test('a ticket is valid for a minute, and the owner’s view for an hour', async (t) => {
  const [storage, clock, accounts] = [new FakeStorage(), new ManualClock(), accountsOf()];
  const front = accounts.configurator(FRONT);
  await using sessions = await opened(storage, withoutTimers(clock));
  t.throws(() => sessions.createTicket(FRONT, 'x'), { code: 'NOT_FOUND' }, 'before the accounts are known');
  sessions.reconfigure(accounts);
  t.throws(() => sessions.createTicket(FRONT, 'x'), { code: 'ACCESS_DENIED' });
  const owner = await sessions.create(accounts.owner, ANNA);
  const resident = await sessions.create(front, ANNA);
  t.throws(() => sessions.createTicket(FRONT, resident.session.id), { code: 'ACCESS_DENIED' });
  t.throws(() => sessions.createTicket(FRONT + 1, owner.session.id), { code: 'NOT_FOUND' });
  const ticket = () => sessions.createTicket(FRONT, owner.session.id);
  const late = ticket();
  clock.advance(60_000);
  t.equal(sessions.createView(front, late, ANNA.remote), undefined, 'a minute later');
  const inTime = ticket();
  clock.advance(59_999);
  const view = sessions.createView(front, inTime, ANNA.remote);
  const value = view?.value ?? '';
  t.equal((await sessions.find(front, value))?.view?.owner, owner.session);
  for (let minutes = 0; minutes < 59; minutes += 1) {
    clock.advance(60_000);
    sessions.use(owner.session);
    t.ok(view !== undefined && sessions.use(view.session));
  }
  t.ok(await sessions.find(front, value));
  clock.advance(60_000);
  t.equal(await sessions.find(front, value), undefined, 'an hour later, however much it is used');
  const { writes } = storage;
  const first = ticket();
  const views = Array.from({ length: 9 }, () => {
    clock.advance(1);
    return sessions.createView(front, ticket(), ANNA.remote);
  });
  t.equal(await sessions.find(front, views[0]?.value ?? ''), undefined, 'eight of an area at a time');
  t.ok(await sessions.find(front, views[8]?.value ?? ''));
  t.ok(await sessions.find(front, resident.value), 'residents stay');
  for (let n = 0; n < 32; n++) ticket();
  t.equal(sessions.createView(front, first, ANNA.remote), undefined, 'and 32 tickets');
  t.equal(storage.writes, writes, 'none of that is written');
  clock.advance(HOUR);
  t.equal(await sessions.find(front, views[8]?.value ?? ''), undefined, 'the owner’s session has expired');
});
