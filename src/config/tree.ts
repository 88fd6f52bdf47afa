import { messageOf } from '../base/fault.js';
import type { Modules } from '../device/modules.js';
import { defaultsOf, mistakeIn, withProperty } from '../device/properties.js';
import { check } from './check.js';
import type { ConfigDocument, Path } from './document.js';
import { nodeKinds, nodeSchemas, type EventNode, type NodeKind, type TreeNode } from './schema.js';
import { meant } from './words.js';

/** Deeper trees are mistakes. */
const DEPTH_LIMIT = 50;

const TIME_OF_DAY = /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

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
  const kinds = nodeKinds.filter((kind) => kind in given);
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
  const checked = shaped(kind, given, children);
  if (checked.kind === 'instance') checkModule(tree, checked, path);
  if (checked.kind === 'event') for (const mistake of eventMistakes(checked)) document.mistake(path, mistake);
  return checked;
}

/** The check above has established the shape. */
function shaped(kind: NodeKind, given: Record<string, unknown>, children: readonly TreeNode[]): TreeNode {
  return { ...given, kind, name: given[kind], children } as TreeNode;
}

/** What the schema can't say of an event. */
function* eventMistakes({ trigger, cyclic, script, action }: EventNode): Generator<string> {
  if ((trigger === undefined) === (cyclic === undefined))
    yield 'an event has exactly one of the keys trigger, cyclic';
  if ((script === undefined) === (action === undefined))
    yield 'an event has exactly one of the keys script, action';
  const needsValue = trigger !== undefined && !['update', 'change'].includes(trigger.on);
  if (needsValue && trigger.value === undefined) yield `on: ${trigger.on} needs a value`;
  if (cyclic === undefined) return;
  const { at, everyS, from, to } = cyclic;
  for (const time of [at, from, to])
    if (time !== undefined && !TIME_OF_DAY.test(time)) yield `${time} is no time of day; write it like 06:00`;
  if ((at === undefined) === (everyS === undefined)) yield 'cyclic has exactly one of the keys at, everyS';
  if (at !== undefined && (from ?? to) !== undefined)
    yield 'from and to go with everyS; at is a time of its own';
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
      `there is no module ${node.module}${meant(node.module, names)}; known: ${names.join(', ')}`,
    );
    return;
  }
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
