import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { codeOf, Fault, faultFrom, isAbort, messageOf } from '../../src/base/fault.js';
import { explainNetworkError } from '../../src/base/network-errors.js';

/** Maps an error of the peer, the network or the kernel to a fault that says what to do. */
export function mapSocketError(thrown: unknown, name: Text): Error {
  const known = explainNetworkError(codeOf(thrown), 'Host and Port');
  if (known === undefined && (thrown instanceof Fault || isAbort(thrown))) return thrown as Error;
  const { isConfigurationError, why } = known ?? describeError(thrown);
  return faultFrom(
    thrown,
    isConfigurationError ? 'DEVICE_CONFIGURATION' : 'DEVICE_OFFLINE',
    coded`ABOUT: ${name}: ${why}`,
  );
}

function describeError(thrown: unknown): { readonly isConfigurationError: boolean; readonly why: Text } {
  const offline = (why: Text) => ({ isConfigurationError: false, why });
  const misconfigured = (why: Text) => ({ isConfigurationError: true, why });
  switch (codeOf(thrown)) {
    case 'ECONNRESET':
    case 'EPIPE':
      return offline(coded`PEER_RESET_CONNECTION: the peer reset the connection`);
    case 'EADDRINUSE':
      return offline(
        coded`ANOTHER_PROGRAM_USES_PORT: another program uses this port; stop it, or set another port`,
      );
    case 'EADDRNOTAVAIL':
      return offline(
        coded`NO_INTERFACE_MACHINE_ADDRESS: no interface of this machine has this address; correct BindIP, or check the network`,
      );
    case 'EACCES':
      return syscallOf(thrown) === 'send'
        ? misconfigured(
            coded`BROADCAST_NOT_ENABLED: it is a broadcast address; set EnableBroadcast to send to it`,
          )
        : misconfigured(coded`PORT_PRIVILEGED: ports below 1024 are privileged; set a higher one`);
    case 'EMSGSIZE':
      return misconfigured(
        coded`DATAGRAM_EXCEEDS_SIZE_NETWORK: the datagram exceeds the size that the network accepts; send smaller datagrams`,
      );
    default:
      return offline(messageOf(thrown) || coded`CONNECTION_FAILED: the connection failed`);
  }
}

/** The system call that failed. */
function syscallOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'syscall' in thrown ? thrown.syscall : undefined;
}
