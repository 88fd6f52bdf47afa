import { coded, type CodedText } from '../base/codes/coded-text.js';
import { codedMessageOf, fault } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { Instance } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, typeName, type TreeObject } from '../kernel/object.js';
import { quality, type QualityProblem } from '../kernel/quality.js';
import type { Variable } from '../kernel/variables.js';
import { commonVariables, isCommonVariable } from './common-variables.js';
import { declareImages } from './images/declare-images.js';
import type { ModuleDefinition, InstanceProblem, VariableDeclaration } from './module.js';
import { validateProperties, type Properties } from './properties.js';
import { variableTypeNames } from './toolkit/notation.js';

/** The quality of a variable before its first report: its value is not one of the device. */
export const NO_VALUE: QualityProblem = {
  state: quality.bad,
  reason: 'NO_VALUE',
  text: 'the device has never reported a value',
};

/** The variables of an instance with these properties; only the common ones if they are invalid. */
export const declaredVariables = (
  module: ModuleDefinition,
  properties: Properties,
): readonly VariableDeclaration[] => [
  ...(validateProperties(module, properties) === undefined ? module.variables(properties) : []),
  ...commonVariables(module),
];

/**
 * Creates the variables and images that an instance's properties require, and updates existing ones to their
 * declaration. Returns what failed; the instance works without it.
 */
export function declareVariables(
  context: { readonly kernel: Kernel; readonly log: Log },
  instance: Instance,
  module: ModuleDefinition,
): InstanceProblem[] {
  const { properties } = instance.data;
  const isValid = validateProperties(module, properties) === undefined;
  const problems = declaredVariables(module, properties).flatMap((declared) => {
    try {
      return declare(context, instance, declared);
    } catch (thrown) {
      return [
        {
          code: 'VARIABLE',
          text: coded`VARIABLE_FAILED: it has no variable ${declared.ident}: ${codedMessageOf(thrown)}`,
        },
      ];
    }
  });
  if (isValid) problems.push(...declareImages(context.kernel, instance, module.images?.(properties) ?? []));
  for (const { text } of problems)
    context.log.warn({ instance: instance.id, name: instance.displayName }, text.toString());
  return problems;
}

/** Renames variables and images whose declared names have changed, unless a user has renamed them. */
export function renameVariables(
  { tree }: Kernel,
  instance: Instance,
  { module, before, after }: { module: ModuleDefinition; before: Properties; after: Properties },
): void {
  const declared = (properties: Properties) => [
    ...module.variables(properties),
    ...(module.images?.(properties) ?? []),
  ];
  const names = new Map(declared(before).map(({ ident, name }) => [ident, name]));
  for (const { ident, name } of declared(after)) {
    const child = instance.children?.byIdent(ident);
    const was = names.get(ident);
    if (child !== undefined && was !== name && child.name === was) tree.set(child, 'name', name);
  }
}

/** Whether an instance with these properties uses the profile for one of its variables. */
export function usesProfile(module: ModuleDefinition, properties: Properties, name: string): boolean {
  if (validateProperties(module, properties) !== undefined) return false;
  return module.variables(properties).some(({ profile }) => profile === name);
}

