/**
 * Codes of failures after which the same call can succeed without a change. A copy of what the table of
 * failures says, which a page would otherwise load; a test compares the two.
 */
export const RETRYABLE: ReadonlySet<string> = new Set([
  'DEVICE_OFFLINE',
  'DEVICE_REFUSED',
  'RULE_FORBIDS',
  'TIMED_OUT',
  'URL_FAILED',
  'STORE_FAILED',
  'ARCHIVE_FAILED',
  'LISTEN_FAILED',
  'STOPPING',
  'BUSY',
  'BODY_TIMEOUT',
  'TOO_MANY_REQUESTS',
]);

/**
 * The gateway received the call and rejected it or failed (interface E5: the RPC kind). `code` is the
 * JSON-RPC number, `message` the gateway's own words, `data` what came with them. Missing or wrong
 * credentials are of this kind too: the gateway answers 401 with a JSON-RPC error (`code` −32000, `reason`
 * "UNAUTHORIZED").
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The stable name of the failure (`data.code`, as "OBJECT_MISSING"), where the gateway gave one. */
  get reason(): string | undefined {
    const data = this.data;
    if (typeof data !== 'object' || data === null || !('code' in data)) return undefined;
    return typeof data.code === 'string' ? data.code : undefined;
  }

  /** Whether the same call can succeed later without a change. */
  get retry(): boolean {
    return this.reason !== undefined && RETRYABLE.has(this.reason);
  }
}

/**
 * There was no answer to believe (interface E5: the general kind): unreachable, too slow, cut off, or an
 * answer that is not JSON-RPC. Whether the call was carried out is not known. `status` is the HTTP status,
 * where there was one.
 */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly status: number | undefined;

  constructor(message: string, options: { cause?: unknown; status?: number | undefined } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.status = options.status;
  }
}
