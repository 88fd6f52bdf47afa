import { Type } from '@sinclair/typebox';
import { bool, declare, int, type FunctionDeclaration, type ReadonlyStatic } from '../../device/declare.js';
import type { Ports } from '../ports.js';
import { ids, listOf, named } from '../shapes.js';
import { deleteObjects, subtreesOf } from './delete-objects.js';
import type { Deletion } from './deletions.js';
import { restoreDeletion } from './restore-deletion.js';

const deletionRecord = named(
  'DeletionRecord',
  'A deletion that can be undone: its first object, and how many objects there were. Location: the names from below the root, joined by backslashes.',
  {
    ID: Type.Integer(),
    DeletedMs: Type.Integer(),
    User: Type.String(),
    ObjectID: Type.Integer(),
    ObjectType: Type.Integer(),
    Name: Type.String(),
    Location: Type.String(),
    Count: Type.Integer(),
  },
);

/** Deleting objects, and undoing it until the gateway stops. */
export function deletionFunctions(ports: Ports): FunctionDeclaration[] {
  const { kernel, deletions } = ports;
  return [
    declare({
      name: 'GW_DeleteObject',
      parameters: [int('ID'), bool('DeleteFiles')],
      result: 'integer',
      audited: true,
      help: 'Deletes an object with everything below it, and with DeleteFiles the files of its scripts and media objects. Returns the ID for GW_RestoreDeleted; 0 if it cannot be undone.',
      run: async (caller, id, withFiles) => {
        const objects = subtreesOf(kernel, [id]);
        await deletions.during(caller, { objects, withFiles }, () =>
          deleteObjects(ports, objects, withFiles),
        );
        return deletions.idOf(id);
      },
    }),
    declare({
      name: 'GW_GetDeleted',
      parameters: [],
      result: 'array',
      shape: listOf(deletionRecord),
      help: 'The last deletions since the start, newest first: at most 50, in at most 16 MiB of memory.',
      run: () => deletions.all().map(recordOf),
    }),
    declare({
      name: 'GW_RestoreDeleted',
      parameters: [int('DeletionID')],
      result: 'array',
      shape: ids,
      audited: true,
      help: 'Undoes a deletion: its objects return with their IDs, values and references, and instances are opened as at a start. Returns the objects at the top.',
      run: async (_caller, id) => {
        const deletion = deletions.take(id);
        try {
          return await restoreDeletion(ports, deletion);
        } catch (thrown) {
          deletions.putBack(deletion);
          throw thrown;
        }
      },
    }),
  ];
}

function recordOf({ id, atMs, user, records, location }: Deletion): ReadonlyStatic<typeof deletionRecord> {
  const [first] = records;
  const { attributes, id: objectId = 0, type = 0 } = first ?? {};
  const name = attributes?.name ?? '';
  return {
    ID: id,
    DeletedMs: atMs,
    User: user,
    ObjectID: objectId,
    ObjectType: type,
    Name: name === '' ? (location.split('\\').at(-1) ?? '') : name,
    Location: location,
    Count: records.length,
  };
}
