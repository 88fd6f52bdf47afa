/**
 * Codes of faults after which the same call can succeed without a change. Copied from the table of faults, so
 * that a web page need not load that; a test compares the two.
 */
export const RETRYABLE: ReadonlySet<string> = new Set([
  'DEVICE_OFFLINE',
  'DEVICE_REFUSED',
  'RULE_FORBIDS',
  'TIMED_OUT',
  'URL_FAILED',
  'STORE_FAILED',
  'FILE_FAILED',
  'ARCHIVE_FAILED',
  'BACKUP_TARGET_FAILED',
  'LISTEN_FAILED',
  'STOPPING',
  'BUSY',
  'BODY_TIMEOUT',
  'TOO_MANY_REQUESTS',
]);

/**
 * The gateway rejected the call, or the call failed (interface E5: the RPC kind). `code`, `message` and
 * `data` are those of the JSON-RPC error. Missing or wrong credentials are reported this way, too: status 401
 * with a JSON-RPC error (`code` −32000, `reason` "UNAUTHORIZED").
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

  /** The stable name of the fault (`data.code`, for example "OBJECT_MISSING"); undefined if there is none. */
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
 * There was no valid reply (interface E5: the general kind): the gateway is unreachable or too slow, the
 * connection was lost, or the reply is not JSON-RPC. Whether the call was executed is unknown. `status` is
 * the HTTP status, if there was one.
 */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly status: number | undefined;

  constructor(message: string, options: { cause?: unknown; status?: number | undefined } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.status = options.status;
  }
}
