import { messageOf } from '../../base/fault.js';
import type { ModuleDefinition } from '../../device/module.js';
import { areCompatible } from '../../device/module-registry.js';
import { areInConflict, referencesIn, resourceOf } from '../../device/property-references.js';
import { defaultsOf, validateProperties, withProperty, type Properties } from '../../device/properties.js';
import type { Instance } from '../../kernel/instances.js';
import { objectType } from '../../kernel/object.js';
import type { Ports } from '../ports.js';

/** What is wrong with a property; '' for what concerns the instance. */
interface PropertyProblem {
  readonly Property: string;
  readonly Text: string;
}

/**
 * What would be wrong with an instance of a module if it had these properties in addition to those that it
 * has; without an instance, in addition to the defaults. Changes nothing.
 */
export function propertyProblems(
  ports: Ports,
  { module, instance }: { readonly module: ModuleDefinition; readonly instance: Instance | undefined },
  given: Properties,
): PropertyProblem[] {
  const problems: PropertyProblem[] = [];
  let all = instance?.data.properties ?? defaultsOf(module);
  for (const [Property, value] of Object.entries(given)) {
    try {
      all = withProperty(module, all, [Property, value]);
    } catch (thrown) {
      problems.push({ Property, Text: messageOf(thrown) });
    }
  }
  const error = problems.length > 0 ? undefined : validateProperties(module, all);
  if (error !== undefined) problems.push({ Property: propertyIn(error, module), Text: error });
  return [
    ...problems,
    ...usedResources(ports, { module, id: instance?.id ?? 0 }, all),
    ...connectionProblems(ports, module, instance),
  ];
}

/** The property that the text of a module is about. */
function propertyIn(text: string, { properties }: ModuleDefinition): string {
  const words = text.match(/\w+/g) ?? [];
  return words.find((word) => Object.hasOwn(properties.properties, word)) ?? '';
}

/** Resources of the properties that another instance already has. */
function* usedResources(
  { kernel, devices: { modules } }: Ports,
  { module, id }: { readonly module: ModuleDefinition; readonly id: number },
  properties: Properties,
): Generator<PropertyProblem> {
  const parts = modules.board.parts;
  const required = [...referencesIn(module.properties, properties, [])].flatMap((reference) => {
    const resource = resourceOf(reference, properties, parts);
    return resource === undefined ? [] : [{ resource, property: String(reference.path[0]) }];
  });
  if (required.length === 0) return;
  for (const other of kernel.tree.objectsOfType(objectType.instance)) {
    const otherModule = modules.find(other.data.moduleId);
    if (other.id === id || otherModule === undefined) continue;
    for (const reference of referencesIn(otherModule.properties, other.data.properties)) {
      const used = resourceOf(reference, other.data.properties, parts);
      for (const { resource, property } of required)
        if (used !== undefined && areInConflict(used, resource))
          yield {
            Property: property,
            Text: `${resource.what} is used by ${other.displayName} (#${other.id}); choose another`,
          };
    }
  }
}

/** Whether there is an I/O instance that it can be connected to. */
function connectionProblems(
  { kernel, devices: { modules } }: Ports,
  module: ModuleDefinition,
  instance: Instance | undefined,
): PropertyProblem[] {
  if (module.requires === undefined) return [];
  const isCompatible = (parent: Instance) => {
    const parentModule = modules.find(parent.data.moduleId);
    return parentModule !== undefined && areCompatible(module, parentModule);
  };
  const connected = kernel.tree.find(instance?.data.connectionId ?? 0);
  if (connected?.is(objectType.instance) === true)
    return isCompatible(connected)
      ? []
      : [{ Property: '', Text: `${module.name} cannot be connected to ${connected.displayName}` }];
  const names = [...modules.all()].filter((one) => areCompatible(module, one)).map(({ name }) => name);
  if (instance === undefined && [...kernel.tree.objectsOfType(objectType.instance)].some(isCompatible))
    return [];
  return [{ Property: '', Text: `it must be connected to an instance of ${names.join(' or ')}` }];
}
