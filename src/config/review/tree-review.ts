import { coded } from '../../base/codes/coded-text.js';
import { basename } from 'node:path';
import type { ModuleDefinition } from '../../device/module.js';
import { areCompatible } from '../../device/module-registry.js';
import { builtInProfiles } from '../../kernel/profiles/built-in-profiles.js';
import { variableType, type VariableType, variableTypeNames } from '../../kernel/value.js';
import { claimReference, missingPart, type InstanceReference } from './claims.js';
import type { DocumentPath } from '../document.js';
import { reviewEvent } from './event-review.js';
import { completeProperties, variablesOf } from '../check/instance-properties.js';
import { referencesIn } from '../../device/property-references.js';
import { requireObject, reviewScript, reviewValue, type TreeReview } from './review-context.js';
import { type InstanceVariable, type ProfileConfig, type TreeNode } from '../schema/gateway-schema.js';
import { didYouMean } from '../../base/did-you-mean.js';

type InstanceNode = Extract<TreeNode, { kind: 'instance' }>;

/** The types of the built-in profiles and of those that the file lists. */
export function knownProfiles(
  listed: Readonly<Record<string, Pick<ProfileConfig, 'type'>>> = {},
): Map<string, VariableType> {
  const entryPath = Object.entries(listed).map(
    ([name, { type }]) => [name, variableTypeNames.indexOf(type) as VariableType] as const,
  );
  return new Map([...builtInProfiles().map(({ name, type }) => [name, type] as const), ...entryPath]);
}

/**
 * Reviews a tree of valid entries: missing targets, and resources that are claimed twice. `parent` is the
 * instance that the entries are listed below, if it is one.
 */
export async function reviewNodes(
  review: TreeReview,
  nodes: readonly TreeNode[],
  parent?: InstanceNode,
): Promise<void> {
  for (const node of nodes) {
    const entryPath = node.path;
    switch (node.kind) {
      case 'instance':
        reviewInstance(review, node, { path: entryPath, parent });
        for (const { children } of Object.values(node.variables ?? {})) await reviewNodes(review, children);
        break;
      case 'variable':
        reviewVariable(review, node, entryPath);
        break;
      case 'link':
        if (node.target !== '') requireObject(review, node.target, [...entryPath, 'target']);
        break;
      case 'event':
        await reviewEvent(review, node, entryPath);
        break;
      case 'script':
        if (node.text !== undefined)
          await reviewScript(review, {
            text: node.text,
            path: [...entryPath, 'text'],
            ...(node.file !== undefined && { file: basename(node.file) }),
          });
        break;
      case 'category':
      case 'media':
    }
    await reviewNodes(review, node.children, node.kind === 'instance' ? node : undefined);
  }
}

function reviewVariable(
  review: TreeReview,
  node: Extract<TreeNode, { kind: 'variable' }>,
  path: DocumentPath,
): void {
  const type = variableTypeNames.indexOf(node.type) as VariableType;
  if (node.value !== undefined)
    reviewValue(review.document, type, { value: node.value, path: [...path, 'value'] });
  reviewSettings(review, node, { type, path });
}

/** Reviews the user settings of a variable, whoever created it. */
function reviewSettings(
  review: TreeReview,
  { profile, action }: Pick<InstanceVariable, 'profile' | 'action'>,
  { type, path }: { type: VariableType; path: DocumentPath },
): void {
  if (profile !== undefined) reviewProfile(review, profile, { type, path: [...path, 'profile'] });
  if (typeof action !== 'string' || action === '') return;
  const at: DocumentPath = [...path, 'action'];
  if (!requireObject(review, action, at)) return;
  const found = review.model.at(action);
  if (found !== 'unknown' && found?.kind !== 'instance' && found?.kind !== 'script')
    review.document.addProblem(
      at,
      coded`DOES_NOT_ACCEPT_COMMANDS: ${action} does not accept commands; name a script or an instance`,
    );
}

function reviewProfile(
  { document, profiles }: TreeReview,
  name: string,
  { type, path }: { type: VariableType; path: DocumentPath },
): void {
  if (name === '') return;
  const found = profiles.get(name);
  if (found === type) return;
  if (found !== undefined) {
    const fitting = [...profiles].flatMap(([one, its]) => (its === type ? [one] : []));
    const [ours, others] = [variableTypeNames[type], variableTypeNames[found]];
    document.addProblem(
      path,
      coded`PROFILE_VARIABLES_CHOOSE_ANOTHER: the profile ${name} is for ${others} variables, and this one is ${ours}; choose another, like ${fitting[0] ?? ''}`,
    );
    return;
  }
  document.addProblem(
    path,
    coded`NO_PROFILE_NAMED: there is no profile ${name}${didYouMean(name, [...profiles.keys()]) || coded`CREATE_OR_CHOOSE: ; create it first, or choose another`}`,
    { kind: 'profile', name },
  );
}

