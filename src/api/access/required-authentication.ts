import type { Dispatcher } from '../rpc/dispatcher.js';
import { isRecord } from '../rpc/rpc.js';

/** What a message needs to be let through. */
export interface RequiredAuthentication {
  /** Only functions that everybody may call; credentials are then not looked at (interface, decision 1). */
  readonly isPublic: boolean;
  /**
   * The configurator in the first parameter of the first function that `webfront` users may call (decision
   * 14).
   */
  readonly configurator: number | undefined;
}

/** Finds out what a decoded request or batch needs; a wrong one needs credentials like any other. */
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
    const facts = typeof method === 'string' ? dispatcher.find(method) : undefined;
    if (facts?.access !== 'public') isPublic = false;
    if (facts?.access !== 'webfront' || configurator !== undefined) continue;
    const [first] = facts.parameters;
    configurator = readId(
      Array.isArray(params) ? params[0] : isRecord(params) ? params[first?.name ?? ''] : undefined,
    );
  }
  return { isPublic, configurator };
}

/** An object id in any form that the functions would take too (interface, decision 6). */
function readId(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,9}(\.0+)?$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/**
 * The configurator that the beginning of a request names, for a `webfront` user whose request is longer than
 * what is read of strangers. A claim: once the request is complete, {@link requiredAuthentication} says which
 * one it is about.
 */
export function claimedConfigurator(beginning: Buffer): number | undefined {
  const params = /"params"\s*:\s*(?:\[\s*|\{\s*"\w{1,64}"\s*:\s*)"?(\d{1,9})\b/;
  return readId(params.exec(beginning.toString('latin1'))?.[1]);
}
