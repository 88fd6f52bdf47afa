import type { TSchema } from '@sinclair/typebox';
import type { HardwareItem } from '../../device/hardware-search.js';
import { referenceKind, type ReferenceKind } from '../../device/module.js';
import { referencesIn, resourceOf } from '../../device/property-references.js';
import { findSwitch } from '../../device/toggle.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Ports } from '../ports.js';

/** Where the choices of a property come from: the kind of hardware, and the property that names it. */
const sources = {
  line: { kind: 'line', refers: referenceKind.line },
  chip: { kind: 'chip', refers: undefined },
  port: { kind: 'port', refers: referenceKind.serialPort },
  channel: { kind: 'pwm', refers: referenceKind.channel },
  led: { kind: 'led', refers: referenceKind.led },
  bus: { kind: 'onewire', refers: referenceKind.bus },
  onewire: { kind: 'onewire', refers: referenceKind.onewire },
  sensor: { kind: 'sensor', refers: referenceKind.sensor },
} as const satisfies Record<string, { kind: HardwareItem['kind']; refers: ReferenceKind | undefined }>;
type HardwareSource = keyof typeof sources;

const hardwareSources = Object.keys(sources) as readonly HardwareSource[];
/** Outputs are objects of the tree. */
export const choiceSources = [...hardwareSources, 'output'] as const;
type ChoiceSource = (typeof choiceSources)[number];

/** The source of the choices for a property; undefined if it has none. */
export function sourceOf(schema: TSchema): string | undefined {
  const { refers, source } = schema as { refers?: ReferenceKind; source?: string };
  if (refers === referenceKind.switch) return 'output';
  return source ?? hardwareSources.find((one) => refers !== undefined && sources[one].refers === refers);
}

/** A choice for a property. */
interface Choice {
  readonly Value: string;
  readonly Caption: string;
  /** The instance or program that uses it; '' if nobody does. */
  readonly UsedBy: string;
  /** What has to be set with it, the property itself included. */
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** What this machine offers for properties with this source. A driver that cannot search has no choices. */
export async function choicesOf(ports: Ports, source: ChoiceSource): Promise<Choice[]> {
  if (source === 'output') return outputsIn(ports);
  const { modules } = ports.devices;
  const { kind, refers } = sources[source];
  const finders = new Set([...modules.all()].flatMap((module) => module.findHardware ?? []));
  const results = await Promise.allSettled([...finders].map((find) => find()));
  const items = results
    .flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    .filter((item) => item.kind === kind);
  const users = usersOf(ports);
  return items.flatMap((item) => {
    const Caption = [item.name, item.about].filter(Boolean).join(': ');
    if (refers === undefined)
      return [{ Value: item.name, Caption, UsedBy: item.usedBy, Properties: { Chip: item.name } }];
    const choice = valueOf(ports, item, refers);
    if (choice === undefined) return [];
    const { Value, Properties } = choice;
    const resource = resourceOf({ refers, value: Value }, Properties, modules.board.parts);
    return [{ Value, Caption, UsedBy: users.get(resource?.key ?? '') ?? item.usedBy, Properties }];
  });
}

/** The objects that a button can toggle, by the paths of their idents. */
function outputsIn({ kernel: { tree, variables } }: Ports): Choice[] {
  const found: Choice[] = [];
  const add = (object: TreeObject, path: string, names: string) => {
    const variable = findSwitch(tree, path);
    if (variable !== undefined && variables.actionTargetOf(variable) !== 0)
      found.push({ Value: path, Caption: names, UsedBy: '', Properties: {} });
    for (const child of object.children ?? []) {
      const isState = object.is(objectType.instance) && child.ident === 'STATE';
      if (child.ident === '' || isState) continue;
      add(
        child,
        path === '' ? child.ident : `${path}/${child.ident}`,
        names === '' ? child.displayName : `${names} / ${child.displayName}`,
      );
    }
  };
  add(tree.root, '', '');
  return found;
}

/** The value for a property: from what would be created for the item; for a used one its name. */
function valueOf(
  { devices }: Ports,
  { makes, name }: HardwareItem,
  refers: ReferenceKind,
): Pick<Choice, 'Value' | 'Properties'> | undefined {
  for (const { module: moduleName, properties } of makes) {
    const schema = devices.modules.find(moduleName)?.properties;
    if (schema === undefined) continue;
    for (const reference of referencesIn(schema, properties))
      if (reference.refers === refers) return { Value: String(reference.value), Properties: properties };
  }
  // Without a name of its own it is called chip/offset, which is no value of a property.
  return makes.length > 0 || (refers === referenceKind.line && name.includes('/'))
    ? undefined
    : { Value: name, Properties: {} };
}

/** The instances that use a resource, open or not, by the key of the resource. */
function usersOf({ kernel, devices: { modules } }: Ports): Map<string, string> {
  const users = new Map<string, string>();
  for (const instance of kernel.tree.objectsOfType(objectType.instance)) {
    const { moduleId, properties } = instance.data;
    const schema = modules.find(moduleId)?.properties;
    for (const reference of schema === undefined ? [] : referencesIn(schema, properties)) {
      const resource = resourceOf(reference, properties, modules.board.parts);
      if (resource !== undefined) users.set(resource.key, `${instance.displayName} (#${instance.id})`);
    }
  }
  return users;
}
