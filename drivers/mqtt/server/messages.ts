/** What the gateway and the process of a broker send each other. */

/** A user of the broker. */
export interface BrokerUser {
  readonly name: string;
  /** Either of the two is empty. */
  readonly password: string;
  readonly passwordHash: string;
  /** Filters of the topics that may be received and published. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** A certificate with its key, as PEM. */
export interface BrokerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Limits of the broker. */
export interface BrokerLimits {
  readonly clients: number;
  readonly packetBytes: number;
  /** Subscriptions of a client. */
  readonly subscriptions: number;
  /** Messages that wait for a session. */
  readonly queued: number;
  /** Everything that is kept, bytes: topics, payloads, filters, and what each record costs in addition. */
  readonly keptBytes: number;
  /** How long the session of a client that is not connected is kept, ms. */
  readonly sessionMs: number;
}

/** How a broker is started. */
export interface BrokerOptions {
  readonly address: string;
  readonly port: number;
  readonly certificate?: BrokerCertificate | undefined;
  /** The path of the database. */
  readonly database: string;
  /** The directory of the journals, on a tmpfs. */
  readonly journal: string;
  readonly writeIntervalMs: number;
  readonly limits: BrokerLimits;
  readonly users: readonly BrokerUser[];
  /** If false, any client may do everything without a login. */
  readonly isLoginRequired: boolean;
}

export type ToBroker =
  | { readonly is: 'open'; readonly options: BrokerOptions }
  | { readonly is: 'users'; readonly users: readonly BrokerUser[]; readonly isLoginRequired: boolean }
  | { readonly is: 'certificate'; readonly certificate: BrokerCertificate }
  | { readonly is: 'close' };

/** What the broker counts; the numbers of events rise from the start of its process. */
export interface BrokerFigures {
  readonly clients: number;
  /** Connected clients by the name of their user. */
  readonly clientsOf: Readonly<Record<string, number>>;
  readonly received: number;
  readonly sent: number;
  readonly retained: number;
  readonly queued: number;
  /** Messages that a limit discarded. */
  readonly dropped: number;
  /** Logins, connections, subscriptions and messages that were rejected. */
  readonly rejected: number;
}

export type FromBroker =
  | { readonly is: 'listening'; readonly port: number }
  /** It could not start; `code` is the system's. */
  | { readonly is: 'failed'; readonly code: string; readonly message: string }
  | { readonly is: 'figures'; readonly figures: BrokerFigures }
  /** The database cannot be written, or can again (empty). */
  | { readonly is: 'disk'; readonly message: string }
  /** The database was damaged: the number of records that were lost, -1 for all. */
  | { readonly is: 'damaged'; readonly records: number }
  /** Something was rejected, for the log; a limit of these messages per second applies. */
  | { readonly is: 'rejected'; readonly what: string };
