import { coded, type CodedText, type Text } from '../../base/codes/coded-text.js';
import type { Kernel } from '../../kernel/kernel.js';
import { isOfEntry, codedFinding, type MissingTarget } from '../document.js';
import type { LoadedConfig } from '../load.js';
import type { TreeNode } from '../schema/gateway-schema.js';

/** The location of an entry, as `FILE:LINE:COLUMN`, and its path, as `tree[0].children[1]`. */
export interface EntryLocation {
  readonly place: string;
  readonly entry: string;
}

/**
 * A part of a configuration that could not be applied, by the ident path of its object or the key of another
 * entry.
 */
export interface ApplyProblem {
  readonly path: string;
  readonly text: Text;
}

/**
 * Lists everything in an applied configuration that does not work, one line each, with file, line and column:
 * the problems of its review, except for what the running gateway does have, and those found while applying.
 */
export function listProblems(
  { file, tree, places, findings }: LoadedConfig,
  applied: readonly ApplyProblem[],
  isPresent: (absent: MissingTarget) => boolean,
): CodedText[] {
  const reviewed = findings.filter(
    ({ severity, missing: absent }) => severity === 'problem' && !(absent !== undefined && isPresent(absent)),
  );
  const entries = new Map<string, EntryLocation>([...places, ...entriesOf(tree)]);
  const others = applied.flatMap(({ path, text }) => {
    const { place, entry } = entries.get(path) ?? { place: file, entry: '' };
    const isKnown = entry !== '' && reviewed.some(({ key }) => isOfEntry(key, entry));
    return isKnown ? [] : [coded`ABOUT: ${place}: ${text}`];
  });
  return [...reviewed.map((finding) => codedFinding(file, finding)), ...others];
}

/** Whether a running gateway has what the file lacks: objects and profiles are also created by calls. */
export const existsIn =
  ({ tree, profiles }: Kernel) =>
  ({ kind, name }: MissingTarget): boolean =>
    kind === 'object'
      ? tree.findByPath(name) !== undefined
      : kind === 'profile' && profiles.find(name) !== undefined;

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
