import t from 'tap';
import { systemClock, type Clock } from '../../src/base/clock.js';
import { OWNER, ownerLine, startApi } from '../tools/gateway/api-fixture.js';
import { callText } from '../tools/client/json-rpc.js';
import { openWebSocket, type Frame } from '../tools/client/message-stream.js';
import { liveHeapBytes } from '../tools/memory.js';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { RawWebSocket, closeOf, opcode } from '../tools/client/raw-websocket.js';
import { randomFrames } from './inputs/frames.js';
import { randomUpgrade } from './inputs/upgrades.js';
import { loggedErrors, startFuzzedApi, type FuzzedApi } from './fuzzed-api.js';
import { messageNumber } from '../tools/client/message-numbers.js';

/** Bounds the suite: about 4 s. */
const UPGRADES = 400;
const SOCKETS = 150;
/** Limit of memory that remains after all sockets, compared with a third of them. */
const GROWTH_BYTES = 24 * 1024 * 1024;

const seed = fuzzSeed();

/** A clock that runs a hundred times as fast, because wrong logins are delayed. */
function hurried(): Clock {
  const clock = systemClock();
  return { ...clock, after: (ms, callback) => clock.after(ms / 100, callback) };
}

const owner = `${OWNER.username}:${OWNER.password}`;
const webfront = 'webfront:tulip';

/** Whether a subprotocol is authorised for a path: it is Base64 of the credentials, in any form. */
function opens(path: string, protocol: string): boolean {
  const pair = /^\/api\/(\?|$)/.test(path)
    ? owner
    : /^\/(api\/wfc\/50001|wfc\/50001\/api)\b/.test(path)
      ? webfront
      : undefined;
  const plain = protocol.replace(/%3d/gi, '=').replace(/%2f/gi, '/').replace(/%2b/gi, '+');
  return (
    pair !== undefined && plain.split(',').some((offer) => Buffer.from(offer, 'base64').toString() === pair)
  );
}

/** Whether a socket is closed as its first frame, with a code for pages. */
async function isRejected(socket: RawWebSocket): Promise<boolean> {
  const frame = await socket.frame();
  return frame?.opcode === opcode.close && [4401, 4403, 4404, 4429].includes(closeOf(frame).code);
}

