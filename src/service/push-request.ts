import { request as requestSecurely } from 'node:https';
import { ipv6Groups, ipVersion, unwrapIpv4 } from '../base/addresses.js';
import type { Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import type { NameResolver } from '../device/toolkit/name-resolver.js';

/** The time limit of a request, ms. */
const TIMEOUT_MS = 15_000;

interface PushRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface PushResponse {
  readonly status: number;
  readonly retryAfterS: number | undefined;
}

interface PushOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly names: Pick<NameResolver, 'addressesOf'>;
  /** Tests run a push service on loopback, with a certificate of their own. */
  readonly test?: { readonly isAllowed: (address: string) => boolean; readonly ca: string };
}

/**
 * Posts a message to a push service. Residents choose the endpoint, so it must be an address of the internet,
 * and at the port of HTTPS: nobody reaches the home network through the gateway. The content of the response
 * is not read. Rejects with `URL_FAILED`, `TIMED_OUT`.
 */
export async function postToPushService(
  { endpoint, headers, body }: PushRequest,
  { clock, names, test }: PushOptions,
): Promise<PushResponse> {
  const url = new URL(endpoint);
  if (test === undefined && url.port !== '') throw fault('URL_FAILED', `${url.host} is no push service`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const found = ipVersion(host) === 0 ? await names.addressesOf(host) : [host];
  const address = found.find(test?.isAllowed ?? isPublic);
  if (address === undefined) throw fault('URL_FAILED', `${host} is not in the internet`);
  const stop = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => stop.abort(fault('TIMED_OUT', `The response of ${host}`)));
  try {
    return await new Promise<PushResponse>((resolve, reject) => {
      const request = requestSecurely(url, {
        method: 'POST',
        headers: { ...headers, 'User-Agent': 'stellwerk', 'Content-Length': body.length },
        agent: false,
        signal: stop.signal,
        // The address that was checked: a second lookup might have another result.
        lookup: (_host, { all }, callback) => {
          const family = ipVersion(address);
          if (all === true) callback(null, [{ address, family }]);
          else callback(null, address, family);
        },
        ...(test && { ca: test.ca }),
      });
      request.once('response', (response) => {
        const { statusCode: status = 0, headers: replied } = response;
        response.destroy();
        const seconds = Number(replied['retry-after']);
        resolve({ status, retryAfterS: Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined });
      });
      request.on('error', reject);
      request.end(body);
    });
  } finally {
    cancel();
  }
}

/** Networks of IPv4 that are not the internet: their address and the bits of their mask (RFC 6890). */
const SPECIAL = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xe0000000, 3],
] as const;

/** Whether an address is one of the internet: of IPv6, only global unicast without tunnels. */
export function isPublic(address: string): boolean {
  const plain = unwrapIpv4(address);
  if (ipVersion(plain) === 4) {
    const value = plain.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
    return !SPECIAL.some(
      ([network, bits]) => Math.floor(value / 2 ** (32 - bits)) === network / 2 ** (32 - bits),
    );
  }
  const [first = 0, second = 0] = ipv6Groups(plain) ?? [];
  // 2001::/23 are protocols such as Teredo, 2001:db8::/32 documentation, 2002::/16 addresses of IPv4.
  const isTunnel = first === 0x2002 || (first === 0x2001 && (second < 0x200 || second === 0xdb8));
  return first >= 0x2000 && first < 0x4000 && !isTunnel;
}
