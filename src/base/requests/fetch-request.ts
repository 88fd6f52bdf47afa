/** An HTTP request. */
export interface FetchRequest {
  readonly url: string;
  readonly method: string;
  /** Absent for none. */
  readonly body?: string;
  /** Time limit for the complete request, ms. */
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** If absent, the credentials in the URL are used, if any. */
  readonly login?: { readonly username: string; readonly password: string };
  /** Whether the certificate must be trusted. */
  readonly verifyPeer: boolean;
  /** Whether the certificate must match the host. */
  readonly verifyHost: boolean;
}
