import type { Kernel } from '../../kernel/kernel.js';
import { formatFinding, type MissingTarget } from '../document.js';
import type { LoadedConfig } from '../load.js';
import type { TreeNode } from '../schema/gateway-schema.js';

/** Where an entry is, as `FILE:LINE:COLUMN`, and which one it is, as `tree[0].children[1]`. */
export interface EntryLocation {
  readonly place: string;
  readonly entry: string;
}

/** What of a configuration could not be applied: by the ident path of its object, or by the key of another entry. */
export interface ApplyProblem {
  readonly path: string;
  readonly text: string;
}

/**
 * All that does not work of a configuration that was applied, a line each, with file, line and column: what its review
 * found, without what the running gateway has after all, and what else applying found.
 */
export function listProblems(
  { file, tree, places, findings }: LoadedConfig,
  applied: readonly ApplyProblem[],
  isThere: (absent: MissingTarget) => boolean,
): string[] {
  const own = findings.filter(
    ({ severity, missing: absent }) => severity === 'problem' && !(absent !== undefined && isThere(absent)),
  );
  const entries = new Map<string, EntryLocation>([...places, ...entriesOf(tree)]);
  const others = applied.flatMap(({ path, text }) => {
    const { place, entry } = entries.get(path) ?? { place: file, entry: '' };
    const isKnown = entry !== '' && own.some(({ key }) => isOf(key, entry));
    return isKnown ? [] : [`${place}: ${text}`];
  });
  return [...own.map((finding) => formatFinding(file, finding)), ...others];
}

/** Whether a running gateway has what a file does not: objects and profiles are also made by calls. */
export const existsIn =
  ({ tree, profiles }: Kernel) =>
  ({ kind, name }: MissingTarget): boolean =>
    kind === 'object'
      ? tree.findByPath(name) !== undefined
      : kind === 'profile' && profiles.find(name) !== undefined;

/** Whether a key is of an entry itself, not of one below it. */
function isOf(key: string, entry: string): boolean {
  return key === entry || (key.startsWith(`${entry}.`) && !key.startsWith(`${entry}.children[`));
}

/** The ident paths of all entries. */
export const identPathsOf = (nodes: readonly TreeNode[]): string[] =>
  [...entriesOf(nodes)].map(([path]) => path);

function* entriesOf(nodes: readonly TreeNode[], above = ''): Generator<[string, EntryLocation]> {
  for (const node of nodes) {
    const path = `${above}${node.ident}`;
    yield [path, node];
    if (node.kind === 'instance')
      for (const [ident, { children }] of Object.entries(node.variables ?? {}))
        yield* entriesOf(children, `${path}/${ident}/`);
    yield* entriesOf(node.children, `${path}/`);
  }
}
