import { extname } from 'node:path';
import { fault, messageOf } from '../../base/fault.js';
import { yieldToEventLoop } from '../../base/serial-queue.js';
import { walkSubtree } from '../../kernel/area.js';
import type { Script } from '../../kernel/scripts.js';
import type { Event } from '../../kernel/events/events.js';
import { mediaType, type Media, type MediaType } from '../../kernel/media.js';
import { attributeNames, objectType, type Attributes, type TreeObject } from '../../kernel/object.js';
import type { ObjectOptions } from '../../kernel/tree.js';
import { ACTION_DISABLED, type Variable } from '../../kernel/variables.js';
import type { Ports } from '../ports.js';
import { BATCH_SIZE, deleteObject } from './delete-objects.js';
import { mapIds } from './embedded-ids.js';

/** What is to be copied, and where to. */
export interface DuplicateRequest {
  readonly id: number;
  readonly parentId: number;
  /** With all below it. */
  readonly isRecursive: boolean;
}

/**
 * Copies an object and gives the copy's id. What points to an object of the branch points, in the copy, to that object's
 * copy; texts and properties are as they were. Nothing is switched by it: a copied instance stays closed until its changes
 * are applied, and has no values; a copied event is not active. All or nothing: what fails leaves no copy. Throws `OBJECT_MISSING`, `ROOT_FIXED`.
 */
export async function duplicateObject(
  ports: Ports,
  { id, parentId, isRecursive }: DuplicateRequest,
): Promise<number> {
  const { tree } = ports.kernel;
  const source = tree.get(id);
  const parent = tree.get(parentId);
  if (source.parent === null) throw fault('ROOT_FIXED');
  const copying = new Copying(ports);
  try {
    return await copying.copy(isRecursive ? [...walkSubtree(source)] : [source], parent);
  } catch (thrown) {
    await copying.undo();
    throw thrown;
  }
}

/** One copying of a branch. */
class Copying {
  readonly #ports: Ports;
  /** Object of the branch → its copy. */
  readonly #copies = new Map<TreeObject, TreeObject>();
  /** What was made, parents first. */
  readonly #made: TreeObject[] = [];

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Copies objects, the first of which stands above the others, parents first. */
  async copy(sources: readonly TreeObject[], parent: TreeObject): Promise<number> {
    for (const [done, source] of sources.entries()) {
      if (done % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
      const place = (source.parent !== null && this.#copies.get(source.parent)) || parent;
      const twin = done === 0 ? undefined : declaredTwin(source, place);
      if (twin === undefined) await this.#copyTo(place, source);
      else this.#liken(twin, source);
    }
    for (const [source, copy] of this.#copies) await this.#point(source, copy);
    const [first] = this.#copies.values();
    return first?.id ?? 0;
  }

  /** Takes away what was made, with its files. */
  async undo(): Promise<void> {
    const { kernel, log } = this.#ports;
    for (const copy of this.#made.reverse()) {
      // An instance has made variables of its own.
      for (const one of [...walkSubtree(copy)].reverse())
        await deleteObject(this.#ports, one, true).catch((thrown: unknown) =>
          log.error({ object: one.id, there: kernel.tree.find(one.id) === one }, messageOf(thrown)),
        );
    }
  }

  async #copyTo(parent: TreeObject, source: TreeObject): Promise<void> {
    const { kernel, devices } = this.#ports;
    const place = { ...beginningOf(source, parent), parent };
    if (source.is(objectType.category)) this.#note(source, kernel.tree.create(source.type, {}, place));
    else if (source.is(objectType.link)) this.#note(source, kernel.links.create(place));
    else if (source.is(objectType.instance)) this.#note(source, devices.copy(source.id, place));
    else if (source.is(objectType.variable)) this.#note(source, this.#variable(source, place));
    else if (source.is(objectType.script)) await this.#script(source, parent);
    else if (source.is(objectType.media)) {
      const copy = kernel.media.create(source.data.type as MediaType, place);
      this.#note(source, copy);
      await this.#content(source, copy);
    } else if (source.is(objectType.event)) this.#note(source, this.#event(source, place));
  }

  #note(source: TreeObject, copy: TreeObject): void {
    this.#copies.set(source, copy);
    this.#made.push(copy);
  }

  #variable({ data }: Variable, place: ObjectOptions): Variable {
    const { variables, profiles } = this.#ports.kernel;
    const { type, value } = data;
    const usable = (name: string) => (profiles.find(name)?.type === type ? name : '');
    const copy = variables.create(type, { ...place, value, profile: usable(data.profile) });
    variables.setCustomProfile(copy, usable(data.customProfile));
    return copy;
  }

