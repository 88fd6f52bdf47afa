import { isDeepStrictEqual } from 'node:util';
import { commonVariables } from '../../device/common-variables.js';
import type { ModuleDefinition, VariableDeclaration } from '../../device/module.js';
import { defaultsOf, validateProperties, withProperty, type Properties } from '../../device/properties.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Logging } from '../../kernel/object.js';
import { ACTION_DISABLED, type Variable } from '../../kernel/variables.js';
import type { DocumentPath } from '../document.js';
import { objectAt } from './event-conversion.js';
import {
  compactionKinds,
  type ArchiveConfig,
  type InstanceVariable,
  type TreeNode,
} from '../schema/gateway-schema.js';

type InstanceNode = Extract<TreeNode, { kind: 'instance' }>;

/** The variables that an instance of a module has with these properties. */
export const declaredVariables = (
  module: ModuleDefinition,
  properties: Properties,
): readonly VariableDeclaration[] => [
  ...(validateProperties(module, properties) === undefined ? module.variables(properties) : []),
  ...commonVariables(module),
];

/** What an entry says of variables that its instance will not have. */
export function* variableProblems(
  node: InstanceNode,
  module: ModuleDefinition,
): Generator<readonly [DocumentPath, string]> {
  const listed = Object.keys(node.variables ?? {});
  if (listed.length === 0) return;
  let known: string[];
  try {
    const set = Object.entries(node.properties ?? {});
    const properties = set.reduce((all, one) => withProperty(module, all, one), defaultsOf(module));
    // Its properties are reported by themselves.
    if (validateProperties(module, properties) !== undefined) return;
    known = declaredVariables(module, properties).map(({ ident }) => ident);
  } catch {
    return;
  }
  for (const ident of listed)
    if (!known.includes(ident))
      yield [['variables', ident], `${module.name} has no such variable here; it has ${known.join(', ')}`];
}

/** What is assumed of a variable of which nothing was set. */
export const DEFAULT_LOGGING: Logging = {
  active: false,
  counter: false,
  ignoreZeros: false,
  graph: true,
  compaction: [],
};

/** How a listed variable is archived; what its entry does not mention has its default. */
export function loggingOf(archive: ArchiveConfig): Logging {
  if (typeof archive === 'boolean') return { ...DEFAULT_LOGGING, active: archive };
  const { active = true, type, ignoreZeros = false, graph = true, compaction = [] } = archive;
  const rules = compaction.map(({ months, to }) => ({ months, kind: compactionKinds.indexOf(to) }));
  return {
    active,
    counter: type === 'counter',
    ignoreZeros,
    graph,
    compaction: rules.toSorted((a, b) => a.months - b.months),
  };
}

/** Brings the archive settings of a variable to what its entry says; `record` begins to record it. */
export async function applyArchive(
  archive: ArchiveConfig,
  variable: Variable,
  { kernel, record }: { kernel: Kernel; record: (id: number) => Promise<void> },
): Promise<void> {
  const before = variable.data.logging ?? DEFAULT_LOGGING;
  // Switching it on or off alone leaves all else as it is.
  const logging = typeof archive === 'boolean' ? { ...before, active: archive } : loggingOf(archive);
  if (isDeepStrictEqual(logging, before)) return;
  kernel.variables.setLogging(variable, logging);
  if (logging.active && !before.active) await record(variable.id);
}

/** Sets what takes writes to a variable in place of its device: an ident path, '' for its standard action, false for nothing. */
export function applyAction(
  action: NonNullable<InstanceVariable['action']> | false,
  variable: Variable,
  kernel: Kernel,
): void {
  const none = action === false ? ACTION_DISABLED : 0;
  const id = action === false || action === '' ? none : objectAt(action, kernel).id;
  kernel.variables.setCustomAction(variable, id);
}
