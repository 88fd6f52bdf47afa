import { commonVariables } from '../../device/common-variables.js';
import type { ModuleDefinition } from '../../device/module.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import { GATEWAY_IDENT } from '../../kernel/tree.js';
import type { VariableType } from '../../kernel/value.js';
import { variablesOf } from '../check/instance-properties.js';
import { type NodeKind, type TreeNode } from '../schema/gateway-schema.js';
import { variableTypeNames } from '../../kernel/value.js';

/** An object that the file lists, or a variable of a listed instance. */
export interface ListedObject {
  readonly kind: NodeKind;
  /** The type of a variable. */
  readonly type?: VariableType;
  /** Whether only its module sets the variable. */
  readonly isReadOnly?: boolean;
  /** Whether the variable accepts commands. */
  readonly hasAction?: boolean;
  /** The module of an instance. */
  readonly module?: ModuleDefinition;
}

/** The tree that a file describes, as far as it can be known without a gateway. */
export class TreeModel {
  readonly #objects = new Map<string, ListedObject>([['', { kind: 'category' }]]);
  /** Paths below which there may be unlisted objects. */
  readonly #uncertain = new Set<string>([GATEWAY_IDENT]);
  readonly #modules: ModuleRegistry;

  constructor(
    nodes: readonly TreeNode[],
    modules: ModuleRegistry,
    fronts: readonly { readonly ident: string }[],
  ) {
    this.#modules = modules;
    for (const { ident } of fronts) this.#objects.set(ident, { kind: 'instance' });
    this.#add(nodes, '');
  }

  /** The object at an ident path; `unknown` if it may exist. */
  at(path: string): ListedObject | 'unknown' | undefined {
    const steps = path.split('/').filter((step) => step !== '');
    const found = this.#objects.get(steps.join('/'));
    if (found !== undefined) return found;
    return steps.some((_, i) => this.#uncertain.has(steps.slice(0, i + 1).join('/'))) ? 'unknown' : undefined;
  }

  /** All ident paths except the root's. */
  paths(): string[] {
    return [...this.#objects.keys()].filter((path) => path !== '');
  }

  /** The idents of the variables directly below a path. */
  variablesBelow(path: string): string[] {
    const above = `${path
      .split('/')
      .filter((step) => step !== '')
      .join('/')}/`;
    return [...this.#objects].flatMap(([one, { kind }]) =>
      kind === 'variable' && one.startsWith(above) && !one.slice(above.length).includes('/')
        ? [one.slice(above.length)]
        : [],
    );
  }

  #add(nodes: readonly TreeNode[], above: string): void {
    for (const node of nodes) {
      const path = `${above}${node.ident}`;
      this.#objects.set(path, this.#objectOf(node));
      if (node.kind === 'instance') this.#addVariables(node, path);
      if (node.kind === 'instance')
        for (const [ident, { children }] of Object.entries(node.variables ?? {}))
          this.#add(children, `${path}/${ident}/`);
      this.#add(node.children, `${path}/`);
    }
  }

  #addVariables(node: Extract<TreeNode, { kind: 'instance' }>, path: string): void {
    const module = this.#modules.find(node.module);
    const own = module && variablesOf(module, node.properties ?? {});
    if (module === undefined || own === undefined) return void this.#uncertain.add(path);
    for (const { ident, type, action = false } of [...own, ...commonVariables(module)]) {
      const hasAction = isAction(node.variables?.[ident]?.action) ?? action;
      this.#objects.set(`${path}/${ident}`, { kind: 'variable', type, isReadOnly: true, hasAction });
    }
  }

  #objectOf(node: TreeNode): ListedObject {
    const { kind } = node;
    if (kind === 'variable')
      return {
        kind,
        type: variableTypeNames.indexOf(node.type) as VariableType,
        hasAction: isAction(node.action) ?? false,
      };
    const module = kind === 'instance' ? this.#modules.find(node.module) : undefined;
    return module === undefined ? { kind } : { kind, module };
  }
}

/** Whether the key `action` gives the variable an action; undefined if it leaves that to the module. */
function isAction(action: string | false | undefined): boolean | undefined {
  return action === undefined || action === '' ? undefined : action !== false;
}
