import { gatewayVariable, moduleCaption, variableCaption } from './i18n/gateway-texts.js';
import { shownName } from '../web/i18n/unnamed.js';
import type { Model, TreeNode } from '../web/model.js';
import { objectType } from '../web/objects.js';

/** The name of an object; one that the gateway or a module gave is in the user's language. Subscribes. */
export const nameOf = (model: Model, node: TreeNode): string => captionOf(model, node, node.entry.value);

function captionOf(
  model: Model,
  { id, type }: TreeNode,
  { name, parentID }: { readonly name: string; readonly parentID: number },
): string {
  const parent = model.find(parentID);
  if (type === objectType.variable && parent?.type === objectType.instance) return variableCaption(name);
  if (parent === undefined || !isGatewayItself(parent)) return shownName(id, name);
  return type === objectType.instance ? moduleCaption(name) : gatewayVariable(name);
}

/** Whether it is the category with the gateway's own state and its only instances of some modules. */
export function isGatewayItself({ entry }: TreeNode): boolean {
  const { ident, parentID } = entry.peek();
  return parentID === 0 && ident === GATEWAY_IDENT;
}

const GATEWAY_IDENT = 'stellwerk';

/** Objects whose name, ident, module or id contains the text; those that begin with it first. */
export function findNodes(model: Model, text: string, limit = Infinity): TreeNode[] {
  const lower = text.trim().toLowerCase();
  const first: TreeNode[] = [];
  const others: TreeNode[] = [];
  for (const node of model.all()) {
    const entry = node.entry.peek();
    const { name, ident, data } = entry;
    const shown = captionOf(model, node, entry).toLowerCase();
    const begins =
      [name.toLowerCase(), shown].some((one) => one.startsWith(lower)) || String(node.id) === lower;
    if (begins) first.push(node);
    else if (
      name.toLowerCase().includes(lower) ||
      shown.includes(lower) ||
      ident.toLowerCase().includes(lower) ||
      moduleMatches(data.moduleName, lower)
    )
      others.push(node);
    if (first.length >= limit) break;
  }
  return [...first, ...others].slice(0, limit);
}

/** Whether the name of a module, in English or as it is shown, contains the text. */
function moduleMatches(name: string | undefined, lower: string): boolean {
  return name !== undefined && [name, moduleCaption(name)].some((one) => one.toLowerCase().includes(lower));
}

/** The names of the objects above one, without the root: `Ground floor / Hall relay`. */
export function pathOf(model: Model, node: TreeNode): string {
  const names: string[] = [];
  for (
    let above = model.find(node.entry.peek().parentID);
    above !== undefined && above.id !== 0;
    above = model.find(above.entry.peek().parentID)
  )
    names.unshift(nameOf(model, above));
  return names.join(' / ');
}

/** Whether `node` is `above` or somewhere below it. */
export function isWithin(model: Model, node: TreeNode, above: TreeNode): boolean {
  for (
    let one: TreeNode | undefined = node;
    one !== undefined;
    one = one.id === 0 ? undefined : model.find(one.entry.peek().parentID)
  )
    if (one === above) return true;
  return false;
}

/** An instance of a module of which a gateway has one. */
export function instanceOf(model: Model, moduleName: string): TreeNode | undefined {
  for (const node of model.all()) if (node.entry.peek().data.moduleName === moduleName) return node;
  return undefined;
}
