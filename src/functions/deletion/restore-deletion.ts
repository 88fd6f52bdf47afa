import { yieldToEventLoop } from '../../base/event-loop.js';
import { codeOf, fault, messageOf } from '../../base/fault.js';
import type { EventData } from '../../kernel/events/event-data.js';
import { mediaType } from '../../kernel/media.js';
import { objectType, type DataOf, type TreeObject } from '../../kernel/object.js';
import { restoreObject } from '../../kernel/restored-object.js';
import { BATCH_SIZE, deleteObject } from './delete-objects.js';
import type { Deletion, DeletionPorts } from './deletions.js';

/**
 * Creates the objects of a deletion again, with their IDs, and what referred to them. Instances are opened as
 * at a start of the gateway. Returns the objects that were not below another one of them. If that fails,
 * none of them remains. Throws `RESTORE_IMPOSSIBLE`, `STORE_FAILED`.
 */
export async function restoreDeletion(ports: DeletionPorts, deletion: Deletion): Promise<number[]> {
  const top = topOf(ports, deletion);
  const restored: TreeObject[] = [];
  try {
    if (deletion.records.some(({ type }) => type === objectType.event)) await ports.events();
    for (const record of deletion.records) {
      if (restored.length % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
      const parent = ports.kernel.tree.find(record.parentId);
      if (parent === undefined) throw impossible(`its parent #${record.parentId} does not exist`);
      const object = restoreObject(ports.kernel, record, parent);
      restored.push(object);
      // Its instance may be open, or may not return.
      if (object.is(objectType.variable)) ports.devices.markRestored(object);
    }
    for (const object of restored) await restoreFile(ports, object, deletion.contents.get(object.id));
  } catch (thrown) {
    await undo(ports, restored);
    throw thrown;
  }
  restoreTriggers(ports, deletion);
  await reconnect(ports, deletion);
  for (const object of restored) if (object.is(objectType.instance)) ports.devices.open(object.id);
  return top;
}

/** The IDs of the objects at the top. Throws `RESTORE_IMPOSSIBLE` if one cannot be created. */
function topOf({ kernel: { tree } }: DeletionPorts, { records }: Deletion): number[] {
  const ids = new Set(records.map(({ id }) => id));
  const top = records.filter(({ parentId }) => !ids.has(parentId));
  for (const { id } of records)
    if (tree.find(id) !== undefined) throw impossible(`the ID ${id} belongs to another object now`);
  for (const { parentId, attributes } of top) {
    const parent = tree.find(parentId);
    if (parent === undefined)
      throw impossible(`the object #${parentId}, which it was below, does not exist; restore that first`);
    if (attributes.ident !== '' && parent.children?.byIdent(attributes.ident) !== undefined)
      throw impossible(
        `another object below ${parent.displayName} (#${parentId}) has the ident ${attributes.ident} now; change that first`,
      );
  }
  return top.map(({ id }) => id);
}

const impossible = (why: string) => fault('RESTORE_IMPOSSIBLE', why);

async function undo(ports: DeletionPorts, restored: readonly TreeObject[]): Promise<void> {
  const { kernel, log } = ports;
  for (const object of restored.toReversed())
    if (kernel.tree.find(object.id) === object)
      await deleteObject(ports, object, false).catch((thrown: unknown) =>
        log.error({ object: object.id }, messageOf(thrown)),
      );
}

/** Writes a file that was deleted, unless there is one again. */
async function restoreFile(
  { scripts, media }: DeletionPorts,
  object: TreeObject,
  content: string | Buffer | undefined,
): Promise<void> {
  if (object.is(objectType.script) && typeof content === 'string') {
    const isThere = await scripts.content(object.id).then(
      (text) => text !== '',
      () => false,
    );
    if (!isThere) await scripts.setContent(object.id, content);
  }
  if (!object.is(objectType.media) || object.data.type === mediaType.stream) return;
  const contents = await media();
  // It may have been deleted or changed meanwhile.
  await contents.refresh(object.id);
  if (content !== undefined && typeof content !== 'string' && !object.data.available)
    await contents.setContent(object.id, content);
}

/** Triggers of events that were restored, and of those that lost their variable. */
function restoreTriggers({ kernel }: DeletionPorts, { records, triggers }: Deletion): void {
  const { tree, events } = kernel;
  const isVariable = (id: number) => tree.find(id)?.is(objectType.variable) === true;
  const expected = new Map(triggers);
  for (const { id, type, data } of records) {
    const trigger = type === objectType.event ? (data as EventData).trigger : undefined;
    if (trigger !== undefined) expected.set(id, trigger);
  }
  for (const [id, trigger] of expected) {
    const event = tree.find(id);
    const isFree = event?.is(objectType.event) === true && event.data.trigger?.variableId === 0;
    if (isFree && isVariable(trigger.variableId)) events.setTrigger(id, trigger);
  }
}

/** Connections of instances that were restored, and of those that lost their I/O instance. */
async function reconnect({ kernel, devices }: DeletionPorts, deletion: Deletion): Promise<void> {
  const expected = new Map(deletion.connections);
  for (const { id, type, data } of deletion.records)
    if (type === objectType.instance) expected.set(id, (data as DataOf[1]).connectionId);
  for (const [id, parentId] of expected) {
    const instance = kernel.tree.find(id);
    if (parentId === 0 || !instance?.is(objectType.instance) || instance.data.connectionId !== 0) continue;
    try {
      await devices.connect(id, parentId);
    } catch (thrown) {
      // The I/O instance or its module may be gone: the instance stays without a connection.
      if (codeOf(thrown) === undefined) throw thrown;
    }
  }
}
