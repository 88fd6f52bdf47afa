import { coded } from '../base/codes/coded-text.js';
import { request as requestSecurely } from 'node:https';
import { BlockList } from 'node:net';
import { ipVersion, unwrapIpv4 } from '../base/addresses.js';
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
 * Posts a message to a push service. Residents choose the endpoint, so it must be a public internet address
 * and use the HTTPS port: nobody reaches the home network through the gateway. The content of the response
 * is not read. Rejects with `URL_FAILED`, `TIMED_OUT`.
 */
export async function postToPushService(
  { endpoint, headers, body }: PushRequest,
  { clock, names, test }: PushOptions,
): Promise<PushResponse> {
  const url = new URL(endpoint);
  if (test === undefined && url.port !== '')
    throw fault('URL_FAILED', coded`NO_PUSH_SERVICE: ${url.host} is not a push service`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const found = ipVersion(host) === 0 ? await names.addressesOf(host) : [host];
  const address = found.find(test?.isAllowed ?? isPublic);
  if (address === undefined)
    throw fault('URL_FAILED', coded`NOT_INTERNET: ${host} has no public internet address`);
  const stop = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () =>
    stop.abort(fault('TIMED_OUT', coded`WHAT_RESPONSE_OF: The response of ${host}`)),
  );
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

/** Networks that are not the internet (RFC 6890), and tunnels in it. */
const special = new BlockList();
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
]) {
  const [address = '', bits] = network.split('/');
  special.addSubnet(address, Number(bits), 'ipv4');
}
// Protocols such as Teredo, documentation, and addresses of IPv4.
special.addSubnet('2001::', 23, 'ipv6');
special.addSubnet('2001:db8::', 32, 'ipv6');
special.addSubnet('2002::', 16, 'ipv6');

/** Global unicast addresses (RFC 4291 §2.4). */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is one of the internet: of IPv6, only global unicast without tunnels. */
export function isPublic(address: string): boolean {
  const plain = unwrapIpv4(address).replace(/%.*$/, '');
  const version = ipVersion(plain);
  if (version === 4) return !special.check(plain, 'ipv4');
  return version === 6 && globalUnicast.check(plain, 'ipv6') && !special.check(plain, 'ipv6');
}
