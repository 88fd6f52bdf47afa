import { fault } from '../base/fault.js';
import { initialValue } from './convert.js';
import { eventData } from './events/event-data.js';
import { eventMessagesFor } from './events/event-messages.js';
import { instanceStatus } from './instances.js';
import type { Kernel } from './kernel.js';
import { shownFile } from './media.js';
import { message } from './messages.js';
import { objectType, type Attributes, type DataOf, type ObjectType, type TreeObject } from './object.js';

/** Everything needed to create a deleted object again. Contains the secrets of an instance. */
export interface ObjectRecord {
  readonly id: number;
  readonly type: ObjectType;
  readonly parentId: number;
  readonly attributes: Attributes;
  /** Never changed: the kernel replaces the members of an object's data. */
  readonly data: DataOf[ObjectType];
}

/** The present state of an object. */
export function recordOf(object: TreeObject): ObjectRecord {
  const { id, type, parentId, data } = object;
  const { name, ident, position, hidden, disabled, readOnly, icon, info, summary, publish } = object;
  const attributes = { name, ident, position, hidden, disabled, readOnly, icon, info, summary, publish };
  return { id, type, parentId, attributes, data: { ...data } };
}

/**
 * Creates a deleted object again, with its ID, and emits the messages of a new object. What refers to other
 * objects is left to the caller, because they may not exist yet: the connection of an instance and the
 * trigger of an event. Throws `ID_TAKEN`, `IDENT_TAKEN`.
 */
export function restoreObject(kernel: Kernel, record: ObjectRecord, parent: TreeObject): TreeObject {
  const { tree, journal } = kernel;
  const { id, type, attributes } = record;
  if (tree.find(id) !== undefined) throw fault('ID_TAKEN', id);
  const data = dataFrom(kernel, record);
  const object = tree.create(type, data, {
    ...attributes,
    id,
    parent,
    created: createdData(type, data),
    emitTypeMessages: (created) => {
      for (const sent of messagesOf(created)) tree.changes.emit(id, ...sent);
    },
  });
  if (object.is(objectType.variable)) kernel.variables.noteLogging(object);
  if (object.is(objectType.variable) || object.is(objectType.event)) journal.values.add(object);
  return object;
}

/** The data without the state that every start determines, and without references. */
function dataFrom(kernel: Kernel, { type, data }: ObjectRecord): DataOf[ObjectType] {
  // The record was made from an object of this type.
  const of = <T extends ObjectType>(_type: T) => data as DataOf[T];
  switch (type) {
    case objectType.instance:
      return { ...of(type), connectionId: 0, status: instanceStatus.creating };
    case objectType.variable: {
      const { qualityProblem: _q, rule: _r, pending: _p, reportTimes: _t, isRetyped: _i, ...kept } = of(type);
      const known = (name: string) => (kernel.profiles.find(name)?.type === kept.type ? name : '');
      return { ...kept, profile: known(kept.profile), customProfile: known(kept.customProfile) };
    }
    case objectType.script:
      // No message says when it ran before.
      return { ...of(type), executed: 0 };
    case objectType.event: {
      const { trigger, ...kept } = of(type);
      return { ...kept, nextRun: 0, ...(trigger && { trigger: { ...trigger, variableId: 0 } }) };
    }
    default:
      return { ...data };
  }
}

function createdData(type: ObjectType, data: DataOf[ObjectType]): readonly unknown[] {
  if (type === objectType.category || type === objectType.link) return [];
  if (type !== objectType.instance) return [(data as DataOf[2 | 3 | 4 | 5]).type];
  const { moduleId, moduleName, moduleType } = data as DataOf[1];
  return [moduleId, moduleName, moduleType];
}

type Sent = readonly [message: number, data: readonly unknown[]];

/** The messages by which clients learn the data of an object. */
function* messagesOf(object: TreeObject): Generator<Sent> {
  if (object.is(objectType.instance)) yield [message.IM_CHANGESTATUS, [object.data.status]];
  else if (object.is(objectType.variable)) yield* variableMessages(object.data);
  else if (object.is(objectType.script)) {
    yield [message.SM_CHANGEFILE, [object.data.file]];
    if (object.data.broken) yield [message.SM_BROKEN, [true]];
  } else if (object.is(objectType.event)) {
    const { type, created, lastRun } = object.data;
    yield* eventMessagesFor(eventData(type, created), object.data);
    if (lastRun !== 0) yield [message.EM_UPDATE, [lastRun, 0]];
  } else if (object.is(objectType.media)) yield* mediaMessages(object.data);
  else if (object.is(objectType.link) && object.data.targetId !== 0)
    yield [message.LM_CHANGETARGET, [object.data.targetId]];
}

function* variableMessages(data: DataOf[2]): Generator<Sent> {
  const { type, value, updated, changed, profile, customProfile, action, customAction } = data;
  if (profile !== '' || customProfile !== '') yield [message.VM_CHANGEPROFILENAME, [customProfile, profile]];
  if (action !== 0 || customAction !== 0) yield [message.VM_CHANGEPROFILEACTION, [customAction, action]];
  if (data.role !== 'main') yield [message.GW_ROLE, [data.role]];
  if (data.residents !== undefined) yield [message.GW_RESIDENTS, [data.residents]];
  if (data.logging?.active === true) yield [message.GW_RECORDING, [true]];
  const initial = initialValue(type);
  // A message has one time: the first one says when the value changed, the second one when it was updated.
  const differs = changed !== 0;
  if (differs || value !== initial)
    yield [message.VM_UPDATE, [value, differs, initial, differs ? changed : updated, 0, 0]];
  const known = differs ? changed : value === initial ? 0 : updated;
  if (updated !== known) yield [message.VM_UPDATE, [value, false, value, updated, known, changed]];
}

function* mediaMessages({ file, available, crc, size, updated, cached }: DataOf[5]): Generator<Sent> {
  if (file !== '') yield [message.MM_CHANGEFILE, [shownFile(file)]];
  if (available) yield [message.MM_AVAILABLE, [true]];
  if (crc !== '' || size !== 0 || updated !== 0) yield [message.MM_UPDATE, [crc, size, updated]];
  if (cached) yield [message.MM_CHANGECACHED, [true]];
}
