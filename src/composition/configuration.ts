import type { Text } from '../base/codes/coded-text.js';
import { parseJsonOr } from '../base/json.js';
import { codedMessageOf, faultFrom, messageOf } from '../base/fault.js';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { applyTree, type AppliedKeys, type ContentStore } from '../config/apply/apply-tree.js';
import { createConfigurators, type ConfiguratorEntry } from '../config/apply/configurators.js';
import type { ConfigSource } from '../config/config-source.js';
import { loadConfig, type LoadedConfig } from '../config/load.js';
import { existsIn, listProblems } from '../config/apply/apply-problems.js';
import type { Devices } from '../device/devices.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import type { Kernel } from '../kernel/kernel.js';
import type { LazyArchive } from './archive.js';
import type { LazyEvents } from './events.js';
import type { LazyMedia } from './media.js';
import type { ScriptEngine } from '../script/script-engine.js';
import { accessFinding, configurationFinding, unusableFileFinding } from '../service/health-findings.js';
import type { Health } from '../service/health.js';
import type { Store } from '../store/store.js';
import { orphansFinding, pruneOrphans, unlistedPaths, type OrphanRecord } from './orphans.js';
import { reviewFacts } from './review-facts.js';

/** Name in the store of the applied configuration. */
const APPLIED = 'applied';

/** The parts of a gateway that a configuration is applied to. */
export interface ConfigurationTarget {
  readonly kernel: Kernel;
  readonly devices: Devices;
  readonly clock: Clock;
  readonly store: Store;
  readonly health: Health;
  readonly log: Log;
  readonly events: LazyEvents;
  readonly archive: LazyArchive;
  readonly scripts: ScriptEngine;
  readonly media: LazyMedia;
}

/** Applies profiles, tree and configurators; returns descriptions of the parts that could not be applied. */
export async function applyConfiguration(
  loaded: LoadedConfig,
  to: ConfigurationTarget,
): Promise<{ configurators: ConfiguratorEntry[]; problems: readonly Text[] }> {
  const { config, tree } = loaded;
  const { store, events, log } = to;
  const target = { ...to, actionOf: events.actionOf, log: log.subject('config'), contents: contentsOf(to) };
  const before = parseJsonOr<AppliedKeys>(store.meta(APPLIED), {});
  const { applied, problems } = await applyTree({ tree, profiles: config.profiles }, before, target);
  await events
    .start()
    .catch((thrown: unknown) => problems.push({ path: '', text: `events: ${messageOf(thrown)}` }));
  saveApplied(loaded, applied, to);
  const made = createConfigurators(config.configurators ?? [], target);
  const all = listProblems(loaded, [...problems, ...made.problems], existsIn(to.kernel));
  to.health.set('configuration', configurationFinding(all, loaded));
  to.health.set('access', accessFinding(config.api?.local));
  await store.committed().catch((thrown: unknown) => log.error({}, messageOf(thrown)));
  return { configurators: made.configurators, problems: all };
}

/** Returns the objects that the file no longer lists; with `remove`, deletes them. */
export async function prune(
  loaded: LoadedConfig,
  to: ConfigurationTarget,
  remove: boolean,
): Promise<OrphanRecord[]> {
  const applied = parseJsonOr<AppliedKeys>(to.store.meta(APPLIED), {});
  const records = await pruneOrphans(unlistedPaths(loaded, applied, to.kernel), to, remove);
  if (remove) saveApplied(loaded, applied, to);
  return records;
}

/**
 * Stores what was applied, without objects that have been deleted since, because another object may get their
 * path.
 */
function saveApplied(
  loaded: LoadedConfig,
  applied: AppliedKeys,
  { kernel, store, health }: ConfigurationTarget,
): void {
  const unlisted = unlistedPaths(loaded, applied, kernel).filter((path) => {
    const hasObject = kernel.tree.findByPath(path) !== undefined;
    if (!hasObject) delete applied[path];
    return hasObject;
  });
  store.setMeta(APPLIED, JSON.stringify(applied));
  health.addCheck('orphans', () => orphansFinding(unlisted, kernel));
}

/**
 * Reads the configuration of a running gateway again. Throws `CONFIGURATION_INVALID` with all errors, which
 * health reports as well.
 */
export async function reloadConfig(
  source: ConfigSource,
  modules: ModuleRegistry,
  health: Health,
): Promise<LoadedConfig> {
  try {
    return await loadConfig(source, async () => modules, reviewFacts);
  } catch (thrown) {
    health.set('configuration', unusableFileFinding(codedMessageOf(thrown)));
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    throw faultFrom(thrown, 'CONFIGURATION_INVALID', text);
  }
}

/**
 * The content that a configuration sets outside of the kernel: files of scripts and media, and the archive.
 */
function contentsOf({ kernel, archive, scripts, media }: ConfigurationTarget): ContentStore {
  return {
    record: async (id) => (await archive.get()).recordPresent(id),
    createScript: async (options) => kernel.scripts.get(await scripts.create(options)),
    setScriptText: (id, text) => scripts.setContent(id, text),
    setScriptFile: (id, file) => scripts.setFile(id, file),
    setMediaFile: async (id, file) => (await media.get()).setFile(id, file, false),
    setMediaCached: async (id, cached) => (await media.get()).setCached(id, cached),
  };
}
