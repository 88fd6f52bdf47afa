import type { ModelRun } from './model-run.js';
import { isRef, type Step } from './steps.js';

/** Runs a sequence to its end or to the first difference. */
export async function runSequence(run: ModelRun, steps: readonly Step[]): Promise<string | undefined> {
  for (const step of steps) {
    const problem = await run.step(step);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A failing sequence with as many steps removed as possible: halves first, single steps last. */
export async function shrinkSequence(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> {
  let kept = steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length;) {
      const without = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await fails(without)) kept = without;
      else at += size;
    }
  }
  return kept;
}

/** A sequence as readable text. */
export function sequenceText(steps: readonly Step[]): string {
  const word = (param: unknown): string => {
    if (Array.isArray(param)) return `[${param.map(word).join(', ')}]`;
    if (!isRef(param)) return JSON.stringify(param);
    const { made, ident } = param;
    if (made < 0) return ['root', 'never', 'utility'][-made - 1] ?? '';
    return ident === undefined ? `#${made}` : `#${made}/${ident}`;
  };
  return steps
    .map(
      ({ name, params, made }) =>
        `${made === undefined ? '' : `#${made} = `}${name}(${params.map(word).join(', ')})`,
    )
    .join('\n');
}
