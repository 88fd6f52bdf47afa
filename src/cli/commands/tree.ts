import type { Value } from '../../client/index.js';
import { compareSiblings, objectType, typeName } from '../../kernel/object.js';
import { variableTypeNames } from '../../kernel/value.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { resolveId } from '../arguments/object-id.js';
import { escapeControls, jsonText, styled } from '../output/terminal.js';
import { type Snapshot, TreeReplica } from '../output/tree-replica.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';

/** An object as `--json` prints it. */
interface Branch {
  readonly ID: number;
  readonly Type: string;
  readonly Ident: string;
  readonly Name: string;
  /** The path that `call` accepts in place of the id. */
  readonly Path: string;
  /** The module of an instance. */
  readonly Module?: string;
  /** The value of a variable, with `--values`. */
  readonly Value?: Value;
  readonly Formatted?: string;
  readonly Children: readonly Branch[];
}

/** `stellwerk tree`: prints the objects, indented, with their paths and ids for `call`. */
export const tree = command({
  usage: 'tree [options] [PATH]',
  about: `Prints the tree of objects: ident (or name without one), type, ID and name. With PATH (an ID, or a path of idents
or names: ground_floor/hall_relay), that object and everything below it.`,
  options: {
    ...gatewayOptions,
    values: { type: 'boolean', help: 'also the values of variables, formatted by their profiles' },
    json: { type: 'boolean', help: 'as JSON, with the path of each object' },
  },
  words: [0, 1],
  exits: '0 done, 1 no such object, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async ({ values = false, json = false, ...options }, [path = '/']) => {
    const gateway = await gatewayClient(options);
    const id = path === '/' ? 0 : await resolveId(gateway, path);
    const snapshot = (await gateway.call('SVC_GetSnapshot')) as Snapshot;
    const root = branchesOf(snapshot, values).get(id);
    if (root === undefined) throw new Error(`Object #${id} was deleted meanwhile`);
    process.stdout.write(
      json ? `${jsonText(root, 2)}\n` : tableOf(id === 0 ? root.Children : [root], values),
    );
    return exitCode.ok;
  },
});

/** All objects in the order of the tree, the children of each sorted by position. */
function branchesOf(snapshot: Snapshot, withValues: boolean): Map<number, Branch> {
  const paths = new TreeReplica(snapshot);
  const objects = Object.entries(snapshot.objects).map(([key, object]) => ({
    id: Number(key.slice(2)),
    position: object.position,
    type: object.type,
    displayName: object.name,
    object,
  }));
  const children = new Map<number, Branch[]>();
  const branches = new Map<number, Branch>();
  for (const { id, object } of objects.toSorted(compareSiblings)) {
    const { type, name, ident, data } = object;
    const Children: Branch[] = [];
    children.set(id, Children);
    branches.set(id, {
      ID: id,
      Type:
        type === objectType.variable
          ? `${variableTypeNames[data.type ?? 3]} variable`
          : (typeName[type] ?? '').toLowerCase(),
      Ident: ident,
      Name: name,
      Path: id === 0 ? '/' : paths.path(id),
      ...(data.moduleName !== undefined && { Module: data.moduleName }),
      ...(withValues &&
        data.value !== undefined && { Value: data.value, Formatted: paths.format(id, data.value) }),
      Children,
    });
  }
  for (const [id, branch] of branches) {
    const parent = snapshot.objects[`ID${id}`]?.parentID;
    if (id !== 0 && parent !== undefined) children.get(parent)?.push(branch);
  }
  return branches;
}

/** One line per object, in columns. */
function tableOf(roots: readonly Branch[], withValues: boolean): string {
  const rows = roots.flatMap((root) => rowsOf(root, 0));
  const widths = [0, 1, 2].map((n) => Math.max(0, ...rows.map(({ cells }) => cells[n]?.length ?? 0)));
  return rows
    .map(({ cells: [step, kind, id], name, value }) => {
      const start = `${step.padEnd(widths[0] ?? 0)}  ${styled('dim', `${kind.padEnd(widths[1] ?? 0)}  ${id.padStart(widths[2] ?? 0)}`)}`;
      const end = withValues && value !== undefined ? `${name}  ${styled('cyan', value)}` : name;
      return `${start}  ${end}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}

interface Row {
  readonly cells: readonly [step: string, kind: string, id: string];
  readonly name: string;
  readonly value: string | undefined;
}

function rowsOf(branch: Branch, depth: number): Row[] {
  const { ID, Type, Ident, Name, Module, Formatted, Children } = branch;
  const row: Row = {
    cells: [
      escapeControls(`${'  '.repeat(depth)}${Ident || Name}`),
      escapeControls(Module === undefined ? Type : `${Type} ${Module}`),
      String(ID),
    ],
    name: Ident === '' ? '' : escapeControls(Name),
    value: Formatted === undefined ? undefined : escapeControls(Formatted),
  };
  return [row, ...Children.flatMap((child) => rowsOf(child, depth + 1))];
}
