import { coded } from '../../base/codes/coded-text.js';
import { parseJsonOr } from '../../base/json.js';
import { fault } from '../../base/fault.js';
import {
  bool,
  declare,
  int,
  text,
  type ReadonlyStatic,
  type FunctionDeclaration,
} from '../../device/declare.js';
import { configuratorOf } from './areas.js';
import type { Ports } from '../ports.js';
import * as shapes from './front-shapes.js';

/** Limits of the items of a front, which are stored as one text. */
const ITEMS_LIMIT = 1000;
const ITEMS_BYTES = 262_144;
/** Maximum length of an ID and of a class name, characters. */
const NAME_LIMIT = 128;

type Item = ReadonlyStatic<typeof shapes.items>[number];

/** The items of a web front, a separate tree next to the object tree (interface §2.1). */
export function frontItemFunctions(ports: Ports): FunctionDeclaration[] {
  return [...reading(ports), ...placing(ports), ...changing(ports)];
}

function reading(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'WFC_GetItems',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: shapes.items,
      access: 'webfront',
      help: 'The items of a web front, in the order in which they were added.',
      run: (_caller, id) => itemsOf(ports, id),
    }),
    declare({
      name: 'WFC_SetItems',
      parameters: [int('InstanceID'), text('Items')],
      result: 'boolean',
      audited: true,
      help: 'Replaces all items of a web front by a JSON list in the format of WFC_GetItems.',
      run: (_caller, id, json) => {
        configuratorOf(ports, id);
        keep(ports, id, listFrom(json).map(itemFrom));
        return true;
      },
    }),
  ];
}

function placing(ports: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'WFC_AddItem',
      parameters: [InstanceID, text('ID'), text('ClassName'), text('Configuration'), text('ParentID')],
      result: 'boolean',
      audited: true,
      help: 'Adds an item with position 0 to a web front, below another item or, with "", at the top level.',
      run: (_caller, id, ID, ClassName, Configuration, ParentID) => {
        const item = { ID, ParentID, ClassName, Configuration, Position: 0, Visible: true };
        keep(ports, id, [...itemsOf(ports, id), item]);
        return true;
      },
    }),
    declare({
      name: 'WFC_DeleteItem',
      parameters: [InstanceID, text('ID')],
      result: 'boolean',
      audited: true,
      help: 'Deletes an item of a web front that has no children.',
      run: (_caller, id, itemId) => {
        const items = itemsOf(ports, id);
        itemOf(items, itemId);
        if (items.some(({ ParentID }) => ParentID === itemId))
          throw fault(
            'ITEMS_INVALID',
            coded`CHILDREN_DELETE_THEM_FIRST: ${itemId} has children; delete them first`,
          );
        const left = items.filter(({ ID }) => ID !== itemId);
        keep(ports, id, left);
        return true;
      },
    }),
  ];
}

function changing(ports: Ports): FunctionDeclaration[] {
  const [InstanceID, ID] = [int('InstanceID'), text('ID')];
  const change = (id: number, itemId: string, part: Partial<Item>) => {
    const items = itemsOf(ports, id);
    const item = itemOf(items, itemId);
    const changed = items.map((one) => (one === item ? { ...item, ...part } : one));
    keep(ports, id, changed);
    return true;
  };
  return [
    declare({
      name: 'WFC_UpdateConfiguration',
      parameters: [InstanceID, ID, text('Configuration')],
      result: 'boolean',
      audited: true,
      help: 'Sets the configuration of an item of a web front: a JSON object as text.',
      run: (_caller, id, itemId, Configuration) => change(id, itemId, { Configuration }),
    }),
    declare({
      name: 'WFC_UpdateParentID',
      parameters: [InstanceID, ID, text('ParentID')],
      result: 'boolean',
      audited: true,
      help: 'Moves an item of a web front below another one or, with "", to the top level.',
      run: (_caller, id, itemId, ParentID) => change(id, itemId, { ParentID }),
    }),
    declare({
      name: 'WFC_UpdatePosition',
      parameters: [InstanceID, ID, int('Position')],
      result: 'boolean',
      audited: true,
      help: 'Sets the position of an item of a web front among its siblings.',
      run: (_caller, id, itemId, Position) => change(id, itemId, { Position }),
    }),
    declare({
      name: 'WFC_UpdateVisibility',
      parameters: [InstanceID, ID, bool('Visible')],
      result: 'boolean',
      audited: true,
      help: 'Shows or hides an item of a web front.',
      run: (_caller, id, itemId, Visible) => change(id, itemId, { Visible }),
    }),
  ];
}

