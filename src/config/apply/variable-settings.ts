import { coded, type Text } from '../../base/codes/coded-text.js';
import { isDeepStrictEqual } from 'node:util';
import { commonVariables } from '../../device/common-variables.js';
import type { ImageDeclaration, ModuleDefinition } from '../../device/module.js';
import { validateProperties, type Properties } from '../../device/properties.js';
import type { Kernel } from '../../kernel/kernel.js';
import { defaultLogging } from '../../kernel/logging.js';
import type { Logging } from '../../kernel/object.js';
import { ACTION_DISABLED, type Variable } from '../../kernel/variables.js';
import type { DocumentPath } from '../document.js';
import { variablesOf } from '../check/instance-properties.js';
import { objectAt } from './event-conversion.js';
import {
  compactionKinds,
  type ArchiveConfig,
  type InstanceVariable,
  type TreeNode,
} from '../schema/gateway-schema.js';

type InstanceNode = Extract<TreeNode, { kind: 'instance' }>;

/** The images of an instance with these properties. */
export const declaredImages = (
  module: ModuleDefinition,
  properties: Properties,
): readonly ImageDeclaration[] =>
  validateProperties(module, properties) === undefined ? (module.images?.(properties) ?? []) : [];

/** Checks that an instance will have the variables that its entry lists. */
export function* variableProblems(
  node: InstanceNode,
  module: ModuleDefinition,
): Generator<readonly [DocumentPath, Text]> {
  const listed = Object.keys(node.variables ?? {});
  if (listed.length === 0) return;
  const own = variablesOf(module, node.properties ?? {});
  // Errors in its properties are reported separately.
  if (own === undefined) return;
  const known = [...own, ...commonVariables(module)].map(({ ident }) => ident);
  for (const ident of listed)
    if (!known.includes(ident))
      yield [
        ['variables', ident],
        coded`NO_SUCH_VARIABLE: ${module.name} has no such variable here; it has ${known.join(', ')}`,
      ];
}

/** The archive settings of an entry; omitted keys have their defaults. */
function loggingOf(archive: Exclude<ArchiveConfig, boolean>, byDefault: Logging): Logging {
  const { active = true, type, ignoreZeros = false, graph = true, compaction = [] } = archive;
  const rules = compaction.map(({ months, to }) => ({ months, kind: compactionKinds.indexOf(to) }));
  return {
    active,
    counter: type === undefined ? byDefault.counter : type === 'counter',
    ignoreZeros,
    graph,
    compaction: rules.toSorted((a, b) => a.months - b.months),
  };
}

/** Applies archive settings to a variable; `record` starts recording it. */
export async function applyArchive(
  archive: ArchiveConfig,
  variable: Variable,
  { kernel, record }: { kernel: Kernel; record: (id: number) => Promise<void> },
): Promise<void> {
  const byDefault = defaultLogging(variable.data);
  const before = variable.data.logging ?? byDefault;
  // A plain true or false keeps the other settings.
  const logging =
    typeof archive === 'boolean' ? { ...before, active: archive } : loggingOf(archive, byDefault);
  if (isDeepStrictEqual(logging, before)) return;
  kernel.variables.setLogging(variable, logging);
  if (logging.active && !before.active) await record(variable.id);
}

/** Sets the custom action of a variable: an ident path, '' for the default action, false for none. */
export function applyAction(
  action: NonNullable<InstanceVariable['action']> | false,
  variable: Variable,
  kernel: Kernel,
): void {
  const none = action === false ? ACTION_DISABLED : 0;
  const id = action === false || action === '' ? none : objectAt(action, kernel).id;
  kernel.variables.setCustomAction(variable, id);
}
