import { eventRecord } from './events/event-record.js';
import { shownProperties } from './instances.js';
import { contentOf, refreshMedia } from './media.js';
import type { Model } from './model.js';
import { ModelFault, type ReplyState } from './snapshot-types.js';

/** A call that changes nothing, and its expected result. */
export type Query = readonly [name: string, params: readonly unknown[], answer: unknown];

interface Refused {
  readonly code: string;
}

/** The names from below the root to an object. */
export function locationOf(model: Model, id: number): string[] {
  if (id === 0) return [];
  const { name, parentID } = model.get(id);
  return [...locationOf(model, parentID), name];
}

const getters = ['GetValueBoolean', 'GetValueInteger', 'GetValueFloat', 'GetValueString'] as const;

/** Queries about an object by its type, in an order in which the results are valid. */
export function queriesOfType(model: Model, id: number): Query[] {
  const { type, data } = model.get(id);
  if (type === 0) return [['SVC_GetCategory', [id], {}]];
  if (type === 1) return model.own.has(id) ? ofInstance(model, id) : [];
  if (type === 2) return model.theirs.has(id) ? [] : ofVariable(model, id);
  if (type === 3) {
    const file = data['file'] as string;
    return [
      ['SVC_GetScriptFile', [id], file],
      ...(model.hasTexts ? [['SVC_GetScriptContent', [id], model.files.get(file)] as const] : []),
      ['SVC_GetScriptEventList', [id], eventsOf(model, (one) => one.parentID === id)],
    ];
  }
  if (type === 4) return [['SVC_GetEvent', [id], eventRecord(model, id)]];
  if (type === 5) return ofMedia(model, id);
  return [['SVC_GetLink', [id], { LinkID: id, TargetID: data['targetID'] }]];
}

function eventsOf(model: Model, is: (entry: ReturnType<Model['get']>) => boolean): number[] {
  return [...model.objects].flatMap(([id, one]) => (one.type === 4 && is(one) ? [id] : []));
}

function ofInstance(model: Model, id: number): Query[] {
  const { connectionID, status, moduleID, moduleName, moduleType } = model.get(id).data;
  const { active, pending, changed } = model.own.get(id) as ReplyState;
  const shown = shownProperties(model, id, active);
  const name = Object.keys(shown)[0];
  return [
    ['SVC_GetConfiguration', [id], JSON.stringify(shown)],
    ...(name === undefined ? [] : [['SVC_GetProperty', [id, name], shown[name]] as const]),
    ['SVC_HasChanges', [id], pending !== undefined],
    ['SVC_GetReferenceList', [id], connectionID === 0 ? [] : [connectionID]],
    [
      'SVC_GetInstance',
      [id],
      {
        InstanceID: id,
        ConnectionID: connectionID,
        InstanceStatus: status,
        InstanceChanged: changed,
        ModuleInfo: { ModuleID: moduleID, ModuleName: moduleName, ModuleType: moduleType },
      },
    ],
  ];
}

function ofVariable(model: Model, id: number): Query[] {
  const { data } = model.get(id);
  const action = data['customAction'] as number;
  return [
    ['GetValue', [id], data['value']],
    [getters[data['type'] as number] ?? '', [id], data['value']],
    ['HasAction', [id], action >= 10_000],
    ['SVC_GetVariableEventList', [id], eventsOf(model, (one) => one.data['triggerVariableID'] === id)],
    [
      'SVC_GetVariable',
      [id],
      {
        VariableID: id,
        VariableType: data['type'],
        VariableProfile: data['profile'],
        VariableCustomProfile: data['customProfile'],
        VariableAction: data['action'],
        VariableCustomAction: action,
        VariableUpdated: data['lastUpdate'],
        VariableChanged: data['lastChange'],
        VariableIsLocked: false,
        VariableValue: data['value'],
      },
    ],
  ];
}

/** Every query checks the file. */
function ofMedia(model: Model, id: number): Query[] {
  const { data } = model.get(id);
  let content: string | Refused;
  try {
    content = contentOf(model, id);
  } catch (thrown) {
    if (!(thrown instanceof ModelFault)) throw thrown;
    content = { code: thrown.code };
  }
  refreshMedia(model, id);
  return [
    ['SVC_GetMediaContent', [id], content],
    [
      'SVC_GetMedia',
      [id],
      {
        MediaID: id,
        MediaType: data['type'],
        MediaIsAvailable: data['isAvailable'],
        MediaFile: data['file'],
        MediaCRC: data['crc'],
        MediaIsCached: data['cached'],
        MediaSize: data['size'],
      },
    ],
  ];
}