function declare(
  { kernel, log }: { readonly kernel: Kernel; readonly log: Log },
  instance: Instance,
  declared: VariableDeclaration,
): InstanceProblem[] {
  const { ident, name, type, role, action = false, position = 0 } = declared;
  const { profileDefinition } = declared;
  if (profileDefinition !== undefined && kernel.profiles.find(profileDefinition.name) === undefined)
    kernel.profiles.define(profileDefinition);
  const { profile, problem } = usableProfile(kernel, declared);
  const problems: InstanceProblem[] = problem === undefined ? [] : [{ code: 'PROFILE', text: problem }];
  const found = instance.children?.byIdent(ident);
  const actionId = action ? instance.id : 0;
  if (found === undefined) {
    // Read-only: only reports change it.
    const place = { parent: instance, ident, name, position, role, readOnly: true };
    const variable = kernel.variables.create(type, { ...place, profile, action: actionId });
    variable.data.writeBudget = declared.durable;
    variable.data.isCounter = declared.counter;
    if (!isCommonVariable(ident)) kernel.variables.setQualityProblem(variable, NO_VALUE);
    return problems;
  }
  if (!found.is(objectType.variable) || (found.data.type !== type && !found.readOnly)) {
    // Objects that users created are never replaced.
    const what = found.is(objectType.variable)
      ? coded`A_VARIABLE_OF_TYPE: variable of type ${variableTypeNames[found.data.type]}`
      : typeName[found.type];
    const text = coded`VARIABLE_IDENT_USED: it has no variable ${ident}: #${found.id} below it (${what}) has this ident; delete it or change its ident, then apply the changes (SVC_ApplyChanges)`;
    return [{ code: 'VARIABLE', text }];
  }
  if (found.data.type !== type) {
    const types = `${variableTypeNames[found.data.type]} to ${variableTypeNames[type]}`;
    log.warn(
      { instance: instance.id, variable: found.id, ident },
      `the type of the variable changes from ${types}`,
    );
    kernel.variables.setType(found, type);
    if (!isCommonVariable(ident)) kernel.variables.setQualityProblem(found, NO_VALUE);
  }
  kernel.variables.setRole(found, role);
  kernel.tree.set(found, 'readOnly', true);
  kernel.variables.setProfile(found, profile);
  kernel.variables.setAction(found, actionId);
  found.data.writeBudget = declared.durable;
  found.data.isCounter = declared.counter;
  return problems;
}

/** The declared profile, or none with the reason: it may be missing or of another type. */
function usableProfile(
  { profiles }: Kernel,
  { ident, type, profile = '', profileProperty }: VariableDeclaration,
): { readonly profile: string; readonly problem?: CodedText } {
  const found = profiles.find(profile);
  if (profile === '' || found?.type === type) return { profile };
  const where = profileProperty === undefined ? '' : `${profileProperty}: `;
  const what =
    found === undefined
      ? coded`NO_PROFILE: there is no profile ${profile}`
      : coded`PROFILE_OF_TYPE: the profile ${profile} is of type ${variableTypeNames[found.type]}, and ${ident} is of type ${variableTypeNames[type]}`;
  return {
    profile: '',
    problem: coded`WITHOUT_PROFILE: ${where}${what}; ${ident} works without; name another or create it`,
  };
}

/**
 * The variables of an instance that its device reports, including those that its module no longer declares.
 */
export function* reportedVariables(instance: Instance): Generator<Variable> {
  for (const child of instance.children ?? [])
    if (child.is(objectType.variable) && isReported(child)) yield child;
}

/** Whether the device of the instance above a variable reports it. */
export const isReported = ({ parent, readOnly, ident }: Variable): boolean =>
  parent?.is(objectType.instance) === true && readOnly && !isCommonVariable(ident);

/** Whether the module of an instance finds a variable by this ident; also if that cannot be known. */
export function isDeclared(module: ModuleDefinition | undefined, { data }: Instance, ident: string): boolean {
  if (module === undefined || validateProperties(module, data.properties) !== undefined) return true;
  return declaredVariables(module, data.properties).some((one) => one.ident === ident);
}

/** Clears rules and scheduled changes: no rule applies while the instance is closed. */
export function clearRules({ variables }: Kernel, instance: Instance): void {
  for (const variable of reportedVariables(instance)) {
    variables.setRule(variable, undefined);
    variables.setPending(variable, undefined);
  }
}

/**
 * Whether an object below an instance is a variable or an image that its module created; only modules create
 * read-only ones.
 */
export const isModuleObject = (child: TreeObject): boolean =>
  (child.is(objectType.variable) || child.is(objectType.media)) &&
  child.readOnly &&
  (child.children?.size ?? 0) === 0;

/**
 * Throws `HAS_CHILDREN` if an instance has children that its module did not create, or its variables have
 * children.
 */
export function requireNoForeignChildren(instance: Instance): void {
  for (const child of instance.children ?? []) if (!isModuleObject(child)) throw fault('HAS_CHILDREN');
}

/**
 * Deletes an instance and its module's variables and images. Throws `HAS_CHILDREN`, and then deletes nothing.
 */
export function deleteWithVariables({ tree }: Kernel, instance: Instance): void {
  if (tree.find(instance.id) === instance) requireNoForeignChildren(instance);
  for (const child of Array.from(instance.children ?? [])) tree.delete(child);
  tree.delete(instance);
}
