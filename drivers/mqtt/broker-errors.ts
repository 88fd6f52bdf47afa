import { faultFrom, messageOf, type Fault } from '../../src/base/fault.js';
import { explainNetworkError } from '../../src/device/toolkit/network-errors.js';
import type { ConnectOptions } from './broker.js';

/** Maps an error of a broker or of the network to a fault that says what to do. */
export function mapBrokerError(thrown: unknown, { url, clientId, version, userName }: ConnectOptions): Fault {
  const offline = (why: string) => faultFrom(thrown, 'DEVICE_OFFLINE', `${url}: ${why}`);
  const misconfigured = (why: string) => faultFrom(thrown, 'DEVICE_CONFIGURATION', `${url}: ${why}`);
  const code = codeOf(thrown);
  const known = explainNetworkError(code, 'Url');
  if (known !== undefined) return known.isConfigurationError ? misconfigured(known.why) : offline(known.why);
  switch (code) {
    case 1: // MQTT 3.1.1 §3.2.2.3
    case 132: // MQTT 5 §3.2.2.2, here and below
      return misconfigured(
        `the broker does not support this protocol version; set ProtocolVersion to ${version === 5 ? 4 : 5}`,
      );
    case 2:
    case 133:
      return misconfigured(`the broker rejected the ClientID ${clientId}; set another one`);
    case 3:
    case 136:
    case 137:
      return offline('the broker is currently unavailable');
    case 4:
    case 5:
    case 134:
    case 135:
      return offline(
        userName === ''
          ? 'the broker requires a login; set UserName and Password'
          : `the broker rejected the user ${userName}; correct UserName and Password`,
      );
    case 141:
      return offline('the broker no longer responds; check the network');
    case 142:
      return offline(`another client connected with the ClientID ${clientId}; give each client its own ID`);
    case 149:
      return offline('a message exceeded the packet size limit');
    default:
      return offline(messageOf(thrown) || 'the connection failed');
  }
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
