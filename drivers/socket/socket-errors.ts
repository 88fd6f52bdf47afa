import { codeOf, Fault, faultFrom, isAbort, messageOf } from '../../src/base/fault.js';
import { explainNetworkError } from '../../src/device/toolkit/network-errors.js';

/** Maps an error of the peer, the network or the kernel to a fault that says what to do. */
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
  const offline = (why: string) => ({ isConfigurationError: false, why });
  const misconfigured = (why: string) => ({ isConfigurationError: true, why });
  switch (codeOf(thrown)) {
    case 'ECONNRESET':
    case 'EPIPE':
      return offline('the peer reset the connection');
    case 'EADDRINUSE':
      return offline('another program uses this port; stop it, or set another port');
    case 'EADDRNOTAVAIL':
      return offline('no interface of this machine has this address; correct BindIP, or check the network');
    case 'EACCES':
      return syscallOf(thrown) === 'send'
        ? misconfigured('it is a broadcast address; set EnableBroadcast to send to it')
        : misconfigured('ports below 1024 are privileged; set a higher one');
    case 'EMSGSIZE':
      return misconfigured('the datagram exceeds the size that the network accepts');
    default:
      return offline(messageOf(thrown) || 'the connection failed');
  }
}

/** The system call that failed. */
function syscallOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'syscall' in thrown ? thrown.syscall : undefined;
}
