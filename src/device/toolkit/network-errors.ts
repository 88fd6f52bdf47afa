/** Why a network peer can't be reached. */
export interface NetworkError {
  /** Whether only a changed setting helps; otherwise the connection may succeed later. */
  readonly isConfigurationError: boolean;
  /** What is wrong and what to do. */
  readonly why: string;
}

/**
 * Explains the error code of a failed TCP or TLS connection; undefined for other codes. `setting` is the
 * property that names the peer.
 */
export function explainNetworkError(code: unknown, setting: string): NetworkError | undefined {
  const wait = (why: string) => ({ isConfigurationError: false, why });
  const misconfigured = (why: string) => ({ isConfigurationError: true, why });
  switch (code) {
    case 'ECONNREFUSED':
      return wait(`nobody listens there; start what should, or correct ${setting}`);
    case 'EAI_AGAIN':
      return wait('no name server answers for the name; look at the network, or give the address');
    case 'ENOTFOUND':
      return wait(`the name is not known; correct ${setting}, or look at the network`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'TIMED_OUT':
      return wait('it can not be reached; look at the network');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return misconfigured(`its certificate is for another name; use that name in ${setting}`);
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return wait('its certificate is not valid now; renew it, or set the clock');
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return misconfigured('its certificate is not from a known authority; give that authority in CaFile');
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'EPROTO':
      return misconfigured('there is no TLS at that port; take the port for TLS, or do without');
    default:
      return undefined;
  }
}
