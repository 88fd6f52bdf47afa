import type { Dispatcher } from '../rpc/dispatcher.js';
import { isRecord } from '../rpc/rpc.js';

/** The authentication that a message requires. */
interface RequiredAuthentication {
  /** Only functions that everybody may call; credentials are then ignored (interface, decision 1). */
  readonly isPublic: boolean;
  /**
   * The configurator in the first parameter of the first function that `webfront` users may call (decision
   * 14).
   */
  readonly configurator: number | undefined;
}

/**
 * Determines what a decoded request or batch requires; an invalid one requires credentials like any other.
 */
export function requiredAuthentication(
  dispatcher: Dispatcher,
  message: unknown,
  batchLimit: number,
): RequiredAuthentication {
  const requests = Array.isArray(message) ? message.slice(0, batchLimit) : [message];
  let isPublic = requests.length > 0;
  let configurator: number | undefined;
  for (const request of requests) {
    const { method, params } = isRecord(request) ? request : {};
    const declaration = typeof method === 'string' ? dispatcher.find(method) : undefined;
    if (declaration?.access !== 'public') isPublic = false;
    if (declaration?.access !== 'webfront' || configurator !== undefined) continue;
    const [first] = declaration.parameters;
    configurator = readId(
      Array.isArray(params) ? params[0] : isRecord(params) ? params[first?.name ?? ''] : undefined,
    );
  }
  return { isPublic, configurator };
}

/** An object id in any form that functions accept (interface, decision 6). */
function readId(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,9}(\.0+)?$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/**
 * The configurator that the start of a request names, for a `webfront` user whose request exceeds the limit
 * for unverified clients. It is only a claim: when the request is complete, {@link requiredAuthentication}
 * determines the configurator.
 */
export function claimedConfigurator(start: Buffer): number | undefined {
  const params = /"params"\s*:\s*(?:\[\s*|\{\s*"\w{1,64}"\s*:\s*)"?(\d{1,9})\b/;
  return readId(params.exec(start.toString('latin1'))?.[1]);
}
