import { coded, CodedText, type Text } from '../base/codes/coded-text.js';
import { Fault, fault } from '../base/fault.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import type { Tree } from '../kernel/tree.js';
import type { Value } from '../kernel/value.js';
import type { Variable } from '../kernel/variables.js';

/** Performs the action of a variable. */
export type PerformAction = (variable: Variable, value: Value) => Promise<void>;

/** Implements `Host.toggle`; `act` performs the action. */
export async function toggle({ tree }: Kernel, path: string, act: PerformAction): Promise<void> {
  const variable = findSwitch(tree, path);
  if (variable === undefined) throw nothingAt(path);
  // During a dead time it is about to go on: a second press cancels that.
  const on = !(variable.data.value === true || variable.data.pending?.code === 'DEAD_TIME');
  try {
    await act(variable, on);
  } catch (thrown) {
    if (!wasCancelled(thrown)) throw thrown;
  }
}

/** Whether another press switched the target off while it waited to go on. */
function wasCancelled(thrown: unknown): boolean {
  const [why] = (thrown instanceof Fault && thrown.parameters) || [];
  return why instanceof CodedText && why.code === 'SWITCHED_OFF_WHILE_WAITING';
}

/** The boolean variable at an ident path, or the STATE of the instance there; undefined if there is none. */
export function findSwitch(tree: Tree, path: string): Variable | undefined {
  const target = tree.findByPath(path);
  const variable = target?.is(objectType.instance) ? target.children?.byIdent('STATE') : target;
  const isSwitch = variable?.is(objectType.variable) === true && typeof variable.data.value === 'boolean';
  return isSwitch ? variable : undefined;
}

function nothingAt(path: string): Fault {
  const faultOf = (where: Text) =>
    fault(
      'DEVICE_CONFIGURATION',
      coded`NO_SWITCH_AT_PATH: there is no boolean variable or switch at ${where}; give the path of its idents`,
    );
  const { code, message, parameters = [] } = faultOf(path);
  return new Fault(code, message, { parameters, general: faultOf(coded`ITS_PATH: its path`).message });
}
