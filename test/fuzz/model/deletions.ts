import type { Entry } from '../../tools/client/replica.js';
import { shownProperties } from './instances.js';
import { mediaRules, refreshMedia } from './media.js';
import type { Model, ModelDeletion, Rule } from './model.js';
import { locationOf, type Query } from './queries-by-type.js';
import { scriptRules } from './scripts.js';
import { ModelFault, types } from './snapshot-types.js';

const STREAM = 3;

/** Deletes objects with everything below them, the last first. */
export function deleteWithin(model: Model, ids: readonly number[], withFiles = false): void {
  const isMeant = (id: number) => ids.some((above) => model.isWithin(id, above));
  for (let left = [...model.objects.keys()].filter(isMeant); left.length > 0;) {
    for (const id of left) if (model.childrenOf(id).length === 0) deleteOne(model, id, withFiles);
    left = left.filter((id) => model.objects.has(id));
  }
}

function deleteOne(model: Model, id: number, withFile: boolean): void {
  const { type } = model.get(id);
  if (type === types.script) scriptRules['SVC_DeleteScript']!(model, ...([id, withFile] as never[]));
  else if (type === types.media) mediaRules['SVC_DeleteMedia']!(model, ...([id, withFile] as never[]));
  else model.delete(type, id);
}

/** Deleting an object with everything below it, and undoing that. */
export const deletionRules: Readonly<Record<string, Rule>> = {
  GW_DeleteObject: (model: Model, ...[id, withFiles, made]: [number, boolean, number]) => {
    model.get(id);
    if (id === 0) throw new ModelFault('ROOT_FIXED');
    const deleted = [...model.objects].filter(([one]) => model.isWithin(one, id));
    model.deletions.set(made, {
      id,
      location: locationOf(model, id).join('\\'),
      objects: deleted.map(([one, entry]) => [one, structuredClone(entry)]),
      own: new Map(deleted.flatMap(([one]) => (model.own.has(one) ? [[one, model.own.get(one)!]] : []))),
      messages: new Map(deleted.map(([one]) => [one, structuredClone(model.fromMessages.get(one))])),
      contents: new Map(withFiles ? deleted.map(([one, entry]) => [one, contentOf(model, entry)]) : []),
    });
    deleteWithin(model, [id], withFiles);
    return made;
  },
  /** Sequences restore no events that are active. */
  GW_RestoreDeleted: (model: Model, id: number) => {
    const deletion = model.deletions.get(id);
    if (deletion === undefined) throw new ModelFault('DELETION_MISSING');
    const { objects: deleted } = deletion;
    const ids = new Set(deleted.map(([one]) => one));
    const top = deleted.filter(([, { parentID }]) => !ids.has(parentID));
    const isImpossible =
      deleted.some(([one]) => model.objects.has(one)) ||
      top.some(([, entry]) => !model.objects.has(entry.parentID) || isTaken(model, entry));
    if (isImpossible) throw new ModelFault('RESTORE_IMPOSSIBLE');
    model.deletions.delete(id);
    for (const [one, entry] of deleted) model.objects.set(one, restored(model, entry));
    for (const one of deleted) restoreOthers(model, deletion, one);
    return top.map(([one]) => one);
  },
};

/** The text of a script, or what a media object has in Base64. */
function contentOf(model: Model, { type, data }: Entry): string | undefined {
  const hasFile = type === types.script || (type === types.media && data['type'] !== STREAM);
  return hasFile ? model.files.get(data['file'] as string) : undefined;
}

const isTaken = (model: Model, { ident, parentID }: Entry): boolean =>
  ident !== '' && model.childrenOf(parentID).some(([, other]) => other.ident === ident);

/** A variable returns with its value, but not with the quality of a device, or with profiles that are gone. */
function restored(model: Model, entry: Entry): Entry {
  if (entry.type === types.script) return { ...entry, data: { ...entry.data, lastExecute: 0 } };
  if (entry.type === types.event) return { ...entry, data: { ...entry.data, nextRun: 0 } };
  if (entry.type !== types.variable) return { ...entry, data: { ...entry.data } };
  const { quality: _quality, rule: _rule, pending: _pending, ...data } = entry.data;
  const usable = (name: unknown) => (model.profiles.get(name as string)?.type === data['type'] ? name : '');
  const profiles = { profile: usable(data['profile']), customProfile: usable(data['customProfile']) };
  return { ...entry, data: { ...data, ...profiles } };
}

/** What an object has besides its entry: files, properties, the actions and conditions of events. */
function restoreOthers(
  model: Model,
  from: ModelDeletion,
  [id, { type, data: before }]: readonly [number, Entry],
): void {
  const { data } = model.get(id);
  const own = from.own.get(id);
  const messages = from.messages.get(id);
  const content = from.contents.get(id);
  if (own !== undefined) model.own.set(id, own);
  // Opening an instance publishes its properties.
  if (type === types.instance && own?.active !== undefined)
    model.fromMessages.set(id, { configuration: shownProperties(model, id, own.active) });
  for (const key of ['connectionID', 'triggerVariableID'])
    if (key in before && !model.objects.has(before[key] as number)) data[key] = 0;
  if (type === types.event && messages !== undefined) model.fromMessages.set(id, messages);
  const file = data['file'] as string;
  if (model.hasTexts && type === types.script && content !== undefined && !model.files.get(file))
    scriptRules['SVC_SetScriptContent']!(model, ...([id, content] as never[]));
  if (type !== types.media) return;
  if (content !== undefined && !model.files.has(file)) model.files.set(file, content);
  refreshMedia(model, id);
}

/** The list of deletions, newest first: only those by `GW_DeleteObject`, which are the ones that the model has. */
export function deletedQuery(model: Model): Query {
  const records = [...model.deletions].map(([ID, { id, location, objects }]) => {
    const { type, name } = new Map(objects).get(id)!;
    return { ID, ObjectID: id, ObjectType: type, Name: name, Location: location, Count: objects.length };
  });
  return ['GW_GetDeleted', [], records.sort((a, b) => b.ID - a.ID)];
}
