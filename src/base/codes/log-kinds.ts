/** Kinds of log lines that operators filter for; a kind never changes its meaning. */
export const logKind = {
  /** The gateway replies to calls. */
  gatewayStarted: 'GATEWAY_STARTED',
  /** The gateway cannot start. */
  gatewayNotStarted: 'GATEWAY_NOT_STARTED',
  /** The gateway has stopped as requested. */
  gatewayStopped: 'GATEWAY_STOPPED',
  /** Another configuration applies. */
  configurationReloaded: 'CONFIGURATION_RELOADED',
  /** The configuration has errors, and the one before applies. */
  configurationRejected: 'CONFIGURATION_REJECTED',
  /** An instance works, for the first time or again. */
  instanceOnline: 'INSTANCE_ONLINE',
  /** An instance does not work, and is opened again. */
  instanceFailed: 'INSTANCE_FAILED',
  /** The line keeper has applied the policies of the outputs. */
  outputsTakenOver: 'OUTPUTS_TAKEN_OVER',
  /** Nothing would apply the policies of the outputs. */
  outputsUnguarded: 'OUTPUTS_UNGUARDED',
  /** The database was damaged. */
  databaseRecovered: 'DATABASE_RECOVERED',
  /** The archive was damaged. */
  archiveDamaged: 'ARCHIVE_DAMAGED',
  /** Changes could not be written before the gateway stopped. */
  changesLost: 'CHANGES_LOST',
  /** A backup was made. */
  backupMade: 'BACKUP_MADE',
  /** A backup was restored at the start. */
  backupRestored: 'BACKUP_RESTORED',
  /** The gateway was reset. */
  factoryReset: 'FACTORY_RESET',
  /** A version was rolled back. */
  updateRolledBack: 'UPDATE_ROLLED_BACK',
  /** Wrong passwords. */
  passwordRejected: 'PASSWORD_REJECTED',
  /** A request with another host or origin. */
  requestRejected: 'REQUEST_REJECTED',
  /** A script has failed. */
  scriptFailed: 'SCRIPT_FAILED',
  /** The action of an event has failed. */
  eventFailed: 'EVENT_FAILED',
  /** A limit took effect. */
  limitReached: 'LIMIT_REACHED',
} as const;
export type LogKind = (typeof logKind)[keyof typeof logKind];
