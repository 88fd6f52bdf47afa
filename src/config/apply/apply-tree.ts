import { createHash } from 'node:crypto';
import { messageOf } from '../../base/fault.js';
import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import type { Devices } from '../../device/devices.js';
import { convertValue } from '../../kernel/convert.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { MediaType } from '../../kernel/media.js';
import { objectType, typeName, type TreeObject } from '../../kernel/object.js';
import type { ObjectOptions } from '../../kernel/tree.js';
import type { VariableType } from '../../kernel/value.js';
import type { Variable } from '../../kernel/variables.js';
import type { ActionOf } from './apply-event.js';
import { objectAt } from './event-conversion.js';
import type { ApplyProblem } from './apply-problems.js';
import { applyProperties, connectInstance, moveCoreInstance, type IsNew } from './apply-instance.js';
import { applyProfile } from './apply-profile.js';
import {
  mediaTypes,
  type InstanceVariable,
  type NodeKind,
  type ProfileConfig,
  type TreeNode,
} from '../schema/gateway-schema.js';
import { variableTypeNames } from '../../kernel/value.js';
import { applyAction, applyArchive } from './variable-settings.js';

/** The configuration as last applied: JSON by key, by ident path. Kept in the store. */
export type AppliedKeys = Record<string, Record<string, string>>;

interface ApplyTarget {
  readonly kernel: Kernel;
  readonly devices: Devices;
  readonly log: Log;
  readonly clock: Clock;
  readonly actionOf: ActionOf;
  readonly contents: ContentStore;
}

/** The parts of objects that are not in the kernel: archive records and files. */
export interface ContentStore {
  /** Starts recording a variable that is already marked as logged. */
  record(variableId: number): Promise<void>;
  createScript(options: ObjectOptions): Promise<TreeObject<3>>;
  setScriptText(id: number, text: string): Promise<void>;
  setScriptFile(id: number, file: string): Promise<void>;
  setMediaFile(id: number, file: string): Promise<void>;
  setMediaCached(id: number, cached: boolean): Promise<void>;
}

const typeOf: Record<NodeKind, 0 | 1 | 2 | 3 | 4 | 5 | 6> = {
  category: objectType.category,
  instance: objectType.instance,
  variable: objectType.variable,
  link: objectType.link,
  event: objectType.event,
  script: objectType.script,
  media: objectType.media,
};

/** The object of an entry, and whether it has just been created. */
interface NodeObject {
  readonly object: TreeObject;
  readonly isNew: boolean;
}

const attributes = ['name', 'position', 'icon', 'info', 'hidden', 'disabled', 'publish'] as const;

/** The prefix of profile keys among ident paths: no ident contains a colon. */
const PROFILE = 'profile:';
/** Longer values are stored as their digest. */
const LONGEST_STORED = 1024;

/** The part of a configuration that is applied to the tree. */
interface ApplicableConfig {
  readonly tree: readonly TreeNode[];
  readonly profiles?: Readonly<Record<string, ProfileConfig>> | undefined;
}

/**
 * Applies a configuration to the tree. Missing objects are created, existing ones are matched by ident path,
 * nothing is deleted. A key overrides a change made at run time only if its value has changed since it was
 * last applied. `value` applies at creation only. References apply again if their target was deleted
 * or re-created. Returns the applied state, to be stored, and what failed: a failing entry never stops the
 * others.
 */
export async function applyTree(
  { tree, profiles = {} }: ApplicableConfig,
  applied: AppliedKeys,
  target: ApplyTarget,
): Promise<{ applied: AppliedKeys; problems: ApplyProblem[] }> {
  const applying = new TreeApplier(applied, target);
  for (const [name, profile] of Object.entries(profiles)) await applying.profile(name, profile);
  await applying.all(tree, target.kernel.tree.root);
  await applying.applyDeferred();
  return { applied: applying.after, problems: applying.problems };
}

/** A copy that has no other keys: an ident may be `__proto__` or `constructor`. */
const withoutPrototype = (keys: AppliedKeys): AppliedKeys =>
  Object.assign(Object.create(null) as AppliedKeys, keys);

class TreeApplier {
  readonly after: AppliedKeys;
  readonly problems: ApplyProblem[] = [];
  readonly #before: AppliedKeys;
  readonly #target: ApplyTarget;
  /** References are applied last: their targets may be listed further down. */
  readonly #deferred: { readonly path: string; readonly job: () => Promise<void> }[] = [];

