/** The expected reply to one call: its id, and −32600 if it is no call. */
interface Expected {
  readonly id: unknown;
  readonly code?: number;
}

/**
 * The reply that JSON-RPC 2.0 requires for a text, determined independently of the gateway: none, one, or a
 * list.
 */
export type Expectation = undefined | Expected | readonly Expected[];

/** Limit of the nesting of a request. */
const DEPTH = 64;

/** The expected reply to the bytes of a body. */
export function expectedReply(bytes: Buffer): Expectation {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return { id: null, code: -32700 };
  }
  if (depthOf(message) > DEPTH) return { id: null, code: -32700 };
  if (!Array.isArray(message)) return expectationOfOne(message);
  if (message.length === 0) return { id: null, code: -32600 };
  const all = message.map(expectationOfOne).filter((one) => one !== undefined);
  return all.length === 0 ? undefined : all;
}

function expectationOfOne(request: unknown): Expected | undefined {
  const wrong = (id: unknown) => ({ id, code: -32600 });
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return wrong(null);
  const { jsonrpc, method, params, id } = request as Record<string, unknown>;
  const isId = id === undefined || id === null || typeof id === 'string' || Number.isFinite(id);
  if (!isId) return wrong(null);
  const isCall =
    jsonrpc === '2.0' && typeof method === 'string' && (params === undefined || typeof params === 'object');
  if (!isCall) return wrong(id ?? null);
  return id === undefined ? undefined : { id };
}

/** Levels of nesting, without recursion: the input may be deeper than the stack. */
function depthOf(value: unknown): number {
  let depth = 0;
  let level: unknown[] = [value];
  for (;;) {
    const nested = level.filter((one) => typeof one === 'object' && one !== null) as object[];
    if (nested.length === 0) return depth;
    depth += 1;
    level = nested.flatMap((one) => Object.values(one) as unknown[]);
  }
}

/** Codes of calls that were rejected or failed. */
const CALL_CODES = [-32601, -32602, -32603, -32000];

/** What is wrong with a reply's text; undefined if nothing is. */
export function replyProblem(text: string, expected: Exclude<Expectation, undefined>): string | undefined {
  if (!/^\[?\{"/.test(text)) return 'it does not begin like a reply';
  if (/node_modules|\.js:\d|Internal error/.test(text)) return 'it discloses internals of the gateway';
  const reply = JSON.parse(text) as unknown;
  if (!Array.isArray(expected)) return complaintAboutOne(reply, expected as Expected);
  if (!Array.isArray(reply) || reply.length !== expected.length) return `not ${expected.length} answers`;
  return expected.map((one, at) => complaintAboutOne(reply[at], one as Expected)).find((said) => said);
}

function complaintAboutOne(reply: unknown, { id, code }: Expected): string | undefined {
  if (typeof reply !== 'object' || reply === null) return 'not an object';
  const { jsonrpc, id: given, result, error, ...more } = reply as Record<string, unknown>;
  if (jsonrpc !== '2.0' || Object.keys(more).length > 0) return 'not a JSON-RPC 2.0 reply';
  if (given !== id) return `the id ${String(given)}, not ${String(id)}`;
  if ((result === undefined) === (error === undefined)) return 'neither result nor error, or both';
  if (error === undefined) return code === undefined ? undefined : `a result, not ${code}`;
  const { code: number, message, data } = error as Record<string, unknown>;
  const isRight = code === undefined ? CALL_CODES.includes(number as number) : number === code;
  if (!isRight) return `the code ${String(number)}`;
  const name = (data as Record<string, unknown> | undefined)?.['code'];
  return typeof message === 'string' && message !== '' && /^[A-Z_]+$/.test(String(name))
    ? undefined
    : 'an error without its text or its name';
}
