import type { DocumentPath } from './document.js';
import type { GatewayConfig, SecretConfig } from './schema/gateway-schema.js';

/** All entries with a password, with their paths. */
export function* secretEntries(config: GatewayConfig): Generator<readonly [SecretConfig, DocumentPath]> {
  if (config.remoteAccess !== undefined) yield [config.remoteAccess, ['remoteAccess']];
  if (config.metrics !== undefined) yield [config.metrics, ['metrics']];
  for (const [i, server] of (config.webServers ?? []).entries())
    if (server.basicAuth !== undefined) yield [server.basicAuth, ['webServers', i, 'basicAuth']];
  for (const [i, configurator] of (config.configurators ?? []).entries())
    yield [configurator, ['configurators', i]];
}
