import t from 'tap';
import { ownerLine } from '../tools/gateway/api-fixture.js';
import { callText, post, replyIn } from '../tools/client/json-rpc.js';
import { liveHeapBytes } from '../tools/memory.js';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { RawConnection, rawPost } from '../tools/client/raw-http.js';
import { replyProblem, expectedReply } from './expected-replies.js';
import { randomBody } from './inputs/bodies.js';
import { corrupt } from './inputs/json.js';
import { loggedErrors, startFuzzedApi } from './fuzzed-api.js';

/** Bounds the suite: about 3 s. */
const BODIES = 1000;
const REQUESTS = 300;
/**
 * Limit of memory that remains after all bodies, compared with a third of them: only some texts in the tree.
 */
const GROWTH_BYTES = 24 * 1024 * 1024;

const seed = fuzzSeed();

/** A POST of the body, sent as one text, in chunks, or in two parts. */
function requestOf(random: Random, port: number, body: Buffer): Buffer[] {
  const headers = [
    ownerLine,
    random.pick(['Content-Type: application/json', 'Content-Type: text/plain', 'X-A: b']),
  ];
  const cut = random.below(body.length + 1);
  if (random.chance(0.3)) {
    const chunk = (part: Buffer) =>
      part.length === 0
        ? ''
        : Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
    const parts = [body.subarray(0, cut), body.subarray(cut)].map((part) => Buffer.from(chunk(part)));
    const coded = Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
    return [rawPost({ port, headers: [...headers, 'Transfer-Encoding: chunked'], body: coded })];
  }
  const complete = rawPost({ port, headers, body });
  return random.chance(0.2)
    ? [complete.subarray(0, complete.length - cut), complete.subarray(complete.length - cut)]
    : [complete];
}

await t.test(
  `every body gets the reply that JSON-RPC requires, and leaks no memory (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const served = await startFuzzedApi(t);
    const { desk: fixture, methods, port } = served;
    await using connection = await RawConnection.open(port);
    const seen = { none: 0, one: 0, list: 0 };
    let before = 0;
    for (let n = 0; n < BODIES && t.passing(); n++) {
      const body = randomBody(random, methods);
      for (const part of requestOf(random, port, body)) connection.write(part);
      const response = await connection.response();
      const expected = expectedReply(body);
      seen[expected === undefined ? 'none' : Array.isArray(expected) ? 'list' : 'one']++;
      const problem =
        expected === undefined
          ? response.status === 204 && response.body === ''
            ? undefined
            : 'it replies to a notification'
          : response.status === 200
            ? replyProblem(response.body, expected)
            : `status ${response.status}`;
      if (problem !== undefined)
        t.fail(`${problem}: ${body.toString('latin1').slice(0, 300)} → ${response.body.slice(0, 300)}`);
      fixture.audit.length = 0;
      fixture.scripts.runs.length = 0;
      if (n === Math.floor(BODIES / 3)) before = liveHeapBytes();
    }
    const growth = liveHeapBytes() - before;
    t.ok(growth < GROWTH_BYTES, `${growth} more bytes are held`);
    t.ok(Math.min(seen.none, seen.one, seen.list) > BODIES / 100, JSON.stringify(seen));
    t.strictSame(loggedErrors(served), []);
  },
);

await t.test(
  `malformed HTTP is rejected or closed, and affects nothing else (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed + 1);
    const served = await startFuzzedApi(t);
    const { methods, port } = served;
    const odd: string[] = [];
    for (let n = 0; n < REQUESTS; n++) {
      await using connection = await RawConnection.open(port);
      const sound = rawPost({
        port,
        headers: [ownerLine],
        body: randomBody(random, methods).subarray(0, 2000),
      });
      const sent = random.chance(0.2)
        ? random.bytes(random.below(300))
        : corrupt(random, sound.toString('latin1'));
      connection.write(sent);
      connection.end();
      // Replies until it closes: each is complete, and each except a valid one has a JSON-RPC error.
      for (let count = 0; count < 3; count++) {
        const response = await connection.response().catch(() => undefined);
        if (response === undefined) break;
        const { status, body } = response;
        const isRight =
          status === 200 ||
          status === 204 ||
          (status >= 400 && /^\{"jsonrpc":"2.0".*"code":-32\d{3}/.test(body));
        if (!isRight)
          odd.push(
            `${status} ${body.slice(0, 200)} ${JSON.stringify(sent.toString('latin1').slice(0, 400))}`,
          );
      }
      if (n % 50 === 0)
        t.equal(
          replyIn(await post({ port }, callText('SVC_GetKernelVersion', []))).result,
          '7.0',
          'it still replies',
        );
    }
    t.strictSame(odd, []);
    t.strictSame(loggedErrors(served), []);
  },
);
