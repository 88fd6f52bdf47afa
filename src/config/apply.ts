import { messageOf } from '../base/fault.js';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Devices } from '../device/devices.js';
import { convertValue } from '../kernel/convert.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, typeName, type TreeObject } from '../kernel/object.js';
import type { VariableType } from '../kernel/value.js';
import type { ActionOf } from './events.js';
import { typeNames, type NodeKind, type TreeNode } from './schema.js';

/** What the configuration said when it was last applied: JSON by key, by ident path. Kept in the store. */
export type Applied = Record<string, Record<string, string>>;

/** What applying works on. */
export interface ApplyTarget {
  readonly kernel: Kernel;
  readonly devices: Devices;
  readonly log: Log;
  readonly clock: Clock;
  readonly actionOf: ActionOf;
}

const typeOf: Record<NodeKind, 0 | 1 | 2 | 4 | 6> = {
  category: objectType.category,
  instance: objectType.instance,
  variable: objectType.variable,
  link: objectType.link,
  event: objectType.event,
};

const attributes = ['name', 'position', 'icon', 'info', 'hidden', 'disabled'] as const;

/**
 * Brings what `tree` lists into the tree: what is missing is created, what is there is matched by its ident path, nothing
 * is deleted. A key wins over a change made at run time only when its own line changed since it was last applied; a
 * `value` counts at creation only, and what an entry names counts again when that was deleted or made anew. Returns what was
 * applied, to be kept, and what could not be: one entry never stops the rest.
 */
export async function applyTree(
  nodes: readonly TreeNode[],
  applied: Applied,
  target: ApplyTarget,
): Promise<{ applied: Applied; problems: string[] }> {
  const applying = new Applying(applied, target);
  await applying.all(nodes, target.kernel.tree.root);
  await applying.last();
  return { applied: applying.after, problems: applying.problems };
}

class Applying {
  readonly after: Applied;
  readonly problems: string[] = [];
  readonly #before: Applied;
  readonly #target: ApplyTarget;
  /** Links and events are made last: what they name may stand further down. */
  readonly #late: { node: TreeNode; parent: TreeObject; path: string }[] = [];

  constructor(before: Applied, target: ApplyTarget) {
    this.#before = before;
    // What is no longer listed is remembered: when its line comes back unchanged, run-time changes stay.
    this.after = { ...before };
    this.#target = target;
  }

  async all(nodes: readonly TreeNode[], parent: TreeObject, path = ''): Promise<void> {
    for (const node of nodes) {
      const own = path === '' ? node.ident : `${path}/${node.ident}`;
      if (node.kind === 'link' || node.kind === 'event') {
        this.#late.push({ node, parent, path: own });
        continue;
      }
      const object = await this.#guarded(own, () => this.#one(node, parent, own));
      if (object !== undefined) await this.all(node.children, object, own);
    }
  }

  async last(): Promise<void> {
    for (const { node, parent, path } of this.#late) {
      const object = await this.#guarded(path, () => this.#one(node, parent, path));
      if (object !== undefined) await this.all(node.children, object, path);
    }
  }