function reviewInstance(
  review: TreeReview,
  node: InstanceNode,
  { path, parent }: { path: DocumentPath; parent: InstanceNode | undefined },
): void {
  const module = review.modules.find(node.module);
  if (module === undefined) return;
  reviewConnection(review, module, { path, parent, connection: node.connection });
  const given = node.properties ?? {};
  const declared = variablesOf(module, given);
  if (declared === undefined) return;
  for (const { ident, type, profile = '', profileProperty } of declared) {
    // Profiles chosen by the module always exist.
    if (profileProperty !== undefined)
      reviewProfile(review, profile, { type, path: [...path, 'properties', ...stepsIn(profileProperty)] });
    const settings = node.variables?.[ident];
    if (settings !== undefined)
      reviewSettings(review, settings, { type, path: [...path, 'variables', ident] });
  }
  const properties = completeProperties(module, given);
  // A disabled instance uses no resources.
  const isOff = module.disabledReason?.(properties) !== undefined;
  for (const reference of referencesIn(module.properties, properties)) {
    const claimant = { name: node.name === '' ? node.ident : node.name, path: [...path, ...reference.path] };
    reviewReference(review, { reference, properties, claimant }, isOff);
  }
}

/**
 * What an instance will be connected to: the target of its `connection`, or the instance it is listed below.
 */
interface Connection {
  readonly path: DocumentPath;
  readonly parent: InstanceNode | undefined;
  readonly connection: string | undefined;
}

function reviewConnection(
  review: TreeReview,
  module: ModuleDefinition,
  { path, parent, connection }: Connection,
): void {
  const { document, modules, model } = review;
  const at: DocumentPath = connection === undefined ? path : [...path, 'connection'];
  if (connection !== undefined && connection !== '' && !requireObject(review, connection, at)) return;
  if (module.requires === undefined) return;
  const parents = [...modules.all()].filter((one) => areCompatible(module, one)).map(({ name }) => name);
  const found = connection === undefined ? undefined : model.at(connection);
  if (found === 'unknown') return;
  const above = connection === undefined ? parent && modules.find(parent.module) : found?.module;
  if (above !== undefined && areCompatible(module, above)) return;
  const isUnconnected = connection === undefined ? above === undefined : connection === '';
  if (isUnconnected)
    document.addWarning(
      at,
      coded`WORKS_OVER_ANOTHER_INSTANCE: ${module.name} requires an I/O instance; list it below one of these: ${parents.join(', ')}`,
    );
  else
    document.addProblem(
      at,
      coded`NOT_CONNECTABLE: ${module.name} can't be connected to ${above === undefined ? (connection ?? '') : above.name}; choose one of these: ${parents.join(', ')}`,
    );
}

function reviewReference(review: TreeReview, of: InstanceReference, isOff: boolean): void {
  const { document, claims, modules } = review;
  const { refers, value } = of.reference;
  const { path } = of.claimant;
  if (refers === 'switch') return reviewSwitch(review, String(value), path);
  if (refers === 'file') return void review.files.push({ path, file: String(value) });
  const missing = missingPart(of, modules.board);
  if (missing !== undefined) {
    const absent = refers === 'line' ? ({ kind: 'line', name: String(value) } as const) : undefined;
    document.addProblem(path, missing, absent);
  } else if (!isOff) {
    claimReference(claims, of, modules.board.parts);
  }
}

/**
 * Reviews a target of `Host.toggle`: a boolean variable, or an instance with a boolean STATE. Devices only
 * accept commands.
 */
function reviewSwitch(review: TreeReview, target: string, path: DocumentPath): void {
  if (!requireObject(review, target, path)) return;
  const { model, document } = review;
  const found = model.at(target);
  const variable = found !== 'unknown' && found?.kind === 'instance' ? model.at(`${target}/STATE`) : found;
  if (variable === 'unknown') return;
  if (variable?.kind !== 'variable' || variable.type !== variableType.boolean)
    document.addProblem(
      path,
      coded`NO_SWITCH_AT: there is no boolean variable or switch at ${target}; name an instance with a STATE`,
    );
  else if (variable.isReadOnly === true && variable.hasAction !== true)
    document.addProblem(path, coded`READ_NAME_OUTPUT: ${target} is read-only; name an output`);
}

/** The steps of a property path such as `Topics[2].Profile`. */
function stepsIn(property: string): DocumentPath {
  return property
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
