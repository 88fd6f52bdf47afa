/** Exit codes of the command line; those above 63 are sysexits.h's. */
export const exitCode = {
  ok: 0,
  /** The call or the check failed; the text says why. */
  failed: 1,
  /** Wrong arguments (EX_USAGE). */
  usage: 64,
  /** The gateway could not be reached, or could not start (EX_UNAVAILABLE). */
  unavailable: 69,
  /** The configuration has errors (EX_CONFIG). */
  configuration: 78,
  /** Cancelled with Ctrl-C (128 + SIGINT, as shells report it). */
  cancelled: 130,
} as const;
