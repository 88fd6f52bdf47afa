import type { Instance } from '../../../src/kernel/instances.js';
import { objectType } from '../../../src/kernel/object.js';
import { quality } from '../../../src/kernel/quality.js';

/** The quality of an instance's variable: `good`, or for example `stale OVERDUE`. */
export function qualityOf(instance: Instance, ident: string): string {
  const child = instance.children?.byIdent(ident);
  if (!child?.is(objectType.variable)) throw new Error(`there is no ${ident}`);
  const { qualityProblem: suspect } = child.data;
  if (suspect === undefined) return 'good';
  return `${suspect.state === quality.bad ? 'bad' : 'stale'} ${suspect.reason}`;
}
