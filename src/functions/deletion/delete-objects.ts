import { Fault, fault, messageOf } from '../../base/fault.js';
import { yieldToEventLoop } from '../../base/event-loop.js';
import { walkSubtree } from '../../kernel/area.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Ports } from '../ports.js';

/** Objects deleted or created before yielding to the event loop. */
export const BATCH_SIZE = 100;

/** What can be deleted by the functions of this directory. */
type DeletePorts = Pick<Ports, 'kernel' | 'devices' | 'scripts' | 'media'>;

/**
 * Objects with their subtrees, parents first. Throws `OBJECT_MISSING`, `ROOT_FIXED`, and `READ_ONLY` for the
 * image of a device without its instance.
 */
export function subtreesOf({ tree, media }: Kernel, ids: readonly number[]): TreeObject[] {
  const depths = new Map<TreeObject, number>();
  for (const id of ids) {
    const object = tree.get(id);
    if (object.parent === null) throw fault('ROOT_FIXED');
    for (const one of walkSubtree(object)) depths.set(one, depthOf(one));
  }
  for (const one of depths.keys())
    if (one.is(objectType.media) && one.parent !== null && !depths.has(one.parent))
      media.requireNotReported(one);
  return [...depths].sort(([, a], [, b]) => a - b).map(([object]) => object);
}

/** Deletes objects, the last first, in the way of their types. A fault says how many objects are deleted. */
export async function deleteObjects(
  ports: DeletePorts,
  objects: readonly TreeObject[],
  withFiles: boolean,
): Promise<void> {
  const { tree } = ports.kernel;
  const order = objects.toReversed();
  for (const [done, object] of order.entries()) {
    if (done % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
    try {
      // Another call may have deleted it meanwhile.
      if (tree.find(object.id) === object) await deleteObject(ports, object, withFiles);
    } catch (thrown) {
      throw withProgress(thrown, `${done} of ${order.length} objects are deleted; #${object.id}`);
    }
  }
}

/** Deletes an object without children, in the way of its type. */
export async function deleteObject(
  { kernel, devices, scripts, media }: DeletePorts,
  object: TreeObject,
  withFile: boolean,
): Promise<void> {
  if (object.is(objectType.instance)) await devices.delete(object.id);
  else if (object.is(objectType.script)) await scripts.delete(object.id, withFile);
  else if (object.is(objectType.media)) await (await media()).delete(object.id, withFile);
  else kernel.tree.delete(object);
}

/** A fault in the middle of a bulk operation, with its progress before the message. */
export function withProgress(thrown: unknown, came: string): Fault {
  const code = thrown instanceof Fault ? thrown.code : 'INTERNAL';
  return new Fault(code, `${came}: ${messageOf(thrown)}`, { cause: thrown });
}

function depthOf(object: TreeObject): number {
  let depth = 0;
  for (let { parent } = object; parent !== null; { parent } = parent) depth++;
  return depth;
}
