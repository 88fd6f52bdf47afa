import { faultFrom, messageOf, type Fault } from '../../src/base/fault.js';
import { explainNetworkError } from '../../src/device/toolkit/network-errors.js';
import type { ConnectOptions } from './broker.js';

/** What a broker or the way to it answered, in words that say what to do. */
export function mapBrokerError(thrown: unknown, { url, clientId, version, userName }: ConnectOptions): Fault {
  const offline = (why: string) => faultFrom(thrown, 'DEVICE_OFFLINE', `${url}: ${why}`);
  const mistaken = (why: string) => faultFrom(thrown, 'DEVICE_CONFIGURATION', `${url}: ${why}`);
  const code = codeOf(thrown);
  const known = explainNetworkError(code, 'Url');
  if (known !== undefined) return known.isConfigurationError ? mistaken(known.why) : offline(known.why);
  switch (code) {
    case 1: // MQTT 3.1.1 §3.2.2.3
    case 132: // MQTT 5 §3.2.2.2, here and below
      return mistaken(
        `the broker does not speak this version; set ProtocolVersion to ${version === 5 ? 4 : 5}`,
      );
    case 2:
    case 133:
      return mistaken(`the broker does not take the ClientID ${clientId}; set another`);
    case 3:
    case 136:
    case 137:
      return offline('the broker is not available now');
    case 4:
    case 5:
    case 134:
    case 135:
      return offline(
        userName === ''
          ? 'the broker asks for a user; set UserName and Password'
          : `the broker refused the user ${userName}; correct UserName and Password`,
      );
    case 141:
      return offline('the broker does not answer any more; look at the network');
    case 142:
      return offline(`another client came with the ClientID ${clientId}; give each client its own`);
    case 149:
      return offline('a message was larger than one side takes');
    default:
      return offline(messageOf(thrown) || 'the connection failed');
  }
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
