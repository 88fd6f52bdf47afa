import type { Model, Rule } from './model.js';
import { types, ModelFault, type ReplyState, type SampleModule } from './snapshot-types.js';

type Properties = ReplyState['active'];

function moduleOf(model: Model, id: number): SampleModule {
  const { moduleName } = model.of(types.instance, id).data;
  const { io, device } = model.modules;
  return moduleName === io.moduleName ? io : device;
}

/** The properties of an instance, with masked secrets. */
export function shownProperties(model: Model, id: number, properties: Properties): Properties {
  const { secret } = moduleOf(model, id);
  return properties[secret] === '' ? properties : { ...properties, ...(secret && { [secret]: '***' }) };
}

const ownOf = (model: Model, id: number): ReplyState => {
  model.of(types.instance, id);
  return model.own.get(id) as ReplyState;
};

/** The properties with one changed; a value has the type of its property's default. */
function changed(properties: Properties, name: string, value: unknown): Properties {
  if (typeof value !== typeof properties[name]) throw new ModelFault('PROPERTY_INVALID');
  return { ...properties, [name]: value };
}

const same = (a: Properties, b: Properties) => JSON.stringify(a) === JSON.stringify(b);

/** Instances: their connections and properties. */
export const instanceRules: Readonly<Record<string, Rule>> = {
  SVC_CreateInstance: (model: Model, name: string, made: number) => {
    const { io, device } = model.modules;
    const { properties, secret: _secret, ...shown } = name === io.moduleName ? io : device;
    model.own.set(made, { active: properties, pending: undefined, changed: model.now });
    return model.create(made, types.instance, { ...shown, connectionID: 0 });
  },
  SVC_ConnectInstance: (model: Model, id: number, parent: number) => {
    const { data } = model.of(types.instance, id);
    const isFitting =
      moduleOf(model, parent) === model.modules.io && moduleOf(model, id) === model.modules.device;
    if (!isFitting) throw new ModelFault('INCOMPATIBLE');
    data['connectionID'] = parent;
    return true;
  },
  SVC_DisconnectInstance: (model: Model, id: number) => {
    model.of(types.instance, id).data['connectionID'] = 0;
    return true;
  },
  SVC_SetProperty: (model: Model, ...[id, name, value]: [number, string, unknown]) => {
    const own = ownOf(model, id);
    const before = own.pending ?? own.active;
    if (!(name in before)) return false;
    const after = changed(before, name, value);
    if (same(before, after)) return false;
    own.pending = same(own.active, after) ? undefined : after;
    return true;
  },
  SVC_SetConfiguration: (model: Model, id: number, json: string) => {
    const own = ownOf(model, id);
    let after = own.pending ?? own.active;
    if (!json.startsWith('{')) throw new ModelFault('CONFIGURATION_INVALID');
    for (const [name, value] of Object.entries(JSON.parse(json) as Properties)) {
      if (!(name in after)) throw new ModelFault('PROPERTY_MISSING');
      after = changed(after, name, value);
    }
    own.pending = same(own.active, after) ? undefined : after;
    return true;
  },
  SVC_ResetChanges: (model: Model, id: number) => {
    ownOf(model, id).pending = undefined;
    return true;
  },
  SVC_ApplyChanges: (model: Model, id: number) => {
    const own = ownOf(model, id);
    if (own.pending === undefined) return true;
    Object.assign(own, { active: own.pending, pending: undefined, changed: model.now });
    model.fromMessages.set(id, { configuration: shownProperties(model, id, own.active) });
    return true;
  },
};