await t.test(
  `an upgrade is accepted with correct credentials only, and otherwise rejected completely (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const api = await startApi(t, {}, { clock: hurried() });
    const seen = new Map<number, number>();
    const odd: string[] = [];
    for (let n = 0; n < UPGRADES; n++) {
      const input = randomUpgrade(random, { owner, webfront, configurator: 50_001 });
      const from = `127.${random.below(250)}.${random.below(250)}.${1 + random.below(250)}`;
      const messages = `${JSON.stringify(input).slice(0, 400)}`;
      const requests = RawWebSocket.open({ port: api.port, from, ...input });
      await using socket = await requests.catch(
        (thrown: Error) => void odd.push(`${thrown.message}: ${messages}`),
      );
      if (socket === undefined) continue;
      const { status, headers, body } = socket.response;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (status === 101) {
        const { protocol = '' } = input;
        const echo = headers['sec-websocket-protocol'] ?? '';
        const isPage = input.headers?.some((line) => /^origin:/i.test(line)) ?? false;
        if (!opens(input.path, protocol) && !(isPage && (await isRejected(socket))))
          odd.push(`accepted: ${messages}`);
        if (!protocol.includes(echo) || (echo === '' && !isPage)) odd.push(`echoed ${echo}: ${messages}`);
      } else if (
        status === 200 &&
        /^\/wfc\/50001\/(\?|$)/.test(input.path) &&
        body.startsWith('<!doctype html>')
      ) {
        // Without a valid upgrade it is a request for the front's page.
        continue;
      } else if (
        ![400, 401, 403, 404, 405, 426, 431].includes(status) &&
        body !== '{"jsonrpc":"2.0","api":"stellwerk"}'
      )
        odd.push(`${status} ${body}: ${messages}`);
      else if ([401, 403, 404].includes(status) && !/^\{"jsonrpc":"2.0","id":null,"error":/.test(body))
        odd.push(`${status} ${body}: ${messages}`);
    }
    t.strictSame(odd, []);
    t.ok(
      (seen.get(101) ?? 0) > UPGRADES / 100 && (seen.get(401) ?? 0) > UPGRADES / 100,
      JSON.stringify([...seen]),
    );
    await using socket = await openWebSocket(api);
    api.set(api.lamp, 3);
    t.match(
      await socket.json(),
      { SenderID: api.lamp.id, Message: messageNumber.VM_UPDATE },
      'the accepted ones are still open',
    );
    t.strictSame(
      api.log.lines.filter((line) => line.startsWith('error')),
      [],
    );
  },
);

/** Everything that arrives over a socket until it closes. */
async function allFrom(socket: RawWebSocket) {
  const texts: string[] = [];
  let close: number | undefined;
  for (;;) {
    const frame = await socket.frame();
    if (frame === undefined) return { texts, close };
    if (frame.opcode === opcode.text) texts.push(frame.payload.toString());
    if (frame.opcode === opcode.close) close = closeOf(frame).code;
  }
}

/** What is wrong with a text received over a socket; undefined if nothing is. */
function complaintAbout(text: string): string | undefined {
  const replies = [JSON.parse(text) as unknown].flat() as Record<string, unknown>[];
  const isSound = replies.every(({ jsonrpc, TimeStamp, SenderID, Message, Data }) =>
    jsonrpc === '2.0' ? true : [TimeStamp, SenderID, Message].every(Number.isInteger) && Array.isArray(Data),
  );
  return isSound && !/node_modules|\.js:\d|Internal error/.test(text) ? undefined : text.slice(0, 300);
}

/** Reads a listener's messages up to the newest; returns those that are out of order. */
async function follow(
  listener: RawWebSocket,
  { desk: fixture }: FuzzedApi,
  last: number,
): Promise<number | string> {
  let at = last;
  while (at < fixture.kernel.changes.counter) {
    const { TimeStamp } = (await listener.json()) as Frame;
    if (TimeStamp <= at) return `${TimeStamp} after ${at}`;
    at = TimeStamp;
  }
  return at;
}

await t.test(
  `whatever a client sends over a socket affects only that socket (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed + 1);
    const served = await startFuzzedApi(t);
    const { desk: fixture, methods, port } = served;
    await using listener = await openWebSocket(served);
    let last: number | string = fixture.kernel.changes.counter;
    const seen = { answered: 0, closed: 0 };
    const odd: unknown[] = [];
    let before = 0;
    for (let n = 0; n < SOCKETS && typeof last === 'number'; n++) {
      await using socket = await RawWebSocket.open({ port, headers: [ownerLine] });
      // Every tenth socket sends only the call, so that some are answered with any seed.
      for (let count = n % 10 === 0 ? 0 : 1 + random.below(8); count > 0; count--)
        socket.connection.write(randomFrames(random, methods));
      socket.send(callText('SVC_GetKernelVersion', [], 'last'));
      socket.connection.end();
      const { texts, close } = await allFrom(socket);
      odd.push(...texts.map(complaintAbout).filter((said) => said !== undefined));
      if (texts.some((text) => text.includes('"id":"last","result":"7.0"'))) seen.answered++;
      if (close !== undefined) seen.closed++;
      if (
        close !== undefined &&
        ![1000, 1002, 1005, 1007, 1009].includes(close) &&
        (close < 3000 || close > 4999)
      )
        odd.push(`closed with ${close}`);
      last = await follow(listener, served, last);
      fixture.audit.length = 0;
      fixture.scripts.runs.length = 0;
      if (n === Math.floor(SOCKETS / 3)) before = liveHeapBytes();
    }
    t.type(last, 'number', 'another client receives everything, in order');
    t.strictSame(odd, []);
    t.ok(seen.answered >= SOCKETS / 10 && seen.closed > SOCKETS / 20, JSON.stringify(seen));
    const growth = liveHeapBytes() - before;
    t.ok(growth < GROWTH_BYTES, `${growth} more bytes are held`);
    t.strictSame(loggedErrors(served), []);
  },
);