  async #one(node: TreeNode, parent: TreeObject, path: string): Promise<TreeObject> {
    const found = parent.children?.byIdent(node.ident);
    if (found !== undefined && found.type !== typeOf[node.kind])
      throw new Error(
        `#${found.id} has this ident and is a ${typeName[found.type]}; delete it or choose another ident`,
      );
    const object = found ?? (await this.#create(node, parent));
    // A new object has nothing that a run-time change could have made.
    const before = found === undefined ? {} : (this.#before[path] ?? {});
    const after: Record<string, string> = {};
    this.after[path] = after;
    const isNew = (key: string, value: unknown): boolean => {
      after[key] = JSON.stringify(value);
      return before[key] !== after[key];
    };
    for (const key of attributes) {
      const value = node[key];
      if (value !== undefined && isNew(key, value)) this.#target.kernel.tree.set(object, key, value);
    }
    try {
      await this.#particular(node, object, isNew);
    } catch (thrown) {
      // What could not be applied is tried again, with all of its lines.
      this.after[path] = before;
      throw thrown;
    }
    return object;
  }

  async #create(node: TreeNode, parent: TreeObject): Promise<TreeObject> {
    const { kernel, devices, clock } = this.#target;
    const place = { parent, ident: node.ident, name: node.name };
    switch (node.kind) {
      case 'category':
        return kernel.tree.create(objectType.category, {}, place);
      case 'instance':
        return devices.create(node.module, place, node.properties);
      case 'variable': {
        const type = typeNames.indexOf(node.type) as VariableType;
        const value = node.value === undefined ? {} : { value: convertValue(type, node.value, 'value') };
        return kernel.variables.create(type, { ...place, ...value });
      }
      case 'link':
        return kernel.links.create(place);
      case 'event': {
        const { typeOfEvent } = await import('./events.js');
        return kernel.events.create(typeOfEvent(node), clock.nowMs(), place);
      }
    }
  }

  async #particular(
    node: TreeNode,
    object: TreeObject,
    isNew: (key: string, value: unknown) => boolean,
  ): Promise<void> {
    const { kernel, actionOf } = this.#target;
    if (node.kind === 'event' && object.is(objectType.event))
      await (await import('./events.js')).applyEvent(node, object, { kernel, actionOf, isNew });
    if (node.kind === 'instance' && object.is(objectType.instance)) await this.#instance(node, object, isNew);
    if (node.kind === 'variable' && object.is(objectType.variable)) {
      if (typeNames[object.data.type] !== node.type)
        throw new Error(
          `the variable is of type ${typeNames[object.data.type]}; delete it to have it made anew`,
        );
      if (node.profile !== undefined && isNew('profile', node.profile))
        kernel.variables.setCustomProfile(object, node.profile);
    }
    if (node.kind === 'link' && object.is(objectType.link)) this.#link(node.target, object, isNew);
  }

  #link(path: string, link: TreeObject<6>, isNew: (key: string, value: unknown) => boolean): void {
    const { tree, links } = this.#target.kernel;
    const isGone = link.data.targetId === 0 || tree.find(link.data.targetId) === undefined;
    if (!isNew('target', path) && !isGone) return;
    const target = tree.at(path);
    if (target === undefined) throw new Error(`there is no object at ${path}`);
    links.setTarget(link, target.id);
  }

  async #instance(
    node: Extract<TreeNode, { kind: 'instance' }>,
    object: TreeObject<1>,
    isNew: (key: string, value: unknown) => boolean,
  ): Promise<void> {
    const { devices } = this.#target;
    const module = devices.modules.get(node.module);
    if (module.id !== object.data.moduleId)
      throw new Error(`it is a ${object.data.moduleName}; delete it to have it made anew as ${module.name}`);
    for (const [name, value] of Object.entries(node.properties ?? {})) {
      if (!Object.hasOwn(module.properties.properties, name))
        throw new Error(
          `${module.name} has no property ${name}; it has ${Object.keys(module.properties.properties).join(', ')}`,
        );
      if (isNew(`properties.${name}`, value)) devices.setProperty(object.id, name, value);
    }
    if (devices.hasChanges(object.id)) await devices.applyChanges(object.id);
    const above = object.parent;
    if (module.needs === undefined || !above?.is(objectType.instance) || !isNew('connection', above.ident))
      return;
    if (object.data.connectionId !== above.id) await devices.connect(object.id, above.id);
  }

  async #guarded<T>(path: string, job: () => Promise<T>): Promise<T | undefined> {
    try {
      return await job();
    } catch (thrown) {
      const problem = `tree: ${path}: ${messageOf(thrown)}`;
      this.problems.push(problem);
      this.#target.log.error({ path }, problem);
      return undefined;
    }
  }
}
