import { coded, recordOf, type Text, type TextRecord } from '../../base/codes/coded-text.js';
import { codedMessageOf } from '../../base/fault.js';
import type { ModuleDefinition } from '../../device/module.js';
import { areCompatible } from '../../device/module-registry.js';
import { areInConflict, referencesIn, resourceOf } from '../../device/property-references.js';
import { defaultsOf, validateProperties, withProperty, type Properties } from '../../device/properties.js';
import { findSwitch } from '../../device/toggle.js';
import type { Instance } from '../../kernel/instances.js';
import { objectType } from '../../kernel/object.js';
import type { Ports } from '../ports.js';

/** A problem with a property; '' if it concerns the instance. A warning may resolve itself later. */
interface PropertyProblem {
  readonly Property: string;
  readonly Severity: 'error' | 'warning';
  readonly Text: string;
  readonly CodedText: TextRecord;
}

const problemIn = (
  Property: string,
  text: Text,
  Severity: PropertyProblem['Severity'] = 'error',
): PropertyProblem => ({ Property, Severity, Text: text.toString(), CodedText: recordOf(text) });

/**
 * The problems that an instance of a module would have if these properties were set; without an instance, if
 * they were set in addition to the defaults. Changes nothing.
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
      problems.push(problemIn(Property, codedMessageOf(thrown)));
    }
  }
  const error = problems.length > 0 ? undefined : validateProperties(module, all);
  if (error !== undefined) problems.push(problemIn(propertyIn(error.toString(), module), error));
  return [
    ...problems,
    ...usedResources(ports, { module, id: instance?.id ?? 0 }, all),
    ...pathProblems(ports, module, all),
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
          yield problemIn(
            property,
            coded`RESOURCE_USED: ${resource.what} is used by ${other.displayName} (#${other.id}); choose another`,
          );
    }
  }
}

/** An ident path, of which each step can be an ident. */
const IDENT_PATH = /^\/?\w+(\/\w+)*\/?$/;

/** Paths of outputs that have none. An object that does not exist may be created later. */
function* pathProblems(
  ports: Ports,
  module: ModuleDefinition,
  properties: Properties,
): Generator<PropertyProblem> {
  const { tree, variables } = ports.kernel;
  for (const { refers, value, path } of referencesIn(module.properties, properties, [])) {
    const target = String(value);
    if (refers !== 'switch') continue;
    const property = String(path[0]);
    const variable = findSwitch(tree, target);
    if (!IDENT_PATH.test(target))
      yield problemIn(
        property,
        coded`NO_IDENT_PATH: ${target} is not an ident path; use the form ground_floor/hall_relay`,
      );
    else if (tree.findByPath(target) === undefined)
      yield problemIn(property, coded`NO_OBJECT_YET: there is no object at ${target} yet`, 'warning');
    else if (variable === undefined)
      yield problemIn(
        property,
        coded`NO_SWITCH_CHOOSE: there is no boolean variable or switch at ${target}; choose an output`,
      );
    else if (variables.actionTargetOf(variable) === 0)
      yield problemIn(property, coded`NO_ACTION_CHOOSE: ${target} has no action; choose an output`);
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
      : [
          problemIn(
            '',
            coded`INCOMPATIBLE_WITH: ${module.name} cannot be connected to ${connected.displayName}`,
          ),
        ];
  const names = [...modules.all()].filter((one) => areCompatible(module, one)).map(({ name }) => name);
  if (instance === undefined && [...kernel.tree.objectsOfType(objectType.instance)].some(isCompatible))
    return [];
  return [
    problemIn('', coded`CONNECTION_REQUIRED: it must be connected to an instance of ${names.join(', ')}`),
  ];
}