  constructor(before: AppliedKeys, target: ApplyTarget) {
    this.#before = withoutPrototype(before);
    // Entries that are no longer listed are remembered: if one returns unchanged, run-time changes stay.
    this.after = withoutPrototype(before);
    this.#target = target;
  }

  async profile(name: string, config: ProfileConfig): Promise<void> {
    const { kernel } = this.#target;
    const path = PROFILE + name;
    const isNew = this.#keyCheck(path, kernel.profiles.find(name) === undefined);
    await this.#guard(path, async () => applyProfile(name, config, { kernel, isNew }), `profiles: ${name}`);
  }

  async all(nodes: readonly TreeNode[], parent: TreeObject, path = ''): Promise<void> {
    let last = 0;
    for (const node of nodes) {
      // The default position is after the previous entry.
      const position = node.position ?? last + 1;
      last = position;
      const ownPath = path === '' ? node.ident : `${path}/${node.ident}`;
      const place = await this.#guard(ownPath, () => this.#place(node, parent));
      if (place === undefined) continue;
      const { object } = place;
      await this.#guard(ownPath, () => this.#applyNode(node, place, { path: ownPath, position }));
      // Children are applied even if the entry itself failed.
      if (node.kind === 'instance')
        for (const [ident, { children }] of Object.entries(node.variables ?? {})) {
          const variable = object.children?.byIdent(ident);
          if (variable !== undefined) await this.all(children, variable, `${ownPath}/${ident}`);
        }
      await this.all(node.children, object, ownPath);
    }
  }

  async applyDeferred(): Promise<void> {
    for (const { path, job } of this.#deferred) await this.#guard(path, job);
  }

  /** Which keys of an entry apply; with `all` every key, as nothing can have changed at run time. */
  #keyCheck(path: string, all: boolean): IsNew {
    const before = all ? {} : (this.#before[path] ?? {});
    const after: Record<string, string> = {};
    this.after[path] = after;
    return (key, value) => {
      const line = JSON.stringify(value);
      after[key] = line.length > LONGEST_STORED ? createHash('sha256').update(line).digest('hex') : line;
      return before[key] !== after[key];
    };
  }

  async #place(node: TreeNode, parent: TreeObject): Promise<NodeObject> {
    const found = parent.children?.byIdent(node.ident);
    if (found !== undefined && found.type !== typeOf[node.kind])
      throw new Error(
        `#${found.id} (${typeName[found.type]}) has this ident; delete it or choose another ident`,
      );
    return { object: found ?? (await this.#create(node, parent)), isNew: found === undefined };
  }

  async #applyNode(
    node: TreeNode,
    { object, isNew: isNewObject }: NodeObject,
    { path, position }: { path: string; position: number },
  ): Promise<void> {
    const isNew = this.#keyCheck(path, isNewObject);
    this.#attributes(this.#isPlaced(object, path) ? node : { position, ...node }, object, isNew);
    // Recorded even if not applied, so that the next start does not apply it.
    isNew('position', node.position ?? position);
    await this.#applyByKind(node, object, { isNew, path });
  }

  /** Whether it got its position at run time, before positions followed the order of the file. */
  #isPlaced(object: TreeObject, path: string): boolean {
    const before = this.#before[path];
    return before !== undefined && before['position'] === undefined && object.position !== 0;
  }

