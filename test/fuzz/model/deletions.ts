import type { Entry } from '../../tools/client/replica.js';
import type { Model, Rule } from './model.js';
import { ModelFault, types } from './snapshot-types.js';

/** Deletes objects with everything below them, the last first. */
export function deleteWithin(model: Model, ids: readonly number[]): void {
  const isMeant = (id: number) => ids.some((above) => model.isWithin(id, above));
  for (let left = [...model.objects.keys()].filter(isMeant); left.length > 0;) {
    for (const id of left) if (model.childrenOf(id).length === 0) model.delete(model.get(id).type, id);
    left = left.filter((id) => model.objects.has(id));
  }
}

/** Deleting an object with everything below it, and undoing that. */
export const deletionRules: Readonly<Record<string, Rule>> = {
  GW_DeleteObject: (model: Model, ...[id, , made]: [number, boolean, number]) => {
    model.get(id);
    if (id === 0) throw new ModelFault('ROOT_FIXED');
    const deleted = [...model.objects].filter(([one]) => model.isWithin(one, id));
    model.deletions.set(
      made,
      deleted.map(([one, entry]) => [one, structuredClone(entry)]),
    );
    deleteWithin(model, [id]);
    return made;
  },
  /** Only of categories, links and variables: sequences restore no others. */
  GW_RestoreDeleted: (model: Model, id: number) => {
    const deleted = model.deletions.get(id);
    if (deleted === undefined) throw new ModelFault('DELETION_MISSING');
    const ids = new Set(deleted.map(([one]) => one));
    const top = deleted.filter(([, { parentID }]) => !ids.has(parentID));
    const isImpossible =
      deleted.some(([one]) => model.objects.has(one)) ||
      top.some(([, entry]) => !model.objects.has(entry.parentID) || isTaken(model, entry));
    if (isImpossible) throw new ModelFault('RESTORE_IMPOSSIBLE');
    model.deletions.delete(id);
    for (const [one, entry] of deleted) model.objects.set(one, restored(model, entry));
    return top.map(([one]) => one);
  },
};

const isTaken = (model: Model, { ident, parentID }: Entry): boolean =>
  ident !== '' && model.childrenOf(parentID).some(([, other]) => other.ident === ident);

/** A variable returns with its value, but not with the quality of a device, or with profiles that are gone. */
function restored(model: Model, entry: Entry): Entry {
  if (entry.type !== types.variable) return entry;
  const { quality: _quality, rule: _rule, pending: _pending, ...data } = entry.data;
  const usable = (name: unknown) => (model.profiles.get(name as string)?.type === data['type'] ? name : '');
  const profiles = { profile: usable(data['profile']), customProfile: usable(data['customProfile']) };
  return { ...entry, data: { ...data, ...profiles } };
}
