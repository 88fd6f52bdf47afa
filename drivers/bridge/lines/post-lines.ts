import type { LookupFunction } from 'node:net';

/** More of a reply is not read. */
const REPLY_LIMIT = 16 * 1024;

interface LineRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly lines: string;
  readonly lookup: LookupFunction;
  /** Certificates of authorities, instead of those that Node knows. */
  readonly ca: Buffer | undefined;
  readonly signal: AbortSignal;
}

/** The status of a reply, and when the server asks for the next attempt, seconds. */
interface LineReply {
  readonly status: number;
  readonly retryAfterS: number | undefined;
}

/** Posts lines. Rejects with the network's error. A redirect is not followed. */
export async function postLines(options: LineRequest): Promise<LineReply> {
  const { url, headers, lines, lookup, ca, signal } = options;
  // Not imported: src/api/http/node-http.ts says why.
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  const payload = Buffer.from(lines);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: {
          'Content-Type': 'text/plain; charset=utf-8',
          'Content-Length': payload.length,
          ...headers,
        },
        lookup,
        signal,
        ...(ca === undefined ? {} : { ca }),
      },
      (reply) => {
        let size = 0;
        reply.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > REPLY_LIMIT) reply.destroy();
        });
        const after = Number(reply.headers['retry-after']);
        const retryAfterS = Number.isFinite(after) && after > 0 ? after : undefined;
        reply.on('close', () => resolve({ status: reply.statusCode ?? 0, retryAfterS }));
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}
