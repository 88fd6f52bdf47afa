import { isDeepStrictEqual } from 'node:util';
import { BUFFER_BYTES, BUFFER_MESSAGES, type BufferLimits } from '../kernel/changes.js';
import type { GatewayConfig, TlsConfig } from './schema/gateway-schema.js';

/** The default address of the API. */
const LOCAL = { host: '127.0.0.1', port: 3777 };

/** The keys of the configuration that a reload applies. */
export const RELOADABLE = [
  'name',
  'language',
  'timeZone',
  'remoteAccess',
  'api',
  'webServers',
  'profiles',
  'tree',
  'configurators',
  'changes',
  'backup',
  'updates',
  'metrics',
  'log',
];

/** The changed keys that only a restart applies. */
export function needsRestart(before: GatewayConfig, after: GatewayConfig): string[] {
  const fixed = ({ board, store, api }: GatewayConfig) => ({ board, store, 'api.aliases': api?.aliases });
  const [old, now] = [fixed(before), fixed(after)];
  return (Object.keys(old) as (keyof typeof old)[]).filter((key) => !isDeepStrictEqual(old[key], now[key]));
}

/** Log levels by subject; `default` applies to the others. */
export function levelsOf({ log }: GatewayConfig) {
  return typeof log?.level === 'string' ? { default: log.level } : (log?.level ?? {});
}

/** The limits of the change buffer (interface, decision 9). */
export function bufferOf({ changes }: GatewayConfig): BufferLimits {
  return { messages: BUFFER_MESSAGES, bytes: BUFFER_BYTES, ...changes };
}

/** The API's own listener and the web servers, with defaults filled in. */
export function listenersOf({ api = {}, webServers }: GatewayConfig) {
  return {
    ...LOCAL,
    ...api,
    tls: tlsOf(api.tls),
    webServers: webServers?.map((server) => ({ ...server, tls: tlsOf(server.tls) })),
  };
}

/** Loading has ensured that there is a key. */
function tlsOf(tls: TlsConfig | undefined) {
  return tls === undefined || tls === 'auto' ? tls : { certificate: tls.certificate, key: tls.key ?? '' };
}
