import { request as requestSecurely } from 'node:https';
import { coded } from '../../base/codes/coded-text.js';
import { codeOf, fault, faultFrom } from '../../base/fault.js';
import { explainNetworkError } from '../../base/network-errors.js';
import { reasonOf } from '../failure-reason.js';
import { FILE_BYTES } from './backup-target.js';

/** Loaded without the module loader; `api/http/node-http.ts` has the reason. */
const { request: requestPlainly } = process.getBuiltinModule('node:http');

/** Silence after which a request has failed, ms: a large file on a slow connection still makes progress. */
const SILENCE_MS = 60_000;

/** A request to a server that keeps backups. */
interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The certificates that the server's must be signed by, as PEM, in addition to the system's. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
}

/** The response, read completely. */
export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Sends a request on a connection of its own. Rejects with `BACKUP_TARGET_FAILED`. Redirects are not
 * followed.
 */
export async function exchangeHttp({
  method,
  url,
  headers,
  body,
  ca,
  signal,
}: HttpRequest): Promise<HttpResponse> {
  const send = url.protocol === 'https:' ? requestSecurely : requestPlainly;
  const length = { 'Content-Length': String(body?.length ?? 0) };
  try {
    return await new Promise<HttpResponse>((resolve, reject) => {
      const request = send(url, {
        method,
        headers: { 'User-Agent': 'stellwerk', ...length, ...headers },
        agent: false,
        signal,
        timeout: SILENCE_MS,
        ...(ca !== undefined && { ca }),
      });
      request.on('timeout', () => request.destroy(new Error(`no response for ${SILENCE_MS / 1000} s`)));
      request.on('error', reject);
      request.once('response', (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > FILE_BYTES) response.destroy(new Error('the response is too large'));
          else parts.push(part);
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) }));
      });
      request.end(body);
    });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const known = explainNetworkError(codeOf(thrown), 'backup.targets');
    // The others name a property of devices.
    const why = known?.isConfigurationError === false ? known.why : reasonOf(thrown);
    throw faultFrom(thrown, 'BACKUP_TARGET_FAILED', coded`TARGET_HOST: ${url.host}: ${why}`);
  }
}

/** The failure of a request that the server rejected. */
export function httpFailure(
  url: URL,
  what: string,
  { status, detail = '' }: { readonly status: number; readonly detail?: string },
) {
  return fault(
    'BACKUP_TARGET_FAILED',
    detail === ''
      ? coded`TARGET_STATUS: ${url.host} replied to ${what} with status ${status}`
      : coded`TARGET_STATUS_DETAIL: ${url.host} replied to ${what} with status ${status}: ${detail}`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10_ff_ff;

/** The text of each element with this local name in an XML document; entities are decoded. */
export function xmlTexts(document: string, name: string): string[] {
  const element = new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^<>]*)?>([^<]*)</`, 'g');
  return Array.from(document.matchAll(element), ([, text = '']) =>
    text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|amp|lt|gt|quot|apos);/gi, (_all, entity: string) => {
      const code = /^#(x?)(.*)$/i.exec(entity);
      if (code === null) return ENTITIES[entity.toLowerCase()] ?? '';
      return String.fromCodePoint(
        Math.min(LAST_CODE_POINT, parseInt(code[2] ?? '', code[1] === '' ? 10 : 16)),
      );
    }),
  );
}
