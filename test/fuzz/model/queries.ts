import type { Random } from '../../tools/random.js';
import type { Model } from './model.js';
import { deletedQuery } from './deletions.js';
import { locationOf, queriesOfType, type Query } from './queries-by-type.js';
import { tasksQuery } from './tasks.js';

/** By type: the function that checks for existence, and the one that finds by name. */
const byType: Readonly<Record<number, readonly [exists: string, byName: string]>> = {
  0: ['SVC_CategoryExists', 'SVC_GetCategoryIDByName'],
  1: ['SVC_InstanceExists', 'SVC_GetInstanceIDByName'],
  2: ['SVC_VariableExists', 'SVC_GetVariableIDByName'],
  3: ['SVC_ScriptExists', 'SVC_GetScriptIDByName'],
  4: ['SVC_EventExists', 'SVC_GetEventIDByName'],
  5: ['SVC_MediaExists', 'SVC_GetMediaIDByName'],
  6: ['SVC_LinkExists', 'SVC_GetLinkIDByName'],
};

/** Queries about an object of the model, and about the tree. */
export function queriesAbout(model: Model, id: number, random: Random): Query[] {
  const entry = model.get(id);
  const children = model.childrenOf(id);
  const other = random.pick([...model.objects.keys()]);
  const parent = entry.parentID;
  return [
    ['SVC_ObjectExists', [id], true],
    ...Object.entries(byType).map(([type, [exists]]): Query => [exists, [id], Number(type) === entry.type]),
    ['SVC_GetName', [id], entry.name],
    ['SVC_GetParent', [id], parent],
    ['SVC_GetLocation', [id], locationOf(model, id).join('\\')],
    ['SVC_HasChildren', [id], children.length > 0],
    ['SVC_GetChildrenIDs', [id], children.sort(byPlace).map(([child]) => child)],
    ['SVC_IsChild', [id, other, true], id !== other && model.isWithin(id, other)],
    ['SVC_IsChild', [id, parent, false], id !== 0],
    [
      'SVC_FindObjectIDByIdent',
      ['Light_1', id],
      children.find(([, one]) => one.ident === 'Light_1')?.[0] ?? 0,
    ],
    ['SVC_FindObjectIDByName', ['Lamp', parent], lampBelow(model, parent)],
    ...(id === 0
      ? []
      : [[byType[entry.type]?.[1] ?? '', [entry.name, parent], namesake(model, id)] as const]),
    ...queriesOfType(model, id),
    ...lists(model),
    deletedQuery(model),
    tasksQuery(model),
  ];
}

function lampBelow(model: Model, id: number): number {
  return model.childrenOf(id).find(([, { name }]) => name === 'Lamp')?.[0] ?? 0;
}

/** The oldest sibling of the same name and type. */
function namesake(model: Model, id: number): number {
  const { name, type, parentID } = model.get(id);
  const same = model.childrenOf(parentID).filter(([, one]) => one.name === name && one.type === type);
  return same[0]?.[0] ?? 0;
}

type Child = ReturnType<Model['childrenOf']>[number];

function byPlace([a, one]: Child, [b, other]: Child): number {
  const names = [one.name.toLowerCase(), other.name.toLowerCase()] as const;
  const byName = names[0] === names[1] ? 0 : names[0] < names[1] ? -1 : 1;
  return one.position - other.position || one.type - other.type || byName || a - b;
}

/** Lists have no defined order: they are compared sorted. */
function lists(model: Model): Query[] {
  const ids = (type?: number) =>
    [...model.objects].flatMap(([id, one]) => (type === undefined || one.type === type ? [id] : []));
  const names = (type?: number) =>
    [...model.profiles].flatMap(([name, one]) => (type === undefined || one.type === type ? [name] : []));
  return [
    ['SVC_GetObjectList', [], ids()],
    // The root is a category that cannot be read or deleted.
    ['SVC_GetCategoryList', [], ids(0).filter((id) => id !== 0)],
    ['SVC_GetInstanceList', [], ids(1)],
    ['SVC_GetVariableList', [], ids(2)],
    ['SVC_GetScriptList', [], ids(3)],
    ['SVC_GetEventList', [], ids(4)],
    ['SVC_GetMediaList', [], ids(5)],
    ['SVC_GetLinkList', [], ids(6)],
    ['SVC_GetVariableProfileList', [], names()],
    ['SVC_GetVariableProfileListByType', [1], names(1)],
    ['SVC_VariableProfileExists', ['Own'], model.profiles.has('Own')],
  ];
}
