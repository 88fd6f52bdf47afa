import type { Logging, VariableData } from './object.js';

/** The archive settings of a variable that were never changed. */
export function defaultLogging({ isCounter = false }: Pick<VariableData, 'isCounter'>): Logging {
  return { active: false, counter: isCounter, ignoreZeros: false, graph: true, compaction: [] };
}
