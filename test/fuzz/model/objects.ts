import type { Entry } from '../../tools/client/replica.js';
import { initial } from './convert.js';
import { deleteWithin } from './deletions.js';
import type { Model, Rule } from './model.js';
import { types, ModelFault } from './snapshot-types.js';

const deletes =
  (type: number): Rule =>
  (model: Model, id: number) =>
    model.delete(type, id);
/** With the variables of its module, which are the only read-only ones; not with other children. */
const deletesInstance: Rule = (model: Model, id: number) => {
  model.of(types.instance, id);
  const children = model.childrenOf(id);
  const isOwn = ([child, { type, readOnly }]: (typeof children)[number]) =>
    type === types.variable && readOnly && model.childrenOf(child).length === 0;
  if (!children.every(isOwn)) throw new ModelFault('HAS_CHILDREN');
  for (const [child] of children) model.delete(types.variable, child);
  return model.delete(types.instance, id);
};
const sets =
  (key: keyof Entry): Rule =>
  (model: Model, id: number, value: never) =>
    model.set(id, { [key]: value });

/** Objects of every type, and the simple types: categories, links, variables. */
export const objectRules: Readonly<Record<string, Rule>> = {
  SVC_CreateCategory: (model: Model, made: number) => model.create(made, types.category, {}),
  SVC_CreateLink: (model: Model, made: number) => model.create(made, types.link, { targetID: 0 }),
  SVC_CreateVariable: (model: Model, type: number, made: number) => {
    const none = { profile: '', customProfile: '', action: 0, customAction: 0 };
    const never = { lastUpdate: 0, lastChange: 0, isLocked: false, role: 'main' };
    return model.create(made, types.variable, { type, value: initial[type], ...none, ...never });
  },
  SVC_DeleteCategory: deletes(types.category),
  SVC_DeleteInstance: deletesInstance,
  SVC_DeleteVariable: deletes(types.variable),
  SVC_DeleteEvent: deletes(types.event),
  SVC_DeleteLink: deletes(types.link),
  SVC_SetName: (model: Model, id: number, name: string) =>
    model.set(id, { name: name === '' ? `Unnamed Object (ID: ${id})` : name }),
  SVC_SetIdent: sets('ident'),
  SVC_SetPosition: sets('position'),
  SVC_SetHidden: sets('hidden'),
  SVC_SetDisabled: sets('disabled'),
  SVC_SetIcon: sets('icon'),
  SVC_SetInfo: sets('info'),
  GW_SetPublishRule: (model: Model, id: number, rule: 'home-assistant' | 'none' | '') => {
    if (rule !== '') return model.set(id, { publish: rule });
    model.set(id, {});
    // The snapshot has the key of a rule only.
    delete model.get(id).publish;
    return true;
  },
  SVC_SetParent: (model: Model, id: number, parent: number) => model.move(id, parent),
  SVC_SetLinkTargetID: (model: Model, id: number, target: number) => {
    const { data } = model.of(types.link, id);
    if (target !== 0) model.get(target);
    data['targetID'] = target;
    return true;
  },
  UC_DeleteObjects: (model: Model, _utility: number, ids: readonly number[]) => {
    for (const id of ids) model.get(id);
    if (ids.includes(0)) throw new ModelFault('ROOT_FIXED');
    deleteWithin(model, ids);
    return true;
  },
  UC_DuplicateObject: (model: Model, ...[, id, parent, , made]: [number, number, number, boolean, number]) =>
    copy(model, { id, parent, made }),
};

/** A copy without descendants, of types whose copies are nearly identical. */
function copy(model: Model, { id, parent, made }: { id: number; parent: number; made: number }): number {
  const source = model.get(id);
  model.get(parent);
  if (id === 0) throw new ModelFault('ROOT_FIXED');
  const isTaken = model
    .childrenOf(parent)
    .some(([child, { ident }]) => child !== made && ident === source.ident);
  const entry = { ...structuredClone(source), parentID: parent, ...(isTaken && { ident: '' }) };
  if (source.name === `Unnamed Object (ID: ${id})`) entry.name = `Unnamed Object (ID: ${made})`;
  const { data } = entry;
  const orNone = (key: string) => (model.objects.has(data[key] as number) ? data[key] : 0);
  if (source.type === types.variable) {
    const customAction = data['customAction'] === 1 ? 1 : orNone('customAction');
    const usable = (name: unknown) => (model.profiles.get(name as string)?.type === data['type'] ? name : '');
    const profiles = { profile: usable(data['profile']), customProfile: usable(data['customProfile']) };
    Object.assign(data, { lastUpdate: 0, lastChange: 0, action: 0, customAction, role: 'main', ...profiles });
    for (const key of ['quality', 'rule', 'pending']) delete data[key];
    // References to the original refer to the copy.
  } else if (source.type === types.link)
    data['targetID'] = data['targetID'] === id ? made : orNone('targetID');
  else if (source.type === types.event) {
    Object.assign(data, { active: false, lastRun: 0, nextRun: 0 });
    model.fromMessages.set(made, structuredClone(model.fromMessages.get(id)!));
    model.own.set(made, { created: model.now, lastActionID: 0 });
  }
  model.objects.set(made, entry);
  return made;
}
