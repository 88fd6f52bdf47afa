import type { Log } from '../base/log.js';
import type { Instance } from '../kernel/attachments.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import { quality, type Doubt } from '../kernel/quality.js';
import { variableType } from '../kernel/value.js';
import type { Variable } from '../kernel/variables.js';
import { moduleKind, type ModuleDefinition, type VariableDeclaration } from './module.js';
import { mistakeIn } from './properties.js';

/** Variables that every instance with hardware or a line behind it has, after its module's own. */
const common: readonly VariableDeclaration[] = [
  { ident: 'LINK', name: 'Link', type: variableType.string, position: 1000 },
  { ident: 'STATUS', name: 'Status', type: variableType.string, position: 1001 },
];

/** What a variable shows before its first report is no value of its device's. */
export const NO_VALUE: Doubt = {
  state: quality.bad,
  reason: 'NO_VALUE',
  text: 'the device has never told it',
};

/** Creates the variables that an instance's properties call for, where they are missing. */
export function declareVariables(
  { kernel, log }: { readonly kernel: Kernel; readonly log: Log },
  instance: Instance,
  module: ModuleDefinition,
): void {
  const own =
    mistakeIn(module, instance.data.properties) === undefined
      ? module.variables(instance.data.properties)
      : [];
  const linked = module.kind === moduleKind.visualisation ? [] : common;
  for (const declared of [...own, ...linked]) {
    const { ident, name, type, profile = '', action = false, position = 0 } = declared;
    const found = instance.children?.byIdent(ident);
    const actionId = action ? instance.id : 0;
    if (found === undefined) {
      // Read-only: only a report changes it.
      const place = { parent: instance, ident, name, position, readOnly: true };
      const variable = kernel.variables.create(type, { ...place, profile, action: actionId });
      variable.data.durable = declared.durable;
      if (!common.includes(declared)) kernel.variables.doubt(variable, NO_VALUE);
    } else if (found.is(objectType.variable)) {
      if (found.data.type !== type) {
        log.error(
          { instance: instance.id, ident },
          'the variable has another type; delete it to have it made anew',
        );
        continue;
      }
      kernel.tree.set(found, 'readOnly', true);
      kernel.variables.setProfile(found, profile);
      kernel.variables.setAction(found, actionId);
      found.data.durable = declared.durable;
    }
  }
}

/** The variables of an instance that its device reports, also those that its module declared once and no longer does. */
export function* reportedVariables(instance: Instance): Generator<Variable> {
  for (const child of instance.children ?? [])
    if (child.is(objectType.variable) && child.readOnly && !common.some(({ ident }) => ident === child.ident))
      yield child;
}
