import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { faultFrom, messageOf, type Fault } from '../../src/base/fault.js';
import { explainNetworkError } from '../../src/base/network-errors.js';
import type { ConnectOptions } from './broker.js';
import type { ConnectionError } from './protocol-error.js';

/** Maps an error of a broker or of the network to a fault that says what to do. */
export function mapBrokerError(thrown: unknown, { url, clientId, version, userName }: ConnectOptions): Fault {
  const offline = (why: Text) => faultFrom(thrown, 'DEVICE_OFFLINE', coded`ABOUT: ${url}: ${why}`);
  const misconfigured = (why: Text) =>
    faultFrom(thrown, 'DEVICE_CONFIGURATION', coded`ABOUT: ${url}: ${why}`);
  const code = codeOf(thrown);
  const known = explainNetworkError(code, 'Url');
  if (known !== undefined) return known.isConfigurationError ? misconfigured(known.why) : offline(known.why);
  switch (code) {
    case 1: // MQTT 3.1.1 §3.2.2.3
    case 132: // MQTT 5 §3.2.2.2, here and below
      return misconfigured(
        coded`BROKER_DOES_NOT_SUPPORT: the broker does not support this protocol version; set ProtocolVersion to ${version === 5 ? 4 : 5}`,
      );
    case 2:
    case 133:
      return misconfigured(
        coded`BROKER_REJECTED_CLIENTID_SET: the broker rejected the ClientID ${clientId}; set another one`,
      );
    case 3:
    case 136:
    case 137:
      return offline(coded`BROKER_CURRENTLY_UNAVAILABLE: the broker is currently unavailable`);
    case 4:
    case 5:
    case 134:
    case 135:
      return offline(
        userName === ''
          ? coded`BROKER_REQUIRES_LOGIN_SET: the broker requires a login; set UserName and Password`
          : coded`BROKER_REJECTED_USER_CORRECT: the broker rejected the user ${userName}; correct UserName and Password`,
      );
    case 141:
      return offline(coded`BROKER_NO_LONGER_RESPONDS: the broker no longer responds; check the network`);
    case 142:
      return offline(
        coded`ANOTHER_CLIENT_CONNECTED_CLIENTID: another client connected with the ClientID ${clientId}; give each client its own ID`,
      );
    case 149:
      return offline(coded`MESSAGE_EXCEEDED_PACKET_SIZE: a message exceeded the packet size limit`);
    default:
      return offline(sentenceOf(thrown) ?? coded`CONNECTION_FAILED: the connection failed`);
  }
}

/** The sentence of an error of this driver, or the text of another one; undefined if it has none. */
function sentenceOf(thrown: unknown): Text | undefined {
  if (thrown instanceof Error && 'sentence' in thrown) return (thrown as ConnectionError).sentence;
  return messageOf(thrown) || undefined;
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
