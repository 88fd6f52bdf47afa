import { extname } from 'node:path';
import { fault, messageOf } from '../../base/fault.js';
import { yieldToEventLoop } from '../../base/event-loop.js';
import { walkSubtree } from '../../kernel/area.js';
import type { Script } from '../../kernel/scripts.js';
import type { Event } from '../../kernel/events/events.js';
import { mediaType, type Media, type MediaType } from '../../kernel/media.js';
import { attributeNames, objectType, type Attributes, type TreeObject } from '../../kernel/object.js';
import type { ObjectOptions } from '../../kernel/tree.js';
import { ACTION_DISABLED, type Variable } from '../../kernel/variables.js';
import type { Ports } from '../ports.js';
import { BATCH_SIZE, deleteObject } from '../deletion/delete-objects.js';
import { mapIds } from './embedded-ids.js';

/** A request to copy an object. */
interface DuplicateRequest {
  readonly id: number;
  readonly parentId: number;
  /** Whether the subtree is copied too. */
  readonly isRecursive: boolean;
}

/**
 * Copies an object and returns the id of the copy. References to objects in the subtree refer to their
 * copies; texts and properties are unchanged. Nothing is switched: a copied instance has no values and stays
 * closed until its changes are applied, and a copied event is inactive. If copying fails, no copy remains.
 * Throws `OBJECT_MISSING`, `ROOT_FIXED`.
 */
export async function duplicateObject(
  ports: Ports,
  { id, parentId, isRecursive }: DuplicateRequest,
): Promise<number> {
  const { tree } = ports.kernel;
  const source = tree.get(id);
  const parent = tree.get(parentId);
  if (source.parent === null) throw fault('ROOT_FIXED');
  const subtreeCopy = new SubtreeCopy(ports);
  try {
    return await subtreeCopy.copy(isRecursive ? [...walkSubtree(source)] : [source], parent);
  } catch (thrown) {
    await subtreeCopy.undo();
    throw thrown;
  }
}

/** The state of copying a subtree. */
class SubtreeCopy {
  readonly #ports: Ports;
  /** Object of the subtree → its copy. */
  readonly #copies = new Map<TreeObject, TreeObject>();
  /** The created objects, parents first. */
  readonly #created: TreeObject[] = [];

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Copies a subtree, given in pre-order, and returns the id of the copy of its root. */
  async copy(sources: readonly TreeObject[], parent: TreeObject): Promise<number> {
    for (const [done, source] of sources.entries()) {
      if (done % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
      const place = (source.parent !== null && this.#copies.get(source.parent)) || parent;
      const existing = done === 0 ? undefined : moduleObject(source, place);
      if (existing === undefined) await this.#copyTo(place, source);
      else this.#copyAttributes(existing, source);
    }
    for (const [source, copy] of this.#copies) if (this.#isPresent(copy)) await this.#point(source, copy);
    const [first] = this.#copies.values();
    return first?.id ?? 0;
  }

  /** Deletes the created objects and their files. */
  async undo(): Promise<void> {
    const { log } = this.#ports;
    for (const copy of this.#created.reverse()) {
      // An instance has created its own variables.
      for (const one of [...walkSubtree(copy)].reverse()) {
        // Another call may have deleted it meanwhile.
        if (!this.#isPresent(one)) continue;
        await deleteObject(this.#ports, one, true).catch((thrown: unknown) =>
          log.error({ object: one.id, there: this.#isPresent(one) }, messageOf(thrown)),
        );
      }
    }
  }

  async #copyTo(parent: TreeObject, source: TreeObject): Promise<void> {
    const { kernel, devices } = this.#ports;
    const place = { ...initialAttributes(source, parent), parent };
    if (source.is(objectType.category)) this.#record(source, kernel.tree.create(source.type, {}, place));
    else if (source.is(objectType.link)) this.#record(source, kernel.links.create(place));
    else if (source.is(objectType.instance)) this.#record(source, devices.copy(source.id, place));
    else if (source.is(objectType.variable)) this.#record(source, this.#variable(source, place));
    else if (source.is(objectType.script)) await this.#script(source, parent);
    else if (source.is(objectType.media)) {
      const readOnly = source.readOnly && !kernel.media.isReported(source);
      const copy = kernel.media.create(source.data.type as MediaType, { ...place, readOnly });
      this.#record(source, copy);
      await this.#content(source, copy);
    } else if (source.is(objectType.event)) this.#record(source, this.#event(source, place));
  }

  #record(source: TreeObject, copy: TreeObject): void {
    this.#copies.set(source, copy);
    this.#created.push(copy);
  }

  #variable({ data, parent, readOnly }: Variable, place: ObjectOptions): Variable {
    const { variables, profiles } = this.#ports.kernel;
    const { type, value } = data;
    // No device reports the copy of a device's variable unless its instance was copied too.
    const isWithParent = parent !== null && this.#copies.get(parent) === place.parent;
    const usable = (name: string) => (profiles.find(name)?.type === type ? name : '');
    const copy = variables.create(type, {
      ...place,
      readOnly: readOnly && isWithParent,
      value,
      profile: usable(data.profile),
    });
    variables.setCustomProfile(copy, usable(data.customProfile));
    variables.setResidentAccess(copy, data.residents);
    return copy;
  }

  #event({ data }: Event, place: ObjectOptions): Event {
    const { kernel, clock } = this.#ports;
    return kernel.events.create(data.type, clock.nowMs(), { ...place, like: { ...data, active: false } });
  }

  async #script(source: Script, parent: TreeObject): Promise<void> {
    const { kernel, scripts } = this.#ports;
    const copy = kernel.scripts.get(await scripts.create());
    this.#record(source, copy);
    kernel.tree.move(copy, parent);
    this.#copyAttributes(copy, source, initialAttributes(source, parent).ident);
    const file = `${copy.id}${extname(source.data.file)}`;
    if (file !== copy.data.file) await scripts.setFile(copy.id, file);
    await scripts.setContent(copy.id, await scripts.content(source.id));
  }

  /** Copies the file; a file that is missing or too large is shared with the source. */
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

  /**
   * Copies the attributes to an object that exists already: a script, or a variable or image that its module
   * has created.
   */
  #copyAttributes(copy: TreeObject, source: TreeObject, ident = source.ident): void {
    const { kernel } = this.#ports;
    this.#copies.set(source, copy);
    for (const key of attributeNames) kernel.tree.set(copy, key, key === 'ident' ? ident : source[key]);
    if (copy.is(objectType.variable) && source.is(objectType.variable)) {
      const { customProfile } = source.data;
      if (kernel.profiles.find(customProfile)?.type === copy.data.type)
        kernel.variables.setCustomProfile(copy, customProfile);
    }
  }

