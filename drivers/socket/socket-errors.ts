import { codeOf, Fault, faultFrom, isAbort, messageOf } from '../../src/base/fault.js';
import { explainNetworkError } from '../../src/device/toolkit/network-errors.js';

/** What the other side, the way to it or the kernel answered, in words that say what to do. */
export function mapSocketError(thrown: unknown, name: string): Error {
  const known = explainNetworkError(codeOf(thrown), 'Host and Port');
  if (known === undefined && (thrown instanceof Fault || isAbort(thrown))) return thrown as Error;
  const { isConfigurationError, why } = known ?? describeError(thrown);
  return faultFrom(
    thrown,
    isConfigurationError ? 'DEVICE_CONFIGURATION' : 'DEVICE_OFFLINE',
    `${name}: ${why}`,
  );
}

function describeError(thrown: unknown): { readonly isConfigurationError: boolean; readonly why: string } {
  const wait = (why: string) => ({ isConfigurationError: false, why });
  const mend = (why: string) => ({ isConfigurationError: true, why });
  switch (codeOf(thrown)) {
    case 'ECONNRESET':
    case 'EPIPE':
      return wait('the other side broke the connection off');
    case 'EADDRINUSE':
      return wait('another program has this port; stop that program, or take another');
    case 'EADDRNOTAVAIL':
      return wait(
        'no interface of this machine has this address now; correct BindIP, or look at the network',
      );
    case 'EACCES':
      return syscallOf(thrown) === 'send'
        ? mend('it is a broadcast address; set EnableBroadcast to send there')
        : mend('ports below 1024 are kept for others; take a higher one');
    case 'EMSGSIZE':
      return mend('the datagram is larger than the network takes');
    default:
      return wait(messageOf(thrown) || 'the connection failed');
  }
}

/** The kernel's function that failed. */
function syscallOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'syscall' in thrown ? thrown.syscall : undefined;
}
