import { isIP, isIPv6 } from 'node:net';

/** The IP version of an address: 4 or 6, or 0 if it is not an IP address. */
export function ipVersion(address: string): 0 | 4 | 6 {
  return isIP(address) as 0 | 4 | 6;
}

/**
 * The eight groups of an IPv6 address, without its zone (`%eth0`); undefined if it is not an IPv6 address.
 */
export function ipv6Groups(address: string): number[] | undefined {
  const bare = address.replace(/%.*$/, '');
  if (!isIPv6(bare)) return undefined;
  const plain = bare.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [left = '', right] = plain.split('::', 2);
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [head, tail] = [groups(left), groups(right ?? '')];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/**
 * An address without the wrapping of IPv4-mapped IPv6 addresses (RFC 4291 §2.5.5.2), which dual-stack sockets
 * show.
 */
export function unwrapIpv4(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** An address in the form in which it is compared: IPv4 unwrapped, IPv6 in full. */
export function normalAddress(address: string): string {
  const unwrapped = unwrapIpv4(address);
  const groups = ipv6Groups(unwrapped);
  return groups === undefined ? unwrapped : groups.map((group) => group.toString(16)).join(':');
}

/** Whether an address belongs to this machine alone: 127.0.0.0/8 or ::1. */
export function isLoopback(address: string): boolean {
  const normal = normalAddress(address);
  return (ipVersion(normal) === 4 && normal.startsWith('127.')) || normal === '0:0:0:0:0:0:0:1';
}

/** Whether a host name or address stays on this machine. */
export const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopback(host);

interface Listening {
  readonly host: string;
  readonly port: number;
}

/**
 * The web server that replaces the API's own listener: it listens on the same port, at the same address or at
 * all addresses (docs/use/configuration.md). Undefined if the API has its own; port 0 is any free port.
 */
export function replacementOf<T extends Listening>(
  { host, port }: Listening,
  webServers: readonly T[],
): T | undefined {
  const hosts = [host, '0.0.0.0', '::'];
  return webServers.find((one) => port !== 0 && one.port === port && hosts.includes(one.host));
}

/**
 * The key by which limits count a client: its address, of IPv6 the network of 64 bits that one host may use.
 */
export function clientKey(remote: string): string {
  const unwrapped = unwrapIpv4(remote);
  const groups = ipv6Groups(unwrapped);
  return groups === undefined ? unwrapped : groups.slice(0, 4).join(':');
}
