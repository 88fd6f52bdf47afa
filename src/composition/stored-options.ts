import type { Cancel } from '../base/clock.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import { loadOptions, type Options } from '../functions/options.js';
import type { Store } from '../store/store.js';

/**
 * How often values and records are written to a memory card, s. With 1,000 variables at a realistic rate, a day then
 * has 33 MB of writes instead of 653 MB (docs/reference/soak.md).
 */
const CARD_INTERVAL_S = 300;

interface StoredOptionsSetup {
  readonly config: GatewayConfig;
  /** Whether the data directory is on a memory card. */
  readonly isOnCard: boolean;
  /** Registers a function to call when the gateway stops. */
  readonly onClose: (cancel: Cancel) => void;
}

/** The gateway's options (`SVC_SetOption`), kept in the store, and applied to it if they are about the store. */
export function storedOptions(
  store: Pick<Store, 'meta' | 'setMeta' | 'committed' | 'setSaveInterval' | 'setBackupsKept'>,
  { config: { store: configured }, isOnCard, onClose }: StoredOptionsSetup,
): Options {
  const standard = isOnCard ? CARD_INTERVAL_S : undefined;
  // An option that was set at run time takes precedence over the configuration, even after a restart.
  const { settings } = loadOptions(store, {
    SaveInterval: configured?.valuesEveryS ?? standard,
    ArchiveInterval: configured?.recordsEveryS ?? standard,
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
