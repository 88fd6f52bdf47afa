import { coded, joined } from '../base/codes/coded-text.js';
import { healthy, type HealthFinding } from '../base/health-check.js';
import { messageOf } from '../base/fault.js';
import type { AppliedKeys } from '../config/apply/apply-tree.js';
import { webFrontModule } from '../modules/core-modules.js';
import type { LoadedConfig } from '../config/load.js';
import { identPathsOf } from '../config/apply/apply-problems.js';
import { isModuleObject } from '../device/instance-variables.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, typeName, type TreeObject } from '../kernel/object.js';
import type { ConfigurationTarget } from './configuration.js';

/** An object that the configuration file no longer lists (`GW_Prune`). */
export interface OrphanRecord {
  readonly ObjectID: number;
  readonly Path: string;
  readonly Type: string;
  /** Why it is kept; '' if it is removed, or would be. */
  readonly Problem: string;
}

/** Maximum number of objects in the finding, so that the other checks stay visible. */
const SHOWN = 20;

/** The ident paths that were applied earlier and are no longer in the file. */
export function unlistedPaths(
  { config, tree }: LoadedConfig,
  applied: AppliedKeys,
  kernel: Kernel,
): string[] {
  const listed = new Set(identPathsOf(tree));
  const fronts = new Set((config.configurators ?? []).map(({ ident }) => ident));
  const removedFronts = [...(kernel.tree.root.children ?? [])].flatMap((child) =>
    child.is(objectType.instance) && child.data.moduleId === webFrontModule.id && !fronts.has(child.ident)
      ? [child.ident]
      : [],
  );
  return [...new Set([...Object.keys(applied), ...removedFronts])].filter(
    // Profiles, whose paths have a colon, are not objects.
    (path) => path !== '' && !path.includes(':') && !listed.has(path),
  );
}

/** The health finding about them. */
export function orphansFinding(paths: readonly string[], { tree }: Kernel): HealthFinding {
  const found = paths.flatMap((path) => {
    const object = tree.findByPath(path);
    return object === undefined ? [] : [coded`OBJECT_AT: ${path} (#${object.id}, ${typeName[object.type]})`];
  });
  if (found.length === 0)
    return healthy(
      coded`ALL_OBJECTS_GATEWAY_YAML: all objects that gateway.yaml has created are listed in it`,
    );
  const lines = found
    .slice(0, SHOWN)
    .map((one) => coded`REMOVED_FROM_FILE: ${one} was removed from gateway.yaml and still exists`);
  if (found.length > SHOWN) lines.push(coded`AND_MORE: and ${found.length - SHOWN} more`);
  return {
    state: 'warning',
    text: joined(lines, '\n'),
    whatToDo: coded`STELLWERK_PRUNE_SHOWS_WHAT: stellwerk prune shows what can be removed; to keep an object, list it again`,
  };
}

/**
 * Returns the objects that the file no longer lists, deepest first; with `remove`, deletes them. An object
 * stays if there is an object below it that the file never listed.
 */
export async function pruneOrphans(
  paths: readonly string[],
  to: ConfigurationTarget,
  remove: boolean,
): Promise<OrphanRecord[]> {
  const { tree } = to.kernel;
  const removable = new Set<TreeObject>();
  const records: OrphanRecord[] = [];
  for (const path of paths.toSorted((a, b) => depthOf(b) - depthOf(a) || a.localeCompare(b))) {
    const object = tree.findByPath(path);
    if (object === undefined) continue;
    const others = [...(object.children ?? [])].filter((child) => !removable.has(child));
    const kept = object.is(objectType.instance) ? others.filter((child) => !isModuleObject(child)) : others;
    let problem = '';
    if (kept.length > 0) {
      const names = kept.map(({ id, displayName }) => `${displayName} (#${id})`).join(', ');
      problem = `the objects below it are not in the file: ${names}; delete or move them first`;
    } else {
      removable.add(object);
      if (remove) problem = await deleteObject(object, to);
    }
    records.push({ ObjectID: object.id, Path: path, Type: typeName[object.type], Problem: problem });
  }
  return records;
}

const depthOf = (path: string): number => path.split('/').length;

/** Deletes an object; returns the error, '' if there was none. Keeps the files of scripts and media. */
async function deleteObject(
  object: TreeObject,
  { kernel, devices, scripts, media }: ConfigurationTarget,
): Promise<string> {
  const { id } = object;
  try {
    if (object.is(objectType.instance)) await devices.delete(id);
    else if (object.is(objectType.script)) await scripts.delete(id, false);
    else if (object.is(objectType.media)) await (await media.get()).delete(id, false);
    else kernel.tree.delete(object);
    return '';
  } catch (thrown) {
    return messageOf(thrown);
  }
}
