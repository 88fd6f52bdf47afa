import { parseJsonOr } from '../../base/json.js';
import type { ReadonlyStatic } from '../../device/declare.js';
import { yieldToEventLoop } from '../../base/event-loop.js';
import { mediaType } from '../../kernel/media.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Ports } from '../ports.js';
import type * as shapes from './utility-shapes.js';
import { idsIn, scriptTextsIn } from './embedded-ids.js';
import { matchingLines, textOrEmpty } from './text-lines.js';

type Reference = ReadonlyStatic<typeof shapes.references>[number];

/** Objects checked before yielding to the event loop. */
const SLICE = 1000;

/**
 * All uses of an object: first references in the tree, then scripts, charts and dashboards that contain its
 * id. Throws `OBJECT_MISSING`.
 */
export async function referencesTo(ports: Ports, id: number): Promise<Reference[]> {
  const { kernel, scripts, media } = ports;
  const { tree } = kernel;
  const target = tree.get(id);
  const all = [...tree.all()];
  const found: Reference[] = [];
  for (const [done, object] of all.entries()) {
    if (done % SLICE === SLICE - 1) await yieldToEventLoop();
    found.push(...treeReferences(ports, object, target));
  }
  for (const object of all) {
    if (tree.find(object.id) !== object) continue;
    if (object.is(objectType.script))
      found.push(...textReferences(object, await textOrEmpty(scripts.content(object.id)), id));
    if (object.is(objectType.media) && isJson(object.data.type))
      found.push(...textReferences(object, await textOrEmpty(contentOf(media, object.id)), id));
  }
  return found;
}

function treeReferences(ports: Ports, object: TreeObject, target: TreeObject): Reference[] {
  const { id } = target;
  const uses = (Kind: string, Text: string): Reference => ({ ObjectID: object.id, Kind, Line: 0, Text });
  if (object.is(objectType.link)) return object.data.targetId === id ? [uses('link', 'TargetID')] : [];
  if (object.is(objectType.variable)) {
    const { action, customAction } = object.data;
    return [
      // An instance is always the action of its own variables; that is not reported.
      ...(action === id && object.parent !== target ? [uses('action', 'VariableAction')] : []),
      ...(customAction === id ? [uses('action', 'VariableCustomAction')] : []),
    ];
  }
  if (object.is(objectType.instance)) {
    const { connectionId, moduleName, properties } = object.data;
    const isLogged = target.is(objectType.variable) && target.data.logging?.active === true;
    const named = Object.entries(properties).filter(
      ([name, value]) => idsIn({ [name]: value }).has(id) || isPathTo(ports, value, target),
    );
    return [
      ...(connectionId === id ? [uses('connection', 'ConnectionID')] : []),
      ...named.map(([name]) => uses('property', name)),
      ...(isLogged && moduleName === 'Archive Control' ? [uses('archive', 'Logging')] : []),
      ...frontReferences(ports, object.id, id).map((text) => uses('front', text)),
    ];
  }
  if (object.is(objectType.event)) {
    const named = Object.entries(object.data).filter(([name, value]) =>
      idsIn({ [name]: value as unknown }).has(id),
    );
    const texts = [...scriptTextsIn(object.data)].flatMap((text) => textReferences(object, text, id));
    return [...named.map(([name]) => uses('event', name)), ...texts];
  }
  return [];
}

/** Whether a property contains the ident path of an object. */
function isPathTo(ports: Ports, value: unknown, target: TreeObject): boolean {
  if (typeof value === 'string') return value !== '' && ports.kernel.tree.findByPath(value) === target;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((one) => isPathTo(ports, one, target));
}

/**
 * The uses of an object by a web front: the base of its area, and items whose configuration contains its id.
 */
function frontReferences({ configurators }: Ports, frontId: number, id: number): string[] {
  const front = configurators.all().find((one) => one.id === frontId);
  if (front === undefined) return [];
  type Item = { readonly ID: string; readonly Configuration: string };
  const items = parseJsonOr<Item[]>(configurators.frontData(frontId, 'items'), []);
  const named = items.filter(({ Configuration }) => mentionOf(id).test(Configuration));
  return [...(front.baseId === id ? ['base'] : []), ...named.map(({ ID }) => ID)];
}

function textReferences({ id: ObjectID, type }: TreeObject, text: string, id: number): Reference[] {
  const mention = mentionOf(id);
  const Kind = type === objectType.media ? 'media' : type === objectType.event ? 'event' : 'script';
  return Array.from(
    matchingLines(text, (line) => mention.test(line)),
    (line) => ({ ObjectID, Kind, ...line }),
  );
}

/** Matches an id in a text as a separate number. */
const mentionOf = (id: number) => new RegExp(`(?<![\\w.$])${id}(?![\\w$]|\\.\\d)`);

const isJson = (type: number) => type === mediaType.chart || type === mediaType.dashboard;

async function contentOf(media: Ports['media'], id: number): Promise<string> {
  return (await (await media()).content(id)).toString();
}
