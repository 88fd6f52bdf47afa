import type { Clock } from '../base/clock.js';
import type { LimitReporter } from '../base/limit-reporter.js';
import type { Log, LogRecord } from '../base/log.js';
import type { Signal } from '../base/signal.js';
import type { TaskState } from '../base/tasks/task-list.js';
import type { AuditRecord } from '../kernel/audit-record.js';
import type { Kernel } from '../kernel/kernel.js';
import type { Configurators, RemoteAccess } from './access/accounts.js';
import type { AuthorityCertificate, CertificateAuthority } from './http/certificate-authority.js';
import type { Timeouts } from './http/listener.js';
import type { TlsSource } from './http/tls.js';
import type { PushTransport } from './push/web-push.js';
import type { Dispatcher } from './rpc/dispatcher.js';
import type { BackupFiles } from './web/backup-routes.js';
import type { OwnerClaim } from './web/claim-routes.js';
import type { MetricsAccess, Monitoring } from './web/monitoring-routes.js';
import type { Pages, ServedContent, WebContext } from './web/web-server.js';

/** One of `webServers`: serves the API, and files or the web front. */
export interface WebServerOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSource | undefined;
  readonly serve: ServedContent;
  readonly basicAuth?: RemoteAccess | undefined;
}

/** The configuration of the API. */
export interface ApiOptions {
  /** The local listener; `port` 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSource | undefined;
  /** If absent, every call except `WFC_GetConfigurators` is rejected. */
  readonly remoteAccess?: RemoteAccess | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  /** `open`: calls of this machine without credentials act as the owner (interface, decision 3). */
  readonly local?: 'open' | undefined;
  /** Largest request in bytes; 25,165,824 by default. */
  readonly bodyLimit?: number | undefined;
  /** Calls in a batch; 1,000 by default. */
  readonly batchLimit?: number | undefined;
  readonly webServers?: readonly WebServerOptions[] | undefined;
  /** Who may read the metrics; without it there are none. */
  readonly metrics?: MetricsAccess | undefined;
}

/** The certificates of the listeners, and the authority that signs those of `tls: auto`. */
export interface Certificates {
  readonly authority?: AuthorityCertificate;
  readonly listeners: readonly { readonly name: string; readonly untilMs: number }[];
}

/** The dependencies of the API. */
export interface ApiContext {
  readonly dispatcher: Dispatcher;
  /** The same for the time while there are metrics: counts the calls. */
  readonly counted?: Dispatcher;
  readonly monitoring?: Monitoring;
  readonly kernel: Kernel;
  readonly log: Log;
  /** Emitted with each line of the log, for clients that read it. */
  readonly logged?: Signal<LogRecord>;
  /** Emitted with the progress of tasks. */
  readonly tasks?: Signal<TaskState>;
  readonly clock: Clock;
  readonly configurators: Configurators;
  readonly pages: Pages;
  readonly icons: WebContext['icons'];
  /** Counts limits that take effect. */
  readonly limits: LimitReporter;
  /** The data directory. */
  readonly directory: string;
  /** Adds a record to the audit. */
  readonly recordAudit: (record: AuditRecord) => void;
  /** How a gateway without an owner's password gets one. */
  readonly claim?: OwnerClaim;
  /** Backups as files, for downloads and uploads. */
  readonly backups?: BackupFiles;
  /** Signs the certificates that the gateway makes. */
  readonly authority: CertificateAuthority;
  /** Resolves when the store replies: the gateway is alive. */
  readonly pingStore: () => Promise<void>;
  /** Sends requests to push services. */
  readonly sendPush: PushTransport;
  /** For tests. */
  readonly timeouts?: Timeouts;
}
