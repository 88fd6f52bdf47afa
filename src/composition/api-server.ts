import type { ApiOptions, ApiContext } from '../api/api-options.js';
import type { ConfiguratorEntry } from '../config/apply/configurators.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import { listenersOf } from '../config/settings.js';
import type { Options } from '../functions/options.js';
import { postToPushService } from '../service/push-request.js';
import type { Components } from './components.js';
import { configuratorAccess } from './configurator-access.js';
import type { Foundation } from './foundation.js';
import { createPages } from '../front/pages.js';

/** Dependencies of the API. */
export function apiDependencies(
  { authority, clock, directory, health, log, names, store }: Foundation,
  { kernel, media, metrics, registry, tasks }: Components,
  {
    configurators,
    config,
  }: { readonly configurators: () => readonly ConfiguratorEntry[]; readonly config: () => GatewayConfig },
): ApiContext {
  return {
    dispatcher: registry,
    counted: metrics.counting(registry),
    monitoring: metrics,
    kernel,
    clock,
    log: log.root,
    logged: log.records.added,
    tasks: tasks.changed,
    limits: health.limits,
    pages: createPages(config),
    icons: { content: async (name) => (await media.get()).icons.content(name) },
    configurators: configuratorAccess(configurators),
    directory,
    authority,
    recordAudit: (record) => store.recordAudit(record),
    pingStore: () => store.ping(),
    sendPush: (request) => postToPushService(request, { clock, names }),
  };
}

/** The configuration of the API; an option that was set at run time takes precedence. */
export function apiOptions(
  { remoteAccess, metrics, ...config }: GatewayConfig,
  settings: Options,
): ApiOptions {
  const bodyLimit = settings.runtimeValue('ServerMaxPostSize');
  return {
    ...listenersOf(config),
    ...(bodyLimit !== undefined && { bodyLimit }),
    remoteAccess,
    metrics: metrics && { secret: metrics, isOpenLocally: metrics.local === 'open' },
  };
}
