import { messageOf } from '../base/fault.js';
import type { Modules } from '../device/modules.js';
import { defaultsOf, mistakeIn, withProperty } from '../device/properties.js';
import { check } from './check.js';
import type { ConfigDocument, Path } from './document.js';
import { eventProblems } from './event-check.js';
import { variableProblems } from './variables.js';
import { nodeKinds, nodeSchemas, type NodeKind, type TreeNode } from './schema.js';
import { didYouMean } from '../base/did-you-mean.js';

/** Deeper trees are mistakes. */
const DEPTH_LIMIT = 50;

/** A document whose `tree` is checked, and the modules that instances may be of; without them that is not checked. */
export interface TreeCheck {
  readonly document: ConfigDocument;
  readonly modules: Modules | undefined;
}

/** Checks the entries of `tree` and gives them in the shape that `apply.ts` works on; notes each mistake. */
export function checkTree(tree: TreeCheck, nodes: readonly unknown[], path: Path): TreeNode[] {
  const { document } = tree;
  if (path.length > DEPTH_LIMIT * 2) {
    document.mistake(path, `the tree is more than ${DEPTH_LIMIT} levels deep`);
    return [];
  }
  const idents = new Map<string, number>();
  return nodes.flatMap((node, i) => {
    const checked = checkNode(tree, node, [...path, i]);
    if (checked === undefined) return [];
    const earlier = idents.get(checked.ident);
    if (earlier !== undefined)
      document.mistake([...path, i, 'ident'], `another entry here has this ident (the ${earlier + 1}.)`);
    idents.set(checked.ident, i);
    return [checked];
  });
}

function checkNode(tree: TreeCheck, node: unknown, path: Path): TreeNode | undefined {
  const { document } = tree;
  if (typeof node !== 'object' || node === null || Array.isArray(node)) {
    document.mistake(path, `expected an entry with one of the keys ${nodeKinds.join(', ')}`);
    return undefined;
  }
  const given: Record<string, unknown> = { ...node };
  // An event has a key `script` too.
  const kinds = nodeKinds.filter((kind) => kind in given && !(kind === 'script' && 'event' in given));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    document.mistake(path, `an entry has exactly one of the keys ${nodeKinds.join(', ')}`);
    return undefined;
  }
  const isRight = check(document, nodeSchemas[kind], { path, value: given });
  const children = Array.isArray(given['children'])
    ? checkTree(tree, given['children'], [...path, 'children'])
    : [];
  if (!isRight) return undefined;
  const variables = checkVariables(tree, given['variables'], [...path, 'variables']);
  const checked = shaped(kind, { ...given, ...(variables && { variables }) }, children);
  if (checked.kind === 'instance') checkModule(tree, checked, path);
  if (checked.kind === 'event')
    for (const [at, mistake] of eventProblems(checked, isBelowScript(document, path)))
      document.mistake([...path, ...at], mistake);
  return checked;
}

/** The entries below an instance's variables; undefined where it lists none. */
function checkVariables(tree: TreeCheck, given: unknown, path: Path): Record<string, object> | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const entries = Object.entries(given as Record<string, { children?: unknown } | null>);
  return Object.fromEntries(
    entries.map(([ident, settings]) => {
      const below = settings?.children;
      const children = Array.isArray(below) ? checkTree(tree, below, [...path, ident, 'children']) : [];
      return [ident, { ...settings, children }];
    }),
  );
}

function isBelowScript(document: ConfigDocument, path: Path): boolean {
  const parent: unknown = path
    .slice(0, -2)
    .reduce<unknown>((at, step) => (at as never)?.[step], document.value);
  return typeof parent === 'object' && parent !== null && 'script' in parent && !('event' in parent);
}

/** The check above has established the shape. */
function shaped(kind: NodeKind, given: Record<string, unknown>, children: readonly TreeNode[]): TreeNode {
  return { ...given, kind, name: given[kind], children } as TreeNode;
}

function checkModule(
  { document, modules }: TreeCheck,
  node: Extract<TreeNode, { kind: 'instance' }>,
  path: Path,
): void {
  if (modules === undefined) return;
  const module = modules.find(node.module);
  if (module === undefined) {
    const names = [...modules.all()].map(({ name }) => name);
    document.mistake(
      [...path, 'module'],
      `there is no module ${node.module}${didYouMean(node.module, names)}; known: ${names.join(', ')}`,
    );
    return;
  }
  for (const [at, mistake] of variableProblems(node, module)) document.mistake([...path, ...at], mistake);
  const known = Object.keys(module.properties.properties);
  for (const [name, value] of Object.entries(node.properties ?? {})) {
    const at: Path = [...path, 'properties', name];
    if (!known.includes(name)) document.unknownKey(at, known, `${module.name} has no such property`);
    else
      try {
        withProperty(module, {}, [name, value]);
      } catch (thrown) {
        document.mistake(at, messageOf(thrown));
      }
  }
}

/** In words, the instances whose properties, each right for itself, do not go together: they would stay closed. */
export function closedInstances(nodes: readonly TreeNode[], modules: Modules, above = ''): string[] {
  return nodes.flatMap((node) => {
    const path = `${above}${node.ident}`;
    const mistake = node.kind === 'instance' ? mistakeOf(node, modules) : undefined;
    const own = mistake === undefined ? [] : [`tree: ${path} would stay closed: ${mistake}`];
    return [...own, ...closedInstances(node.children, modules, `${path}/`)];
  });
}

function mistakeOf(node: Extract<TreeNode, { kind: 'instance' }>, modules: Modules): string | undefined {
  const module = modules.get(node.module);
  const set = Object.entries(node.properties ?? {});
  return mistakeIn(
    module,
    set.reduce((all, one) => withProperty(module, all, one), defaultsOf(module)),
  );
}