  #event({ data }: Event, place: ObjectOptions): Event {
    const { kernel, clock } = this.#ports;
    return kernel.events.create(data.type, clock.nowMs(), { ...place, like: { ...data, active: false } });
  }

  async #script(source: Script, parent: TreeObject): Promise<void> {
    const { kernel, scripts } = this.#ports;
    const copy = kernel.scripts.get(await scripts.create());
    this.#note(source, copy);
    kernel.tree.move(copy, parent);
    this.#liken(copy, source, beginningOf(source, parent).ident);
    const file = `${copy.id}${extname(source.data.file)}`;
    if (file !== copy.data.file) await scripts.setFile(copy.id, file);
    await scripts.setContent(copy.id, await scripts.content(source.id));
  }

  /** A file of its own; one that is gone, or is too long to be copied, is named again. */
  async #content({ id, data }: Media, copy: Media): Promise<void> {
    this.#ports.kernel.media.setCached(copy, data.cached);
    if (data.file === '') return;
    const media = await this.#ports.media();
    const isCopied = data.type !== mediaType.stream && data.available && data.size <= media.limit;
    if (!isCopied) return media.setFile(copy.id, data.file, false);
    const bytes = await media.content(id);
    await media.setFile(copy.id, `media/${copy.id}${extname(data.file)}`, false);
    await media.setContent(copy.id, bytes);
  }

  /** A variable that its module has already made, or a script: it gets the attributes of its source. */
  #liken(copy: TreeObject, source: TreeObject, ident = source.ident): void {
    const { kernel } = this.#ports;
    this.#copies.set(source, copy);
    for (const key of attributeNames) kernel.tree.set(copy, key, key === 'ident' ? ident : source[key]);
    if (copy.is(objectType.variable) && source.is(objectType.variable)) {
      const { customProfile } = source.data;
      if (kernel.profiles.find(customProfile)?.type === copy.data.type)
        kernel.variables.setCustomProfile(copy, customProfile);
    }
  }

  /** Has a copy point to copies where its source points to objects of the branch. What is gone is not pointed to. */
  async #point(source: TreeObject, copy: TreeObject): Promise<void> {
    const { kernel, devices } = this.#ports;
    if (source.is(objectType.link) && copy.is(objectType.link)) {
      const target = this.#now(source.data.targetId);
      if (target !== 0) kernel.links.setTarget(copy, target);
    }
    if (source.is(objectType.instance) && copy.is(objectType.instance)) {
      const connection = this.#now(source.data.connectionId);
      if (connection !== 0) await devices.connect(copy.id, connection);
    }
    if (source.is(objectType.event) && copy.is(objectType.event)) this.#pointEvent(source, copy);
    if (!source.is(objectType.variable) || !copy.is(objectType.variable)) return;
    const { action, customAction } = source.data;
    // Its writes would go to the instance that it was copied from: only that instance's copy takes them.
    const instance = this.#copyOf(action);
    if (instance !== undefined) kernel.variables.setAction(copy, instance.id);
    const custom = customAction === ACTION_DISABLED ? customAction : this.#now(customAction);
    kernel.variables.setCustomAction(copy, custom);
  }

  #pointEvent({ data }: Event, copy: Event): void {
    const { tree, events } = this.#ports.kernel;
    const { actionParameters, conditions, trigger, schedule } = data;
    const mine = <T>(given: T) => mapIds(given, (id) => this.#copyOf(id)?.id ?? id);
    events.set(copy, mine({ actionParameters, conditions }));
    if (schedule !== undefined) events.setSchedule(copy.id, mine(schedule));
    if (trigger !== undefined && tree.find(trigger.variableId) !== undefined)
      events.setTrigger(copy.id, mine(trigger));
  }

  #copyOf(id: number): TreeObject | undefined {
    const object = this.#ports.kernel.tree.find(id);
    return object === undefined ? undefined : this.#copies.get(object);
  }

  /** What an id of the source is in the copy; 0 for none, and for one that is gone. */
  #now(id: number): number {
    return this.#copyOf(id)?.id ?? this.#ports.kernel.tree.find(id)?.id ?? 0;
  }
}

/** What a copy begins with; an ident that is taken there is left out. */
function beginningOf(source: TreeObject, parent: TreeObject): Attributes {
  const all = Object.fromEntries(attributeNames.map((key) => [key, source[key]])) as unknown as Attributes;
  const isTaken = source.ident !== '' && parent.children?.byIdent(source.ident) !== undefined;
  return isTaken ? { ...all, ident: '' } : all;
}

/** The variable that a copied instance has made by itself in place of this one. */
function declaredTwin(source: TreeObject, place: TreeObject): Variable | undefined {
  if (!place.is(objectType.instance) || !source.is(objectType.variable) || source.ident === '')
    return undefined;
  const twin = place.children?.byIdent(source.ident);
  return twin?.is(objectType.variable) && twin.data.type === source.data.type ? twin : undefined;
}
