import { messageOf } from '../base/fault.js';
import { variableType } from '../kernel/value.js';
import { moduleKind, type ModuleDefinition, type VariableDeclaration } from './module.js';
import type { Properties } from './properties.js';

/** Variables that every instance with hardware or a line behind it has, after its module's own. */
const common: readonly VariableDeclaration[] = [
  { ident: 'LINK', name: 'Link', type: variableType.string, position: 1000 },
  { ident: 'STATUS', name: 'Status', type: variableType.string, position: 1001 },
];

/** Whether every instance has a variable with this ident. */
export const isCommonVariable = (ident: string): boolean => common.some((one) => one.ident === ident);

/** The variables that the instances of a module have, whatever their properties say. */
export const commonVariables = (module: ModuleDefinition): readonly VariableDeclaration[] =>
  module.kind === moduleKind.visualisation ? [] : common;

/** What is wrong with the properties beyond their schema, and what to do; undefined when nothing is. */
export function validateSemantics(module: ModuleDefinition, properties: Properties): string | undefined {
  try {
    return module.check?.(properties) ?? identMistake(module, properties);
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** An ident names one variable. */
function identMistake(module: ModuleDefinition, properties: Properties): string | undefined {
  const idents = new Set<string>();
  for (const { ident } of module.variables(properties)) {
    if (isCommonVariable(ident))
      return `the ident ${ident} is reserved: every instance has such a variable; choose another`;
    if (idents.has(ident)) return `two variables have the ident ${ident}; choose another for one of them`;
    idents.add(ident);
  }
  return undefined;
}
