import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { Browser } from '../../tools/client/browser.js';
import { errorCodeOf, idOf, rpc } from '../../tools/client/json-rpc.js';
import { callOverWebSocket } from '../../tools/client/message-stream.js';
import { closeOf, opcode, type RawWebSocket } from '../../tools/client/raw-websocket.js';
import { SAMPLE_TREE, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';

const YAML = `${SIMULATED_CONFIG}${SAMPLE_TREE}configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip }
  - { title: Upper floor, ident: wf2, base: upper_floor, password: tulip }
  - { title: Open, ident: open, base: upper_floor, passwordRequired: false }
`;
const LOGIN = { username: OWNER.username, password: OWNER.password, device: 'Laptop' };

async function closeCodeOf(socket: RawWebSocket): Promise<number> {
  for (;;) {
    const frame = await socket.frame();
    if (frame === undefined) return 1006;
    if (frame.opcode === opcode.close) return closeOf(frame).code;
  }
}

/** A gateway whose owner is signed in to the console. */
async function opened(t: Parameters<typeof startGateway>[0]) {
  const fixture = await startGateway(t, YAML);
  const wf = await idOf(fixture, 'wf');
  const owner = new Browser(fixture.port);
  await owner.send(['POST', '/console/session'], { body: LOGIN });
  const socket = await owner.open('/api/');
  t.teardown(() => socket[Symbol.asyncDispose]());
  const ticketFor = async (id: number) =>
    (await callOverWebSocket(socket, 'GW_CreateFrontTicket', [id])) as string;
  const enter = (ticket: string, id = wf, browser = owner) =>
    browser.send(['POST', `/wfc/${id}/session`], { body: { ticket } });
  return { fixture, wf, path: `/wfc/${wf}/session`, owner, ticketFor, enter };
}

const sessionsOf = async (at: { port: number }) =>
  (await rpc(at, 'GW_GetSessions')) as { ID: string; Kind: string; IsOwnerView: boolean; Device: string }[];

t.test('the owner sees a front as its residents do, without their password', async (t) => {
  const { fixture, wf, path, owner, ticketFor, enter } = await opened(t);
  const begunMs = Date.now();
  const ticket = await ticketFor(wf);
  t.match(ticket, /^[\w-]{43}$/);
  t.match(await rpc(fixture, 'GW_GetAudit', 1), [
    { Method: 'GW_CreateFrontTicket', Parameters: [wf], User: OWNER.username, Success: true },
  ]);
  const entered = await enter(ticket);
  t.equal(entered.status, 200, entered.body);
  const { validUntilMs } = JSON.parse(entered.body) as { validUntilMs: number };
  t.ok(validUntilMs - begunMs >= 3_600_000 && validUntilMs - Date.now() <= 3_600_000, 'for one hour');
  const cookie = owner.cookies.get(`stellwerk_${fixture.port}_${wf}_owner`);
  t.equal(cookie?.attributes, `Path=/wfc/${wf}/; Max-Age=3600; HttpOnly; SameSite=Strict`);
  const shown = await owner.send(['GET', path]);
  t.match(JSON.parse(shown.body), { device: 'Laptop', open: false, isOwnerView: true });
  t.equal(shown.headers['set-cookie'], undefined, 'it is not renewed');
  await using socket = await owner.open(`/wfc/${wf}/api/`);
  t.match(await callOverWebSocket(socket, 'WFC_GetSnapshot', [wf]), { objects: {} });
  t.match(await callOverWebSocket(socket, 'GetValue', [wf]), { data: { code: 'ACCESS_DENIED' } });
  const state = await idOf(fixture, 'ground_floor/hall_relay/STATE');
  await callOverWebSocket(socket, 'WFC_Execute', [wf, 0, state, true]);
  t.equal(await rpc(fixture, 'GetValue', state), true, 'and commands work');
  t.match(await rpc(fixture, 'GW_GetAudit', 1), [
    { Method: 'WFC_Execute', Role: 'webfront', User: OWNER.username, Device: 'Laptop', Success: true },
  ]);
  const listed = await sessionsOf(fixture);
  t.match(
    listed.find(({ Kind }) => Kind === 'front'),
    { ConfiguratorID: wf, IsOwnerView: true, Device: 'Laptop', Connected: true },
  );
  t.match(
    listed.find(({ Kind }) => Kind === 'console'),
    { IsOwnerView: false },
  );
  t.notMatch(fixture.log.join(), ticket, 'the ticket is in no log');
  await fixture.gateway.close();
  const kept = await readFile(join(fixture.directory, 'data', 'sessions.json'), 'utf8');
  t.match(JSON.parse(kept), { sessions: [{ account: 'owner' }] });
  t.notMatch(kept, 'configurator', 'it is not on the disk');
});

t.test('a ticket is valid once, for its area, from a page of the gateway', async (t) => {
  const { fixture, wf, path, owner, ticketFor, enter } = await opened(t);
  const rejected = async (...given: Parameters<typeof enter>) => {
    const { status, body, headers } = await enter(...given);
    t.strictSame([status, headers['set-cookie']], [401, undefined], body);
  };
  const wf2 = await idOf(fixture, 'wf2');
  const used = await ticketFor(wf);
  t.equal((await enter(used)).status, 200);
  await rejected(used);
  const other = await ticketFor(wf);
  await rejected(other, wf2);
  await rejected(other, wf);
  for (const wrong of ['', 'x', 'A'.repeat(43), `${used}=`]) await rejected(wrong);
  const third = await ticketFor(wf);
  for (const headers of [['Origin: https://evil.example'], ['Sec-Fetch-Site: cross-site'], []]) {
    const foreign = await owner.send(['POST', path], { body: { ticket: third }, headers });
    t.strictSame([foreign.status, errorCodeOf(foreign)], [403, 'ORIGIN_REFUSED'], headers.join());
  }
  t.equal((await owner.send(['POST', path], { body: { ticket: 1 } })).status, 400);
  const console_ = await owner.send(['POST', '/console/session'], { body: { ticket: third } });
  t.equal(console_.status, 401, 'it does not open the console, not even one of its own');
  const open = await idOf(fixture, 'open');
  t.match(JSON.parse((await enter(await ticketFor(open), open)).body), { validUntilMs: 0 });
  t.match(await rpc(fixture, 'GW_CreateFrontTicket', wf).catch(String), 'ACCESS_DENIED', 'by a program');
  t.match(await ticketFor(99_999), { data: { code: 'NOT_FOUND' } });
});

t.test('wrong tickets count as wrong passwords', async (t) => {
  const { fixture, enter } = await opened(t);
  const stranger = new Browser(fixture.port);
  const failures = () => fixture.log.filter((line) => line.includes('wrong user name or password'));
  for (let n = 0; n < 10; n++) await enter(`guess ${n}`, undefined, stranger);
  t.equal(failures().length, 2, 'the first and the tenth are logged');
  // On a slow machine, the delay of the first of them ends before the last has arrived.
  const flood = await Promise.any(
    Array.from({ length: 40 }, async (_, n) => {
      const reply = await enter(`guess ${100 + n}`);
      return reply.status === 429 ? reply : Promise.reject(new Error(`${reply.status} ${reply.body}`));
    }),
  );
  t.equal(errorCodeOf(flood), 'TOO_MANY_REQUESTS');
});

t.test('the view and its tickets end with the owner’s session, or another password', async (t) => {
  const endings: Record<string, (setup: Awaited<ReturnType<typeof opened>>) => Promise<unknown>> = {
    'signed out of the console': ({ owner }) => owner.send(['DELETE', '/console/session']),
    'ended by the owner': async ({ fixture }) => {
      const console_ = (await sessionsOf(fixture)).find(({ Kind }) => Kind === 'console');
      return rpc(fixture, 'GW_EndSession', console_?.ID);
    },
    'password of the area': ({ fixture }) => rpc(fixture, 'GW_SetPassword', 'wf', 'four tulips'),
    'password of the owner': ({ fixture }) => rpc(fixture, 'GW_SetPassword', 'owner', 'red swordfish'),
  };
  for (const [what, end] of Object.entries(endings)) {
    const setup = await opened(t);
    const { wf, path, owner, ticketFor, enter } = setup;
    await enter(await ticketFor(wf));
    const unused = await ticketFor(wf);
    await using socket = await owner.open(`/wfc/${wf}/api/`);
    t.equal((await owner.send(['GET', path])).status, 200);
    await end(setup);
    t.equal(await closeCodeOf(socket), 4401, what);
    t.equal((await owner.send(['GET', path])).status, 401, what);
    t.equal((await enter(unused)).status, 401, `${what}: a ticket`);
  }
});

t.test('the view leaves a resident’s session of the same browser alone', async (t) => {
  const { fixture, wf, path, owner, ticketFor, enter } = await opened(t);
  await owner.send(['POST', path], { body: { password: 'tulip', device: 'Kitchen' } });
  const isOwnerView = async () =>
    (JSON.parse((await owner.send(['GET', path])).body) as { isOwnerView?: boolean }).isOwnerView;
  t.equal(await isOwnerView(), false);
  await enter(await ticketFor(wf));
  t.equal(await isOwnerView(), true);
  t.equal((await owner.send(['DELETE', path])).status, 204);
  t.equal(await isOwnerView(), false, 'signing out ends the view first');
  t.match(
    (await sessionsOf(fixture)).map(({ Device }) => Device),
    ['Kitchen', 'Laptop'],
  );
});