  /** Sets the references of a copy: to copies for objects of the subtree; missing targets are skipped. */
  async #point(source: TreeObject, copy: TreeObject): Promise<void> {
    const { kernel, devices } = this.#ports;
    if (source.is(objectType.link) && copy.is(objectType.link)) {
      const target = this.#currentId(source.data.targetId);
      if (target !== 0) kernel.links.setTarget(copy, target);
    }
    if (source.is(objectType.instance) && copy.is(objectType.instance)) {
      const connection = this.#currentId(source.data.connectionId);
      if (connection !== 0) await devices.connect(copy.id, connection);
    }
    if (source.is(objectType.event) && copy.is(objectType.event)) this.#pointEvent(source, copy);
    if (!source.is(objectType.variable) || !copy.is(objectType.variable)) return;
    const { action, customAction } = source.data;
    // Writes must not go to the original instance, only to its copy.
    const instance = this.#copyOf(action);
    if (instance !== undefined && this.#isPresent(instance)) kernel.variables.setAction(copy, instance.id);
    const custom = customAction === ACTION_DISABLED ? customAction : this.#currentId(customAction);
    kernel.variables.setCustomAction(copy, custom);
  }

  #pointEvent({ data }: Event, copy: Event): void {
    const { events } = this.#ports.kernel;
    const { actionParameters, conditions, trigger, schedule } = data;
    const withCopies = <T>(given: T) => mapIds(given, (id) => this.#copyOf(id)?.id ?? id);
    events.set(copy, withCopies({ actionParameters, conditions }));
    if (schedule !== undefined) events.setSchedule(copy.id, withCopies(schedule));
    if (trigger !== undefined)
      events.setTrigger(copy.id, { ...withCopies(trigger), variableId: this.#currentId(trigger.variableId) });
  }

  #copyOf(id: number): TreeObject | undefined {
    const object = this.#ports.kernel.tree.find(id);
    return object === undefined ? undefined : this.#copies.get(object);
  }

  /** The id that replaces an id of the source; 0 for none or a missing object. */
  #currentId(id: number): number {
    const object = this.#copyOf(id) ?? this.#ports.kernel.tree.find(id);
    return object !== undefined && this.#isPresent(object) ? object.id : 0;
  }

  /** Whether no other call has deleted an object meanwhile. */
  #isPresent(object: TreeObject): boolean {
    return this.#ports.kernel.tree.find(object.id) === object;
  }
}

/** Initial attributes of a copy, without an ident that is taken in the parent. */
function initialAttributes(source: TreeObject, parent: TreeObject): Attributes {
  const { name, position, hidden, disabled, readOnly, icon, info, summary, publish } = source;
  const isTaken = source.ident !== '' && parent.children?.byIdent(source.ident) !== undefined;
  const ident = isTaken ? '' : source.ident;
  return { name, ident, position, hidden, disabled, readOnly, icon, info, summary, publish };
}

/** The variable or image that a copied instance has already created for this one. */
function moduleObject(source: TreeObject, place: TreeObject): Variable | Media | undefined {
  if (!place.is(objectType.instance) || source.ident === '') return undefined;
  const existing = place.children?.byIdent(source.ident);
  if (source.is(objectType.media)) return existing?.is(objectType.media) === true ? existing : undefined;
  const isSame = existing?.is(objectType.variable) && source.is(objectType.variable);
  return isSame === true && existing.data.type === source.data.type ? existing : undefined;
}
