import type { Cancel } from '../base/clock.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import { loadOptions, type Options } from '../functions/options.js';
import type { Store } from '../store/store.js';

/**
 * The gateway's options (`SVC_SetOption`), kept in the store, and applied to it if they are about the store.
 * `onClose` registers a function to call when the gateway stops.
 */
export function storedOptions(
  store: Store,
  { store: configured }: GatewayConfig,
  onClose: (cancel: Cancel) => void,
): Options {
  // An option that was set at run time takes precedence over the configuration, even after a restart.
  const { settings } = loadOptions(store, {
    SaveInterval: configured?.valuesEveryS,
    ArchiveInterval: configured?.recordsEveryS,
    BackupCount: configured?.backups,
  });
  store.setSaveInterval(settings.get('SaveInterval') * 1000);
  store.setBackupsKept(settings.get('BackupCount'));
  onClose(
    settings.changed.on((name) => {
      if (name === 'SaveInterval') store.setSaveInterval(settings.get(name) * 1000);
      if (name === 'BackupCount') store.setBackupsKept(settings.get(name));
    }),
  );
  return settings;
}
