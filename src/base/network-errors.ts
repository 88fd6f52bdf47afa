import { coded, type CodedText } from './codes/coded-text.js';

/** Why a network peer can't be reached. */
interface NetworkError {
  /** Whether only a changed setting helps; otherwise the connection may succeed later. */
  readonly isConfigurationError: boolean;
  /** What is wrong and what to do. */
  readonly why: CodedText;
}

/**
 * Explains the error code of a failed TCP or TLS connection; undefined for other codes. `setting` is the
 * property that names the peer.
 */
export function explainNetworkError(code: unknown, setting: string): NetworkError | undefined {
  const wait = (why: CodedText) => ({ isConfigurationError: false, why });
  const misconfigured = (why: CodedText) => ({ isConfigurationError: true, why });
  switch (code) {
    case 'ECONNREFUSED':
      return wait(coded`NO_PROGRAM_LISTENS_THERE: no program listens there; start it, or correct ${setting}`);
    case 'EAI_AGAIN':
      return wait(
        coded`NO_NAME_SERVER_REPLIES: no name server replies; check the network, or give the address instead of the name`,
      );
    case 'ENOTFOUND':
      return wait(
        coded`UNKNOWN_HOST_NAME_CORRECT: unknown host name; correct ${setting}, or check the network`,
      );
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'TIMED_OUT':
      return wait(coded`HOST_UNREACHABLE_CHECK_NETWORK: the host is unreachable; check the network`);
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return misconfigured(
        coded`CERTIFICATE_ANOTHER_NAME_USE: its certificate is for another name; use that name in ${setting}`,
      );
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return wait(
        coded`CERTIFICATE_NOT_VALID_NOW: its certificate is not valid now; renew it, or set the clock`,
      );
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return misconfigured(
        coded`CERTIFICATE_NOT_FROM_KNOWN: its certificate is not from a known authority; set CaFile to the certificate of that authority`,
      );
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'EPROTO':
      return misconfigured(
        coded`PORT_DOES_NOT_USE: the port does not use TLS; give the port for TLS, or disable TLS`,
      );
    default:
      return undefined;
  }
}
