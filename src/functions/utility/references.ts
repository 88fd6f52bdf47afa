import type { Conforming } from '../../device/declare.js';
import { mediaType } from '../../kernel/media.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Tree } from '../../kernel/tree.js';
import type { Ports } from '../ports.js';
import type * as shapes from './shapes.js';
import { idsIn, textsIn } from './ids.js';
import { linesOf, readable } from './lines.js';

type Reference = Conforming<typeof shapes.references>[number];

/**
 * All that uses an object: first what names it in the tree, then the texts of scripts, charts and dashboards with its id in
 * them. Throws `OBJECT_MISSING`.
 */
export async function referencesTo({ kernel, scripts, media }: Ports, id: number): Promise<Reference[]> {
  const { tree } = kernel;
  const target = tree.get(id);
  const all = [...tree.all()];
  const found = all.flatMap((object) => inTree(tree, object, target));
  for (const object of all) {
    if (tree.find(object.id) !== object) continue;
    if (object.is(objectType.script))
      found.push(...inText(object, await readable(scripts.content(object.id)), id));
    if (object.is(objectType.media) && isJson(object.data.type))
      found.push(...inText(object, await readable(contentOf(media, object.id)), id));
  }
  return found;
}

function inTree(tree: Tree, object: TreeObject, target: TreeObject): Reference[] {
  const uses = (Kind: string, Text: string): Reference => ({ ObjectID: object.id, Kind, Line: 0, Text });
  const { id } = target;
  if (object.is(objectType.link)) return object.data.targetId === id ? [uses('link', 'TargetID')] : [];
  if (object.is(objectType.variable)) {
    const { action, customAction } = object.data;
    return [
      // That an instance takes the writes to its own variables says nothing.
      ...(action === id && object.parent !== target ? [uses('action', 'VariableAction')] : []),
      ...(customAction === id ? [uses('action', 'VariableCustomAction')] : []),
    ];
  }
  if (object.is(objectType.instance)) {
    const { connectionId, properties } = object.data;
    const named = Object.entries(properties).filter(
      ([name, value]) =>
        idsIn({ [name]: value }).has(id) ||
        (typeof value === 'string' && value !== '' && tree.at(value) === target),
    );
    return [
      ...(connectionId === id ? [uses('connection', 'ConnectionID')] : []),
      ...named.map(([name]) => uses('property', name)),
    ];
  }
  if (object.is(objectType.event)) {
    const named = Object.entries(object.data).filter(([name, value]) =>
      idsIn({ [name]: value as unknown }).has(id),
    );
    const texts = [...textsIn(object.data)].flatMap((text) => inText(object, text, id));
    return [...named.map(([name]) => uses('event', name)), ...texts];
  }
  return [];
}

function inText({ id: ObjectID, type }: TreeObject, text: string, id: number): Reference[] {
  const mention = new RegExp(`(?<![\\w.$])${id}(?![\\w$]|\\.\\d)`);
  const Kind = type === objectType.media ? 'media' : type === objectType.event ? 'event' : 'script';
  return Array.from(
    linesOf(text, (line) => mention.test(line)),
    (line) => ({ ObjectID, Kind, ...line }),
  );
}

const isJson = (type: number) => type === mediaType.chart || type === mediaType.dashboard;

async function contentOf(media: Ports['media'], id: number): Promise<string> {
  return (await (await media()).content(id)).toString();
}