  #attributes(
    given: Pick<InstanceVariable, (typeof attributes)[number]>,
    object: TreeObject,
    isNew: IsNew,
  ): void {
    for (const key of attributes) {
      const value = given[key];
      if (value !== undefined && isNew(key, value)) this.#target.kernel.tree.set(object, key, value);
    }
  }

  async #create(node: TreeNode, parent: TreeObject): Promise<TreeObject> {
    const { kernel, devices, clock, contents } = this.#target;
    const place = { parent, ident: node.ident, name: node.name };
    switch (node.kind) {
      case 'category':
        return kernel.tree.create(objectType.category, {}, place);
      case 'instance':
        return (
          moveCoreInstance(node, parent, this.#target) ?? devices.create(node.module, place, node.properties)
        );
      case 'variable': {
        const type = variableTypeNames.indexOf(node.type) as VariableType;
        const value = node.value === undefined ? {} : { value: convertValue(type, node.value, 'value') };
        return kernel.variables.create(type, { ...place, ...value });
      }
      case 'link':
        return kernel.links.create(place);
      case 'event': {
        const { typeOfEvent } = await import('./apply-event.js');
        return kernel.events.create(typeOfEvent(node), clock.nowMs(), place);
      }
      case 'script':
        return contents.createScript(place);
      case 'media':
        return kernel.media.create(mediaTypes.indexOf(node.type) as MediaType, place);
    }
  }

  async #applyByKind(
    node: TreeNode,
    object: TreeObject,
    { isNew, path }: { isNew: IsNew; path: string },
  ): Promise<void> {
    const { kernel, devices, actionOf } = this.#target;
    const defer = (job: () => void | Promise<void>) => this.#deferred.push({ path, job: async () => job() });
    if (node.kind === 'event' && object.is(objectType.event))
      defer(async () =>
        (await import('./apply-event.js')).applyEvent(node, object, { kernel, actionOf, isNew }),
      );
    if (node.kind === 'instance' && object.is(objectType.instance)) {
      await applyProperties(node, object, { devices, isNew });
      defer(() => connectInstance(node, object, { kernel, devices, isNew }));
      for (const [ident, given] of Object.entries(node.variables ?? {})) {
        const variable = object.children?.byIdent(ident);
        if (!variable?.is(objectType.variable)) throw new Error(`it has no variable ${ident}`);
        const isNewHere: IsNew = (key, value) => isNew(`variables.${ident}.${key}`, value);
        this.#attributes(given, variable, isNewHere);
        await this.#variable(given, variable, { isNew: isNewHere, path });
      }
    }
    if (node.kind === 'variable' && object.is(objectType.variable)) {
      if (variableTypeNames[object.data.type] !== node.type)
        throw new Error(
          `the variable is of type ${variableTypeNames[object.data.type]}; delete it so that it is created again`,
        );
      const { residents } = node;
      if (residents !== undefined && isNew('residents', residents))
        kernel.variables.setResidentAccess(object, residents === 'set' ? residents : undefined);
      await this.#variable(node, object, { isNew, path });
    }
    if (node.kind === 'link' && object.is(objectType.link))
      defer(() => this.#link(node.target, object, isNew));
    await this.#files(node, object, isNew);
  }

  /** User settings of a variable, whoever created it. */
  async #variable(
    { profile, archive, action }: Pick<InstanceVariable, 'profile' | 'archive' | 'action'>,
    variable: Variable,
    { isNew, path }: { isNew: IsNew; path: string },
  ): Promise<void> {
    const { kernel, contents } = this.#target;
    if (profile !== undefined) {
      // Deferred because a missing profile must not keep the other settings from being applied.
      const job = async () => {
        if (isNew('profile', profile)) kernel.variables.setCustomProfile(variable, profile);
      };
      this.#deferred.push({ path, job });
    }
    if (archive !== undefined && isNew('archive', archive))
      await applyArchive(archive, variable, { kernel, record: (id) => contents.record(id) });
    if (action === undefined) return;
    const job = async () => {
      const isGone =
        variable.data.customAction > 1 && kernel.tree.find(variable.data.customAction) === undefined;
      if (isNew('action', action) || isGone) applyAction(action, variable, kernel);
    };
    this.#deferred.push({ path, job });
  }

  /** The text of a script, and the file of a media object. */
  async #files(node: TreeNode, { id }: TreeObject, isNew: IsNew): Promise<void> {
    const { contents } = this.#target;
    if (node.kind === 'script') {
      const { file, text } = node;
      if (file !== undefined && isNew('file', file)) await contents.setScriptFile(id, file);
      if (text !== undefined && isNew('text', text)) await contents.setScriptText(id, text);
    }
    if (node.kind === 'media') {
      const { file, cached } = node;
      if (file !== undefined && isNew('file', file)) await contents.setMediaFile(id, file);
      if (cached !== undefined && isNew('cached', cached)) await contents.setMediaCached(id, cached);
    }
  }

  #link(path: string, link: TreeObject<6>, isNew: IsNew): void {
    const { tree, links } = this.#target.kernel;
    const isGone = link.data.targetId === 0 || tree.find(link.data.targetId) === undefined;
    if (!isNew('target', path) && !isGone) return;
    links.setTarget(link, path === '' ? 0 : objectAt(path, this.#target.kernel).id);
  }

  async #guard<T>(path: string, job: () => Promise<T>, name = `tree: ${path}`): Promise<T | undefined> {
    try {
      return await job();
    } catch (thrown) {
      // What could not be applied is retried next time, with all its keys.
      this.after[path] = this.#before[path] ?? {};
      const problem = `${name}: ${messageOf(thrown)}`;
      this.problems.push({ path, text: problem });
      this.#target.log.error({ path }, problem);
      return undefined;
    }
  }
}
