import { coded, type Text } from '../base/codes/coded-text.js';
import { codedMessageOf } from '../base/fault.js';
import { variableType } from '../kernel/value.js';
import { moduleKind, type ModuleDefinition, type VariableDeclaration } from './module.js';
import type { Properties } from './properties.js';

/** Variables that every instance with hardware or a connection behind it has, after those of its module. */
const common: readonly VariableDeclaration[] = [
  { ident: 'LINK', name: 'Link', type: variableType.string, role: 'diagnostic', position: 1000 },
  { ident: 'STATUS', name: 'Status', type: variableType.string, role: 'diagnostic', position: 1001 },
];

/** Whether the ident belongs to one of the common variables. */
export const isCommonVariable = (ident: string): boolean => common.some((one) => one.ident === ident);

/** The common variables of a module's instances; they do not depend on properties. */
export const commonVariables = (module: ModuleDefinition): readonly VariableDeclaration[] =>
  module.kind === moduleKind.visualisation ? [] : common;

/**
 * Checks what the schema can't express. Returns what is wrong and what to do; undefined if the properties are
 * valid.
 */
export function validateSemantics(module: ModuleDefinition, properties: Properties): Text | undefined {
  try {
    return module.check?.(properties) ?? duplicateIdentError(module, properties);
  } catch (thrown) {
    return codedMessageOf(thrown);
  }
}

/** Idents must be unique. */
function duplicateIdentError(module: ModuleDefinition, properties: Properties): Text | undefined {
  const idents = new Set<string>();
  for (const { ident } of module.variables(properties)) {
    if (isCommonVariable(ident))
      return coded`IDENT_RESERVED: the ident ${ident} is reserved: every instance has such a variable; choose another`;
    if (idents.has(ident))
      return coded`IDENT_TWICE: two variables have the ident ${ident}; choose another for one of them`;
    idents.add(ident);
  }
  return undefined;
}