function itemsOf(ports: Ports, id: number): readonly Item[] {
  configuratorOf(ports, id);
  return parseJsonOr<Item[]>(ports.configurators.frontData(id, 'items'), []);
}

function itemOf(items: readonly Item[], itemId: string): Item {
  const item = items.find(({ ID }) => ID === itemId);
  if (item === undefined) throw fault('ITEM_MISSING', itemId);
  return item;
}

/** Stores the items; throws `ITEMS_INVALID` if they are inconsistent. */
function keep(ports: Ports, id: number, items: readonly Item[]): void {
  const why = problemOf(items);
  if (why !== undefined) throw fault('ITEMS_INVALID', why);
  const json = JSON.stringify(items);
  const isTooLong = Buffer.byteLength(json) > ITEMS_BYTES;
  if (isTooLong)
    throw fault(
      'ITEMS_INVALID',
      coded`ITEMS_LONGER_THAN_BYTES: the items are longer than ${ITEMS_BYTES} bytes`,
    );
  ports.configurators.saveFrontData(id, 'items', json);
}

function problemOf(items: readonly Item[]): string | undefined {
  if (items.length > ITEMS_LIMIT) return `there are more than ${ITEMS_LIMIT} items`;
  const parents = new Map<string, string>();
  for (const item of items) {
    const { ID, ClassName, Configuration, ParentID } = item;
    if (!isName(ID)) return `an ID must have 1 to ${NAME_LIMIT} characters and no control characters`;
    if (!isName(ClassName))
      return `the class of ${ID} must have 1 to ${NAME_LIMIT} characters and no control characters`;
    if (!isObjectText(Configuration)) return `the configuration of ${ID} is not a JSON object`;
    if (parents.has(ID)) return `the ID ${ID} is used twice`;
    parents.set(ID, ParentID);
  }
  return hierarchyProblem(parents);
}

/** The first unknown parent or cycle in a tree of items. */
function hierarchyProblem(parents: ReadonlyMap<string, string>): string | undefined {
  const placed = new Set(['']);
  for (const id of parents.keys()) {
    const path = new Set<string>();
    for (let at = id; !placed.has(at); at = parents.get(at) ?? '') {
      if (path.has(at)) return `${id} is below itself`;
      path.add(at);
      const parent = parents.get(at) ?? '';
      if (parent !== '' && !parents.has(parent)) return `the parent ${parent} of ${at} does not exist`;
    }
    for (const one of path) placed.add(one);
  }
  return undefined;
}

function listFrom(json: string): readonly unknown[] {
  const list = parsed(json);
  if (!Array.isArray(list)) throw fault('ITEMS_INVALID', coded`EXPECTED_JSON_LIST: expected a JSON list`);
  return list;
}

/** Parses an item: missing members have defaults, unknown members are ignored. */
function itemFrom(given: unknown): Item {
  const {
    ID,
    ParentID = '',
    ClassName,
    Configuration = '{}',
    Position = 0,
    Visible = true,
  } = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  const texts = [ID, ParentID, ClassName, Configuration];
  if (!texts.every((one) => typeof one === 'string') || !isName(ID as string))
    throw fault(
      'ITEMS_INVALID',
      coded`EACH_ITEM_NEEDS_STRINGS: each item needs the strings ID and ClassName; ParentID and Configuration are strings too`,
    );
  if (!Number.isSafeInteger(Position) || typeof Visible !== 'boolean')
    throw fault(
      'ITEMS_INVALID',
      coded`POSITION_MUST_INTEGER_VISIBLE: Position of ${String(ID)} must be an integer, Visible true or false`,
    );
  return { ID, ParentID, ClassName, Configuration, Position, Visible } as Item;
}

function isName(word: string): boolean {
  return word !== '' && word.length <= NAME_LIMIT && !/\p{Cc}/u.test(word);
}

function isObjectText(json: string): boolean {
  const value = parsed(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
