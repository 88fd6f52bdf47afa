import { coded } from '../../base/codes/coded-text.js';
import { hasMaskedUrl } from '../../base/url-secrets.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import { checkSchema } from './schema-check.js';
import { formatPath, type ConfigDocument, type DocumentPath } from '../document.js';
import { eventProblems } from './event-check.js';
import { checkProperties, PLACEHOLDER } from './instance-properties.js';
import { variableProblems } from '../apply/variable-settings.js';
import { nodeKinds, nodeSchemas, type TreeNode } from '../schema/gateway-schema.js';
import { didYouMean } from '../../base/did-you-mean.js';

/** Deeper trees are errors. */
export const DEPTH_LIMIT = 50;

/** The document whose `tree` is checked, and the modules; without modules, instances are not checked. */
interface TreeCheck {
  readonly document: ConfigDocument;
  readonly modules: ModuleRegistry | undefined;
}

/**
 * Checks the entries of `tree` and returns them in the form that `apply-tree.ts` applies. Adds an error for
 * each mismatch.
 */
export function checkTree(tree: TreeCheck, nodes: readonly unknown[], path: DocumentPath): TreeNode[] {
  const { document } = tree;
  if (path.length > DEPTH_LIMIT * 2) {
    document.addError(path, coded`TREE_MORE_THAN_LEVELS: the tree is more than ${DEPTH_LIMIT} levels deep`);
    return [];
  }
  const idents = new Map<string, number>();
  return nodes.flatMap((node, i) => {
    const checked = checkNode(tree, node, [...path, i]);
    if (checked === undefined) return [];
    const earlier = idents.get(checked.ident);
    if (earlier !== undefined)
      document.addError(
        [...path, i, 'ident'],
        coded`ENTRY_LINE_IDENT_CHOOSE: the entry in line ${document.lineOf([...path, earlier])} has this ident; choose another`,
      );
    idents.set(checked.ident, i);
    return [checked];
  });
}

function checkNode(tree: TreeCheck, node: unknown, path: DocumentPath): TreeNode | undefined {
  const { document } = tree;
  if (typeof node !== 'object' || node === null || Array.isArray(node)) {
    document.addError(
      path,
      coded`EXPECTED_ENTRY_KEYS: expected an entry with one of the keys ${nodeKinds.join(', ')}`,
    );
    return undefined;
  }
  const given: Record<string, unknown> = { ...node };
  // An event may also have a key `script`.
  const kinds = nodeKinds.filter((kind) => kind in given && !(kind === 'script' && 'event' in given));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    document.addError(
      path,
      coded`ENTRY_EXACTLY_KEYS: an entry has exactly one of the keys ${nodeKinds.join(', ')}`,
    );
    return undefined;
  }
  const isValid = checkSchema(document, nodeSchemas[kind], { path, value: given });
  const children = Array.isArray(given['children'])
    ? checkTree(tree, given['children'], [...path, 'children'])
    : [];
  if (!isValid) return undefined;
  const variables = checkVariables(tree, given['variables'], [...path, 'variables']);
  const place = { place: document.locationOf(path), entry: formatPath(path), path };
  const shape = { kind, name: given[kind], children, ...(variables && { variables }), ...place };
  // The check above has validated the shape.
  const checked = { ...given, ...shape } as unknown as TreeNode;
  if (checked.kind === 'instance') checkModule(tree, checked, path);
  if (checked.kind === 'media' && hasMaskedUrl(checked.file))
    document.addWarning([...path, 'file'], PLACEHOLDER);
  if (checked.kind === 'event')
    for (const [at, error] of eventProblems(checked, isBelowScript(document, path)))
      document.addError([...path, ...at], error);
  return checked;
}

/** Checks the entries below an instance's variables; undefined if it lists none. */
function checkVariables(
  tree: TreeCheck,
  given: unknown,
  path: DocumentPath,
): Record<string, object> | undefined {
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

function isBelowScript(document: ConfigDocument, path: DocumentPath): boolean {
  const parent: unknown = path
    .slice(0, -2)
    .reduce<unknown>((at, step) => (at as never)?.[step], document.value);
  return typeof parent === 'object' && parent !== null && 'script' in parent && !('event' in parent);
}

function checkModule(
  { document, modules }: TreeCheck,
  node: Extract<TreeNode, { kind: 'instance' }>,
  path: DocumentPath,
): void {
  if (modules === undefined) return;
  const module = modules.find(node.module);
  if (module === undefined) {
    const names = [...modules.all()].map(({ name }) => name);
    document.addError(
      [...path, 'module'],
      coded`NO_MODULE: there is no module ${node.module}${didYouMean(node.module, names) || coded`KNOWN: ; known: ${names.join(', ')}`}`,
    );
    return;
  }
  for (const [at, error] of variableProblems(node, module)) document.addError([...path, ...at], error);
  checkProperties(document, module, { path, properties: node.properties ?? {} });
}
