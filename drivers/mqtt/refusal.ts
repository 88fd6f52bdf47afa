import { faultFrom, messageOf, type Fault } from '../../src/base/fault.js';
import type { ConnectOptions } from './broker.js';

/** What a broker or the way to it answered, in words that say what to do. */
export function refusal(thrown: unknown, { url, clientId, version, userName }: ConnectOptions): Fault {
  const offline = (why: string) => faultFrom(thrown, 'DEVICE_OFFLINE', `${url}: ${why}`);
  const mistaken = (why: string) => faultFrom(thrown, 'DEVICE_CONFIGURATION', `${url}: ${why}`);
  switch (codeOf(thrown)) {
    case 'ECONNREFUSED':
      return offline('nobody listens there; start the broker, or correct Url');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return offline('the name is not known; correct Url, or look at the network');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return offline('it can not be reached; look at the network');
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
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return mistaken('its certificate is for another name; use that name in Url');
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return offline('its certificate is not valid now; renew it, or set the clock');
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return mistaken('its certificate is not from a known authority; give that authority in CaFile');
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'EPROTO':
      return mistaken('there is no TLS at that port; use mqtt: or ws:, or the port for TLS');
    default:
      return offline(messageOf(thrown) || 'the connection failed');
  }
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
