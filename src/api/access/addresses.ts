import { isIP, isIPv6 } from 'node:net';

/** 4 or 6 for an address of that kind, 0 for what is none. */
export function ipVersion(address: string): 0 | 4 | 6 {
  return isIP(address) as 0 | 4 | 6;
}

/** The eight groups of an IPv6 address; undefined for what is none. A zone (`%eth0`) is left out. */
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

/** An address in the form in which it is compared: IPv4 without its IPv6 wrapping, IPv6 in full. */
export function normalAddress(address: string): string {
  const unwrapped = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const groups = ipv6Groups(unwrapped);
  return groups === undefined ? unwrapped : groups.map((group) => group.toString(16)).join(':');
}

/** Whether an address is of this machine alone: 127.0.0.0/8 or ::1. */
export function isLoopback(address: string): boolean {
  const normal = normalAddress(address);
  return (ipVersion(normal) === 4 && normal.startsWith('127.')) || normal === '0:0:0:0:0:0:0:1';
}

/** Under what name an address is remembered: an IPv6 host has a network of 64 bits to guess from. */
export function clientKey(remote: string): string {
  const groups = ipv6Groups(remote);
  return groups === undefined ? remote : groups.slice(0, 4).join(':');
}
