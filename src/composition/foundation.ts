import { join, resolve } from 'node:path';
import { KeeperClient } from '../../drivers/gpio/index.js';
import { CertificateAuthority } from '../api/http/certificate-authority.js';
import { systemClock, type Clock } from '../base/clock.js';
import { locateConfig, overlayPath, type ConfigSource } from '../config/config-source.js';
import { loadConfig, type LoadedConfig, type ModulesOf } from '../config/load.js';
import { levelsOf } from '../config/settings.js';
import type { BootFlags } from '../device/module.js';
import { ModuleRegistry } from '../device/module-registry.js';
import type { NameResolver } from '../device/toolkit/name-resolver.js';
import { systemResolver } from '../device/toolkit/system-resolver.js';
import { BootFlagFile } from '../service/boot-flag-file.js';
import { ClockSynchronisation } from '../service/clock-synchronisation.js';
import { Health } from '../service/health.js';
import { isOnCard } from '../service/machine/data-disk.js';
import type { ServiceLog } from '../service/log.js';
import type { BoxFiles } from '../service/updates/box-files.js';
import { trackUpdate } from '../service/updates/update-marker.js';
import { foldersOf, makeDirectories } from '../store/data-directory.js';
import { Store } from '../store/store.js';
import { boardsOnce, createModuleList, loadPackagedBoard } from './module-list.js';
import { resetAtStart } from './backup/factory-reset.js';
import { checkResetLine } from './backup/reset-line.js';
import { restoreAtStart } from './backup/pending-restore.js';
import { reviewFacts } from './review-facts.js';

/** The options of a gateway. */
export interface GatewayOptions {
  readonly configFile: string;
  /** The data directory; created if it does not exist. */
  readonly directory: string;
  /** On a tmpfs: last values there survive a crash of the process. Below the data directory by default. */
  readonly runtimeDirectory?: string;
  /** The line keeper's socket; if absent, no keeper guards the outputs while the gateway is down. */
  readonly keeperSocket?: string;
  readonly log: ServiceLog;
  /** Ends the program (`SVC_StopKernel`); if absent, the gateway cannot end it. */
  readonly onStop?: () => void;
  /** Sets the time zone of the process; undefined: that of the machine. If absent, `timeZone` has no effect. */
  readonly setTimeZone?: (zone: string | undefined) => void;
  /** The directory of the board files; the package's own by default. */
  readonly boards?: string;
  /** The files of a box with slots; those of the image by default. */
  readonly boxFiles?: BoxFiles;
  /** Where the machine's files are read; `/` by default. */
  readonly machineRoot?: string;
  /** Tests pass a clock that they control. */
  readonly clock?: Clock;
}

/** The parts of a gateway that exist before its tree. */
export interface Foundation {
  /** The data directory, absolute. */
  readonly directory: string;
  readonly runtimeDirectory: string;
  readonly log: ServiceLog;
  readonly clock: Clock;
  readonly synchronisation: ClockSynchronisation;
  readonly loaded: LoadedConfig;
  /** Where the configuration is read from now. */
  readonly configSource: () => ConfigSource;
  /** The modules for another configuration, to check it; nothing is opened. */
  readonly modulesFor: ModulesOf;
  readonly modules: ModuleRegistry;
  readonly names: NameResolver;
  /** Signs the certificates of the API and of MQTT servers. */
  readonly authority: CertificateAuthority;
  readonly health: Health;
  readonly store: Store;
  readonly bootFlags: BootFlags;
  readonly keeper: KeeperClient;
  /** Whether the data directory is on a memory card, which wears out with each write. */
  readonly isOnCard: boolean;
}

/** Loads the configuration and opens the store. Throws ConfigurationError, `STORE_UNUSABLE`. */
export async function openFoundation(options: GatewayOptions): Promise<Foundation> {
  const directory = resolve(options.directory);
  const synchronisation = new ClockSynchronisation();
  const clock = options.clock ?? systemClock(() => synchronisation.isSynchronised);
  const { runtimeDirectory = join(directory, 'run') } = options;
  const paths = { socket: options.keeperSocket, directory, isUpdating: trackUpdate(runtimeDirectory) };
  const log = options.log.root;
  const keeper = new KeeperClient(paths, { clock, log: log.subject('keeper') });
  const names = systemResolver(clock);
  let modules = new ModuleRegistry([]);
  // The file of the board is read once per start: for the line of a factory reset and for the modules.
  const boardNamed = boardsOnce(options.boards);
  const directories = { directory, runtimeDirectory };
  const authority = new CertificateAuthority({
    directory: join(directory, 'tls'),
    clock,
    log: log.subject('api'),
  });
  const createModules = createModuleList(clock, { keeper, boardNamed, names, directories, authority });
  const configSource = () => locateConfig(options.configFile, directory);
  const resetLine = await checkResetLine(directory, {
    source: configSource(),
    boardNamed,
    clock,
    log: log.subject('gateway'),
  });
  await resetAtStart(directory, { source: configSource(), log: log.subject('gateway') });
  const restored = await restoreAtStart(directory, {
    source: configSource(),
    nowMs: clock.nowMs(),
    log: log.subject('store'),
  });
  const loaded = await loadConfig(
    configSource(),
    async (config) => (modules = await createModules(config)),
    reviewFacts,
  );
  options.log.setLevels(levelsOf(loaded.config));
  options.setTimeZone?.(loaded.config.timeZone);
  makeDirectories(directory, runtimeDirectory, join(directory, 'user'));
  const health = new Health(clock, log.subject('health'));
  if (restored !== undefined) health.set('restore', restored);
  if (resetLine !== undefined) health.set('reset line', resetLine);
  const store = await Store.open({
    directory,
    runtimeDirectory,
    files: {
      'gateway.yaml': [overlayPath(directory), resolve(options.configFile)],
      ...foldersOf(directory),
    },
    clock,
    log: log.subject('store'),
    checks: health,
  });
  // The simulated board boots with the process.
  const bootFlags =
    loaded.config.board === 'simulated' ? new Set<string>() : new BootFlagFile(runtimeDirectory, log);
  return {
    directory,
    runtimeDirectory,
    log: options.log,
    clock,
    synchronisation,
    loaded,
    configSource,
    modulesFor: createModuleList(clock, {
      boardNamed: (name) => loadPackagedBoard(name, options.boards),
      names,
      dataDirectory: directory,
    }),
    modules,
    names,
    authority,
    health,
    store,
    bootFlags,
    keeper,
    isOnCard: await isOnCard({ root: '/', dataDirectory: directory }),
  };
}
