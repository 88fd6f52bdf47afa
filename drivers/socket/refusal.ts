import { codeOf, Fault, faultFrom, isAbort, messageOf } from '../../src/base/fault.js';
import { whyUnreachable } from '../../src/device/unreachable.js';

/** What the other side, the way to it or the kernel answered, in words that say what to do. */
export function refusal(thrown: unknown, name: string): Error {
  const known = whyUnreachable(codeOf(thrown), 'Host and Port');
  if (known === undefined && (thrown instanceof Fault || isAbort(thrown))) return thrown as Error;
  const { isMistake, why } = known ?? ownWords(thrown);
  return faultFrom(thrown, isMistake ? 'DEVICE_CONFIGURATION' : 'DEVICE_OFFLINE', `${name}: ${why}`);
}

function ownWords(thrown: unknown): { readonly isMistake: boolean; readonly why: string } {
  const wait = (why: string) => ({ isMistake: false, why });
  const mend = (why: string) => ({ isMistake: true, why });
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
      return callOf(thrown) === 'send'
        ? mend('it is a broadcast address; set EnableBroadcast to send there')
        : mend('ports below 1024 are kept for others; take a higher one');
    case 'EMSGSIZE':
      return mend('the datagram is larger than the network takes');
    default:
      return wait(messageOf(thrown) || 'the connection failed');
  }
}

/** The kernel's function that failed. */
function callOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'syscall' in thrown ? thrown.syscall : undefined;
}
